/// A JSON text as it was written. Numbers keep their text, and objects keep the order of their members.
package enum JSONValue: Hashable, Sendable {
  case null
  case bool(Bool)
  /// A number's own text. It is converted, and perhaps refused, where its meaning is known.
  case number(String)
  case string(String)
  case array([JSONValue])
  /// An object, in which no key occurs twice.
  case object([Member])

  package struct Member: Hashable, Sendable {
    package let key: String
    package let value: JSONValue

    package init(key: String, value: JSONValue) { (self.key, self.value) = (key, value) }
  }

  /// The kind of the value, as messages name it.
  package var kind: String {
    switch self {
    case .null: "null"
    case .bool: "a boolean"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSONValue {
  /// An object of the members that have a value.
  package static func object(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
    .object(members.compactMap { key, value in value.map { Member(key: key, value: $0) } })
  }

  package static func integer(_ integer: Int) -> JSONValue { .number("\(integer)") }

  package static func double(_ number: Double) -> JSONValue { .number(text(number)) }

  /// The shortest text that reads back as the same number. Whole numbers below 2^53 have no fraction.
  ///
  /// - Precondition: `number` is finite.
  package static func text(_ number: Double) -> String {
    precondition(number.isFinite, "JSON has no \(number)")
    guard number.magnitude < 0x1p53, Double(Int64(number)) == number else { return "\(number)" }
    return "\(Int64(number))"
  }
}
