import FarmTesting
import Ledger
import Messages
import PostgreSQL
import Scheduling

/// The ledgers under test. Every ledger must give the same answers.
enum LedgerUnderTest: String, CaseIterable, Sendable {
  case memory, postgreSQL

  /// The factor by which tests stretch time: a second lasts more than a day. The database's clock runs on while a test runs, and
  /// must not matter, not even where durations are compared.
  static let stretch = 100_000

  func bench(retryPolicy policy: RetryPolicy = RetryPolicy(), tasksAtOnce: Int = 500) throws -> Bench {
    var (timing, retryPolicy) = (LedgerTiming(), policy)
    timing.tasksAtOnce = tasksAtOnce
    timing.lease *= Self.stretch
    timing.leadership *= Self.stretch
    timing.patience.usual *= Self.stretch
    timing.patience.least *= Self.stretch
    timing.patience.most *= Self.stretch
    timing.otherWorkerGrace *= Self.stretch
    timing.ageing *= Self.stretch
    timing.shortestWork *= Self.stretch
    var trust = TrustPolicy()
    trust.window *= Self.stretch
    trust.evidence *= Self.stretch
    trust.firstPause *= Self.stretch
    trust.longestPause *= Self.stretch
    retryPolicy.firstBackoffMilliseconds *= Self.stretch
    retryPolicy.longestBackoffMilliseconds *= Self.stretch
    var speculation = SpeculationPolicy()
    speculation.leastGain *= Double(Self.stretch)
    var splitting = SplitPolicy()
    splitting.startSeconds *= Double(Self.stretch)
    splitting.leastGain *= Double(Self.stretch)
    splitting.leadSeconds *= Double(Self.stretch)
    splitting.settling *= Double(Self.stretch)
    splitting.longestSilence *= Double(Self.stretch)
    // Chunks of these tests have ten frames.
    splitting.fewestFrames = 2
    splitting.borderFrames = 0.5
    switch self {
    case .memory:
      let clock = VirtualClock()
      let ledger = MemoryLedger(
        clock: clock, timing: timing, retryPolicy: retryPolicy, trust: trust, speculation: speculation, splitting: splitting)
      return Bench(ledger) { clock.advance(by: $0) }
    case .postgreSQL:
      let url = try TestCluster.shared.get().makeDatabase()
      let ledger = PostgreSQLLedger(
        url: url, timing: timing, retryPolicy: retryPolicy, trust: trust, speculation: speculation, splitting: splitting)
      try ledger.migrate()
      let connection = try Connection(url: url, applicationName: "spool test clock")
      return Bench(ledger, url: url) { duration in
        let shift = Parameter.double(duration / .seconds(1))
        for statement in Self.aging { _ = try connection.query(statement, [shift]) }
      }
    }
  }

  /// Statements that move everything which the database has noted into the past, because its clock cannot be moved.
  private static let aging = [
    Statement(
      "age_workers",
      """
      update spool.worker set
        heartbeat_at = heartbeat_at - make_interval(secs => $1), lease_until = lease_until - make_interval(secs => $1),
        set_aside_at = set_aside_at - make_interval(secs => $1), canary_at = canary_at - make_interval(secs => $1),
        trusted_at = trusted_at - make_interval(secs => $1)
      """),
    Statement(
      "age_jobs",
      "update spool.job set served_at = served_at - make_interval(secs => $1), wakes_at = wakes_at - make_interval(secs => $1)"),
    Statement("age_lines", "update spool.line set served_at = served_at - make_interval(secs => $1)"),
    Statement(
      "age_leader",
      "update spool.leader set renewed_at = renewed_at - make_interval(secs => $1), lease_until = lease_until - make_interval(secs => $1)"
    ),
    Statement("age_tasks", "update spool.task set ready_at = ready_at - make_interval(secs => $1)"),
    Statement(
      "age_attempts",
      """
      update spool.attempt set
        started_at = started_at - make_interval(secs => $1), ended_at = ended_at - make_interval(secs => $1),
        progress_at = progress_at - make_interval(secs => $1), progress_deadline = progress_deadline - make_interval(secs => $1)
      """),
  ]
}

/// A ledger with workers, and the steps that tests repeat.
struct Bench {
  let ledger: any Ledger & FarmDesk
  /// The connection string of its database; nil for a ledger without one.
  let url: String?
  private let move: (Duration) throws -> Void

  init(_ ledger: any Ledger & FarmDesk, url: String? = nil, _ move: @escaping (Duration) throws -> Void) {
    (self.ledger, self.url, self.move) = (ledger, url, move)
  }

  /// Lets time pass. The duration is stretched.
  func advance(by duration: Duration) throws { try move(duration * LedgerUnderTest.stretch) }

  /// Registers a worker, by default with epoch "1".
  ///
  /// - Parameter ahead: the attempts that it takes ahead of its slots; nil for a worker whose segments are not found again.
  func register(
    _ worker: String, epoch: String = "1", slots: Int = 8, ahead: Int? = nil, capabilities: Capabilities = Capabilities()
  ) throws {
    var hello = WorkerHello(
      worker: worker, epoch: epoch, host: "host-\(worker)", processID: 7, slots: slots, capabilities: capabilities, running: [])
    hello.ahead = ahead
    try ledger.register(hello)
  }

  /// Has a coordinator lead for some seconds.
  func lead() throws { _ = try ledger.lead(Candidate(name: "coord-1", epoch: "1", isNew: false)) }

  /// Lets time pass while the workers send heartbeats.
  func advanceAlive(by duration: Duration, _ workers: [String]) throws {
    try advance(by: duration)
    for worker in workers { _ = try ledger.heartbeat(worker: worker, epoch: "1", running: []) }
  }

  @discardableResult func submit(
    _ id: String = "job", chunks: Int = 2, sound: Bool = false, priority: Int = 0
  ) throws -> String {
    try ledger.submit(Self.submission(id, chunks: chunks, sound: sound, priority: priority))
  }

  static func submission(_ id: String, chunks: Int = 2, sound: Bool = false, priority: Int = 0) -> JobSubmission {
    let pictures = (0..<chunks).map {
      JobSubmission.Task(kind: .picture, frames: FrameRange(first: $0 * 10, count: 10), cost: 1.5)
    }
    let rest: [TaskKind] = (sound ? [.sound] : []) + [.mux, .publish]
    let spec = JobSpec(
      document: "{\"spool\":1,\"name\":\"雨\"}", facts: [:], output: "/out/\(id).mp4", overwrites: true, keepsSegments: false)
    return JobSubmission(
      id: id, spec: spec, submitter: "tester", priority: priority, frameCount: chunks * 10,
      tasks: pictures + rest.map { JobSubmission.Task(kind: $0, cost: 1) })
  }

  func claim(_ worker: String = "a", epoch: String = "1", slots: Int = 1) throws -> [AttemptOrder] {
    try ledger.claim(for: [FreeSlots(worker: worker, epoch: epoch, slots: slots)]).map(\.order)
  }

  /// Opens second attempts beside slow ones, for a worker's free slots.
  func speculate(_ worker: String, slots: Int = 1, most: Int = 8) throws -> [AttemptOrder] {
    try ledger.speculate(for: [FreeSlots(worker: worker, epoch: "1", slots: slots)], most: most, sparing: []).map(\.order)
  }

  func commit(_ order: AttemptOrder, _ worker: String = "a", epoch: String = "1") throws -> CommitVerdict {
    try ledger.commit(order.key, worker: worker, epoch: epoch, proof: Self.proof(order))
  }

  func fail(
    _ order: AttemptOrder, _ class: Failure.Class, _ worker: String = "a", damaged: [AttemptKey] = []
  ) throws -> FailVerdict {
    try ledger.fail(order.key, worker: worker, epoch: "1", Failure(`class`, at: "place", "reason", damaged: damaged))
  }

  /// The proof of an order.
  /// - Parameter end: the frame before which the attempt ended; by default the end of its chunk.
  static func proof(_ order: AttemptOrder, end: Int? = nil, concealed: [Concealment] = []) -> Proof {
    .sample(
      of: order.work, end: end, file: "job/\(order.key)", byteCount: Int64(clamping: order.key.attempt), concealed: concealed)
  }

  func states(_ job: String = "job") throws -> [TaskState] { try ledger.tasks(job: job).map(\.state) }
  func state(_ job: String = "job") throws -> JobState? { try ledger.status(job: job)?.state }
}
