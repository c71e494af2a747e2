/// One line for the log: what happened, and to what.
package struct Note: Hashable, Sendable, CustomStringConvertible {
  /// `event=joined worker=a slots=2`: values with spaces, quotes or control characters are quoted and escaped.
  package let description: String

  package init(_ event: String, _ fields: KeyValuePairs<String, String> = [:]) {
    description = fields.reduce("event=\(event)") { "\($0) \($1.key)=\(Self.quoted($1.value))" }
  }

  private static func quoted(_ value: String) -> String {
    let isPlain = !value.isEmpty && value.utf8.allSatisfy { 0x21...0x7e ~= $0 && $0 != 0x22 && $0 != 0x3d && $0 != 0x5c }
    // A value from the wire may be long: 1000 characters say enough.
    return isPlain && value.utf8.count <= 1000 ? value : String(value.prefix(1000)).debugDescription
  }
}
