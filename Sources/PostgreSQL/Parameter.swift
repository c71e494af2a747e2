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
    let elements = values.map { value in
      guard let value else { return "NULL" }
      var quoted = "\""
      for scalar in value.unicodeScalars {
        if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
        quoted.unicodeScalars.append(scalar)
      }
      return quoted + "\""
    }
    return Parameter(text: "{" + elements.joined(separator: ",") + "}")
  }
}
