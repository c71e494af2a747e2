internal import Messages
internal import PostgreSQL
package import Scheduling

extension PostgreSQLLedger {
  package func commit(_ completions: [Completion]) throws(LedgerError) -> Committed {
    guard !completions.isEmpty else { return Committed(verdicts: []) }
    return try transaction(durably: false) { session throws(LedgerError) in
      try session.change(.lockJobsOfTasks, [.integers(completions.map(\.key.task))])
      let victories = try win(completions, session)
      var superseded = victories.superseded
      var (winners, unfit, repeated) = (Set(victories.won.map(\.place)), Set<Int>(), Set<AttemptKey>())
      if winners.count < completions.count {
        let others = completions.indices.filter { !winners.contains($0 + 1) }
        let settled = try settleOthers(others.map { completions[$0] }, session)
        superseded += settled.ended
        unfit = Set(settled.unfit.map { others[$0] + 1 })
        winners.formUnion(settled.won.map { others[$0] + 1 })
        let known = try session.all(.haveWon, completions.fence) { row throws(PostgreSQLError) in
          try row.value("place", as: Int.self)
        }
        repeated = Set(known.filter { !winners.contains($0) }.map { completions[$0 - 1].key })
        winners.formUnion(known)
      }
      return Committed(
        verdicts: completions.indices.map { winners.contains($0 + 1) ? .won : unfit.contains($0 + 1) ? .unfit : .stale },
        superseded: superseded, repeated: repeated)
    }
  }

  /// Commits results of whole tasks. Their jobs must be locked.
  private func win(_ completions: [Completion], _ session: Session) throws(LedgerError) -> Victories {
    var proofs: [String] = []
    for proof in completions.map(\.proof) {
      if let text = proof.canonicalJSON { proofs.append(text) } else { proofs.append(try LedgerJSON.text(proof)) }
    }
    let frames = completions.map(\.proof.frames)
    var victories = Victories()
    _ = try session.all(
      .win, completions.fence + [.integers(frames.map { $0?.first }), .integers(frames.map { $0?.count }), .texts(proofs)]
    ) { row throws(PostgreSQLError) in try victories.add(row) }
    try readyNext(victories, session)
    return victories
  }

  /// Commits results of first parts, whose chunks are divided for that. Ends attempts whose results fit no part of their tasks.
  ///
  /// - Returns: the attempts that ended with this, the completions that won, and those that were unfit.
  private func settleOthers(
    _ completions: [Completion], _ session: Session
  ) throws(LedgerError) -> (ended: [ExpiredAttempt], won: [Int], unfit: [Int]) {
    let tasks = try session.all(.openTasks, completions.fence) { row throws(PostgreSQLError) in
      (
        place: try row.value("place", as: Int.self) - 1, kind: try row.case("kind") as TaskKind, try FrameRange.optional(row),
        try SampleRange.optional(row)
      )
    }
    var (ended, won, unfit) = ([ExpiredAttempt](), [Int](), [Int]())
    var failures: [(place: Int, attempt: FailedAttempt)] = []
    for (place, kind, frames, samples) in tasks {
      let done = completions[place]
      switch ResultFit(of: done.proof, to: kind, frames, samples) {
      case .whole: break
      case .firstPart(let frame):
        let border = Border(worker: done.worker, epoch: done.epoch, key: done.key, frame: frame)
        guard try !divide([border], areAlone: false, session).isEmpty else { break }
        let victories = try win([done], session)
        ended += victories.superseded
        if !victories.won.isEmpty { won.append(place) }
      case .other(let failure):
        failures.append((place, FailedAttempt(worker: done.worker, epoch: done.epoch, key: done.key, failure: failure)))
      }
    }
    for (place, failed) in failures {
      let verdict = try fail(failed, session)
      if verdict != .stale { unfit.append(place) }
      if case .jobFailed(let others) = verdict { ended += others }
    }
    return (ended, won, unfit)
  }

  /// Any transaction that writes makes all earlier commits durable, because the server writes its log in order. Locking the term
  /// is such a write.
  package func flush() throws(LedgerError) { try transaction { _ throws(LedgerError) in } }

  /// Completions that won, with their consequences.
  private struct Victories {
    /// The winners: their places among the completions, from 1, and the jobs and kinds of their tasks.
    private(set) var won: [(place: Int, job: String, kind: TaskKind)] = []
    /// The number of parts that each job still lacks.
    private(set) var partsLeft: [String: Int] = [:]
    /// Other attempts at the same tasks, which ended.
    private(set) var superseded: [ExpiredAttempt] = []

    mutating func add(_ row: Rows.Row) throws(PostgreSQLError) {
      switch try row.value("row", as: String.self) {
      case "won": won.append((try row.value("place"), try row.value("job"), try row.case("kind")))
      case "job": partsLeft[try row.value("job")] = try row.value("parts_left", as: Int.self)
      default: superseded.append(ExpiredAttempt(worker: try row.value("worker"), key: try AttemptKey(row)))
      }
    }
  }

  /// Makes the tasks ready that waited for the winners.
  private func readyNext(_ victories: Victories, _ session: Session) throws(LedgerError) {
    let muxes = Set(victories.won.filter { $0.kind.isPart && victories.partsLeft[$0.job] == 0 }.map(\.job)).sorted()
    let publications = victories.won.filter { $0.kind == .mux }.map(\.job)
    guard !muxes.isEmpty || !publications.isEmpty else { return }
    let kinds = muxes.map { _ in TaskKind.mux.rawValue } + publications.map { _ in TaskKind.publish.rawValue }
    try session.change(.readyNext, [.texts(muxes + publications), .texts(kinds)])
  }

  package func fail(_ failures: [FailedAttempt]) throws(LedgerError) -> [FailVerdict] {
    try transaction { session throws(LedgerError) in
      try session.change(.lockJobsOfTasks, [.integers(failures.map(\.key.task))])
      var verdicts: [FailVerdict] = []
      for failed in failures { verdicts.append(try fail(failed, session)) }
      return verdicts
    }
  }

  /// Ends one attempt with a failure. Its job must be locked.
  private func fail(_ failed: FailedAttempt, _ session: Session) throws(LedgerError) -> FailVerdict {
    let (failure, task) = (failed.failure, Parameter.integer(failed.key.task))
    let fence: [Parameter] = [task, .integer(failed.key.attempt), .text(failed.worker), .text(failed.epoch)]
    guard !failed.isReturned else { return try takeBack(failed.key.task, fence, session) ? .retries : .stale }
    let revoked = try revoke(failure, fence, session)
    let outcome = revoked.isEmpty ? "failed" : "released"
    let ended = try session.first(.fail, fence + [.text(outcome)] + failure.parameters) { row throws(PostgreSQLError) in
      try EndedAttempt(row)
    }
    guard let ended else { return .stale }
    if !revoked.isEmpty { try session.change(.waitAgain, [task] + failure.parameters) }
    let settlement = try settle(revoked.isEmpty ? [ended] : revoked, session)
    return settlement.failedJobs.contains(ended.job) ? .jobFailed(settlement.cancelled) : .retries
  }

  /// Takes back an attempt that its worker has not begun. Nothing failed: its task is ready as it was before, unless another attempt at it is open.
  /// Its job must be locked.
  ///
  /// - Returns: false when the attempt is not open any more.
  private func takeBack(_ task: Int64, _ fence: [Parameter], _ session: Session) throws(LedgerError) -> Bool {
    guard try session.change(.takeBack, fence) > 0 else { return false }
    let goesOn = try session.first(.goOn, [.integers([task])]) { row throws(PostgreSQLError) in
      try row.value("task", as: Int64.self)
    }
    if goesOn == nil { try session.change(.readyAgain, [.integer(task)]) }
    return true
  }

  /// The consequences of attempts that ended without winning.
  struct Settlement {
    var failedJobs: Set<String> = []
    /// Open attempts that ended with their jobs.
    var cancelled: [ExpiredAttempt] = []
  }

  /// Lets the retry policy decide about each task of the ended attempts that has no other open attempt. The jobs must be locked.
  /// The number of statements does not grow with the number of attempts, except for jobs that fail.
  ///
  func settle(_ ended: [EndedAttempt], _ session: Session) throws(LedgerError) -> Settlement {
    guard !ended.isEmpty else { return Settlement() }
    var settled = Set(
      try session.all(.goOn, [.integers(ended.map(\.key.task))]) { row throws(PostgreSQLError) in
        try row.value("task", as: Int64.self)
      })
    // When two attempts at a task ended together, one that was not given back counts.
    let last = (ended.filter { !$0.isReleased } + ended.filter(\.isReleased)).filter { settled.insert($0.key.task).inserted }
    let verdicts = try verdicts(on: last, session)
    // Other tasks of a job that fails become ready here, and are cancelled with the job.
    try retry(verdicts.filter { !$0.failsJob }.map { ($0.attempt, $0.pause ?? 0) }, session)
    try session.count(retries: verdicts.filter { $0.pause != nil }.map(\.attempt.job))
    var settlement = Settlement()
    for attempt in verdicts.filter(\.failsJob).map(\.attempt) {
      let failure = attempt.failure.parameters
      try session.change(.failTask, [.integer(attempt.key.task)] + failure)
      try session.change(.failJob, [.text(attempt.job)] + failure)
      settlement.failedJobs.insert(attempt.job)
      settlement.cancelled += try cancelTasks(of: attempt.job, session)
    }
    return settlement
  }

  // MARK: Private parts

  /// The decision about an ended attempt's task.
  private struct Verdict {
    var attempt: EndedAttempt
    /// The milliseconds until the task is tried again; nil when it is not.
    var pause: Int?
    /// Whether the job fails with this task. It is set for the first such task of a job.
    var failsJob = false
  }

  private func verdicts(on ended: [EndedAttempt], _ session: Session) throws(LedgerError) -> [Verdict] {
    let blamed = ended.filter { !$0.isReleased }.map(\.key.task)
    var counts: [Int64: [Failure.Class: Int]] = [:]
    if !blamed.isEmpty {
      _ = try session.all(.failureCounts, [.integers(blamed)]) { row throws(PostgreSQLError) in
        counts[try row.value("task"), default: [:]][try row.case("failure_class")] = try row.value("count", as: Int.self)
      }
    }
    var failedJobs: Set<String> = []
    return ended.map { attempt in
      guard !attempt.isReleased else { return Verdict(attempt: attempt, pause: 0) }
      switch retryPolicy.decide(after: attempt.failure.class, counts: counts[attempt.key.task] ?? [:]) {
      case .retry(let pause): return Verdict(attempt: attempt, pause: pause)
      case .giveUp: return Verdict(attempt: attempt, failsJob: failedJobs.insert(attempt.job).inserted)
      }
    }
  }

  /// Makes tasks ready again.
  /// - Parameter ended: the ended attempts, each with the milliseconds until its task is tried again.
  private func retry(_ ended: [(attempt: EndedAttempt, pause: Int)], _ session: Session) throws(LedgerError) {
    guard !ended.isEmpty else { return }
    let failures = ended.map(\.attempt.failure.columns)
    try session.change(
      .retryTasks,
      [
        .integers(ended.map(\.attempt.key.task)), .integers(ended.map(\.pause)),
        .texts(ended.map { $0.attempt.isReleased ? nil : $0.attempt.worker }),
        .texts(failures.map(\.class)), .texts(failures.map(\.place)), .texts(failures.map(\.reason)),
      ])
  }

  /// Takes the victory from winners that the failure calls damaged, and subtracts them from their job's counts.
  private func revoke(_ failure: Failure, _ fence: [Parameter], _ session: Session) throws(LedgerError) -> [EndedAttempt] {
    guard !failure.damaged.isEmpty else { return [] }
    let named: [Parameter] = [
      .integers(failure.damaged.map(\.task)), .integers(failure.damaged.map(\.attempt)), failure.parameters[2],
    ]
    let revoked = try session.all(.revoke, fence + named) { row throws(PostgreSQLError) in
      (try EndedAttempt(row), try row.case("kind") as TaskKind, try row.value("frame_count", as: Int.self))
    }
    for (attempt, kind, frames) in revoked {
      let parts = [kind.isPart ? 1 : 0, kind == .picture ? 1 : 0, frames]
      try session.change(.uncount, [.text(attempt.job)] + parts.map { .integer($0) })
    }
    return revoked.map(\.0)
  }
}

extension Session {
  /// Counts a retry for each entry; a job may be listed several times.
  fileprivate func count(retries jobs: [String]) throws(LedgerError) {
    guard !jobs.isEmpty else { return }
    let counts = Dictionary(jobs.map { ($0, 1) }, uniquingKeysWith: +).sorted { $0.key < $1.key }
    try change(.countRetries, [.texts(counts.map(\.key)), .integers(counts.map(\.value))])
  }
}

extension [Completion] {
  /// Four parameters: tasks, attempt numbers, workers and epochs.
  fileprivate var fence: [Parameter] {
    [.integers(map(\.key.task)), .integers(map(\.key.attempt)), .texts(map(\.worker)), .texts(map(\.epoch))]
  }
}
