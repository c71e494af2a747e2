package import Messages
internal import PostgreSQL
internal import Scheduling

extension PostgreSQLLedger {
  package func change(job: String, _ change: JobChange) throws(LedgerError) -> Bool? {
    try transaction { session throws(LedgerError) in
      guard try session.change(.lockJobs, [.texts([job])]) == 1 else { return nil }
      let changed =
        switch change {
        case .pause: try session.change(.pauseJob, [.text(job), .boolean(true), .integer(timing.ageing)])
        case .resume: try session.change(.pauseJob, [.text(job), .boolean(false), .integer(timing.ageing)])
        case .prioritise(let priority): try session.change(.prioritiseJob, [.text(job), .integer(priority)])
        case .retry: try revive(job, session)
        }
      guard changed == 1 else { return false }
      if change == .retry { try session.change(.reviveTasks, [.text(job), .integer(timing.tasksAtOnce)]) }
      try session.change(.notify)
      return true
    }
  }

  private func revive(_ job: String, _ session: Session) throws(LedgerError) -> Int {
    let output = try session.first(.readEndedOutput, [.text(job)]) { row throws(PostgreSQLError) -> String in
      try row.value("output")
    }
    guard let output else { return 0 }
    try requireFree(output, for: job, session)
    return try session.change(.reviveJob, [.text(job), .integer(timing.ageing)])
  }

  package func change(submitter: String, _ change: ShareChange) throws(LedgerError) -> Bool {
    try transaction { session throws(LedgerError) in
      if change.entersNew { try session.change(.insertSubmitter, [.text(submitter)]) }
      let values: [Parameter] = [
        .text(submitter), .integer(change.weight), .boolean(change.slots != nil), .integer(change.slots?.limit),
      ]
      guard try session.change(.changeShare, values) == 1 else { return false }
      try session.change(.notify)
      return true
    }
  }

  package func submitters() throws(LedgerError) -> [SubmitterStatus] {
    try read { session throws(LedgerError) in
      try session.all(.readSubmitters) { row throws(PostgreSQLError) in
        SubmitterStatus(
          name: try row.value("name"), weight: try row.value("weight"), slots: try row.optional("slots"),
          running: try row.value("running"), jobs: try row.value("jobs"))
      }
    }
  }

  // MARK: Why something waits, as the views of that name say it

  /// Tasks of a job that wait for the same.
  package struct WaitingTasks: Hashable, Sendable, Encodable {
    package var kind: TaskKind
    package var count: Int
    package var reason: String

    package init(kind: TaskKind, count: Int, reason: String) { (self.kind, self.count, self.reason) = (kind, count, reason) }
  }

  /// What was tried in vain, and is tried again.
  package struct Trouble: Hashable, Sendable, Encodable, CustomStringConvertible {
    package var task: Int64
    package var tries: Int
    /// The last one.
    package var failure: Failure

    package var description: String {
      "task \(task) was tried in vain\(tries == 1 ? "" : " \(tries) times, the last time"): \(failure)"
    }
  }

  /// Of a job that has not ended, for the task that was tried most often; nil where nothing is being retried.
  package func trouble(job: String) throws(LedgerError) -> Trouble? {
    try read { session throws(LedgerError) in
      let found = try session.first(.jobTrouble, [.text(job)]) { row throws(PostgreSQLError) -> Trouble? in
        guard let failure = try Failure.optional(row) else { return nil }
        return Trouble(task: try row.value("task"), tries: try row.value("tries"), failure: failure)
      }
      return found ?? nil
    }
  }

  /// What keeps the whole farm from giving out work, where the job has not ended; nil where nothing does.
  package func farmReason(job: String) throws(LedgerError) -> String? {
    try read { session throws(LedgerError) in
      try session.first(.farmReason, [.text(job)]) { row throws(PostgreSQLError) in
        try row.optional("farm_reason", as: String.self)
      } ?? nil
    }
  }

  /// What waits for nothing but other tasks of its job is not among them.
  package func waiting(job: String) throws(LedgerError) -> [WaitingTasks] {
    try read { session throws(LedgerError) in
      try session.all(.jobReasons, [.text(job)]) { row throws(PostgreSQLError) in
        WaitingTasks(kind: try row.case("kind"), count: try row.value("count"), reason: try row.value("reason"))
      }
    }
  }

  /// Nil when it does not wait.
  package func reason(task: Int64) throws(LedgerError) -> String? {
    try read { session throws(LedgerError) in
      try session.first(.taskReason, [.integer(task)]) { row throws(PostgreSQLError) in try row.value("reason") }
    }
  }

  /// Nil when there is no such worker.
  package func reason(worker: String) throws(LedgerError) -> String? {
    try read { session throws(LedgerError) in
      try session.first(.workerReason, [.text(worker)]) { row throws(PostgreSQLError) in try row.value("reason") }
    }
  }

  /// A task, and how many seconds ago its attempt got further last, and how many it may show no progress.
  package struct FoundTask: Hashable, Sendable {
    package var job: String
    package var status: TaskStatus
    package var silence: Double?
    package var patience: Double?
  }

  /// Nil when there is no such task.
  package func task(_ task: Int64) throws(LedgerError) -> FoundTask? {
    try read { session throws(LedgerError) in
      try session.first(.readTask, [.integer(task)]) { row throws(PostgreSQLError) in
        FoundTask(
          job: try row.value("job"), status: try TaskStatus(row), silence: try row.optional("silence"),
          patience: try row.optional("patience"))
      }
    }
  }
}
