import FarmTesting
import Ledger
import Messages
import PostgreSQL
import Scheduling
import Testing

/// Muxes and publications in lanes of their own, on workers that may write the movie, in both ledgers.
struct LightTaskTests {
  /// A bench with a job whose mux is ready beside one whose chunks are.
  private func bench(_ kind: LedgerUnderTest) throws -> Bench {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit("short", chunks: 1)
    #expect(try bench.commit(try #require(try bench.claim().first)) == .won)
    try bench.submit("long", chunks: 4, priority: 9)
    return bench
  }

  private func claim(_ bench: Bench, _ worker: String = "a", slots: Int = 0, lanes: Int = 0) throws -> [String] {
    try bench.ledger.claim(for: [FreeSlots(worker: worker, epoch: "1", slots: slots, lanes: lanes)])
      .map { "\($0.order.job) \($0.order.work.kind)" }
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `lanes are for muxes and publications, and no chunk takes one`(_ kind: LedgerUnderTest) throws {
    let bench = try bench(kind)
    #expect(try claim(bench, lanes: 2) == ["short mux"])
    #expect(try claim(bench, lanes: 1) == [])
    #expect(try claim(bench, slots: 1, lanes: 1) == ["long picture"])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a mux goes before chunks of a higher priority, and takes a slot where there is no lane`(_ kind: LedgerUnderTest) throws {
    let bench = try bench(kind)
    #expect(try claim(bench, slots: 2) == ["short mux", "long picture"])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a lane leaves the slots to chunks, and no quota counts what takes it`(_ kind: LedgerUnderTest) throws {
    let bench = try bench(kind)
    try bench.ledger.setShare(of: "tester", weight: 1, slots: 1)
    #expect(try claim(bench, slots: 2, lanes: 1) == ["short mux", "long picture"])
    #expect(try bench.ledger.submitters().map(\.running) == [1])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a submitter whose quota is none publishes nothing either`(_ kind: LedgerUnderTest) throws {
    let bench = try bench(kind)
    try bench.ledger.setShare(of: "tester", weight: 1, slots: 0)
    #expect(try claim(bench, slots: 2, lanes: 2) == [])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a movie is muxed by a worker that may write it, as long as one is known`(_ kind: LedgerUnderTest) throws {
    let bench = try bench(kind)
    try register("a", bench, roots: ["/srv/ou", "/out/job"])
    // No root of a contains the movie: "/out/job" is no folder above it, and neither is "/srv/ou".
    try register("b", bench, roots: ["/out/", "/srv/out"])
    #expect(try claim(bench, "a", lanes: 1) == [])
    #expect(try claim(bench, "b", lanes: 1) == ["short mux"])
    #expect(try bench.ledger.workers().map(\.outputRoots) == [["/srv/ou", "/out/job"], ["/out/", "/srv/out"]])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `where no worker may write a movie, nothing of its job is given out until it is to be written elsewhere`(
    _ kind: LedgerUnderTest
  ) throws {
    let bench = try bench(kind)
    try register("a", bench, roots: ["/srv/out"])
    #expect(try claim(bench, slots: 8, lanes: 2) == [])
    #expect(try bench.ledger.change(job: "long", .retryWriting(to: "/srv/out/long.mp4")) == true)
    #expect(try claim(bench, slots: 1, lanes: 1) == ["long picture"])
    #expect(try bench.ledger.change(job: "short", .retryWriting(to: "/srv/out/short.mp4")) == true)
    #expect(try claim(bench, lanes: 1) == ["short mux"])
    // The movie is being written now.
    #expect(try bench.ledger.change(job: "short", .retryWriting(to: "/srv/out/other.mp4")) == false)
    #expect(try bench.ledger.status(job: "short")?.output == "/srv/out/short.mp4")
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `chunks are given out as long as a worker that has not left may write the movie`(_ kind: LedgerUnderTest) throws {
    let bench = try bench(kind)
    try register("a", bench, roots: ["/srv/out"])
    try register("b", bench, roots: ["/out"])
    // Worker b falls silent, and may come back.
    for _ in 0..<6 { try bench.advanceAlive(by: .seconds(9), ["a"]) }
    #expect(try claim(bench, slots: 1, lanes: 1) == ["long picture"])
    try bench.ledger.retire(worker: "b", epoch: "1")
    #expect(try claim(bench, slots: 1, lanes: 1) == [])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a movie in S3 is muxed and published by workers that name its place, and its job is held without them`(
    _ kind: LedgerUnderTest
  ) throws {
    let bench = try bench(kind)
    try register("a", bench, roots: ["/out"])
    for job in ["long", "short"] {
      #expect(try bench.ledger.change(job: job, .retryWriting(to: "s3://bucket/out/\(job).mp4")) == true)
    }
    #expect(try claim(bench, slots: 8, lanes: 2) == [])
    // A worker without roots writes all files of its machine, and nothing in S3.
    try register("a", bench, roots: nil)
    #expect(try claim(bench, slots: 8, lanes: 2) == [])
    try register("b", bench, roots: ["/", "s3://bucket/out2", "s3://bucket/out/"])
    #expect(try claim(bench, "a", lanes: 1) == [])
    #expect(try claim(bench, "a", slots: 1, lanes: 1) == ["long picture"])
    #expect(try claim(bench, "b", lanes: 1) == ["short mux"])
    #expect(try bench.ledger.status(job: "short")?.output == "s3://bucket/out/short.mp4")
  }

  private func register(_ worker: String, _ bench: Bench, roots: [String]?) throws {
    try bench.ledger.register(
      WorkerHello(worker: worker, epoch: "1", host: "h", processID: 7, slots: 8, lanes: 2, outputRoots: roots, running: []))
  }

  @Test func `why says that no connected worker may write the movie, and where they may`() throws {
    let bench = try bench(.postgreSQL)
    let ledger = try #require(bench.ledger as? PostgreSQLLedger)
    _ = try ledger.lead(Candidate(name: "c", epoch: "1"))
    try register("a", bench, roots: ["/srv/b", "/srv/a"])
    let reason =
      "no connected worker may write /out/long.mp4: their output roots are /srv/a, /srv/b (spool retry long --output FILE)"
    let mux = try #require(try ledger.tasks(job: "long").first { $0.kind == .mux })
    #expect(try ledger.wait(task: mux.id)?.reason == reason)
    let waiting = try ledger.waiting(job: "long")
    #expect(waiting.contains(.init(kind: .picture, count: 4, reason: reason)))
    #expect(waiting.contains(.init(kind: .mux, count: 1, reason: reason)))
    #expect(try ledger.jobs(JobFilter(limit: 9)).first { $0.id == "long" }?.waitsFor == "no worker may write it")
    // The held job has no forecast.
    #expect(Forecast(try ledger.queue()).secondsLeft["long"] == nil)
    // Worker b falls silent after a while, and may come back. Chunks go on, and the mux waits for it.
    try register("b", bench, roots: ["/out"])
    #expect(try ledger.wait(task: mux.id)?.reason != reason)
    #expect(try ledger.jobs(JobFilter(limit: 9)).first { $0.id == "long" }?.waitsFor == nil)
  }

  @Test func `a worker shows as busy what takes its slots`() throws {
    let bench = try bench(.postgreSQL)
    try register("a", bench, roots: ["/out"])
    #expect(try claim(bench, slots: 1, lanes: 1) == ["short mux", "long picture"])
    let connection = try Connection(url: try #require(bench.url), applicationName: "test")
    let rows = try connection.query(Statement("shown", "select attempts_running, slots_busy from spool.worker_status"))
    #expect(try rows.map { try [$0.value("attempts_running", as: Int.self), $0.value("slots_busy", as: Int.self)] } == [[2, 1]])
  }
}
