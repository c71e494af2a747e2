import Scenes
import Timeline

/// Tells by reflection what ought to be written for values: all their stored properties, whatever their `encode(to:)` does.
struct ValueMirror {
  /// The cases and the properties that had a value, such as "Node.still" and "Placement.crop".
  private(set) var met: Set<String> = []
  /// The properties that were nil.
  private(set) var absent: Set<String> = []

  /// The properties that had no value at all.
  var neverMet: [String] { absent.subtracting(met).sorted() }

  /// The properties that need not be written, each for a reason of its own.
  private static let exempt = [
    // It is start + duration.
    "MediaTimeRange.end"
  ]

  mutating func image(of value: Any) -> WrittenValue {
    if let plain = Self.plainImage(of: value) { return plain }
    let mirror = Mirror(reflecting: value)
    // A shared value is written as what it is, and so is a list that is made of shared ones.
    if let first = mirror.children.first {
      let type = "\(mirror.subjectType)"
      if type.hasPrefix("Shared<"), let shared = Mirror(reflecting: first.value).children.first { return image(of: shared.value) }
      if type.hasPrefix("Joined<") { return image(of: first.value) }
    }
    switch mirror.displayStyle {
    case .optional: return mirror.children.first.map { image(of: $0.value) } ?? .null
    case .collection: return .array(mirror.children.map { image(of: $0.value) })
    case .dictionary: return dictionary(mirror)
    case .enum: return enumeration(value, mirror)
    default: return object(mirror)
    }
  }

  private static func plainImage(of value: Any) -> WrittenValue? {
    switch value {
    case let value as Bool: .bool(value)
    case let value as Int: .integer(Int64(value))
    case let value as Int64: .integer(value)
    case let value as Int32: .integer(Int64(value))
    case let value as Int128: .wide(value)
    case let value as Double: .double(value.bitPattern)
    case let value as String: .string(Array(value.utf8))
    case let value as Range<Int>: .array([.integer(Int64(value.lowerBound)), .integer(Int64(value.upperBound))])
    case let value as ClosedRange<Double>: .array([value.lowerBound, value.upperBound].map { .double($0.bitPattern) })
    case let value as SIMD2<Double>: .array([value.x, value.y].map { .double($0.bitPattern) })
    case let value as SIMD3<Double>: .array([value.x, value.y, value.z].map { .double($0.bitPattern) })
    case is Unwritten<[TrackID]>: .null
    case let value as any RawRepresentable<String> where Self.isAlone(value): .string(Array(value.rawValue.utf8))
    case let value as any RawRepresentable<Int> where Self.isAlone(value): .integer(Int64(value.rawValue))
    default: nil
    }
  }

  /// Whether the value is nothing but its raw value.
  private static func isAlone(_ value: Any) -> Bool {
    let labels = Mirror(reflecting: value).children.map(\.label)
    return labels.isEmpty || labels == ["rawValue"]
  }

  private mutating func dictionary(_ mirror: Mirror) -> WrittenValue {
    var members: [String: WrittenValue] = [:]
    for child in mirror.children {
      let pair = Mirror(reflecting: child.value).children.map(\.value)
      members[pair[0] as? String ?? "a key that is no string"] = image(of: pair[1])
    }
    return .object(members)
  }

  private mutating func object(_ mirror: Mirror) -> WrittenValue {
    var members: [String: WrittenValue] = [:]
    for child in mirror.children {
      // A wrapped property is stored under a name with an underscore.
      let label = child.label.map { $0.hasPrefix("_") ? String($0.dropFirst()) : $0 } ?? "a property without a name"
      let name = "\(mirror.subjectType).\(label)"
      if Self.exempt.contains(name) { continue }
      members[label] = member(child.value, name)
    }
    return .object(members)
  }

  /// The image of a property; nil for a nil.
  private mutating func member(_ value: Any, _ name: String) -> WrittenValue? {
    let mirror = Mirror(reflecting: value)
    if mirror.displayStyle == .optional, mirror.children.isEmpty {
      absent.insert(name)
      return nil
    }
    met.insert(name)
    return image(of: value)
  }

  private mutating func enumeration(_ value: Any, _ mirror: Mirror) -> WrittenValue {
    guard let payload = mirror.children.first, let name = payload.label else {
      met.insert("\(mirror.subjectType).\(value)")
      return .object(["\(value)": .object([:])])
    }
    let full = "\(mirror.subjectType).\(name)"
    met.insert(full)
    let inner = Mirror(reflecting: payload.value)
    guard inner.displayStyle == .tuple else {
      return .object([name: .object(member(payload.value, "\(full)._0").map { ["_0": $0] } ?? [:])])
    }
    var members: [String: WrittenValue] = [:]
    for child in inner.children {
      // A value without a label has the label ".1", say, in a mirror, and "_1" where it is written.
      let label = child.label.map { $0.hasPrefix(".") ? "_" + $0.dropFirst() : $0 } ?? "_0"
      members[label] = member(child.value, "\(full).\(label)")
    }
    return .object([name: .object(members)])
  }
}
