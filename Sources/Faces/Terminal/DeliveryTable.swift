internal import Ledger
package import Operations

extension Deliveries {
  /// The deliveries as a table. It fits into 60 columns.
  ///
  /// - Parameter columns: the width of the terminal; nil for a table that leaves out nothing. Below 100, times have no year and no
  ///   seconds, and below 80 there is neither the time when a message was made nor the number of its tries.
  package func table(columns: Int?) -> TextTable {
    let (isShort, isNarrow) = (columns.map { $0 < 100 } ?? false, columns.map { $0 < 80 } ?? false)
    var table = TextTable(["DELIVERY", "WEBHOOK", "EVENT", "JOB"] + (isNarrow ? [] : ["MADE", "TRIES"]) + ["STATE"])
    for (column, width) in [(isNarrow ? 4 : 6, 9), (1, 7), (3, 12)] { table.mayCut(column, to: width) }
    func shown(_ time: String) -> String { isShort ? time.shortTime : time }
    for each in deliveries {
      let event = isShort && each.event.hasPrefix("job.") ? String(each.event.dropFirst(4)) : each.event
      table.add(
        ["\(each.id)", each.webhook, event, each.job] + (isNarrow ? [] : [shown(each.madeAt), "\(each.tries)"])
          + [each.words(shown)])
    }
    return table
  }
}

extension Delivery {
  /// How it stands with the delivery, in words.
  fileprivate func words(_ shown: (String) -> String) -> String {
    if let deliveredAt { return "delivered \(shown(deliveredAt))" }
    let reason = failure.map { ": \($0)" } ?? ""
    return dueAt.map { tries == 0 ? "waits" : "next try \(shown($0))\(reason)" } ?? "given up\(reason)"
  }
}
