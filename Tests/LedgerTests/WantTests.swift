import FarmTesting
import Ledger
import Messages
import PostgreSQL
import Scheduling
import Testing

/// Chunks that somebody waits to see.
struct WantTests {
  private static func frames(_ orders: [AttemptOrder]) -> [Int] {
    orders.map { if case .picture(let frames) = $0.work { frames.first } else { -1 } }
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `chunks that are wanted are given out first, in the order of the movie, and then the others`(kind: LedgerUnderTest) throws
  {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 6, sound: true)
    #expect(try bench.ledger.want(job: "job", .picture, from: 30, most: 2) == 2)
    #expect(try Self.frames(bench.claim(slots: 3)) == [30, 40, 0])
    #expect(try Self.frames(bench.claim(slots: 8)) == [10, 20, 50, -1])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `what was wanted last goes first, and asking again changes nothing`(kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 6)
    #expect(try bench.ledger.want(job: "job", .picture, from: 20, most: 1) == 1)
    #expect(try bench.ledger.want(job: "job", .picture, from: 40, most: 4) == 2)
    #expect(try bench.ledger.want(job: "job", .picture, from: 40, most: 4) == 0)
    #expect(try bench.ledger.want(job: "job", .picture, from: 50, most: 1) == 1)
    #expect(try Self.frames(bench.claim(slots: 4)) == [50, 40, 20, 0])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `the sound that is wanted goes before the chunks that are, even before those wanted later`(kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 3, sound: true)
    _ = try bench.ledger.want(job: "job", .picture, from: 10, most: 1)
    #expect(try bench.ledger.want(job: "job", .sound, from: 0, most: 4) == 1)
    #expect(try bench.ledger.want(job: "job", .sound, from: 0, most: 4) == 0)
    #expect(try bench.ledger.want(job: "job", .picture, from: 20, most: 1) == 1)
    #expect(try Self.frames(bench.claim(slots: 4)) == [-1, 20, 10, 0])
  }

  /// A player that jumps needs the picture and the sound of the new place. What it heard next at the old one has time.
  @Test(arguments: LedgerUnderTest.allCases)
  func `the sound of a place that was left goes behind the pictures of the new one, and the part after the new one does not`(
    kind: LedgerUnderTest
  ) throws {
    let bench = try kind.bench()
    try bench.register("a")
    var submission = Bench.submission("job", chunks: 7)
    submission.tasks.insert(
      contentsOf: (0..<5).map {
        JobSubmission.Task(kind: .sound, samples: SampleRange(first: Int64($0) * 100, count: 100), cost: 1)
      }, at: 7)
    _ = try bench.ledger.submit(submission)
    let ledger = bench.ledger
    _ = try ledger.want(job: "job", .picture, from: 0, most: 2)
    _ = try ledger.want(job: "job", .sound, from: 0, most: 2)
    _ = try ledger.want(job: "job", .sound, from: 400, most: 1)
    _ = try ledger.want(job: "job", .picture, from: 30, most: 4)
    _ = try ledger.want(job: "job", .sound, from: 300, most: 1)
    // The first two parts lie behind the pictures that were asked for, and before all else.
    let orders = try bench.claim(slots: 12)
    let sounds = orders.map { if case .soundPart(let samples) = $0.work { Int(samples.first) } else { -1 } }
    #expect(
      zip(Self.frames(orders), sounds).map { $0 < 0 ? "s\($1)" : "p\($0)" }.prefix(9) == [
        "s300", "s400", "p30", "p40", "p50", "p60", "p0", "p10", "s0",
      ])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a wish moves nothing past the jobs that go before`(kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit("first", chunks: 2, priority: 1)
    try bench.submit("second", chunks: 2)
    _ = try bench.ledger.want(job: "second", .picture, from: 10, most: 1)
    let orders = try bench.claim(slots: 3)
    #expect(orders.map(\.job) == ["first", "first", "second"] && Self.frames(orders) == [0, 10, 10])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `what runs, is done, or belongs to a job that is over is left as it is`(kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 2)
    let first = try #require(try bench.claim().first)
    #expect(try bench.ledger.want(job: "job", .picture, from: 0, most: 1) == 0)
    _ = try bench.commit(first)
    #expect(try bench.ledger.want(job: "job", .picture, from: 0, most: 2) == 1)
    _ = try bench.ledger.cancel(job: "job")
    #expect(try bench.ledger.want(job: "job", .picture, from: 0, most: 2) == 0)
    #expect(try bench.ledger.want(job: "none", .picture, from: 0, most: 2) == nil)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a wanted chunk that failed stays wanted, and so does what is split off it`(kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    for worker in ["a", "b"] { try bench.register(worker) }
    try bench.submit(chunks: 5)
    _ = try bench.ledger.want(job: "job", .picture, from: 30, most: 1)
    let order = try #require(try bench.claim().first)
    let progress = AttemptProgress(key: order.key, done: 2, total: 10, end: 36)
    _ = try bench.ledger.heartbeat([Heartbeat(worker: "a", epoch: "1", running: [progress])])
    #expect(try Self.frames(bench.claim("b", slots: 2)) == [36, 0])
    _ = try bench.fail(order, .transient)
    try bench.advance(by: .seconds(60))
    for worker in ["a", "b"] { _ = try bench.ledger.heartbeat(worker: worker, epoch: "1", running: []) }
    #expect(try Self.frames(bench.claim("b", slots: 2)).first == 30)
  }

  @Test func `the parts of a movie are told with what won, and chunks as they were planned`() throws {
    let bench = try LedgerUnderTest.postgreSQL.bench()
    let ledger = try #require(bench.ledger as? PostgreSQLLedger)
    try bench.register("a")
    try bench.submit(chunks: 3, sound: true)
    #expect(try ledger.plannedChunks(job: "job") == [0, 10, 20])
    #expect(try ledger.anyChunk(job: "job") == nil && ledger.sound(job: "job").first?.winner == nil)
    #expect(try ledger.chunks(job: "job", beginningIn: 10..<20).map(\.state) == [.ready])
    for order in try bench.claim(slots: 3) { _ = try bench.commit(order) }
    let chunk = try #require(try ledger.chunks(job: "job", beginningIn: 0..<10).first)
    #expect(chunk.frames == FrameRange(first: 0, count: 10) && chunk.winner?.proof.kind == .picture)
    #expect(try ledger.anyChunk(job: "job")?.winner != nil)
    #expect(try ledger.chunks(job: "none", beginningIn: 0..<10).isEmpty)
  }

  @Test func `a submitter may want chunks of its own jobs, an operator of all, and others of none`() throws {
    let bench = try LedgerUnderTest.postgreSQL.bench()
    let logins = Logins(url: try #require(bench.url))
    let (ana, ben) = (try logins.new("spool_submitter"), try logins.new("spool_submitter"))
    let (olga, vera) = (try logins.new("spool_operator"), try logins.new("spool_viewer"))
    _ = try PostgreSQLLedger(url: ana.url).submit(ana.job("own", chunks: 3))
    for login in [ana, olga] {
      let ledger = PostgreSQLLedger(url: login.url)
      #expect(try ledger.want(job: "own", .picture, from: 20, most: 1) != nil)
      #expect(try ledger.chunks(job: "own", beginningIn: 0..<30).count == 3)
      #expect(try ledger.plannedChunks(job: "own").count == 3)
    }
    for login in [ben, vera] {
      let ledger = PostgreSQLLedger(url: login.url)
      for deed in [
        { _ = try ledger.want(job: "own", .picture, from: 20, most: 1) },
        { _ = try ledger.chunks(job: "own", beginningIn: 0..<30) },
      ] {
        #expect { try deed() } throws: { if case .forbidden = $0 as? LedgerError { true } else { false } }
      }
    }
  }
}
