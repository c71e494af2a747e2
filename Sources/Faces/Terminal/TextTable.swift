internal import PlainText

/// Rows of text below a heading, in aligned columns that are two spaces apart. Unseen characters in cells are escaped, so a row
/// stays one line.
package struct TextTable {
  private var rows: [[String]]
  /// The columns that may be cut, each to its shortest width, in the order in which they are cut.
  private var cuts: [(column: Int, width: Int)] = []

  package init(_ heading: String...) { rows = [heading] }
  package init(_ heading: [String]) { rows = [heading] }

  package mutating func add(_ row: String...) { add(row) }
  package mutating func add(_ row: [String]) { rows.append(row.map(\.plain)) }

  /// Lets a column be cut to that width where there is not enough room. The column that is named first is cut first. One that is named
  /// again is cut further, after those between.
  package mutating func mayCut(_ column: Int, to width: Int) { cuts.append((column, width)) }

  package var text: String { text(columns: nil) }

  /// - Parameter columns: the width in columns that a line may have; nil cuts nothing.
  package func text(columns: Int?) -> String {
    let widths = widths(within: columns)
    return rows.map { row in
      let cells = zip(row, widths).map { cell, width in
        let cut = cell.cut(toColumns: width)
        return cut + String(repeating: " ", count: max(0, width - cut.columns))
      }
      return cells.joined(separator: "  ").withoutLastSpaces + "\n"
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
