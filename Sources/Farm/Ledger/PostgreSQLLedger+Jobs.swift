package import Messages
internal import PostgreSQL
package import Scheduling

extension PostgreSQLLedger {
  package func submit(_ submission: JobSubmission) throws(LedgerError) -> String {
    submission.requireWhole()
    let values = try parameters(of: submission)
    // Writing down a hundred thousand tasks takes a moment. No small submission should wait for that.
    let turn = submission.tasks.count <= Self.mostTasksOfSmall ? 0 : 1
    // Both steps use one session. A server that crashes between them may forget the first step; then the session is lost, and
    // both run again.
    try noting(Deed("submit", job: submission.id, submitter: submission.submitter)) { () throws(LedgerError) in
      try read { session throws(LedgerError) in
        let taken = try inTurn(turn, values, replacing: replacement(by: submission), session)
        if let (place, job) = taken { throw .outputTaken(place, job: job) }
        // The write to disk comes after the turn. So several submitters share a write, and nobody holds the turn while waiting
        // for the disk.
        try session.change(.markLog)
      }
    }
    return submission.id
  }

  /// Waits for the turn and writes a submission. Only one submission of each size is written at a time.
  ///
  /// The wait and the writing are one statement, so that nobody holds the turn while the server waits for a client's next
  /// request. The server ends statements that take too long, so the wait is divided into pieces: one statement after the other.
  ///
  /// - Returns: the place that another job is to write, and that job; nil where there is none.
  /// - Throws: `.refused` when no turn came within `longestWaitForTurn`.
  private func inTurn(
    _ turn: Int, _ values: [Parameter], replacing replacement: [Parameter], _ session: Session
  ) throws(LedgerError) -> TakenPlace? {
    // The rest of the time that a statement may take is for the writing. A large submission takes seconds.
    let piece = max(1, turn == 0 ? timing.statement * 2 / 3 : timing.statement / 3)
    let deadline = ContinuousClock.now + Self.longestWaitForTurn
    repeat {
      let more = [.text("\(piece)"), .integer(turn)] + caller.parameters + replacement
      if let written = try written(values + more, session) { return written.taken }
    } while ContinuousClock.now < deadline
    throw .refused(
      statement: "submit_job",
      "too many others submit, or other sessions keep what it needs: no turn came in \(Self.longestWaitForTurn)")
  }

  /// Waits for the turn for one piece of time and writes the submission. It tries again when a concurrent transaction made it
  /// fail.
  ///
  /// - Returns: the place that another job is to write, where there is one; nil where no turn came.
  private func written(_ values: [Parameter], _ session: Session) throws(LedgerError) -> (taken: TakenPlace?, Void)? {
    var tries = 1
    while true {
      do throws(LedgerError) {
        return try session.inTurn(.submitJob, values) { row throws(PostgreSQLError) in
          guard let writer: String = try row.optional("writer") else { return (taken: nil, ()) }
          return (taken: (place: try row.value("taken"), job: writer), ())
        }
      } catch {
        guard session.wasVictim, tries < Self.transactionTries else { throw error }
        tries += 1
      }
    }
  }

  /// A place of a movie, and the job that is to write it.
  private typealias TakenPlace = (place: String, job: String)

  /// The longest wait for a turn. By measurement, a hundred thousand other submissions are done in that time.
  private static let longestWaitForTurn = Duration.seconds(600)

  private func parameters(of submission: JobSubmission) throws(LedgerError) -> [Parameter] {
    let (tasks, spec) = (submission.tasks, submission.spec)
    return [
      .text(submission.id), .text(submission.submitter), .integer(submission.priority), .text(spec.output),
      .integer(submission.frameCount), .texts(submission.needs.tags), .integer(submission.needs.memory), .text(submission.work),
      .boolean(submission.isDivisible), .text(spec.document), .text(try LedgerJSON.text(spec.facts)),
      .boolean(spec.overwrites), .boolean(spec.keepsSegments), .texts(tasks.map(\.kind.rawValue)),
      .integers(tasks.map(\.frames?.first)), .integers(tasks.map(\.frames?.count)), .doubles(tasks.map(\.cost)),
      try spec.fonts.map { faces throws(LedgerError) in .text(try LedgerJSON.text(faces)) } ?? .null,
      .integers(tasks.map { $0.samples.map { Int($0.first) } }), .integers(tasks.map { $0.samples.map { Int($0.count) } }),
      .texts(spec.copies ?? []),
    ]
  }

  /// Three parameters: the job that this one replaces, its tasks that make the same as this one's, and how many of it are cancelled at once.
  private func replacement(by submission: JobSubmission) -> [Parameter] {
    let twins = submission.tasks.map(\.twin)
    return [
      submission.replaces.map { .text($0) } ?? .null, twins.contains { $0 != nil } ? .integers(twins) : .null,
      .integer(timing.tasksAtOnce),
    ]
  }

  /// The most tasks of a small submission. One small submission and one large one are written at a time. If hundreds of sessions
  /// wrote at once, they would take the server's processors from the coordinator.
  private static let mostTasksOfSmall = 1000

  /// The only name by which this session may submit; nil where it may by any.
  package func ownSubmitter() throws(LedgerError) -> String? {
    try read { session throws(LedgerError) in
      try session.first(.ownSubmitter) { row throws(PostgreSQLError) -> String? in try row.optional("name") } ?? nil
    }
  }

  /// Forgets a submitter whose name will not be used again. It stays if it has a share of its own or a job that has not ended.
  package func forget(submitter: String) throws(LedgerError) {
    _ = try unfenced(durably: false) { session throws(LedgerError) in
      try session.change(.forgetSubmitter, [.text(submitter)])
    }
  }

  package func cancel(job: String) throws(LedgerError) -> [ExpiredAttempt]? {
    try perform(Deed("cancel", job: job)) { session throws(LedgerError) in
      let rows = try session.all(.cancelJob, [.text(job), .integer(timing.tasksAtOnce)]) {
        row throws(PostgreSQLError) -> ExpiredAttempt? in
        guard let worker: String = try row.optional("worker") else { return nil }
        return ExpiredAttempt(worker: worker, key: try AttemptKey(row))
      }
      guard !rows.isEmpty else { return nil }
      try session.change(.notify)
      return rows.compactMap { $0 }
    }
  }

  /// Ends the open attempts of a job that ended early, and cancels the first of its other tasks.
  /// - Returns: the attempts that were open.
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
        var job = OverJob(id: try row.value("id"), output: try row.optional("output"), copies: try row.copies)
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

  /// The specification that a job was submitted with; nil when there is no such job.
  package func spec(job: String) throws(LedgerError) -> JobSpec? {
    try read { session throws(LedgerError) in
      try session.first(.readSpecification, [.text(job)]) { row throws(PostgreSQLError) in try JobSpec(row) }
    }
  }

  package func jobs(limit: Int) throws(LedgerError) -> [JobStatus] {
    try read { session throws(LedgerError) in
      try session.all(.readJobs, [.integer(limit)]) { row throws(PostgreSQLError) in try JobStatus(row) }
    }
  }

  /// The damaged media that were replaced in a job, as far as it is done.
  package func concealed(job: String) throws(LedgerError) -> [Concealment] {
    try read { session throws(LedgerError) in
      try session.all(.readDamage, [.text(job)]) { row throws(PostgreSQLError) in
        func span(_ first: String, _ end: String) throws(PostgreSQLError) -> Range<Int64>? {
          guard let first: Int64 = try row.optional(first), let end: Int64 = try row.optional(end), first < end else {
            return nil
          }
          return first..<end
        }
        return Concealment(
          asset: try row.value("asset"), frames: try row.value("frame_count"), samples: try row.value("sample_count"),
          frameSpan: try span("first_frame", "end_frame"), sampleSpan: try span("first_sample", "end_sample"))
      }
    }
  }

  /// The loudness of a job's sound; nil where its edit asks for none, and while its sound is not done.
  package func loudness(job: String) throws(LedgerError) -> SoundLoudness? {
    try read { session throws(LedgerError) in
      try session.first(.readLoudness, [.text(job)]) { row throws(PostgreSQLError) in
        SoundLoudness(
          measured: try row.optional("measured"), gain: try row.value("gain"), limiting: try row.value("limiting"),
          integrated: try row.optional("integrated"), truePeak: try row.optional("true_peak"),
          measuredRange: try row.optional("measured_range"), range: try row.optional("range_lu"))
      }
    }
  }

  /// The chunks of a job that were found and not rendered; nil where there are none.
  package func reuse(job: String) throws(LedgerError) -> JobReuse? {
    try read { session throws(LedgerError) in
      try session.first(.readReuse, [.text(job)]) { row throws(PostgreSQLError) in
        JobReuse(chunkCount: try row.value("chunk_count"), frameCount: try row.value("frame_count"))
      }
    }
  }

  /// How well a job's movie meets the target of its bits; nil where its edit has none, and while the movie is not muxed.
  package func target(job: String) throws(LedgerError) -> TargetMeasure? {
    try read { session throws(LedgerError) in
      try session.first(.readTarget, [.text(job)]) { row throws(PostgreSQLError) in
        TargetMeasure(try row.case("quantity"), asked: try row.value("asked"), reached: try row.value("reached"))
      }
    }
  }

  package func tasks(job: String) throws(LedgerError) -> [TaskStatus] {
    try read { session throws(LedgerError) in
      try session.all(.readTasks, [.text(job)]) { row throws(PostgreSQLError) in try TaskStatus(row) }
    }
  }

  /// A page of a job's tasks, in the order of `tasks(job:)`.
  ///
  /// - Parameters:
  ///   - last: the task that the page before ended with; nil for the first page.
  ///   - limit: the most tasks; positive.
  package func tasks(job: String, after last: Int64?, limit: Int) throws(LedgerError) -> [TaskStatus] {
    try read { session throws(LedgerError) in
      try session.all(.readTaskPage, [.text(job), last.map { .integer($0) } ?? .null, .integer(Int64(limit))]) {
        row throws(PostgreSQLError) in try TaskStatus(row)
      }
    }
  }

  /// All attempts at a job's tasks, in the order in which they began. The result is empty for a job that has none, or that is not
  /// there.
  package func attempts(job: String) throws(LedgerError) -> [AttemptSpan] {
    try read { session throws(LedgerError) in
      try session.all(.readAttempts, [.text(job)]) { row throws(PostgreSQLError) in
        let (began, now) = (try row.value("began", as: Int.self), try row.value("now", as: Int.self))
        return AttemptSpan(
          key: try AttemptKey(row), ordinal: try row.value("ordinal"), kind: try row.case("kind"),
          frames: try FrameRange.optional(row), worker: try row.value("worker"), isSpeculative: try row.value("is_speculative"),
          outcome: try row.optional("outcome"), failure: try Failure.optional(row), began: began,
          ended: max(began, try row.optional("ended") ?? now))
      }
    }
  }

  /// The parts of a job's time since its submission, in the order in which a job goes through them. Those that took none are left out.
  package func time(job: String) throws(LedgerError) -> [JobTimeShare] {
    try read { session throws(LedgerError) in
      try session.all(.readJobTime, [.text(job)]) { row throws(PostgreSQLError) in
        JobTimeShare(try row.case("part"), try row.value("seconds"))
      }
    }
  }

  package func workers() throws(LedgerError) -> [WorkerStatus] {
    try read { session throws(LedgerError) in
      try session.all(.readWorkers) { row throws(PostgreSQLError) in try WorkerStatus(row) }
    }
  }
}
