import Ledger
import Messages
import Scheduling
import Testing

/// Retries of jobs whose files may be gone, and of movies that go elsewhere, in both ledgers.
struct ClearedTests {
  /// A cancelled job of three chunks, of which two are done.
  private func cancelled(_ kind: LedgerUnderTest, tasksAtOnce: Int = 500) throws -> Bench {
    let bench = try kind.bench(tasksAtOnce: tasksAtOnce)
    try bench.register("a")
    try bench.submit(chunks: 3)
    for order in try bench.claim(slots: 2) { #expect(try bench.commit(order) == .won) }
    _ = try bench.ledger.cancel(job: "job")
    return bench
  }

  private func over(_ bench: Bench) throws -> [OverJob] { try bench.ledger.over(among: ["job"], endedFor: .zero) }

  private func finish(_ bench: Bench) throws {
    while try bench.ledger.follow() != nil {}
    while let order = try bench.claim().first { #expect(try bench.commit(order) == .won) }
    #expect(try bench.state() == .done)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `what may be cleared away is named by its attempts, and a retry begins after them`(_ kind: LedgerUnderTest) throws {
    let bench = try cancelled(kind)
    let dead = try #require(try over(bench).first?.dead)
    #expect(dead == DeadAttempts(lastTask: 5, lastNumber: 1))
    #expect(try bench.ledger.change(job: "job", .retry) == true)
    let status = try #require(try bench.ledger.status(job: "job"))
    #expect(status.chunksDone == 0 && status.framesDone == 0)
    #expect(try bench.states() == [.ready, .ready, .ready, .waiting, .waiting])
    let again = try bench.claim(slots: 8)
    #expect(again.count == 3 && again.allSatisfy { !dead.contains($0.key) })
    for order in again { #expect(try bench.commit(order) == .won) }
    try finish(bench)
    #expect(try over(bench).map(\.dead) == [nil])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `where nothing was cleared away, what is done stays done`(_ kind: LedgerUnderTest) throws {
    let bench = try cancelled(kind)
    #expect(try bench.ledger.over(among: ["job"], endedFor: .seconds(5)) == [])
    #expect(try bench.ledger.change(job: "job", .retry) == true)
    #expect(try bench.states() == [.done, .done, .ready, .waiting, .waiting])
    try finish(bench)
  }

  @Test(arguments: LedgerUnderTest.allCases, 1...4)
  func `everything is made anew also where tasks follow some at a time, and where it was muxed`(
    _ kind: LedgerUnderTest, tasksAtOnce: Int
  ) throws {
    let bench = try kind.bench(tasksAtOnce: tasksAtOnce)
    try bench.register("a")
    try bench.submit(chunks: 3)
    for _ in 0..<4 { #expect(try bench.commit(try #require(try bench.claim().first)) == .won) }
    _ = try bench.ledger.cancel(job: "job")
    let dead = try #require(try over(bench).first?.dead)
    #expect(try bench.ledger.change(job: "job", .retry) == true)
    // Tasks are given out while others have not followed yet.
    var made: [AttemptKey] = []
    for _ in 0..<12 {
      if let order = try bench.claim().first {
        made.append(order.key)
        #expect(try bench.commit(order) == .won)
      }
      _ = try bench.ledger.follow()
    }
    #expect(try bench.state() == .done)
    #expect(made.count == 5 && made.allSatisfy { !dead.contains($0) })
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a second retry keeps what the first one made`(_ kind: LedgerUnderTest) throws {
    let bench = try cancelled(kind)
    _ = try over(bench)
    #expect(try bench.ledger.change(job: "job", .retry) == true)
    #expect(try bench.commit(try #require(try bench.claim().first)) == .won)
    _ = try bench.ledger.cancel(job: "job")
    #expect(try bench.ledger.change(job: "job", .retry) == true)
    #expect(try bench.states() == [.done, .ready, .ready, .waiting, .waiting])
    try finish(bench)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a job is retried to write another file, unless another job is to write that`(_ kind: LedgerUnderTest) throws {
    let bench = try cancelled(kind)
    try bench.submit("other", chunks: 1)
    #expect(throws: LedgerError.outputTaken("/out/other.mp4", job: "other")) {
      _ = try bench.ledger.change(job: "job", .retryWriting(to: "/out/other.mp4"))
    }
    #expect(try bench.state() == .cancelled)
    _ = try bench.ledger.cancel(job: "other")
    #expect(try bench.ledger.change(job: "job", .retryWriting(to: "/out/new.mp4")) == true)
    #expect(try bench.ledger.status(job: "job")?.output == "/out/new.mp4")
    #expect(try bench.commit(try #require(try bench.claim().first)) == .won)
    #expect(try bench.claim().first?.spec.output == "/out/new.mp4")
    // The old output is free.
    var heir = Bench.submission("heir")
    heir.spec.output = "/out/job.mp4"
    #expect(try bench.ledger.submit(heir) == "heir")
    #expect(try bench.ledger.change(job: "job", .retryWriting(to: "/out/third.mp4")) == false)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a source that is away is waited for as a store is, and the job ends well when it is back`(_ kind: LedgerUnderTest) throws
  {
    let (bench, workers) = (try kind.bench(), ["a", "b"])
    for worker in workers { try bench.register(worker) }
    try bench.submit(chunks: 1)
    for number in 0..<30 {
      for worker in workers {
        for order in try bench.claim(worker) { #expect(try bench.fail(order, .source, worker) == .retries, "\(number)") }
      }
      for _ in 0..<5 { try bench.advanceAlive(by: .seconds(9), workers) }
    }
    try finish(bench)
  }
}
