import FarmTesting
import Ledger
import Messages
import PostgreSQL
import Scheduling
import Testing

/// Chunks that are divided while they run, in both ledgers.
struct SplitTests {
  /// A bench on which a runs the only chunk, which has ten frames.
  private func running(_ kind: LedgerUnderTest, isDivisible: Bool = true) throws -> (bench: Bench, order: AttemptOrder) {
    let bench = try kind.bench()
    for worker in ["a", "b"] { try bench.register(worker) }
    var submission = Bench.submission("job", chunks: 1, sound: true)
    submission.isDivisible = isDivisible
    _ = try bench.ledger.submit(submission)
    let orders = try bench.claim(slots: 2)
    #expect(try bench.commit(orders[1]) == .won)
    return (bench, orders[0])
  }

  /// Lets the attempt run for so many seconds, after which `done` frames are done.
  private func run(_ bench: Bench, _ order: AttemptOrder, done: Int64, seconds: Int = 90) throws {
    for _ in 0..<seconds / 9 { try bench.advanceAlive(by: .seconds(9), ["a", "b"]) }
    _ = try hear(bench, order, done: done)
  }

  private func hear(
    _ bench: Bench, _ order: AttemptOrder, done: Int64 = 2, end: Int? = nil, worker: String = "a"
  ) throws -> [AttemptKey] {
    let progress = AttemptProgress(key: order.key, done: done, total: Int64(end ?? 10), end: end)
    return try bench.ledger.heartbeat([Heartbeat(worker: worker, epoch: "1", running: [progress])]).flatMap(\.divided)
  }

  private func split(_ bench: Bench, _ worker: String = "b", asked: [AttemptKey] = []) throws -> [Split] {
    try bench.ledger.split(for: [FreeSlots(worker: worker, epoch: "1", slots: 1)], asked: asked)
  }

  private func ranges(_ bench: Bench) throws -> [FrameRange] { try bench.ledger.tasks(job: "job").compactMap(\.frames) }

  @Test(arguments: LedgerUnderTest.allCases)
  func `the rest of a dear chunk is wished for, and nothing changes`(_ kind: LedgerUnderTest) throws {
    let (bench, order) = try running(kind)
    // No pace is known yet.
    #expect(try split(bench) == [])
    try run(bench, order, done: 2)
    let wish = try #require(try split(bench).first)
    #expect(wish == Split(key: order.key, worker: "a", before: wish.before))
    #expect((4...8).contains(wish.before))
    #expect(try split(bench, asked: [order.key]) == [])
    #expect(try ranges(bench) == [FrameRange(first: 0, count: 10)])
    #expect(try bench.claim("b") == [])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `nobody is asked where job, quota, pause or drain forbid it`(_ kind: LedgerUnderTest) throws {
    let (bench, order) = try running(kind)
    try run(bench, order, done: 2)
    #expect(try bench.ledger.change(job: "job", .pause) == true)
    #expect(try split(bench) == [])
    #expect(try bench.ledger.change(job: "job", .resume) == true)
    try bench.ledger.setShare(of: "tester", weight: 1, slots: 1)
    #expect(try split(bench) == [])
    try bench.ledger.setShare(of: "tester", weight: 1, slots: 2)
    #expect(try bench.ledger.drain(worker: "b", true))
    #expect(try split(bench) == [])
    #expect(try bench.ledger.drain(worker: "b", false))
    #expect(try split(bench).count == 1)
    let (other, whole) = try running(kind, isDivisible: false)
    try run(other, whole, done: 2)
    #expect(try split(other) == [])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a promise divides the chunk, once, and the rest is a task like any other`(_ kind: LedgerUnderTest) throws {
    let (bench, order) = try running(kind)
    try run(bench, order, done: 2)
    #expect(try hear(bench, order, end: 6) == [order.key])
    #expect(try hear(bench, order, end: 6) == [])
    // These promises are late, or promise nothing.
    for end in [7, 10, 11, 0] { #expect(try hear(bench, order, end: end) == []) }
    let tasks = try bench.ledger.tasks(job: "job")
    #expect(tasks.map(\.kind) == [.picture, .picture, .sound, .mux, .publish])
    #expect(try ranges(bench) == [FrameRange(first: 0, count: 6), FrameRange(first: 6, count: 4)])
    #expect(tasks.map(\.splitFrom) == [nil, tasks[0].id, nil, nil, nil])
    #expect(try bench.states() == [.running, .ready, .done, .waiting, .waiting])
    let status = try #require(try bench.ledger.status(job: "job"))
    #expect((status.chunkCount, status.chunksDone, status.frameCount) == (2, 0, 10))
    let rest = try #require(try bench.claim("b").first)
    #expect(rest.work == .picture(FrameRange(first: 6, count: 4)))
    #expect(try bench.commit(rest, "b") == .won)
    #expect(try bench.states() == [.running, .done, .done, .waiting, .waiting])
    let first = Completion(worker: "a", epoch: "1", key: order.key, proof: Bench.proof(order, end: 6))
    #expect(try bench.ledger.commit([first]).verdicts == [.won])
    let pictures = try #require(try bench.claim("b").first?.work.muxedPictures)
    #expect(pictures.map(\.key) == [order.key, rest.key])
    #expect(try bench.ledger.status(job: "job")?.framesDone == 10)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `the parts are divided again, and muxed in the order of their frames`(_ kind: LedgerUnderTest) throws {
    let (bench, order) = try running(kind)
    #expect(try hear(bench, order, end: 6) == [order.key])
    let rest = try #require(try bench.claim("b").first)
    #expect(try hear(bench, rest, end: 8, worker: "b") == [rest.key])
    #expect(try hear(bench, order, end: 3) == [order.key])
    #expect(try ranges(bench).map(\.first) == [0, 3, 6, 8])
    let others = try bench.claim("b", slots: 8)
    #expect(others.count == 2)
    for other in others { #expect(try bench.commit(other, "b") == .won) }
    let ends = [
      Completion(worker: "a", epoch: "1", key: order.key, proof: Bench.proof(order, end: 3)),
      Completion(worker: "b", epoch: "1", key: rest.key, proof: Bench.proof(rest, end: 8)),
    ]
    #expect(try bench.ledger.commit(ends).verdicts == [.won, .won])
    let pictures = try #require(try bench.claim("b").first?.work.muxedPictures)
    #expect(pictures.map(\.proof.frames.first) == [0, 3, 6, 8])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a result of the first part divides, wins that, and may be told again`(_ kind: LedgerUnderTest) throws {
    let (bench, order) = try running(kind)
    let done = Completion(worker: "a", epoch: "1", key: order.key, proof: Bench.proof(order, end: 7))
    for repeated in [[], [done.key]] as [Set] {
      #expect(try bench.ledger.commit([done]) == Committed(verdicts: [.won], repeated: repeated))
    }
    #expect(try bench.states() == [.done, .ready, .done, .waiting, .waiting])
    #expect(try ranges(bench) == [FrameRange(first: 0, count: 7), FrameRange(first: 7, count: 3)])
    #expect(try bench.ledger.status(job: "job")?.framesDone == 7)
  }

  @Test(arguments: LedgerUnderTest.allCases, [nil, 5, 11] as [Int?])
  func `a result that is not of its chunk's frames is the attempt's failure, and wins nothing`(
    _ kind: LedgerUnderTest, end: Int?
  ) throws {
    let (bench, order) = try running(kind)
    #expect(try hear(bench, order, end: 4) == [order.key])
    let proof = end.map { Bench.proof(order, end: $0) } ?? .sample(of: .sound)
    let done = Completion(worker: "a", epoch: "1", key: order.key, proof: proof)
    #expect(try bench.ledger.commit([done]) == Committed(verdicts: [.unfit]))
    #expect(try bench.ledger.commit([done]) == Committed(verdicts: [.stale]))
    #expect(try bench.states() == [.ready, .ready, .done, .waiting, .waiting])
    #expect(try bench.ledger.tasks(job: "job")[0].failure?.class == .bug)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `an attempt that is over divides nothing`(_ kind: LedgerUnderTest) throws {
    let (bench, order) = try running(kind)
    #expect(try hear(bench, order, end: 6, worker: "b") == [])
    #expect(try bench.fail(order, .transient) == .retries)
    #expect(try hear(bench, order, end: 6) == [])
    let done = Completion(worker: "a", epoch: "1", key: order.key, proof: Bench.proof(order, end: 6))
    #expect(try bench.ledger.commit([done]).verdicts == [.stale])
    #expect(try ranges(bench) == [FrameRange(first: 0, count: 10)])
  }

  /// Runs until b makes a second attempt beside a's.
  private func doubled(_ kind: LedgerUnderTest) throws -> (bench: Bench, first: AttemptOrder, second: AttemptOrder) {
    let bench = try kind.bench()
    for worker in ["a", "b"] { try bench.register(worker) }
    try bench.submit("earlier", chunks: 4)
    let earlier = try bench.claim("b", slots: 4)
    try bench.advanceAlive(by: .seconds(10), ["a", "b"])
    for order in earlier { #expect(try bench.commit(order, "b") == .won) }
    try bench.ledger.learn(from: earlier.map(\.key))
    _ = try bench.ledger.cancel(job: "earlier")
    try bench.submit(chunks: 1)
    let first = try #require(try bench.claim().first)
    try run(bench, first, done: 1, seconds: 36)
    let spared = try bench.ledger.speculate(
      for: [FreeSlots(worker: "b", epoch: "1", slots: 1)], most: 8, sparing: [first.key])
    #expect(spared == [])
    return (bench, first, try #require(try bench.speculate("b").first))
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `while two attempts are open a promise divides nothing, and who is left divides then`(_ kind: LedgerUnderTest) throws {
    let (bench, first, second) = try doubled(kind)
    #expect(try split(bench) == [])
    #expect(try hear(bench, first, end: 6) == [])
    #expect(try bench.fail(second, .transient, "b") == .retries)
    #expect(try hear(bench, first, end: 6) == [first.key])
    #expect(try bench.states() == [.running, .ready, .waiting, .waiting])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `of two attempts the first result wins, of the whole chunk or of its first part`(_ kind: LedgerUnderTest) throws {
    let (bench, first, second) = try doubled(kind)
    let part = Completion(worker: "a", epoch: "1", key: first.key, proof: Bench.proof(first, end: 6))
    #expect(
      try bench.ledger.commit([part])
        == Committed(verdicts: [.won], superseded: [ExpiredAttempt(worker: "b", key: second.key)]))
    #expect(try bench.states() == [.done, .ready, .waiting, .waiting])
    let (other, slow, fast) = try doubled(kind)
    let results = [
      Completion(worker: "a", epoch: "1", key: slow.key, proof: Bench.proof(slow, end: 6)),
      Completion(worker: "b", epoch: "1", key: fast.key, proof: Bench.proof(fast)),
    ]
    // The results come together. The whole one leaves nothing to do for the other.
    #expect(
      try other.ledger.commit(results)
        == Committed(verdicts: [.stale, .won], superseded: [ExpiredAttempt(worker: "a", key: slow.key)]))
    #expect(try other.states() == [.done, .ready, .waiting])
  }

  @Test func `the parts of a chunk are charged what the whole one was, and a retry what it does`() throws {
    let (bench, order) = try running(.postgreSQL)
    let connection = try Connection(url: try #require(bench.url), applicationName: "test")
    func spent() throws -> Double {
      try connection.query(Statement("spent", "select spent from spool.submitter")).map {
        try $0.value("spent", as: Double.self)
      }[0]
    }
    let whole = try spent()
    #expect(whole > 0)
    #expect(try hear(bench, order, end: 6) == [order.key])
    let rest = try #require(try bench.claim("b").first)
    #expect(try spent() == whole)
    #expect(try hear(bench, rest, end: 8, worker: "b") == [rest.key])
    #expect(try bench.claim("b").count == 1)
    #expect(try spent() == whole)
    #expect(try bench.fail(rest, .transient, "b") == .retries)
    try bench.advanceAlive(by: .seconds(9), ["a", "b"])
    #expect(try bench.claim("a").map(\.key.task) == [rest.key.task])
    // The rest is charged at the pace that was learned meanwhile.
    #expect(try spent() > whole)
  }

  @Test func `the database refuses chunks that overlap, leave a gap or end early`() throws {
    let (bench, order) = try running(.postgreSQL)
    #expect(try hear(bench, order, end: 6) == [order.key])
    let connection = try Connection(url: try #require(bench.url), applicationName: "test")
    let rest = "update spool.task set"
    for breach in [
      "\(rest) first_frame = 5, frame_count = 5 where first_frame = 6",
      "\(rest) first_frame = 7, frame_count = 3 where first_frame = 6",
      "\(rest) frame_count = 3 where first_frame = 6", "\(rest) frame_count = frame_count + 1 where first_frame = 0",
      """
      insert into spool.task (job, ordinal, kind, state, first_frame, frame_count, cost) values ('job', 9, 'picture', 'ready', 10, 1, 1)
      """,
      "\(rest) split_from = 1 where kind = 'sound'",
    ] {
      #expect("\(breach)") {
        try connection.run(breach)
      } throws: { error in
        guard case .statement(let state) = (error as? PostgreSQLError)?.kind else { return false }
        return state.code.hasPrefix("23")
      }
    }
    // Both changes in one transaction are a division.
    try connection.run(
      "begin; \(rest) first_frame = 5, frame_count = 5 where first_frame = 6; \(rest) frame_count = 5 where first_frame = 0; commit"
    )
  }

  @Test func `what was split off is told with the rest of history`() throws {
    let (bench, order) = try running(.postgreSQL)
    #expect(try hear(bench, order, end: 6) == [order.key])
    let connection = try Connection(url: try #require(bench.url), applicationName: "test")
    let told = try connection.query(
      Statement(
        "told",
        "select h.after || ' ' || h.reason as line from spool.history h join spool.task t on t.id = h.task where t.first_frame = 6"
      ))
    #expect(try told.map { try $0.value("line", as: String.self) } == ["ready split off task \(order.key.task) before frame 6"])
  }
}

extension Work {
  /// The pictures that a mux puts together; nil for other work.
  fileprivate var muxedPictures: [Winner<PictureProof>]? { if case .mux(let pictures, _) = self { pictures } else { nil } }
}
