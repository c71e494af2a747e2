import FarmTesting
import Ledger
import Messages
import PostgreSQL
import Scheduling
import Testing

/// The board of `spool status`: the jobs and their order, who leads, and how long jobs will take.
struct BoardTests {
  private let bench: Bench
  private let ledger: PostgreSQLLedger
  private let connection: Connection

  init() throws {
    bench = try LedgerUnderTest.postgreSQL.bench()
    ledger = try #require(bench.ledger as? PostgreSQLLedger)
    connection = try Connection(url: try #require(bench.url), applicationName: "test")
  }

  @Test func `what runs comes first, then what waits in its order, then what ended, the newest first`() throws {
    try bench.register("a")
    for id in ["old", "new", "runs", "queued", "urgent", "paused"] { try bench.submit(id, chunks: 1) }
    for (id, hours) in [("old", 2), ("new", 1)] {
      _ = try ledger.cancel(job: id)
      try connection.run("update spool.job set ended_at = now() - interval '\(hours) hours' where id = '\(id)'")
    }
    #expect(try bench.claim().map(\.job) == ["runs"])
    _ = try ledger.change(job: "urgent", .prioritise(5))
    _ = try ledger.change(job: "paused", .pause)
    func shown(_ filter: JobFilter) throws -> [String] { try ledger.jobs(filter).map(\.id) }
    #expect(try shown(JobFilter(limit: 99)) == ["runs", "urgent", "queued", "paused", "new", "old"])
    #expect(try shown(JobFilter(limit: 2)) == ["runs", "urgent"])
    #expect(try shown(JobFilter(states: [.cancelled], limit: 1)) == ["new"])
    #expect(try shown(JobFilter(states: [.paused, .running], limit: 9)) == ["runs", "paused"])
    #expect(try shown(JobFilter(seconds: 5400, limit: 9)) == ["runs", "urgent", "queued", "paused", "new"])
    #expect(try shown(JobFilter(submitter: "nobody", limit: 9)) == [])
    #expect(try shown(JobFilter(submitter: "tester", limit: 1)) == ["runs"])
  }

  @Test func `a job whose mux is ready tells what that waits for`() throws {
    try bench.lead()
    try bench.register("a")
    try bench.submit(chunks: 1)
    #expect(try bench.commit(try #require(try bench.claim().first)) == .won)
    try ledger.setShare(of: "tester", weight: 1, slots: 0)
    #expect(try ledger.jobs(JobFilter(limit: 9)).map(\.waitsFor) == ["over quota"])
  }

  @Test func `a running job is shown beside any number of newer queued ones`() throws {
    try bench.register("a")
    for number in 0..<30 { try bench.submit("job\(number)", chunks: 1) }
    _ = try bench.claim()
    #expect(try ledger.jobs(JobFilter(limit: 20)).first?.id == "job0")
  }

  @Test func `a job waits until it runs first, and what it took is counted from then`() throws {
    try bench.register("a")
    try bench.submit()
    try connection.run("update spool.job set submitted_at = submitted_at - interval '1 hour'")
    let queued = try #require(try ledger.status(job: "job"))
    #expect((3600...3660).contains(queued.waitedSeconds) && queued.elapsedSeconds == nil)
    _ = try bench.claim()
    let running = try #require(try ledger.status(job: "job"))
    #expect((3600...3660).contains(running.waitedSeconds))
    #expect(running.elapsedSeconds.map { (0...60).contains($0) } == true)
    #expect(running.running == 1)
  }

  @Test func `who leads is told, and since when nobody does`() throws {
    #expect(try ledger.farm().leader == nil)
    try bench.lead()
    var farm = try ledger.farm()
    #expect(farm.isLed && farm.leader == "coord-1" && farm.drainedAt == nil)
    #expect(try ledger.coordinators().map { [$0.name, $0.state] } == [["coord-1", "leads"]])
    _ = try ledger.drain(worker: nil, true)
    try bench.advance(by: .seconds(60))
    farm = try ledger.farm()
    #expect(!farm.isLed && farm.leader == "coord-1" && farm.drainedAt != nil)
    #expect(farm.secondsSinceLed.map { $0 > 60 } == true)
    #expect(try ledger.coordinators().map(\.state) == ["silent"])
  }

  @Test func `coordinators that follow are told, as long as they are connected`() throws {
    try bench.lead()
    let url = try #require(bench.url)
    let follower = try Connection(url: url, applicationName: "spool coordinator coord-2")
    #expect(try ledger.coordinators().map { [$0.name, $0.state] } == [["coord-1", "leads"], ["coord-2", "follows"]])
    try follower.run("set application_name = 'spool coordinator coord-1'")
    #expect(try ledger.coordinators().map(\.state) == ["leads"])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `what is left to be done is read alike from both ledgers`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    for worker in ["a", "b", "drained"] { try bench.register(worker, slots: 2, capabilities: Capabilities(tags: ["gpu"])) }
    _ = try bench.ledger.drain(worker: "drained", true)
    for id in ["done", "half", "waits", "paused"] { try bench.submit(id, chunks: 4, sound: true) }
    _ = try bench.ledger.change(job: "paused", .pause)
    try bench.ledger.setShare(of: "tester", weight: 3, slots: 5)
    let first = try bench.claim(slots: 5)
    try bench.advanceAlive(by: .seconds(6), ["a", "b"])
    for order in first { #expect(try bench.commit(order) == .won) }
    try bench.ledger.learn(from: first.map(\.key))
    _ = try bench.ledger.cancel(job: "done")
    let second = try bench.claim("b", slots: 1)
    #expect(second.map(\.job) == ["half"])
    let progress = AttemptProgress(key: second[0].key, done: 3, total: 10)
    _ = try bench.ledger.heartbeat(worker: "b", epoch: "1", running: [progress])
    try bench.lead()
    var queue = try bench.ledger.queue()
    #expect(queue.isGivingOut)
    #expect(queue.workers == Array(repeating: .init(slots: 2, capabilities: Capabilities(tags: ["gpu"])), count: 2))
    #expect(queue.submitters.mapValues { [$0.weight, $0.slotsLeft] } == ["tester": [3, 5]])
    queue.jobs.sort { $0.number < $1.number }
    #expect(queue.jobs.map(\.id) == ["half", "waits", "paused"])
    #expect(queue.jobs.map(\.chunks) == [3, 4, 4])
    #expect(queue.jobs.map(\.isPaused) == [false, false, true])
    let stretch = Double(LedgerUnderTest.stretch)
    // Chunks take six seconds. The pace of sound was learned from a single result, which is too few.
    for job in queue.jobs {
      #expect((5.99...6.1).contains(job.chunkSeconds / stretch))
      #expect(job.soundSeconds == 1 && job.frameCount == 40)
    }
    let running = try #require(queue.jobs.first?.running.first)
    #expect(running.kind == .picture && running.done == 3 && running.total == 10)
    #expect((5.99...6.1).contains(running.expected / stretch))
    _ = try bench.ledger.drain(worker: nil, true)
    #expect(try bench.ledger.queue().isGivingOut == false)
  }

  @Test func `the database expects of unknown kinds of work what the policy expects`() throws {
    let learned: [(name: String, pace: Double, samples: Int)] = [
      ("h264 fast 1MP", 2, 3), ("h264 slow 1MP", 6, 9), ("h264 slow 4MP", 7, 4), ("ffv1 1MP", 0.5, 3), ("hevc 1MP", 9, 2),
      ("sound", 5, 3), ("mux", 0.1, 2),
    ]
    let works = ["h264 slow 1MP", "h264 medium 1MP", "hevc 1MP", "av1 4MP", "sound", "mux", "publish"]
    for count in [0, 1, 3, learned.count] {
      let known = learned.prefix(count)
      for (name, pace, samples) in known {
        try connection.run(
          "insert into spool.pace (kind, name, pace, result_count) values ('work', '\(name)', \(pace), \(samples)) on conflict do nothing"
        )
      }
      let paces = Paces(
        Dictionary(uniqueKeysWithValues: known.map { (.work($0.name), PaceEstimate(pace: $0.pace, samples: $0.samples)) }))
      for work in works {
        #expect(try ledger.expectedSecondsPerCost(work: work) == paces.expectedSecondsPerCost(work: work, job: ""), "\(work)")
      }
    }
  }

  // MARK: Names

  @Test func `names that would steer a terminal are refused by the database`() throws {
    try bench.register("a")
    try bench.submit()
    for change in [
      "submitter set name = E'a\\u001bb'", "worker set name = E'a\\u0007'", "worker set host = E'a\\u009bb'",
      "worker set tags = array[E'a\\u202eb']", "job set submitter = E'a\\nb'", "job set tags = array['gpu', E'a\\u2028']",
      "leader set coordinator = E'a\\u0085b'", "worker set host = E'a\\u007f'", "worker set host = E'\\u061c'",
    ] {
      #expect(throws: PostgreSQLError.self, "\(change)") { try connection.run("update spool.\(change)") }
    }
    try connection.run("update spool.worker set host = '雨 é 👩‍👩‍👧'; update spool.job set submitter = 'Ana Ruiz <ana@edit-1>'")
  }
}
