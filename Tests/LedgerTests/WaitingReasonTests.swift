import FarmTesting
import Ledger
import Messages
import Scheduling
import Testing

/// The sentences of `spool why`: each thing that can be in a task's way, the first one told.
struct WaitingReasonTests {
  private let bench: Bench
  private let ledger: PostgreSQLLedger

  init() throws {
    bench = try LedgerUnderTest.postgreSQL.bench()
    ledger = try #require(bench.ledger as? PostgreSQLLedger)
  }

  private func reasons() throws -> [String] { try ledger.waiting(job: "job").map(\.reason) }

  @Test func `without a worker there is none, and what waits for the job's other tasks is no reason of the job's`() throws {
    try bench.submit()
    #expect(try ledger.waiting(job: "job") == [.init(kind: .picture, count: 2, reason: "no worker is connected")])
    let mux = try #require(try ledger.tasks(job: "job").first { $0.kind == .mux })
    #expect(
      try ledger.reason(task: mux.id) == "2 of its job's chunks and sound must be done before they are joined")
  }

  @Test func `what was tried in vain is told while it is tried again, and no longer`() throws {
    for worker in ["a", "b"] { try bench.register(worker) }
    try bench.submit(chunks: 1)
    #expect(try ledger.trouble(job: "job") == nil)
    _ = try bench.fail(try #require(try bench.claim().first), .transient)
    let task = try #require(try ledger.tasks(job: "job").first)
    #expect(try ledger.trouble(job: "job")?.description == "task \(task.id) was tried once, last: place: reason")
    try bench.advanceAlive(by: .seconds(60), ["a", "b"])
    let second = try #require(try bench.claim("b").first)
    #expect(try ledger.trouble(job: "job")?.tries == 1)
    _ = try bench.fail(second, .transient, "b")
    #expect(try ledger.trouble(job: "job")?.description == "task \(task.id) was tried 2 times, last: place: reason")
    try bench.advanceAlive(by: .seconds(600), ["a", "b"])
    #expect(try bench.commit(try #require(try bench.claim().first)) == .won)
    #expect(try ledger.trouble(job: "job") == nil)
  }

  @Test func `a pause is told before all else`() throws {
    try bench.submit()
    _ = try ledger.change(job: "job", .pause)
    #expect(try reasons().allSatisfy { $0.hasPrefix("its job is paused since ") })
  }

  @Test func `a backoff says what failed and when it ends`() throws {
    try bench.register("a")
    try bench.submit(chunks: 1)
    _ = try bench.fail(try #require(try bench.claim().first), .worker)
    let reason = try #require(try reasons().first)
    #expect(reason.wholeMatch(of: #/attempt 1 failed \(reason\); tried again in \d+ s/#) != nil)
  }

  @Test func `a store that is full is named, with what it said`() throws {
    try bench.register("a")
    try bench.submit(chunks: 1)
    _ = try bench.fail(try #require(try bench.claim().first), .store)
    let reason = try #require(try reasons().first)
    #expect(
      reason.wholeMatch(of: #/the store is full, or cannot be reached \(place: reason\); tried again in \d+ s/#) != nil)
  }

  @Test func `needs that nobody meets are named`() throws {
    try bench.register("a", capabilities: Capabilities(tags: ["gpu"], memory: 10))
    var submission = Bench.submission("job", chunks: 1)
    submission.needs = Capabilities(tags: ["gpu", "tokyo"], memory: 20)
    _ = try ledger.submit(submission)
    #expect(try reasons().first == "no connected worker has what its job needs: gpu, tokyo, 20 MiB of memory")
  }

  @Test func `a quota says whose it is`() throws {
    try bench.register("a")
    try ledger.setShare(of: "tester", weight: 1, slots: 1)
    try bench.submit(chunks: 2)
    #expect(try bench.claim(slots: 8).count == 1)
    #expect(try reasons().first == "tester runs 1 of at most 1 attempts")
  }

  @Test func `busy slots say how many of them do what is more urgent`() throws {
    try bench.register("a", slots: 2)
    try bench.submit("urgent", chunks: 1, priority: 1)
    try bench.submit(chunks: 2)
    #expect(try bench.claim(slots: 2).map(\.job) == ["urgent", "job"])
    #expect(try reasons().first == "all 2 slots that could take it are busy, 1 of them with work of higher priority")
    #expect(try ledger.reason(worker: "a") == "all of its 2 slots are busy")
  }

  @Test func `a retry that waits for another worker says for whom it does not`() throws {
    for worker in ["a", "b"] { try bench.register(worker) }
    try bench.submit(chunks: 1)
    _ = try bench.fail(try #require(try bench.claim().first), .worker)
    try bench.advanceAlive(by: .seconds(1), ["a", "b"])
    #expect(try bench.claim("a").isEmpty)
    #expect(try reasons().first == "another worker than a, which failed it, is waited for")
    #expect(try bench.claim("b").count == 1)
  }

  @Test func `what does not wait has no reason`() throws {
    try bench.register("a")
    try bench.submit(chunks: 1)
    let order = try #require(try bench.claim().first)
    #expect(try ledger.reason(task: order.key.task) == nil)
    let found = try #require(try ledger.task(order.key.task))
    #expect(found.job == "job")
    #expect(found.patience == Double(60 * LedgerUnderTest.stretch))
    #expect(found.silence.map { (0...60).contains($0) } == true)
    #expect(try ledger.reason(worker: "nobody") == nil)
  }

  @Test func `a silent worker and one that left are told as such`() throws {
    for worker in ["a", "b"] { try bench.register(worker) }
    try ledger.retire(worker: "b", epoch: "1")
    try bench.advance(by: .seconds(11))
    #expect(try ledger.reason(worker: "a")?.hasPrefix("it is silent for 110") == true)
    #expect(try ledger.reason(worker: "b")?.hasPrefix("it has left, since ") == true)
  }
}
