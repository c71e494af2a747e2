import FarmTesting
import Ledger
import Messages
import Scheduling
import Testing

/// The sentences of `spool why`: each thing that can be in a task's way, of which the first is told.
struct WaitingReasonTests {
  private let bench: Bench
  private let ledger: PostgreSQLLedger

  init() throws {
    bench = try LedgerUnderTest.postgreSQL.bench()
    ledger = try #require(bench.ledger as? PostgreSQLLedger)
  }

  /// The reasons why the job's tasks wait while a coordinator leads.
  private func reasons() throws -> [String] {
    try bench.lead()
    return try ledger.waiting(job: "job").map(\.reason)
  }

  @Test func `first it is asked whether anybody leads, then whether the farm is drained, then for workers`() throws {
    try bench.submit()
    _ = try ledger.drain(worker: nil, true)
    let mux = try #require(try ledger.tasks(job: "job").first { $0.kind == .mux })
    func expect(_ reason: Regex<Substring>) throws {
      #expect(try ledger.waiting(job: "job").map(\.reason).allSatisfy { $0.wholeMatch(of: reason) != nil })
      #expect(try ledger.wait(task: mux.id)?.reason.wholeMatch(of: reason) != nil)
      #expect(try ledger.standing(job: "job")?.farmReason?.wholeMatch(of: reason) != nil)
    }
    try expect(#/no coordinator leads, and none ever has: start one \(spool coordinator\)/#)
    try bench.lead()
    try expect(#/the farm is drained since [-\d: ]+ UTC: nothing is begun until spool undrain/#)
    _ = try ledger.drain(worker: nil, false)
    try expect(#/no worker is connected/#)
    try bench.register("a")
    #expect(try reasons() == ["about to be given out"])
    #expect(try ledger.standing(job: "job")?.farmReason == nil)
    #expect(
      try ledger.wait(task: mux.id)?.reason == "2 of its job's chunks and sound must be done before they are muxed")
    try bench.advance(by: .seconds(6))
    try expect(#/no coordinator leads: coord-1 did, and has not been heard since [-\d: ]+ UTC/#)
  }

  @Test func `where nobody leads nobody is silent, since nobody would hear it`() throws {
    try bench.lead()
    for worker in ["gone", "a"] { try bench.register(worker) }
    for _ in 0..<3 {
      try bench.advance(by: .seconds(4))
      try bench.lead()
      _ = try ledger.heartbeat(worker: "a", epoch: "1", running: [])
    }
    #expect(try ledger.workers().map(\.state) == ["alive", "silent"])
    try bench.advance(by: .seconds(60))
    #expect(try ledger.workers().map(\.state) == ["unheard", "silent"])
    #expect(try ledger.reason(worker: "a") == "no coordinator leads, so nobody hears it or gives out work")
    #expect(try ledger.reason(worker: "gone")?.hasPrefix("it was heard last ") == true)
  }

  @Test func `what was tried in vain is told while it is tried again, and no longer`() throws {
    for worker in ["a", "b"] { try bench.register(worker) }
    try bench.submit(chunks: 1)
    #expect(try ledger.trouble(job: "job") == nil)
    _ = try bench.fail(try #require(try bench.claim().first), .transient)
    let task = try #require(try ledger.tasks(job: "job").first)
    #expect(try ledger.trouble(job: "job")?.description == "task \(task.id) was tried in vain: place: reason")
    try bench.advanceAlive(by: .seconds(60), ["a", "b"])
    let second = try #require(try bench.claim("b").first)
    #expect(try ledger.trouble(job: "job")?.tries == 1)
    _ = try bench.fail(second, .transient, "b")
    #expect(
      try ledger.trouble(job: "job")?.description == "task \(task.id) was tried in vain 2 times, the last time: place: reason")
    try bench.advanceAlive(by: .seconds(600), ["a", "b"])
    #expect(try bench.commit(try #require(try bench.claim().first)) == .won)
    #expect(try ledger.trouble(job: "job") == nil)
  }

  @Test func `a pause is told before all else that is the job's own`() throws {
    try bench.register("a")
    try bench.submit()
    _ = try ledger.change(job: "job", .pause)
    #expect(try reasons().allSatisfy { $0.hasPrefix("its job is paused since ") })
  }

  @Test func `a backoff says what failed and when it ends`() throws {
    try bench.register("a")
    try bench.submit(chunks: 1)
    _ = try bench.fail(try #require(try bench.claim().first), .worker)
    let reason = try #require(try reasons().first)
    #expect(reason.wholeMatch(of: #/attempt 1 failed \(place: reason\); tried again in \d+ s/#) != nil)
  }

  @Test func `a store that is full is named, with what it said`() throws {
    try bench.register("a")
    try bench.submit(chunks: 1)
    _ = try bench.fail(try #require(try bench.claim().first), .store)
    let reason = try #require(try reasons().first)
    #expect(
      reason.wholeMatch(
        of: #/the store or the movie's folder is full, or cannot be reached \(place: reason\); tried again in \d+ s/#) != nil)
    #expect(try ledger.measures().first { $0.name == "store_waits" }?.value == 1)
  }

  @Test func `needs that nobody meets are named`() throws {
    try bench.register("a", capabilities: Capabilities(tags: ["gpu"], memory: 10))
    var submission = Bench.submission("job", chunks: 1)
    submission.needs = Capabilities(tags: ["gpu", "tokyo"], memory: 20)
    _ = try ledger.submit(submission)
    #expect(try reasons().first == "no connected worker has what its job needs: gpu, tokyo, 20 MiB of memory")
  }

  @Test func `a font that no worker has is named, with its digest`() throws {
    let digests = ["0", "1"].map { String(repeating: $0, count: 32) }
    let (sans, gothic) = ("font=DejaVu_Sans_Bold:9:\(digests[0])", "font=IPAPGothic:9:\(digests[1])")
    try bench.register("a", capabilities: Capabilities(tags: [gothic]))
    var submission = Bench.submission("job", chunks: 1)
    submission.needs = Capabilities(tags: [sans, gothic, "gpu"])
    _ = try ledger.submit(submission)
    #expect(
      try reasons().first == "it needs the font DejaVu Sans Bold (digest \(digests[0])), which no connected worker has")
    #expect(try ledger.jobs(JobFilter(limit: 9)).map(\.waitsFor) == ["needs the font DejaVu Sans Bold"])
    // Each thing is on some worker, but no worker has all of them.
    try bench.register("b", capabilities: Capabilities(tags: [sans]))
    #expect(
      try reasons().first == "no connected worker has what its job needs: the font DejaVu Sans Bold (digest \(digests[0])), "
        + "the font IPAPGothic (digest \(digests[1])), gpu")
    try bench.register("b", capabilities: Capabilities(tags: [sans, gothic, "gpu"]))
    #expect(try reasons().first == "about to be given out")
  }

  @Test func `a quota says whose it is`() throws {
    try bench.register("a")
    try ledger.setShare(of: "tester", weight: 1, slots: 1)
    try bench.submit(chunks: 2)
    #expect(try bench.claim(slots: 8).count == 1)
    #expect(try reasons().first == "tester runs 1 of at most 1 attempts (spool quota)")
  }

  @Test func `busy slots say how many of them do what is more urgent`() throws {
    try bench.register("a", slots: 2)
    try bench.submit("urgent", chunks: 1, priority: 1)
    try bench.submit(chunks: 2)
    #expect(try bench.claim(slots: 2).map(\.job) == ["urgent", "job"])
    #expect(
      try reasons().first == "all 2 slots that could take it are busy: 1 with work of higher priority, 1 with its own job")
    try bench.register("b", slots: 1)
    try bench.submit("later", chunks: 1, priority: -1)
    #expect(try bench.claim("b").map(\.job) == ["job"])
    try bench.submit("last", chunks: 1, priority: -2)
    #expect(
      try ledger.waiting(job: "later").map(\.reason) == [
        "all 3 slots that could take it are busy: 3 with work of higher priority"
      ])
    #expect(try ledger.reason(worker: "a") == "all of its 2 slots are busy")
    #expect(try ledger.jobs(JobFilter(limit: 9)).map(\.waitsFor) == [nil, nil, "slots are busy", "slots are busy"])
  }

  @Test func `only what free slots are left for is about to be given out, and the rest says what it is behind`() throws {
    try bench.register("a", slots: 3)
    try bench.submit("urgent", chunks: 1, priority: 1)
    try bench.submit(chunks: 40)
    try bench.lead()
    #expect(
      try ledger.waiting(job: "job").map { "\($0.count): \($0.reason)" } == [
        "2: about to be given out", "38: behind other tasks of the job and of others; 3 slots are free",
      ])
    let tasks = try ledger.tasks(job: "job")
    #expect(try ledger.wait(task: tasks[0].id) == TaskWait(reason: "about to be given out", before: 1))
    #expect(try ledger.wait(task: tasks[39].id)?.before == 40)
    // A job of others with the same priority takes turns with it, so nothing of it goes before.
    var other = Bench.submission("other", chunks: 5)
    other.submitter = "somebody"
    _ = try ledger.submit(other)
    #expect(try ledger.wait(task: tasks[39].id)?.before == 40)
    try bench.submit("second", chunks: 1)
    #expect(try ledger.waiting(job: "second").map(\.reason) == ["behind 41 tasks of other jobs; 3 slots are free"])
    #expect(try ledger.jobs(JobFilter(limit: 9)).last?.waitsFor == "others go first")
    // A quota leaves less of the slots.
    try ledger.setShare(of: "tester", weight: 1, slots: 1)
    #expect(
      try ledger.waiting(job: "job").map { "\($0.count): \($0.reason)" } == [
        "40: behind a task of other jobs; 1 slot is free"
      ])
    // What cannot be given out goes before nobody.
    _ = try ledger.change(job: "urgent", .pause)
    #expect(
      try ledger.waiting(job: "job").map { "\($0.count): \($0.reason)" } == [
        "1: about to be given out", "39: behind other tasks of the job; 1 slot is free",
      ])
    #expect(try ledger.reason(worker: "a") == "a task is about to be given to it")
  }

  @Test func `a worker with free slots says for what the tasks wait that it could take`() throws {
    try bench.register("a", capabilities: Capabilities(tags: ["gpu"], memory: 10))
    try bench.submit(chunks: 2)
    var other = Bench.submission("other", chunks: 1)
    other.needs = Capabilities(tags: ["tokyo"], memory: 0)
    _ = try ledger.submit(other)
    try bench.lead()
    try ledger.setShare(of: "tester", weight: 1, slots: 0)
    #expect(
      try ledger.reason(worker: "a")
        == "the ready tasks that it could take wait for something else: tester may run nothing: their quota is 0 (spool quota)")
    _ = try ledger.cancel(job: "job")
    #expect(try ledger.reason(worker: "a") == "the unfinished jobs need what it lacks")
  }

  @Test func `a retry that waits for another worker says for whom it does not`() throws {
    for worker in ["a", "b"] { try bench.register(worker) }
    try bench.submit(chunks: 1)
    _ = try bench.fail(try #require(try bench.claim().first), .worker)
    try bench.advanceAlive(by: .seconds(1), ["a", "b"])
    #expect(try bench.claim("a").isEmpty)
    #expect(try reasons().first == "a failed it, and for some seconds another worker is waited for")
    #expect(try bench.claim("b").count == 1)
  }

  @Test func `what does not wait has no reason`() throws {
    try bench.register("a")
    try bench.submit(chunks: 1)
    let order = try #require(try bench.claim().first)
    #expect(try ledger.wait(task: order.key.task)?.reason == nil)
    let found = try #require(try ledger.task(order.key.task))
    #expect(found.job == "job")
    #expect(found.patience == Double(60 * LedgerUnderTest.stretch))
    #expect(found.silence.map { (0...60).contains($0) } == true)
    #expect(try ledger.reason(worker: "nobody") == nil)
  }

  @Test func `a silent worker and one that left are told as such`() throws {
    try bench.lead()
    for worker in ["a", "b"] { try bench.register(worker) }
    try ledger.retire(worker: "b", epoch: "1")
    for _ in 0..<3 {
      try bench.advance(by: .seconds(4))
      try bench.lead()
    }
    #expect(try ledger.reason(worker: "a")?.hasPrefix("it was heard last 120") == true)
    #expect(try ledger.reason(worker: "b")?.hasPrefix("it has left, since ") == true)
  }
}
