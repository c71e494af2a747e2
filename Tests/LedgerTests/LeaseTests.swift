import Ledger
import Messages
import Scheduling
import Testing

/// Workers, leases and the checks of every write, in both ledgers.
struct LeaseTests {
  @Test(arguments: LedgerUnderTest.allCases)
  func `claims go by priority, then age, then place in the job`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit("old", chunks: 2)
    try bench.submit("young", chunks: 1)
    try bench.submit("urgent", chunks: 1, priority: 5)
    #expect(try (0..<4).flatMap { _ in try bench.claim().map(\.job) } == ["urgent", "old", "old", "young"])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a claim spreads tasks evenly and gives nobody more than its free slots`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    for worker in ["a", "b", "c"] { try bench.register(worker) }
    try bench.submit(chunks: 7)
    let offers = [("a", 3), ("b", 1), ("c", 3), ("stranger", 9)].map { FreeSlots(worker: $0.0, epoch: "1", slots: $0.1) }
    func shares() throws -> [String: Int] {
      Dictionary(try bench.ledger.claim(for: offers).map { ($0.worker, 1) }, uniquingKeysWith: +)
    }
    #expect(try shares() == ["a": 3, "b": 1, "c": 3])
    #expect(try shares() == [:])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `few tasks go to the workers with most room`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    for worker in ["a", "b"] { try bench.register(worker) }
    try bench.submit(chunks: 3)
    let offers = [FreeSlots(worker: "a", epoch: "1", slots: 1), FreeSlots(worker: "b", epoch: "1", slots: 4)]
    #expect(try bench.ledger.claim(for: offers).map(\.worker) == ["b", "b", "b"])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `only a registered, living worker of the newest epoch gets work`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.submit()
    #expect(try bench.claim("a").isEmpty)
    try bench.register("a", epoch: "2")
    #expect(try bench.claim("a", epoch: "1").isEmpty)
    try bench.advance(by: .seconds(11))
    #expect(try bench.claim("a", epoch: "2").isEmpty)
    #expect(try bench.ledger.heartbeat(worker: "a", epoch: "2", running: []).isEmpty)
    #expect(try bench.claim("a", epoch: "2").count == 1)
    try bench.ledger.retire(worker: "a", epoch: "2")
    try bench.register("a", epoch: "2")
    #expect(try bench.claim("a", epoch: "2").isEmpty)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a stale attempt cannot commit after its task went to another worker`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 1)
    let first = try #require(try bench.claim("a").first)
    try bench.advance(by: .seconds(11))
    #expect(try bench.ledger.expire() == [ExpiredAttempt(worker: "a", key: first.key)])
    try bench.register("b")
    try bench.advance(by: .seconds(1))
    let second = try #require(try bench.claim("b").first)
    #expect(second.key == AttemptKey(task: first.key.task, attempt: first.key.attempt + 1))
    #expect(try bench.commit(first, "a") == .stale)
    #expect(try bench.states().first == .running)
    #expect(try bench.commit(second, "b") == .won)
    #expect(try bench.fail(first, .content, "a") == .stale)
    #expect(try bench.states().first == .done)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `committing twice wins twice and counts once`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 2)
    let order = try #require(try bench.claim().first)
    #expect(try bench.commit(order) == .won)
    #expect(try bench.commit(order) == .won)
    #expect(try bench.ledger.status(job: "job")?.chunksDone == 1)
    #expect(try bench.states() == [.done, .ready, .waiting, .waiting])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `nobody commits or fails what another worker, epoch or number holds`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 1)
    let order = try #require(try bench.claim().first)
    #expect(try bench.commit(order, "b") == .stale)
    #expect(try bench.commit(order, "a", epoch: "2") == .stale)
    for key in [
      AttemptKey(task: order.key.task, attempt: 2), AttemptKey(task: order.key.task, attempt: .max),
      AttemptKey(task: .max, attempt: 1), AttemptKey(task: -1, attempt: -1),
    ] {
      #expect(try bench.ledger.commit(key, worker: "a", epoch: "1", proof: Bench.proof(order)) == .stale)
      #expect(try bench.ledger.fail(key, worker: "a", epoch: "1", Failure(.content, at: "", "")) == .stale)
    }
    #expect(try bench.commit(order) == .won)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a new epoch of a worker ends what the older one held`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 1)
    let order = try #require(try bench.claim().first)
    try bench.register("a", epoch: "2")
    #expect(try bench.commit(order) == .stale)
    let running = [AttemptProgress(key: order.key, done: 5, total: 10)]
    #expect(try bench.ledger.heartbeat(worker: "a", epoch: "1", running: running) == [order.key])
    #expect(try bench.ledger.tasks(job: "job").first?.failure?.class == .transient)
    try bench.advance(by: .seconds(1))
    #expect(try bench.claim("a", epoch: "2").count == 1)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `saying hello again in the same epoch keeps what runs`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 1)
    let order = try #require(try bench.claim().first)
    try bench.register("a")
    #expect(try bench.ledger.openAttempts(worker: "a", epoch: "1") == [ClaimedAttempt(worker: "a", order: order)])
    #expect(try bench.commit(order) == .won)
    #expect(try bench.ledger.openAttempts(worker: "a", epoch: "1").isEmpty)
  }

  @Test(arguments: LedgerUnderTest.allCases, [(1, 20), (15, 45), (100, 300), (900, 600)])
  func `what such work took decides how long an attempt may show no progress`(
    _ kind: LedgerUnderTest, seconds: (taken: Int, borne: Int)
  ) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit("earlier", chunks: 3)
    let earlier = try bench.claim(slots: 3)
    try bench.advance(by: .seconds(seconds.taken))
    try bench.register("a")
    for order in earlier { #expect(try bench.commit(order) == .won) }
    try bench.ledger.learn(from: earlier.map(\.key))
    _ = try bench.ledger.cancel(job: "earlier")
    try bench.submit(chunks: 1)
    let order = try #require(try bench.claim().first)
    #expect(order.patience == seconds.borne * LedgerUnderTest.stretch)
    // Progress restarts the time.
    for done in 1...2 as ClosedRange<Int64> {
      try beat(bench, for: seconds.borne - 1)
      #expect(try bench.ledger.expire() == [])
      let progress = AttemptProgress(key: order.key, done: done, total: 10)
      #expect(try bench.ledger.heartbeat(worker: "a", epoch: "1", running: [progress]) == [])
    }
    try beat(bench, for: seconds.borne - 1)
    #expect(try bench.ledger.expire() == [])
    try beat(bench, for: 2)
    #expect(try bench.ledger.expire() == [ExpiredAttempt(worker: "a", key: order.key)])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `each attempt that ends for want of progress doubles the time for the next one, until the job is retried`(
    _ kind: LedgerUnderTest
  ) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 1)
    var patiences: [Int] = []
    for _ in 0..<4 {
      let order = try #require(try bench.claim().first)
      let patience = try #require(order.patience) / LedgerUnderTest.stretch
      patiences.append(patience)
      try beat(bench, for: patience + 1)
      #expect(try bench.ledger.expire().count == 1)
      try beat(bench, for: 20)
    }
    #expect(patiences == [60, 120, 240, 480])
    _ = try bench.ledger.cancel(job: "job")
    #expect(try bench.ledger.change(job: "job", .retry) == true)
    #expect(try bench.claim().first?.patience == 60 * LedgerUnderTest.stretch)
  }

  /// Lets time pass while worker a sends heartbeats.
  private func beat(_ bench: Bench, for seconds: Int) throws {
    var left = seconds
    while left > 0 {
      try bench.advanceAlive(by: .seconds(min(left, 9)), ["a"])
      left -= 9
    }
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `an attempt without progress ends although its worker lives`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 2)
    let orders = try bench.claim(slots: 2)
    let (moving, stuck) = (orders[0], orders[1])
    for second in 1...13 {
      try bench.advance(by: .milliseconds(4700))
      #expect(try bench.ledger.expire().isEmpty == (second < 13))
      let running = [
        AttemptProgress(key: moving.key, done: Int64(second), total: 100), AttemptProgress(key: stuck.key, done: 0, total: 100),
      ]
      #expect(try bench.ledger.heartbeat(worker: "a", epoch: "1", running: running) == (second < 13 ? [] : [stuck.key]))
    }
    #expect(try bench.states().prefix(2) == [.running, .ready])
    let failure = try #require(try bench.ledger.tasks(job: "job")[1].failure)
    #expect((failure.class, failure.place) == (.worker, "worker a"))
    #expect(failure.reason.hasPrefix("no progress for 611"), "61.1 stretched seconds: \(failure.reason)")
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a silent worker loses its attempts, and work that was lost names it`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 1)
    let order = try #require(try bench.claim().first)
    try bench.advance(by: .seconds(9))
    #expect(try bench.ledger.expire().isEmpty)
    try bench.advance(by: .seconds(3))
    #expect(try bench.ledger.workers().map(\.isAlive) == [false])
    #expect(try bench.ledger.expire() == [ExpiredAttempt(worker: "a", key: order.key)])
    let failure = try #require(try bench.ledger.tasks(job: "job").first?.failure)
    #expect((failure.class, failure.place) == (.transient, "worker a"))
    #expect(failure.reason.hasPrefix("silent for 120"), "12 stretched seconds: \(failure.reason)")
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a worker that leaves gives its work back at once, and as often as it likes`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.submit(chunks: 1)
    for epoch in 1...25 {
      try bench.register("a", epoch: "\(epoch)")
      #expect(try bench.claim("a", epoch: "\(epoch)").count == 1)
      try bench.ledger.retire(worker: "a", epoch: "\(epoch)")
    }
    #expect(try bench.states().first == .ready)
    #expect(try bench.ledger.workers().map(\.running) == [0])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `whatever numbers a heartbeat holds, unknown attempts are to be killed`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    let keys = [AttemptKey(task: .max, attempt: .max), AttemptKey(task: .min, attempt: .min), AttemptKey(task: 1, attempt: 0)]
    let running = keys.map { AttemptProgress(key: $0, done: .min, total: .max) }
    #expect(try Set(bench.ledger.heartbeat(worker: "a", epoch: "1", running: running)) == Set(keys))
    #expect(try bench.ledger.heartbeat(worker: "nobody", epoch: "1", running: Array(running.prefix(1))) == [keys[0]])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `workers are listed with what they run`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("b", slots: 3)
    try bench.register("a", slots: 2)
    try bench.submit(chunks: 2)
    _ = try bench.claim("b", slots: 2)
    try bench.advance(by: .seconds(4))
    let workers = try bench.ledger.workers()
    #expect(workers.map(\.name) == ["a", "b"])
    #expect(workers.map(\.host) == ["host-a", "host-b"])
    #expect(workers.map(\.slots) == [2, 3])
    #expect(workers.map(\.running) == [0, 2])
    #expect(workers.allSatisfy { $0.isAlive && (399_999..<500_000).contains($0.secondsSinceHeartbeat) })
  }
}
