internal import PlainText

/// One line for the log: what happened, and to what.
package struct Note: Hashable, Sendable, CustomStringConvertible {
  /// `event=joined worker=a slots=2`: values with spaces, quotes or control characters are quoted, and escaped as in JSON.
  package let description: String

  package init(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
    self.init(event, fields.map { ($0.key, $0.value) })
  }

  package init(_ news: News) { self.init(news.event, news.facts.map { ($0.name, $0.value) }) }

  private init(_ event: String, _ fields: [(String, String)]) {
    description = fields.reduce("event=\(event)") { "\($0) \($1.0)=\(Self.quoted($1.1))" }
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
    case "\"": "\\\""
    case "\\": "\\\\"
    case "\n": "\\n"
    case "\r": "\\r"
    case "\t": "\\t"
    default: String(scalar).plainJSON
    }
  }
}
