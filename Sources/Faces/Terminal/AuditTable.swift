internal import Ledger
package import Operations

extension Audit {
  /// The audit as a table. It fits into 60 columns.
  ///
  /// - Parameter columns: the width of the terminal; nil for a table that leaves out nothing. Below 80, times have no year and no
  ///   seconds, and nobody's address is shown.
  package func table(columns: Int?) -> TextTable {
    let isNarrow = columns.map { $0 < 80 } ?? false
    var table = TextTable(
      isNarrow ? ["TIME", "WHO", "VERB", "WHAT", "CHANGE"] : ["TIME", "WHO", "FROM", "VERB", "WHAT", "CHANGE"])
    for (column, width) in isNarrow ? [(4, 8), (3, 12), (1, 6)] : [(5, 8), (4, 12), (2, 5), (1, 6)] {
      table.mayCut(column, to: width)
    }
    for entry in entries {
      let time = isNarrow ? entry.at.shortTime : String(entry.at.prefix(19)) + "Z"
      table.add([time, entry.who] + (isNarrow ? [] : [entry.origin]) + [entry.verb, entry.object, entry.change])
    }
    return table
  }
}

extension String {
  /// A time in UTC, such as `2026-11-25T10:15:02Z`, without the year and the seconds: `11-25 10:15`.
  var shortTime: String { "\(dropFirst(5).prefix(5)) \(dropFirst(11).prefix(5))" }
}
