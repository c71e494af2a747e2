package import Ledger
internal import Messages
internal import Scheduling

/// A ledger that may crash, as a database does: what was not saved is undone.
package protocol CrashingLedger: Ledger {
  /// All that was done survives a crash from now on.
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
  /// Whether what it does survives a crash of the ledger at once, and all before with it; as PostgreSQLLedger has it.
  var isDurable: Bool {
    switch self {
    case .register, .heartbeat, .openAttempts, .commit, .learn, .split, .follow, .review, .lead, .news, .wantedFonts: false
    case .over, .resign, .retire, .lose, .claim, .speculate, .fail, .expire, .keepHistory, .flush: true
    }
  }
}
