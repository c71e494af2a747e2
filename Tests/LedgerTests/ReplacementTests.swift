import FarmTesting
import Ledger
import Messages
import Scheduling
import Testing

/// Jobs that replace others while these run, in both ledgers.
struct ReplacementTests {
  /// A bench on which the first two chunks of job "former" run, on a worker whose segments are found again.
  private func running(_ kind: LedgerUnderTest, ahead: Int? = 128) throws -> (bench: Bench, orders: [AttemptOrder]) {
    let bench = try kind.bench()
    try bench.register("a", ahead: ahead)
    try bench.register("b", ahead: ahead)
    try bench.submit("former", chunks: 3)
    return (bench, try bench.claim(slots: 2))
  }

  /// A job of three chunks that replaces another one.
  private func heir(
    _ id: String = "heir", of former: String = "former", twins: [Int64?], output: String = "/out/former.mp4"
  ) -> JobSubmission {
    var submission = Bench.submission(id, chunks: 3)
    (submission.spec.output, submission.replaces) = (output, former)
    for (place, twin) in twins.enumerated() { submission.tasks[place].twin = twin }
    return submission
  }

  /// The first chunk of "former" goes on, since job "heir" waits for it; the second one has ended.
  private func replaced(_ kind: LedgerUnderTest) throws -> (bench: Bench, kept: AttemptOrder, other: AttemptOrder) {
    let (bench, orders) = try running(kind)
    #expect(try bench.ledger.submit(heir(twins: [orders[0].key.task])) == "heir")
    return (bench, orders[0], orders[1])
  }

  private func isOpen(_ bench: Bench, _ order: AttemptOrder) throws -> Bool {
    try bench.ledger.closed(among: [ExpiredAttempt(worker: "a", key: order.key)]).isEmpty
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a chunk that runs and is in the new job goes on, and the new job waits for it`(_ kind: LedgerUnderTest) throws {
    let (bench, kept, other) = try replaced(kind)
    #expect(try bench.state("former") == .cancelled && bench.state("heir") == .queued)
    #expect(try bench.states("former") == [.running, .cancelled, .cancelled, .cancelled, .cancelled])
    #expect(try bench.states("heir") == [.waiting, .ready, .ready, .waiting, .waiting])
    #expect(try isOpen(bench, kept) && !isOpen(bench, other))
    #expect(try bench.ledger.status(job: "former")?.running == 1)
    // A coordinator that restarts finds it.
    #expect(try bench.ledger.openAttempts(worker: "a", epoch: "1").map(\.order.key) == [kept.key])
    #expect(try bench.claim("b", slots: 8).map(\.job) == ["heir", "heir"])
    #expect(try bench.commit(other) == .stale)
    #expect(try bench.commit(kept) == .won)
    let former = try #require(try bench.ledger.status(job: "former"))
    #expect(former.state == .cancelled && former.chunksDone == 1 && former.running == 0)
    #expect(try bench.states("heir").first == .ready)
    let found = try bench.claim("b", slots: 8)
    #expect(found.map(\.work) == [.picture(FrameRange(first: 0, count: 10))])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `the new job is done like any other, and submitting it again changes nothing`(_ kind: LedgerUnderTest) throws {
    let (bench, kept, _) = try replaced(kind)
    #expect(try bench.ledger.submit(heir(twins: [kept.key.task])) == "heir")
    #expect(try isOpen(bench, kept))
    #expect(try bench.commit(kept) == .won)
    for _ in 0..<5 { #expect(try bench.commit(try #require(try bench.claim().first)) == .won) }
    #expect(try bench.state("heir") == .done && bench.claim(slots: 8) == [])
  }

  /// The ends of the attempt that goes on, other than its result.
  enum End: CaseIterable, Sendable {
    case failed, hopeless, returned, left, lost, restarted, silent, divided
  }

  @Test(arguments: LedgerUnderTest.allCases, End.allCases)
  func `whatever becomes of the attempt, the new chunk is given out as any other`(_ kind: LedgerUnderTest, _ end: End) throws {
    let (bench, kept, _) = try replaced(kind)
    switch end {
    case .failed: #expect(try bench.fail(kept, .transient) == .retries)
    case .hopeless: _ = try bench.fail(kept, .content)
    case .returned:
      #expect(
        try bench.ledger.fail([FailedAttempt(returning: kept.key, by: WorkerProcess(worker: "a", epoch: "1"))]) == [.retries])
    case .left: try bench.ledger.retire(worker: "a", epoch: "1")
    case .lost: try bench.ledger.lose(worker: "a", epoch: "1")
    case .restarted: try bench.register("a", epoch: "2")
    case .silent:
      try bench.advance(by: .seconds(60))
      #expect(try bench.ledger.expire().map(\.key) == [kept.key])
      try bench.register("b", ahead: 128)
    case .divided:
      // Its process promised, before the job was replaced, to leave the rest of the chunk.
      let promise = AttemptProgress(key: kept.key, done: 2, total: 5, end: 5)
      let heard = try bench.ledger.heartbeat([Heartbeat(worker: "a", epoch: "1", running: [promise])])
      #expect(heard.map(\.closed) == [[kept.key]] && heard.flatMap(\.divided) == [])
    }
    #expect(try !isOpen(bench, kept))
    #expect(try bench.states("heir").first == .ready)
    #expect(try bench.ledger.tasks(job: "former").count == 5)
    #expect(try bench.states("former")[0] == (end == .hopeless ? .failed : .cancelled))
    #expect(try bench.state("former") == .cancelled && bench.ledger.status(job: "former")?.retries == 0)
    let orders = try bench.claim("b", slots: 8)
    #expect(orders.map(\.job) == ["heir", "heir", "heir"])
    #expect(try orders.map { try bench.commit($0, "b") } == [.won, .won, .won])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `an attempt ends with the last job that waits for it`(_ kind: LedgerUnderTest) throws {
    let (bench, kept, _) = try replaced(kind)
    // The cancelled job itself has no say any more.
    #expect(try bench.ledger.cancel(job: "former") == [])
    #expect(try isOpen(bench, kept))
    #expect(try bench.ledger.cancel(job: "heir") == [ExpiredAttempt(worker: "a", key: kept.key)])
    #expect(try bench.states("former")[0] == .cancelled)
    #expect(try bench.states("heir").allSatisfy { $0 == .cancelled })
    #expect(try bench.commit(kept) == .stale)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a job that is replaced while it waits hands on what it waits for`(_ kind: LedgerUnderTest) throws {
    let (bench, kept, _) = try replaced(kind)
    let twin = try #require(try bench.ledger.tasks(job: "heir").first).id
    #expect(try bench.ledger.submit(heir("second", of: "heir", twins: [twin])) == "second")
    #expect(try isOpen(bench, kept) && bench.state("heir") == .cancelled)
    #expect(try bench.states("second") == [.waiting, .ready, .ready, .waiting, .waiting])
    #expect(try bench.commit(kept) == .won)
    #expect(try bench.states("second")[0] == .ready && bench.states("heir")[0] == .cancelled)
    #expect(try bench.claim("b", slots: 8).map(\.job) == ["second", "second", "second"])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a job that fails ends the attempt that only it awaits`(_ kind: LedgerUnderTest) throws {
    let (bench, kept, _) = try replaced(kind)
    let order = try #require(try bench.claim("b").first)
    guard case .jobFailed(let others) = try bench.fail(order, .content, "b") else {
      Issue.record("the job does not fail")
      return
    }
    #expect(others == [ExpiredAttempt(worker: "a", key: kept.key)])
    #expect(try bench.state("heir") == .failed)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `nothing goes on that would not be found again, or makes something else by now`(_ kind: LedgerUnderTest) throws {
    let (bench, orders) = try running(kind, ahead: nil)
    _ = try bench.ledger.submit(heir(twins: [orders[0].key.task]))
    #expect(try !isOpen(bench, orders[0]))
    #expect(try bench.states("heir") == [.ready, .ready, .ready, .waiting, .waiting])
    // A chunk that was divided after the edits were compared has fewer frames.
    let (other, divided) = try running(kind)
    let promise = AttemptProgress(key: divided[0].key, done: 2, total: 5, end: 5)
    let heard = try other.ledger.heartbeat([Heartbeat(worker: "a", epoch: "1", running: [promise])])
    #expect(heard.flatMap(\.divided) == [divided[0].key])
    // Neither is a task of another job.
    try other.submit("stranger", chunks: 1)
    let stranger = try #require(try other.claim("b", slots: 8).first { $0.job == "stranger" })
    _ = try other.ledger.submit(heir(twins: [divided[0].key.task, stranger.key.task]))
    #expect(try other.states("heir") == [.ready, .ready, .ready, .waiting, .waiting])
    #expect(try !isOpen(other, divided[0]))
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a worker that stops still keeps what it makes`(_ kind: LedgerUnderTest) throws {
    let (bench, orders) = try running(kind)
    try bench.register("a", slots: 0)
    _ = try bench.ledger.submit(heir(twins: [orders[0].key.task]))
    #expect(try isOpen(bench, orders[0]))
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a job is not replaced where another one is to write the movie`(_ kind: LedgerUnderTest) throws {
    let (bench, orders) = try running(kind)
    try bench.submit("other")
    #expect(throws: LedgerError.outputTaken("/out/other.mp4", job: "other")) {
      _ = try bench.ledger.submit(heir(twins: [orders[0].key.task], output: "/out/other.mp4"))
    }
    #expect(try bench.state("former") == .running && bench.state("heir") == nil)
    #expect(try isOpen(bench, orders[0]) && isOpen(bench, orders[1]))
    // A job that has ended is left as it is, and so is one that is not there.
    _ = try bench.ledger.cancel(job: "other")
    #expect(try bench.ledger.submit(heir("third", of: "other", twins: [orders[0].key.task], output: "/out/x.mp4")) == "third")
    #expect(try bench.ledger.submit(heir("fourth", of: "nobody", twins: [orders[0].key.task], output: "/out/y.mp4")) == "fourth")
    #expect(try bench.states("third").filter { $0 == .waiting }.count == 2 && bench.state("former") == .running)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `the files of a replaced job stay as long as an attempt writes there`(_ kind: LedgerUnderTest) throws {
    let (bench, kept, _) = try replaced(kind)
    #expect(try bench.ledger.over(among: ["former"], endedFor: .zero) == [])
    #expect(try bench.commit(kept) == .won)
    #expect(try bench.ledger.over(among: ["former"], endedFor: .zero).map(\.id) == ["former"])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `no second attempt is made beside it, and its chunk is not divided`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    for worker in ["a", "b"] { try bench.register(worker, ahead: 128) }
    try bench.submit("earlier", chunks: 4)
    let earlier = try bench.claim("b", slots: 4)
    try bench.advanceAlive(by: .seconds(10), ["a", "b"])
    for order in earlier { #expect(try bench.commit(order, "b") == .won) }
    try bench.ledger.learn(from: earlier.map(\.key))
    _ = try bench.ledger.cancel(job: "earlier")
    try bench.submit("former", chunks: 3)
    let kept = try #require(try bench.claim().first)
    for _ in 0..<10 { try bench.advanceAlive(by: .seconds(9), ["a", "b"]) }
    _ = try bench.ledger.heartbeat(worker: "a", epoch: "1", running: [AttemptProgress(key: kept.key, done: 2, total: 10)])
    func splits() throws -> [Split] { try bench.ledger.split(for: [FreeSlots(worker: "b", epoch: "1", slots: 1)], asked: []) }
    // It is slow and dear enough for both.
    #expect(try splits().map(\.key) == [kept.key])
    _ = try bench.ledger.submit(heir(twins: [kept.key.task]))
    #expect(try isOpen(bench, kept) && splits() == [] && bench.speculate("b") == [])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a replaced job that is retried goes on with the attempt`(_ kind: LedgerUnderTest) throws {
    let (bench, kept, _) = try replaced(kind)
    #expect(try bench.ledger.change(job: "former", .retryWriting(to: "/out/again.mp4")) == true)
    #expect(try bench.states("former") == [.running, .ready, .ready, .waiting, .waiting])
    // Now the new job's end does not end it.
    #expect(try bench.ledger.cancel(job: "heir") == [])
    #expect(try bench.commit(kept) == .won)
    for _ in 0..<4 { #expect(try bench.commit(try #require(try bench.claim().first)) == .won) }
    #expect(try bench.state("former") == .done)
  }
}

/// The words about a replaced job, and about the one that replaced it.
struct ReplacementWordsTests {
  private let bench: Bench
  private let ledger: PostgreSQLLedger
  private let kept: AttemptOrder

  init() throws {
    bench = try LedgerUnderTest.postgreSQL.bench()
    ledger = try #require(bench.ledger as? PostgreSQLLedger)
    try bench.register("a", ahead: 128)
    try bench.submit("former", chunks: 2)
    kept = try #require(try bench.claim().first)
    var submission = Bench.submission("job", chunks: 1)
    (submission.spec.output, submission.replaces) = ("/out/former.mp4", "former")
    submission.tasks[0].twin = kept.key.task
    _ = try ledger.submit(submission)
    try bench.lead()
  }

  @Test func `the chunk that waits says for what, and the attempt by whom it is awaited`() throws {
    let reason = try ledger.waiting(job: "job").first { $0.kind == .picture }?.reason
    #expect(reason == "job former, which was replaced, still makes the same: its result is awaited")
    #expect(try ledger.task(kept.key.task)?.awaitedBy == "job")
    #expect(try bench.commit(kept) == .won)
    #expect(try ledger.waiting(job: "job").first { $0.kind == .picture }?.reason == "about to be given out")
    #expect(try ledger.task(kept.key.task)?.awaitedBy == nil)
  }

  @Test func `the time of the wait is blocked, until the attempt has ended`() throws {
    let task = try #require(try ledger.tasks(job: "job").first)
    #expect(try ledger.time(job: "job").map(\.part) == [.blocked])
    let moments = try ledger.moments(job: "job")
    #expect(moments.awaiting.keys.map(\.self) == [task.id])
    #expect(try bench.commit(kept) == .won)
    let order = try #require(try bench.claim().first)
    let parts = try ledger.time(job: "job").map(\.part)
    #expect(parts.contains(.blocked) && parts.contains(.rendering))
    let attempts = try ledger.attempts(job: "job")
    let now = try #require(attempts.map(\.ended).max())
    let shares = TaskTime(attempts, try ledger.moments(job: "job")).shares(task: order.key.task, .picture, now: now)
    let blocked = try #require(shares.first { $0.part == .blocked }?.seconds)
    #expect(blocked > 0 && shares.allSatisfy { [.blocked, .handingOut, .rendering].contains($0.part) })
  }

  @Test func `the log names the job that replaced another one, and the attempts that go on`() throws {
    let news = try ledger.news().map { Note($0).description }
    #expect(news.contains("event=job_replaced job=former by=job attempts_kept=1"), "\(news)")
  }
}
