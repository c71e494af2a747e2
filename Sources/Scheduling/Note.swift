/// One line for the log: what happened, and to what.
package struct Note: Hashable, Sendable, CustomStringConvertible {
  /// `event=joined worker=a slots=2`: values with spaces, quotes or control characters are quoted, and escaped as in JSON.
  package let description: String

  package init(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
    description = fields.reduce("event=\(event)") { "\($0) \($1.key)=\(Self.quoted($1.value))" }
  }

  private static func quoted(_ value: String) -> String {
    let isPlain = !value.isEmpty && value.utf8.allSatisfy { 0x21...0x7e ~= $0 && $0 != 0x22 && $0 != 0x3d && $0 != 0x5c }
    // A value from the wire may be long: 1000 characters say enough.
    if isPlain, value.utf8.count <= 1000 { return value }
    return "\"" + value.prefix(1000).unicodeScalars.map(escaped).joined() + "\""
  }

  /// What reads logfmt knows JSON's escapes, and no others.
  private static func escaped(_ scalar: Unicode.Scalar) -> String {
    switch scalar {
    case "\"": return "\\\""
    case "\\": return "\\\\"
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    default: break
    }
    let unseen: [Unicode.GeneralCategory] = [.control, .lineSeparator, .paragraphSeparator]
    guard unseen.contains(scalar.properties.generalCategory) else { return String(scalar) }
    let digits = String(scalar.value, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }
}
