internal import CLinux

extension Unicode.Scalar {
  /// The number of columns that the character takes on a terminal: two for most of East Asia's, none for a combining character.
  fileprivate var columns: Int { 0x20..<0x7f ~= value ? 1 : max(0, Int(spool_columns(value))) }
}

extension String {
  /// The number of columns that the text takes on a terminal. The text must be plain.
  package var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

  /// The text in lines of at most `width` columns, broken at its spaces. The lines behind the first begin with `indent` spaces. A word
  /// that is wider than a line has a line of its own. The text must be plain.
  package func folded(toColumns width: Int, indent: Int) -> [String] {
    guard columns > width, indent < width else { return [self] }
    var lines: [String] = []
    var line = ""
    var words = split(separator: " ", omittingEmptySubsequences: false).map(String.init)[...]
    // The spaces before the first word stay.
    while words.first == "" { line += " "; words.removeFirst() }
    line += words.popFirst() ?? ""
    for word in words {
      if line.columns + 1 + word.columns <= width {
        line += " " + word
      } else {
        lines.append(line.withoutLastSpaces)
        line = String(repeating: " ", count: indent) + word
      }
    }
    return lines + [line.withoutLastSpaces]
  }

  /// The text without the spaces at its end.
  var withoutLastSpaces: String { String(reversed().drop { $0 == " " }.reversed()) }

  /// The text in at most `width` columns. It ends with an ellipsis where it was cut.
  package func cut(toColumns width: Int) -> String {
    guard columns > width else { return self }
    var (shown, room) = ("", width - 1)
    for character in self {
      room -= String(character).columns
      if room < 0 { break }
      shown.append(character)
    }
    return width > 0 ? shown + "…" : ""
  }
}
