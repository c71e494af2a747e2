internal import PlainText

/// Rows of text below a heading, in aligned columns that are two spaces apart. Unseen characters in cells are escaped, so a row
/// stays one line.
package struct TextTable {
  private var rows: [[String]]
  /// The columns that may be cut, each to its shortest width, in the order in which they are cut.
  private var cuts: [(column: Int, width: Int)] = []
  /// The column whose words have hues.
  private var colored: Int?

  package init(_ heading: String...) { rows = [heading] }
  package init(_ heading: [String]) { rows = [heading] }

  package mutating func add(_ row: String...) { add(row) }
  package mutating func add(_ row: [String]) { rows.append(row.map(\.plain)) }

  /// Lets a column be cut to that width where there is not enough room. The column that is named first is cut first. One that is named
  /// again is cut further, after those between.
  package mutating func mayCut(_ column: Int, to width: Int) { cuts.append((column, width)) }

  /// Gives the words of a column, which are states, their hues on terminals with colours. The heading is bold there.
  package mutating func mayColor(_ column: Int) { colored = column }

  package var text: String { text(columns: nil) }

  /// - Parameters:
  ///   - columns: the width in columns that a line may have; nil cuts nothing.
  ///   - isColored: whether it has colours, which take no columns.
  package func text(columns: Int?, isColored: Bool = false) -> String {
    let widths = widths(within: columns)
    return rows.enumerated().map { place, row in
      let cells = zip(row, widths).enumerated().map { column, cell in
        let cut = cell.0.cut(toColumns: cell.1)
        let spaces = String(repeating: " ", count: max(0, cell.1 - cut.columns))
        guard isColored, place > 0, column == colored, let hue = Hue(ofState: cell.0) else { return cut + spaces }
        return hue.coloring(cut) + spaces
      }
      let line = cells.joined(separator: "  ").withoutLastSpaces
      return (isColored && place == 0 ? Hue.strong.coloring(line) : line) + "\n"
    }.joined()
  }

  private func widths(within columns: Int?) -> [Int] {
    var widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].columns }.max() ?? 0 }
    guard let columns else { return widths }
    var excess = widths.reduce(0, +) + 2 * max(0, widths.count - 1) - columns
    for (column, least) in cuts where excess > 0 {
      let cut = min(excess, max(0, widths[column] - least))
      widths[column] -= cut
      excess -= cut
    }
    return widths
  }
}
