package import Ledger
internal import Messages
internal import Scheduling

/// A ledger that can crash as a database does. A crash undoes what was not saved.
package protocol CrashingLedger: Ledger, FarmDesk {
  /// Makes everything done so far survive a crash.
  func save()
  func crash()
}

extension MemoryLedger: CrashingLedger {
  struct Contents {
    var paces: Paces
    var jobs: [String: Job]
    var tasks: [Task]
    var attempts: [AttemptKey: Attempt]
    var registered: [String: Registration]
    var leader: Leader
    var standings: [String: Standing]
    var quotas: [String: Quota]
    var isDrained: Bool
    var lines: [Line: Duration]
  }

  package func save() {
    saved = Contents(
      paces: paces, jobs: jobs, tasks: tasks, attempts: attempts, registered: registered, leader: leader, standings: standings,
      quotas: quotas, isDrained: isDrained, lines: lines)
  }

  package func crash() {
    guard let saved else { return }
    (paces, jobs, tasks, attempts, registered) = (saved.paces, saved.jobs, saved.tasks, saved.attempts, saved.registered)
    (leader, standings, quotas, isDrained) = (saved.leader, saved.standings, saved.quotas, saved.isDrained)
    lines = saved.lines
  }
}

extension LedgerRequest {
  /// Whether the request, with everything before it, survives a crash of the ledger at once, as in PostgreSQLLedger.
  var isDurable: Bool {
    switch self {
    case .register, .heartbeat, .openAttempts, .commit, .keep, .learn, .split, .follow, .review, .lead, .news, .wantedFonts,
      .countSlots:
      false
    case .over, .resign, .retire, .lose, .claim, .speculate, .fail, .expire, .keepHistory, .flush: true
    }
  }
}
