import Ledger
import Messages
import Operations
import Terminal

// The farm in words, as several verbs show it.

extension FarmStatus {
  /// The reasons why the whole farm does no work, one a line.
  var banner: [String] {
    var lines: [String] = []
    if !isLed {
      let last = leader.flatMap { name in secondsSinceLed.map { "\(name) did, and was heard last \(JobTable.span($0)) ago" } }
      lines.append("NOBODY LEADS: no coordinator gives out work; \(last ?? "none ever has")")
    }
    if let drainedAt { lines.append("DRAINED since \(drainedAt): nothing is begun until spool undrain") }
    if isLed, workersAlive == 0 { lines.append("NO WORKER is connected") }
    return lines
  }

  fileprivate var summary: String {
    "jobs: \(jobsRunning) running, \(jobsQueued) queued; workers: \(workersAlive), \(attemptsRunning) of \(slots) slots busy"
  }
}

extension FarmReport {
  /// The farm in a line, with the forecast of when nothing is left to do.
  var summary: String {
    let left = secondsLeft.flatMap { $0 > 0 ? "; all done in about \(JobTable.span($0))" : nil }
    return farm.summary + (left ?? "")
  }
}

extension WorkerStatus {
  /// The workers by name, where `render-2` comes before `render-10`.
  ///
  /// - Parameter isTroubleFirst: whether those that are given nothing come first, as where not all fit.
  /// - Parameter columns: the width. From 80 columns on the table has the speed beside others, and the failures of the last hour.
  static func table(of workers: [WorkerStatus], columns: Int, isTroubleFirst: Bool = false) -> TextTable {
    let isWide = columns >= 80
    var table = TextTable(["WORKER", "HOST", "STATE", "RUNNING", "HEARTBEAT"] + (isWide ? ["SPEED", "FAILED"] : []))
    table.mayColor(2)
    for column in [1, 0] { table.mayCut(column, to: 12) }
    let sorted = workers.map { (key: NaturalOrder($0.name), worker: $0) }.sorted { first, second in
      let (isFirstFine, isSecondFine) = (first.worker.state == "alive", second.worker.state == "alive")
      return isTroubleFirst && isFirstFine != isSecondFine ? isSecondFine : first.key < second.key
    }
    for (_, worker) in sorted {
      let record = isWide ? [worker.speed, worker.failuresLastHour.map { $0 > 0 ? "\($0)" : "-" } ?? "-"] : []
      table.add([worker.name, worker.host, worker.state, "\(worker.running)/\(worker.slots)", worker.heartbeat] + record)
    }
    return table
  }

  /// The speed beside other workers: 2x is twice as fast.
  private var speed: String { pace.map { "\(ProgressText.decimal(1 / $0))x" } ?? "-" }

  /// The time since the last heartbeat, to a tenth of a second while it is short.
  private var heartbeat: String {
    let seconds = secondsSinceHeartbeat
    return (seconds < 100 ? "\(ProgressText.decimal(seconds)) s" : JobTable.span(seconds)) + " ago"
  }
}
