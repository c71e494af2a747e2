public import Foundation

/// A value of a document, which is JSON.
enum DocumentValue: Hashable, Sendable {
  case text(String)
  case number(Double)
  case flag(Bool)
  case list([DocumentValue])
  case object([String: DocumentValue])

  static func numbers(_ values: [CGFloat]) -> DocumentValue { .list(values.map { .number(Double($0)) }) }

  /// The value as JSON, with its keys in order of their letters, so that the same edit is the same text.
  var json: String {
    switch self {
    case .text(let text): Self.quoted(text)
    case .number(let number):
      // A whole number has no fraction. 2^53 is the last one up to which a Double has them all.
      number == number.rounded() && abs(number) < 9_007_199_254_740_992 ? String(Int64(number)) : "\(number)"
    case .flag(let flag): flag ? "true" : "false"
    case .list(let values): "[\(values.map(\.json).joined(separator: ", "))]"
    case .object(let members):
      "{\(members.sorted { $0.key < $1.key }.map { "\(Self.quoted($0.key)): \($0.value.json)" }.joined(separator: ", "))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case _ where scalar.value < 0x20:
        let code = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - code.count) + code
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

/// Something that an edit says and a document cannot, or that contradicts itself.
public struct SpoolClientError: Error, LocalizedError, Hashable, Sendable {
  /// The property at fault, such as `instructions[1].timeRange`.
  public var property: String
  /// The fault, in words.
  public var reason: String

  public init(property: String, reason: String) { (self.property, self.reason) = (property, reason) }

  public var errorDescription: String? { "\(property): \(reason)" }
}

/// The number that a Float was written as: 0.3, not 0.30000001192092896.
func decimal(_ value: Float) -> Double { Double("\(value)") ?? Double(value) }

extension CGFloat {
  /// The number; an error where it is none.
  func checked(_ property: String) throws(SpoolClientError) -> CGFloat {
    guard isFinite else { throw SpoolClientError(property: property, reason: "\(self) is no number") }
    return self
  }
}
