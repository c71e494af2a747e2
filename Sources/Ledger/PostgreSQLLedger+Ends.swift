package import Messages
internal import PostgreSQL
package import Scheduling

extension PostgreSQLLedger {
  package func commit(_ key: AttemptKey, worker: String, epoch: String, proof: Proof) throws(LedgerError) -> CommitVerdict {
    let proofText = try LedgerJSON.text(proof)
    let fence = fence(key, worker, epoch)
    return try transaction { session throws(LedgerError) in
      guard let job = try lockJob(of: key, session) else { return .stale }
      let won = try session.first(.win, fence + [.text(proofText)]) { row throws(PostgreSQLError) in
        (kind: try row.case("kind") as TaskKind, frames: try row.value("frame_count", as: Int.self))
      }
      guard let won else { return try session.change(.hasWon, fence) == 1 ? .won : .stale }
      try session.change(.finishTask, [.integer(key.task)])
      try session.change(.supersedeOthers, [.integer(key.task)])
      try advance(job, past: won.kind, frames: won.frames, session)
      return .won
    }
  }

  package func fail(
    _ key: AttemptKey, worker: String, epoch: String, _ failure: Failure
  ) throws(LedgerError) -> FailVerdict {
    let fence = fence(key, worker, epoch)
    return try transaction { session throws(LedgerError) in
      guard let job = try lockJob(of: key, session) else { return .stale }
      let revoked = try revoke(failure, fence, session)
      let outcome = revoked.isEmpty ? "failed" : "released"
      let ended = try session.first(.fail, fence + [.text(outcome)] + failure.parameters) { row throws(PostgreSQLError) in
        try EndedAttempt(row)
      }
      guard let ended else { return .stale }
      if !revoked.isEmpty { try session.change(.waitAgain, [.integer(key.task)] + failure.parameters) }
      let settlement = try settle(revoked.isEmpty ? [ended] : revoked, session)
      return settlement.failedJobs.contains(job) ? .jobFailed(settlement.cancelled) : .retries
    }
  }

  /// What followed from attempts that ended without winning.
  struct Settlement {
    var failedJobs: Set<String> = []
    /// Open attempts that ended with their jobs.
    var cancelled: [ExpiredAttempt] = []
  }

  /// Lets the retry policy decide about the tasks of ended attempts. Their jobs are locked.
  func settle(_ ended: [EndedAttempt], _ session: Session) throws(LedgerError) -> Settlement {
    var settlement = Settlement()
    for attempt in ended where !settlement.failedJobs.contains(attempt.job) {
      let failure = attempt.failure.parameters
      switch try decision(on: attempt, session) {
      case .retry(let pause):
        let avoided = attempt.isReleased ? nil : attempt.worker
        try session.change(.retryTask, [.integer(attempt.key.task), .integer(pause), .text(avoided)] + failure)
        try session.change(.countRetry, [.text(attempt.job)])
      case .giveUp:
        try session.change(.failTask, [.integer(attempt.key.task)] + failure)
        try session.change(.failJob, [.text(attempt.job)] + failure)
        settlement.failedJobs.insert(attempt.job)
        settlement.cancelled += try cancelTasks(of: attempt.job, session)
      }
    }
    return settlement
  }

  // MARK: Private parts

  private func fence(_ key: AttemptKey, _ worker: String, _ epoch: String) -> [Parameter] {
    [.integer(key.task), .integer(key.attempt), .text(worker), .text(epoch)]
  }

  private func lockJob(of key: AttemptKey, _ session: Session) throws(LedgerError) -> String? {
    try session.first(.lockJobOfTask, [.integer(key.task)]) { row throws(PostgreSQLError) in try row.value("job") }
  }

  private func decision(on attempt: EndedAttempt, _ session: Session) throws(LedgerError) -> RetryPolicy.Decision {
    guard !attempt.isReleased else { return .retry(afterMilliseconds: 0) }
    let counts = try session.all(.failureCounts, [.integer(attempt.key.task)]) { row throws(PostgreSQLError) in
      (try row.case("failure_class") as Failure.Class, try row.value("count", as: Int.self))
    }
    return retryPolicy.decide(after: attempt.failure.class, counts: Dictionary(uniqueKeysWithValues: counts))
  }

  /// Counts a finished task and readies what waited for it.
  private func advance(_ job: String, past kind: TaskKind, frames: Int, _ session: Session) throws(LedgerError) {
    let partsLeft = try count(job, kind, frames: frames, sign: 1, session)
    switch kind {
    case .picture, .sound:
      if partsLeft == 0 { try session.change(.readyKind, [.text(job), .text(TaskKind.mux.rawValue)]) }
    case .mux:
      try session.change(.readyKind, [.text(job), .text(TaskKind.publish.rawValue)])
    case .publish:
      try session.change(.finishJob, [.text(job)])
    }
  }

  /// - Returns: the parts that are left.
  private func count(
    _ job: String, _ kind: TaskKind, frames: Int, sign: Int, _ session: Session
  ) throws(LedgerError) -> Int? {
    let changes = [kind.isPart ? sign : 0, kind == .picture ? sign : 0, sign * frames]
    return try session.first(.countDone, [.text(job)] + changes.map { .integer($0) }) { row throws(PostgreSQLError) in
      try row.value("parts_left")
    }
  }

  /// Takes their victory from the winners that the failure calls damaged, and uncounts them.
  private func revoke(_ failure: Failure, _ fence: [Parameter], _ session: Session) throws(LedgerError) -> [EndedAttempt] {
    guard !failure.damaged.isEmpty else { return [] }
    let named: [Parameter] = [
      .integers(failure.damaged.map(\.task)), .integers(failure.damaged.map(\.attempt)), failure.parameters[2],
    ]
    let revoked = try session.all(.revoke, fence + named) { row throws(PostgreSQLError) in
      (try EndedAttempt(row), try row.case("kind") as TaskKind, try row.value("frame_count", as: Int.self))
    }
    for (attempt, kind, frames) in revoked { _ = try count(attempt.job, kind, frames: frames, sign: -1, session) }
    return revoked.map(\.0)
  }
}
