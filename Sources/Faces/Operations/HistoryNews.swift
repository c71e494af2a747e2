package import Ledger

/// The entries of a history that were not told yet.
package struct HistoryNews {
  private var told: Set<HistoryEntry> = []
  private var isFirst = true
  /// The entries that are told at the first look.
  private let past: Int

  package init(past: Int) { self.past = past }

  /// Takes a look at the history.
  ///
  /// - Parameter entries: the last entries, the newest first, as `Farm.history` gives them.
  /// - Returns: those that are new, the oldest first, and whether there may have been more between them and the last look.
  package mutating func take(_ entries: [HistoryEntry]) -> (fresh: [HistoryEntry], missed: Bool) {
    let fresh = entries.filter { !told.contains($0) }
    defer { (told, isFirst) = (Set(entries), false) }
    guard !isFirst else { return (fresh.prefix(past).reversed(), false) }
    return (fresh.reversed(), fresh.count == entries.count && !told.isEmpty)
  }
}

extension HistoryEntry {
  /// The change in a line, such as `12:00:01.250 task 7, attempt 2 running → failed on anna: store: no room`.
  package var sentence: String {
    let what = task.map { "task \($0)" + (number.map { ", attempt \($0)" } ?? "") } ?? entity
    let change = before.map { "\($0) → \(after)" } ?? after
    let time = at.drop { $0 != "T" }.dropFirst().prefix { $0 != "Z" }
    return "\(time) \(what) \(change)\(worker.map { " on \($0)" } ?? "")\(reason.map { ": \($0)" } ?? "")"
  }
}
