internal import PlainText

/// One line for the log: an event and its fields.
package struct Note: Hashable, Sendable, CustomStringConvertible {
  /// The line, such as `event=joined worker=a slots=2`. Values with spaces, quotes, equals signs, backslashes, or characters
  /// beyond ASCII are quoted and escaped as in JSON.
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
    // A value from the network may be long; its first 1000 characters say enough.
    if isPlain, value.utf8.count <= 1000 { return value }
    return "\"" + value.prefix(1000).unicodeScalars.map(escaped).joined() + "\""
  }

  /// Readers of logfmt know JSON's escapes and no others.
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
