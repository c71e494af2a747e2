/// Rows of text under a heading, in aligned columns two spaces apart.
package struct TextTable {
  private var rows: [[String]]

  package init(_ heading: String...) { rows = [heading] }

  package mutating func add(_ row: String...) { rows.append(row) }

  package var text: String {
    let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    return rows.map { row in
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      let line = cells.joined(separator: "  ")
      return String(line.reversed().drop { $0 == " " }.reversed()) + "\n"
    }.joined()
  }
}
