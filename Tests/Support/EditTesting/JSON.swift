internal import JSON

/// Any JSON value, in the form that the tests need.
package enum JSON: Hashable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case string(String)
  case array([JSON])
  case object([String: JSON])

  /// - Throws: `JSONReader.SyntaxFault`.
  package init(parsing text: String) throws { self.init(try JSONReader.read(Array(text.utf8))) }

  private init(_ value: JSONValue) {
    switch value {
    case .null: self = .null
    case .bool(let flag): self = .bool(flag)
    case .number(let text): self = .number(Double(text) ?? .nan)
    case .string(let text): self = .string(text)
    case .array(let elements): self = .array(elements.map { JSON($0) })
    case .object(let members): self = .object(Dictionary(members.map { ($0.key, JSON($0.value)) }) { first, _ in first })
    }
  }

  /// The value as a document's text.
  package var bytes: [UInt8] { value.canonicalBytes() }

  private var value: JSONValue {
    switch self {
    case .null: .null
    case .bool(let flag): .bool(flag)
    case .number(let number): .number(number.isFinite ? JSONValue.text(number) : "\(number)")
    case .string(let text): .string(text)
    case .array(let elements): .array(elements.map(\.value))
    case .object(let members): .object(members.map { JSONValue.Member(key: $0.key, value: $0.value.value) })
    }
  }

  package subscript(_ key: String) -> JSON? { members[key] }

  package var members: [String: JSON] { if case .object(let members) = self { members } else { [:] } }
  package var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
  package var text: String? { if case .string(let text) = self { text } else { nil } }
  package var number: Double? { if case .number(let number) = self { number } else { nil } }
}
