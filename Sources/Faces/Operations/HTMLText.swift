internal import PlainText

/// HTML that is put together piece by piece. Text of others enters only through `text`, which leaves no markup in it.
struct HTMLText {
  private(set) var source = ""

  /// Adds markup of this program's own.
  mutating func add(_ markup: String) { source += markup }

  /// Adds an element with text in it.
  ///
  /// - Parameter attributes: markup of this program's own, with a space before it.
  mutating func add(_ name: String, _ text: String, _ attributes: String = "") {
    source += "<\(name)\(attributes)>\(Self.text(text))</\(name)>"
  }

  /// Adds a table. Its cells are text.
  mutating func table(_ heads: [String], _ rows: [[String]]) {
    add("<table><thead><tr>")
    for head in heads { add("th", head, " scope=\"col\"") }
    add("</tr></thead><tbody>")
    for row in rows {
      add("<tr>")
      for cell in row { add("td", cell) }
      add("</tr>\n")
    }
    add("</tbody></table>\n")
  }

  /// Text in one line as HTML shows it.
  static func text(_ text: String) -> String { escaped(text.plain) }

  /// Text of several lines as HTML shows it.
  static func lines(_ text: String) -> String {
    text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).map { escaped(String($0).plain) }.joined(
      separator: "\n")
  }

  private static func escaped(_ text: String) -> String {
    var escaped = ""
    for character in text.unicodeScalars {
      switch character {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      case "\"": escaped += "&quot;"
      case "'": escaped += "&#39;"
      default: escaped.unicodeScalars.append(character)
      }
    }
    return escaped
  }
}
