internal import CLinux

extension Unicode.Scalar {
  /// Columns that a terminal gives it: two for most of East Asia, none for what combines with the one before.
  fileprivate var columns: Int { 0x20..<0x7f ~= value ? 1 : max(0, Int(spool_columns(value))) }
}

extension String {
  /// Columns that a terminal gives the text, which is plain.
  package var columns: Int { unicodeScalars.reduce(0) { $0 + $1.columns } }

  /// The text in no more than so many columns, with an ellipsis where it was cut.
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
