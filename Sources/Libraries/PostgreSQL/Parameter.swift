/// A value bound to `$1`, `$2`, … in PostgreSQL's text format.
package struct Parameter: Hashable, Sendable {
  /// The value as text; nil is NULL.
  let text: String?

  package static let null = Parameter(text: nil)
  package static func text(_ value: String?) -> Parameter { Parameter(text: value) }
  package static func integer(_ value: (some BinaryInteger)?) -> Parameter { Parameter(text: value.map { String($0) }) }
  /// A floating-point number. `description` is the shortest text that reads back as the same value, and PostgreSQL knows `inf`,
  /// `-inf` and `nan`.
  package static func double(_ value: Double?) -> Parameter { Parameter(text: value?.description) }
  package static func boolean(_ value: Bool?) -> Parameter { Parameter(text: value.map { $0 ? "t" : "f" }) }

  /// An array of integers; nil elements are NULL.
  package static func integers(_ values: [(some BinaryInteger)?]) -> Parameter {
    Parameter(text: "{" + values.map { $0.map { String($0) } ?? "NULL" }.joined(separator: ",") + "}")
  }

  package static func booleans(_ values: [Bool]) -> Parameter {
    Parameter(text: "{" + values.map { $0 ? "t" : "f" }.joined(separator: ",") + "}")
  }

  package static func doubles(_ values: [Double]) -> Parameter {
    Parameter(text: "{" + values.map(\.description).joined(separator: ",") + "}")
  }

  /// An array of text; nil elements are NULL. Each element is quoted, so that no content can end it.
  package static func texts(_ values: [String?]) -> Parameter {
    let (quote, backslash) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
    var text: [UInt8] = [UInt8(ascii: "{")]
    for (place, value) in values.enumerated() {
      if place > 0 { text.append(UInt8(ascii: ",")) }
      guard let value else {
        text += Array("NULL".utf8)
        continue
      }
      text.append(quote)
      for byte in value.utf8 {
        if byte == quote || byte == backslash { text.append(backslash) }
        text.append(byte)
      }
      text.append(quote)
    }
    text.append(UInt8(ascii: "}"))
    return Parameter(text: String(decoding: text, as: UTF8.self))
  }
}
