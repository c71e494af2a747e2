internal import Formats
internal import JSON

/// A value of a Lottie file, and its path.
struct LottieNode {
  let value: JSONValue
  let path: JSONPath

  /// The member of an object; nil where it is missing or null.
  subscript(key: String) -> LottieNode? {
    guard case .object(let members) = value, let member = members.first(where: { $0.key == key }), member.value != .null else {
      return nil
    }
    return LottieNode(value: member.value, path: path[key])
  }

  /// The elements of an array; none for other values.
  var elements: [LottieNode] {
    guard case .array(let elements) = value else { return [] }
    return elements.enumerated().map { LottieNode(value: $1, path: path[$0]) }
  }

  var isArray: Bool { if case .array = value { true } else { false } }
  var isObject: Bool { if case .object = value { true } else { false } }

  func fault(_ reason: String) -> LottieFault { LottieFault(path: path.description, reason: reason) }

  /// The number that the value is. A boolean counts as 0 or 1.
  var number: Double {
    get throws(LottieFault) {
      switch value {
      case .bool(let flag): return flag ? 1 : 0
      case .number(let text):
        guard let number = Double(text), abs(number) <= Self.largest else {
          throw fault("\(text.prefix(40)) is no number below \(JSONValue.text(Self.largest))")
        }
        return number == 0 ? 0 : number
      default: throw fault("expected a number, found \(value.kind)")
      }
    }
  }

  /// The largest number that is accepted.
  private static let largest = 1e9

  func number(_ key: String) throws(LottieFault) -> Double? { try self[key]?.number }

  func number(_ key: String, or usual: Double) throws(LottieFault) -> Double { try self[key]?.number ?? usual }

  func integer(_ key: String) throws(LottieFault) -> Int? {
    try self[key].map { (node) throws(LottieFault) in Int(try node.number) }
  }

  /// Whether the member is true, or not 0.
  func flag(_ key: String) -> Bool {
    switch self[key]?.value {
    case .bool(let flag): flag
    case .number(let text): Double(text).map { $0 != 0 } ?? false
    default: false
    }
  }

  func text(_ key: String) -> String? {
    guard case .string(let text)? = self[key]?.value else { return nil }
    return text
  }

  /// The numbers of an array, or the one number.
  var numbers: [Double] {
    get throws(LottieFault) {
      guard isArray else { return [try number] }
      var numbers: [Double] = []
      for element in elements { numbers.append(try element.number) }
      return numbers
    }
  }

  /// The pairs of numbers of an array.
  var points: [Point] {
    get throws(LottieFault) {
      var points: [Point] = []
      for element in elements {
        let pair = try element.numbers
        guard pair.count >= 2 else { throw element.fault("expected a point of two numbers") }
        points.append(Point(pair[0], pair[1]))
      }
      return points
    }
  }
}
