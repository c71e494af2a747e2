internal import PostgreSQL
package import Scheduling

extension PostgreSQLLedger {
  package func lead(_ candidate: Candidate) throws(LedgerError) -> Leadership {
    try read { session throws(LedgerError) in try session.serveCoordinator() }
    // A crash may undo a renewal. Then the lease is as old as the renewal before, which leaves time for the next one.
    let renewed = try unfenced(durably: false) { session throws(LedgerError) in
      try session.first(.renewLeader, [.text(candidate.epoch), .integer(timing.leadership)]) {
        row throws(PostgreSQLError) in
        try row.value("term", as: Int.self)
      }
    }
    if let renewed { return .leads(term: renewed) }
    return try unfenced { session throws(LedgerError) in
      let person: [Parameter] = [.text(candidate.name), .text(candidate.epoch), .boolean(candidate.isNew)]
      let former = try session.first(.readLeader, person) { row throws(PostgreSQLError) in
        (
          term: try row.value("term", as: Int.self), name: try row.value("coordinator", as: String.self),
          renewedAt: try row.value("renewed_at", as: String.self), isFree: try row.value("is_free", as: Bool.self)
        )
      }
      guard let former else { throw .corrupt("spool.leader has no row") }
      let takes = [.integer(former.term)] + person + [.integer(timing.leadership), .integer(timing.ageing)]
      guard former.isFree else { return .follows(leader: former.name, term: former.term) }
      guard try session.change(.takeLead, takes) == 1 else {
        // Another coordinator took the lead in between.
        let leader = try session.first(.readLeader, person) { row throws(PostgreSQLError) in
          (name: try row.value("coordinator", as: String.self), term: try row.value("term", as: Int.self))
        }
        return .follows(leader: leader?.name ?? former.name, term: leader?.term ?? former.term)
      }
      try session.change(.extendLeases, [.integer(timing.lease), .text(former.renewedAt)])
      try session.change(.extendProgress)
      return .leads(term: former.term + 1)
    }
  }

  /// The most workers that one transaction forgets. The next ones follow an hour later.
  private static let mostForgotten = 5000

  package func keepHistory() throws(LedgerError) {
    _ = try transaction { session throws(LedgerError) in
      try session.change(.forgetWorkers, [.integer(timing.silentDays), .integer(Self.mostForgotten)])
      try session.change(.keepHistory, [.integer(timing.historyMonths)])
    }
  }

  package func resign(_ candidate: Candidate) throws(LedgerError) {
    try unfenced { session throws(LedgerError) in
      if try session.change(.resignLead, [.text(candidate.epoch)]) == 1 { try session.change(.notify) }
    }
  }
}
