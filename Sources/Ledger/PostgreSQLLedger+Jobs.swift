package import Messages
internal import PostgreSQL
package import Scheduling

extension PostgreSQLLedger {
  package func submit(_ submission: JobSubmission) throws(LedgerError) -> String {
    submission.requireWhole()
    let facts = try LedgerJSON.text(submission.spec.facts)
    let (tasks, spec) = (submission.tasks, submission.spec)
    // A hundred thousand tasks take a moment to write down, for which no transaction should wait.
    let entered: [Parameter] = [
      .text(submission.id), .texts(tasks.map(\.kind.rawValue)), .integers(tasks.map(\.frames?.first)),
      .integers(tasks.map(\.frames?.count)), .doubles(tasks.map(\.cost)),
    ]
    let id = try transaction(idleFor: Self.submissionIdle) { session throws(LedgerError) in
      try enter(submission.submitter, session)
      guard try insert(submission, session) else { return submission.id }
      try session.change(
        .insertSpec,
        [
          .text(submission.id), .text(spec.document), .text(facts), .boolean(spec.overwrites), .boolean(spec.keepsSegments),
        ])
      try session.change(.insertTasks, entered)
      return submission.id
    }
    try? wakeCoordinators()  // they look every second anyway
    return id
  }

  /// Apart from what it tells of: of the transactions that notify only one at a time is committed, so that, if they were durable, none
  /// would share a write to the disk with another.
  private func wakeCoordinators() throws(LedgerError) {
    try unfenced(durably: false) { session throws(LedgerError) in _ = try session.change(.notify) }
  }

  /// - Returns: false when the job is there already.
  private func insert(_ submission: JobSubmission, _ session: Session) throws(LedgerError) -> Bool {
    let spec = submission.spec
    let values: [Parameter] = [
      .text(submission.id), .text(submission.submitter), .integer(submission.priority), .text(spec.output),
      .integer(submission.frameCount), .integer(submission.tasks.count { $0.kind == .picture }),
      .integer(submission.tasks.count(where: \.kind.isPart)), .texts(submission.needs.tags), .integer(submission.needs.memory),
      .text(submission.work), .double(submission.pictureCost), .boolean(submission.isDivisible),
    ]
    for _ in 0..<Self.insertTries {
      if try session.change(.insertJob, values) == 1 { return true }
      if try session.change(.findJob, [.text(submission.id)]) == 1 { return false }
      try requireFree(spec.output, for: submission.id, session)
    }
    throw .unavailable("others write \(spec.output) in turn")
  }

  /// What was in the way of the insertion may have ended when it is looked for: then it is tried again.
  private static let insertTries = 3

  /// - Throws: `.outputTaken` when another job that has not ended is to have the output.
  func requireFree(_ output: String, for job: String, _ session: Session) throws(LedgerError) {
    let other = try session.first(.readWriter, [.text(output), .text(job)]) { row throws(PostgreSQLError) -> String in
      try row.value("id")
    }
    if let other { throw .outputTaken(output, job: other) }
  }

  /// Milliseconds that a submission may be kept from its next statement by a busy machine. Nobody waits for what it locks, but for another
  /// submission by the same new submitter.
  private static let submissionIdle = 20_000

  /// Enters a submitter, and holds it until the transaction ends: those without jobs are forgotten now and then.
  private func enter(_ submitter: String, _ session: Session) throws(LedgerError) {
    try session.change(.insertSubmitter, [.text(submitter)])
    // Forgotten between the two; now it is this transaction's own.
    if try session.change(.holdSubmitter, [.text(submitter)]) == 0 { try session.change(.insertSubmitter, [.text(submitter)]) }
  }

  package func cancel(job: String) throws(LedgerError) -> [ExpiredAttempt]? {
    try transaction { session throws(LedgerError) in
      guard try session.change(.lockJobs, [.texts([job])]) == 1 else { return nil }
      guard try session.change(.cancelJob, [.text(job)]) == 1 else { return [] }
      try session.change(.notify)
      return try cancelTasks(of: job, session)
    }
  }

  /// Ends what runs of a job that ended early, and the first of its other tasks. - Returns: its attempts that were open.
  func cancelTasks(of job: String, _ session: Session) throws(LedgerError) -> [ExpiredAttempt] {
    let open = try session.all(.cancelAttempts, [.text(job)]) { row throws(PostgreSQLError) in
      ExpiredAttempt(worker: try row.value("worker"), key: try AttemptKey(row))
    }
    try session.change(.cancelTasks, [.text(job), .integer(timing.tasksAtOnce)])
    return open
  }

  package func follow() throws(LedgerError) -> FollowedTasks? {
    try transaction(durably: false) { session throws(LedgerError) in
      let job = try session.first(.lockFollowedJob) { row throws(PostgreSQLError) in
        (id: try row.value("id", as: String.self), state: try row.case("state") as JobState)
      }
      guard let job else { return nil }
      let isOver = [.failed, .cancelled].contains(job.state)
      try session.change(isOver ? .cancelTasks : .reviveTasks, [.text(job.id), .integer(timing.tasksAtOnce)])
      return isOver ? .cancelled : .readied
    }
  }

  package func over(among jobs: [String], endedFor age: Duration) throws(LedgerError) -> [OverJob] {
    let asked: [Parameter] = [.texts(jobs), .double(age / .milliseconds(1))]
    return try transaction { session throws(LedgerError) in
      try session.change(.markDead, asked)
      return try session.all(.jobsOver, asked) { row throws(PostgreSQLError) in
        var job = OverJob(id: try row.value("id"), output: try row.optional("output"))
        if let number: Int = try row.optional("cleared_number") {
          job.dead = DeadAttempts(lastTask: try row.value("cleared_task"), lastNumber: number)
        }
        return job
      }
    }
  }

  // MARK: For people

  package func status(job: String) throws(LedgerError) -> JobStatus? {
    try read { session throws(LedgerError) in
      try session.first(.readJob, [.text(job)]) { row throws(PostgreSQLError) in try JobStatus(row) }
    }
  }

  /// What a job was submitted with; nil when there is no such job.
  package func spec(job: String) throws(LedgerError) -> JobSpec? {
    try read { session throws(LedgerError) in
      let found = try session.first(.readJob, [.text(job)]) { row throws(PostgreSQLError) in try JobStatus(row) }
      return found == nil ? nil : try spec(of: job, session)
    }
  }

  package func jobs(limit: Int) throws(LedgerError) -> [JobStatus] {
    try read { session throws(LedgerError) in
      try session.all(.readJobs, [.integer(limit)]) { row throws(PostgreSQLError) in try JobStatus(row) }
    }
  }

  package func tasks(job: String) throws(LedgerError) -> [TaskStatus] {
    try read { session throws(LedgerError) in
      try session.all(.readTasks, [.text(job)]) { row throws(PostgreSQLError) in try TaskStatus(row) }
    }
  }

  package func workers() throws(LedgerError) -> [WorkerStatus] {
    try read { session throws(LedgerError) in
      try session.all(.readWorkers) { row throws(PostgreSQLError) in try WorkerStatus(row) }
    }
  }
}
