internal import Messages
internal import PostgreSQL
internal import Scheduling

extension PostgreSQLLedger {
  package func change(job: String, _ change: JobChange) throws(LedgerError) -> Bool? {
    try perform(Deed(change.word, job: job)) { session throws(LedgerError) in
      let values: [Parameter] = [
        .text(job), .text(change.word), .integer(change.priority), .text(change.output), .integer(timing.tasksAtOnce),
        .texts(change.copies),
      ]
      let answer = try session.first(.changeJob, values) { row throws(PostgreSQLError) in
        (
          isChanged: try row.optional("is_changed", as: Bool.self), output: try row.optional("output", as: String.self),
          writer: try row.optional("writer", as: String.self)
        )
      }
      guard let answer, let isChanged = answer.isChanged else { return nil }
      if let writer = answer.writer { throw .outputTaken(answer.output ?? "", job: writer) }
      if isChanged {
        specs[job] = nil
        try session.change(.notify)
      }
      return isChanged
    }
  }

  package func change(submitter: String, _ change: ShareChange) throws(LedgerError) -> Bool {
    try perform(Deed("share", submitter: submitter)) { session throws(LedgerError) in
      let values: [Parameter] = [
        .text(submitter), .integer(change.weight), .boolean(change.slots != nil), .integer(change.slots?.limit),
        .boolean(change.entersNew),
      ]
      guard try isFound(.changeShare, values, session) else { return false }
      try session.change(.notify)
      return true
    }
  }

  package func drain(worker: String?, _ isDrained: Bool) throws(LedgerError) -> Bool {
    try perform(Deed(isDrained ? "drain" : "undrain", worker: worker)) { session throws(LedgerError) in
      guard try isFound(.drain, [.text(worker), .boolean(isDrained)], session) else { return false }
      try session.change(.notify)
      return true
    }
  }

  private func isFound(
    _ statement: Statement, _ values: [Parameter], _ session: Session
  ) throws(LedgerError) -> Bool {
    try session.first(statement, values) { row throws(PostgreSQLError) in try row.value("is_found") } ?? false
  }

  package func submitters() throws(LedgerError) -> [SubmitterStatus] {
    try read { session throws(LedgerError) in
      try session.all(.readSubmitters) { row throws(PostgreSQLError) in
        SubmitterStatus(
          name: try row.value("name"), weight: try row.value("weight"), slots: try row.optional("slots"),
          running: try row.value("attempts_running"), jobs: try row.value("jobs_unfinished"))
      }
    }
  }

  // MARK: Why something waits, as the views of that name say it

  /// The trouble of the task that was tried most often, in a job that has not ended; nil when nothing is being retried.
  package func trouble(job: String) throws(LedgerError) -> JobTrouble? {
    try read { session throws(LedgerError) in
      let found = try session.first(.jobTrouble, [.text(job)]) { row throws(PostgreSQLError) -> JobTrouble? in
        guard let failure = try Failure.optional(row) else { return nil }
        return JobTrouble(task: try row.value("task"), tries: try row.value("tries"), failure: failure)
      }
      return found ?? nil
    }
  }

  /// The place of a job among all that have not ended; nil when it is none of them.
  package func standing(job: String) throws(LedgerError) -> JobStanding? {
    try read { session throws(LedgerError) in
      try session.first(.jobStanding, [.text(job)]) { row throws(PostgreSQLError) in
        JobStanding(farmReason: try row.optional("farm_reason"), before: try row.value("before"))
      }
    }
  }

  /// The waiting tasks of a job, with reasons. Tasks that only wait for other tasks of the job are left out, unless no worker
  /// could write the movie.
  package func waiting(job: String) throws(LedgerError) -> [WaitingTasks] {
    try read { session throws(LedgerError) in
      try session.all(.jobReasons, [.text(job)]) { row throws(PostgreSQLError) in
        WaitingTasks(kind: try row.case("kind"), count: try row.value("count"), reason: try row.value("reason"))
      }
    }
  }

  /// The reason why a task waits, and its place in the queue; nil when it does not wait.
  package func wait(task: Int64) throws(LedgerError) -> TaskWait? {
    try read { session throws(LedgerError) in
      try session.first(.taskReason, [.integer(task)]) { row throws(PostgreSQLError) in
        TaskWait(reason: try row.value("reason"), before: try row.optional("before"))
      }
    }
  }

  /// The reason why a worker gets no work, or its state; nil when there is no such worker.
  package func reason(worker: String) throws(LedgerError) -> String? {
    try read { session throws(LedgerError) in
      try session.first(.workerReason, [.text(worker)]) { row throws(PostgreSQLError) in try row.value("reason") }
    }
  }

  /// The task with this number; nil when there is none.
  package func task(_ task: Int64) throws(LedgerError) -> FoundTask? {
    try read { session throws(LedgerError) in
      try session.first(.readTask, [.integer(task)]) { row throws(PostgreSQLError) in
        FoundTask(
          job: try row.value("job"), status: try TaskStatus(row), silence: try row.optional("silence"),
          patience: try row.optional("patience"), awaitedBy: try row.optional("awaited_by"))
      }
    }
  }
}

extension JobChange {
  /// The change's name in spool.change_job.
  var word: String {
    switch self {
    case .pause: "pause"
    case .resume: "resume"
    case .prioritise: "prioritise"
    case .retry, .retryWriting: "retry"
    }
  }

  var priority: Int? { if case .prioritise(let priority) = self { priority } else { nil } }
}
