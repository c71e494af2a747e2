import FarmTesting
import Ledger
import Messages
import Scheduling
import Testing

/// Failures and retries, in both ledgers.
struct RetryTests {
  @Test(arguments: LedgerUnderTest.allCases)
  func `an attempt that is given back before it began leaves its task as it was`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    for worker in ["a", "b"] { try bench.register(worker) }
    try bench.submit(chunks: 1)
    func giveBack(_ order: AttemptOrder) throws -> FailVerdict? {
      try bench.ledger.fail([FailedAttempt(returning: order.key, by: WorkerProcess(worker: "a", epoch: "1"))]).first
    }
    let first = try #require(try bench.claim().first)
    #expect(try giveBack(first) == .retries)
    #expect(try giveBack(first) == .stale)
    var task = try #require(try bench.ledger.tasks(job: "job").first)
    #expect(task.state == .ready && task.failure == nil && task.attempts == 1)
    #expect(try bench.ledger.status(job: "job")?.retries == 0)
    // A failure stays told while its task is given out and comes back.
    _ = try bench.fail(try #require(try bench.claim().first), .transient)
    try bench.advanceAlive(by: .seconds(600), ["a", "b"])
    #expect(try giveBack(try #require(try bench.claim().first)) == .retries)
    task = try #require(try bench.ledger.tasks(job: "job").first)
    #expect(task.state == .ready && task.failure?.reason == "reason" && task.attempts == 3)
    #expect(try bench.ledger.status(job: "job")?.retries == 1)
    if let ledger = bench.ledger as? PostgreSQLLedger {
      #expect(try ledger.trouble(job: "job")?.tries == 1)
      #expect(try ledger.attempts(job: "job").map(\.outcome) == ["returned", "failed", "returned"])
    }
    #expect(try bench.commit(try #require(try bench.claim().first)) == .won)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `what ends together with the attempt that fails its job is cancelled with it, and is there for a retry`(
    _ kind: LedgerUnderTest
  ) throws {
    var policy = RetryPolicy()
    policy.transientLimit = 1
    let bench = try kind.bench(retryPolicy: policy)
    try bench.register("a")
    try bench.submit(chunks: 3)
    #expect(try bench.claim(slots: 2).count == 2)
    try bench.advance(by: .seconds(11))
    #expect(try bench.ledger.expire().count == 2)
    #expect(try bench.state() == .failed)
    let states = try bench.states()
    #expect(states.filter { $0 == .failed }.count == 1 && states.filter { $0 == .cancelled }.count == 4, "\(states)")
    #expect(try bench.ledger.change(job: "job", .retry) == true)
    #expect(try bench.states() == [.ready, .ready, .ready, .waiting, .waiting])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a failed task is ready again after its pause`(_ kind: LedgerUnderTest) throws {
    var policy = RetryPolicy()
    (policy.firstBackoffMilliseconds, policy.longestBackoffMilliseconds) = (20_000, 100_000)
    let bench = try kind.bench(retryPolicy: policy)
    try bench.submit(chunks: 1)
    for (attempt, pause) in [20, 40, 80, 100].enumerated() {
      try bench.register("a")
      let order = try #require(try bench.claim().first)
      #expect(order.key.attempt == attempt + 1)
      #expect(try bench.fail(order, .worker) == .retries)
      try bench.advance(by: .seconds(pause - 5))
      try bench.register("a")
      #expect(try bench.claim().isEmpty)
      try bench.advance(by: .seconds(5))
    }
    try bench.register("a")
    #expect(try bench.fail(try #require(try bench.claim().first), .worker) == .jobFailed([]))
    #expect(try bench.ledger.status(job: "job")?.retries == 4)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `an attempt that a worker gives back counts against nobody, and its task is ready again at once`(
    _ kind: LedgerUnderTest
  ) throws {
    let bench = try kind.bench()
    try bench.submit(chunks: 1)
    try bench.register("a")
    // More often than any class of failure is tried again.
    for number in 1...25 {
      let order = try #require(try bench.claim().first)
      #expect(order.key.attempt == number)
      let returned = FailedAttempt(returning: order.key, by: WorkerProcess(worker: "a", epoch: "1"))
      #expect(try bench.ledger.fail([returned]) == [.retries])
      #expect(try bench.ledger.fail([returned]) == [.stale])
    }
    #expect(try bench.ledger.status(job: "job")?.retries == 0)
    #expect(try bench.commit(try #require(try bench.claim().first)) == .won)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `content at fault fails the job at once and ends its other attempts`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 3)
    let orders = try bench.claim(slots: 2)
    #expect(try bench.fail(orders[0], .content) == .jobFailed([ExpiredAttempt(worker: "a", key: orders[1].key)]))
    let status = try #require(try bench.ledger.status(job: "job"))
    #expect((status.state, status.failure) == (.failed, Failure(.content, at: "place", "reason")))
    #expect(try bench.states() == [.failed, .cancelled, .cancelled, .cancelled, .cancelled])
    #expect(try bench.commit(orders[1]) == .stale)
    #expect(try bench.ledger.cancel(job: "job") == [])
    #expect(try bench.state() == .failed)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a retry goes to another worker although the old one asks first`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    for worker in ["a", "b"] { try bench.register(worker) }
    try bench.submit(chunks: 1)
    #expect(try bench.fail(try #require(try bench.claim("a").first), .worker, "a") == .retries)
    try bench.advance(by: .seconds(1))
    #expect(try bench.claim("a").isEmpty)
    #expect(try bench.claim("b").count == 1)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `offered together, a retry takes the other worker even if it has less room`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    for worker in ["a", "b"] { try bench.register(worker) }
    try bench.submit(chunks: 1)
    #expect(try bench.fail(try #require(try bench.claim("a").first), .worker, "a") == .retries)
    try bench.advance(by: .seconds(1))
    let offers = [FreeSlots(worker: "a", epoch: "1", slots: 5), FreeSlots(worker: "b", epoch: "1", slots: 1)]
    #expect(try bench.ledger.claim(for: offers).map(\.worker) == ["b"])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a retry does not wait for another worker for ever`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    for worker in ["a", "b"] { try bench.register(worker) }
    try bench.submit(chunks: 1)
    #expect(try bench.fail(try #require(try bench.claim("a").first), .worker, "a") == .retries)
    try bench.advance(by: .seconds(9))
    for worker in ["a", "b"] { try bench.register(worker) }
    #expect(try bench.claim("a").isEmpty)
    try bench.advance(by: .seconds(2))
    #expect(try bench.claim("a").count == 1)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `where there is one worker, it gets the retry itself`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 1)
    #expect(try bench.fail(try #require(try bench.claim("a").first), .worker, "a") == .retries)
    try bench.advance(by: .seconds(1))
    #expect(try bench.claim("a").count == 1)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a mux that finds segments damaged has them made again and then runs again`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 3, sound: true)
    let parts = try bench.claim(slots: 8)
    for part in parts { #expect(try bench.commit(part) == .won) }
    let mux = try #require(try bench.claim().first)
    #expect(try bench.fail(mux, .worker, damaged: [parts[1].key, parts[3].key]) == .retries)
    #expect(try bench.states() == [.done, .ready, .done, .ready, .waiting, .waiting])
    #expect(try bench.ledger.status(job: "job")?.chunksDone == 2)
    #expect(try bench.ledger.status(job: "job")?.framesDone == 20)
    #expect(try bench.ledger.tasks(job: "job")[1].failure == Failure(.worker, at: "job/\(parts[1].key)", "reason"))
    try bench.advance(by: .seconds(1))
    let again = try bench.claim(slots: 8)
    #expect(again.map(\.key) == [parts[1], parts[3]].map { AttemptKey(task: $0.key.task, attempt: 2) })
    #expect(try bench.commit(parts[1]) == .stale)
    for part in again { #expect(try bench.commit(part) == .won) }
    let winners = [parts[0], again[0], parts[2], again[1]].map { Winner(key: $0.key, proof: Bench.proof($0)) }
    let second = try #require(try bench.claim().first)
    #expect(second.work == .mux(of: winners))
    #expect(second.key == AttemptKey(task: mux.key.task, attempt: 2))
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a publish that finds the muxed file gone has it muxed again`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 1)
    let part = try #require(try bench.claim().first)
    #expect(try bench.commit(part) == .won)
    let mux = try #require(try bench.claim().first)
    #expect(try bench.commit(mux) == .won)
    let publish = try #require(try bench.claim().first)
    // Publishing does not use the picture, so the picture is not revoked.
    #expect(try bench.fail(publish, .worker, damaged: [mux.key, part.key]) == .retries)
    #expect(try bench.states() == [.done, .ready, .waiting])
    try bench.advance(by: .seconds(1))
    let again = try #require(try bench.claim().first)
    #expect(again.key == AttemptKey(task: mux.key.task, attempt: 2))
    #expect(try bench.commit(again) == .won)
    #expect(try bench.commit(try #require(try bench.claim().first)) == .won)
    #expect(try bench.state() == .done)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `segments damaged over and over fail the job in the end`(_ kind: LedgerUnderTest) throws {
    var policy = RetryPolicy()
    policy.firstBackoffMilliseconds = 0
    let bench = try kind.bench(retryPolicy: policy)
    try bench.register("a")
    try bench.submit(chunks: 1)
    var verdicts: [FailVerdict] = []
    for _ in 1...5 {
      let part = try #require(try bench.claim().first)
      #expect(try bench.commit(part) == .won)
      verdicts.append(try bench.fail(try #require(try bench.claim().first), .worker, damaged: [part.key]))
    }
    #expect(verdicts == [.retries, .retries, .retries, .retries, .jobFailed([])])
    #expect(try bench.ledger.status(job: "job")?.failure?.class == .worker)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `calling damaged what is no winner of the job is an ordinary failure`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit("other", chunks: 1)
    let foreign = try #require(try bench.claim().first)
    #expect(try bench.commit(foreign) == .won)
    let foreignMux = try #require(try bench.claim().first)
    try bench.submit(chunks: 2)
    let orders = try bench.claim(slots: 2)
    let (first, second) = (orders[0], orders[1])
    #expect(try bench.commit(first) == .won)
    let bogus = [foreign.key, foreignMux.key, first.key, AttemptKey(task: 999, attempt: 1)]
    #expect(try bench.fail(second, .worker, damaged: bogus) == .retries)
    #expect(try bench.states() == [.done, .ready, .waiting, .waiting])
    #expect(try bench.states("other") == [.done, .running, .waiting])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `an attempt's last words are kept whatever bytes they hold`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 1)
    let order = try #require(try bench.claim().first)
    let words = "nul \u{0} quote \" brace } back \\ 歌 '; drop schema spool cascade; --"
    let verdict = try bench.ledger.fail(order.key, worker: "a", epoch: "1", Failure(.content, at: "{", words))
    #expect(verdict == .jobFailed([]))
    let kept = try #require(try bench.ledger.status(job: "job")?.failure)
    #expect(kept.reason.replacing("\u{FFFD}", with: "\u{0}") == words)
  }
}
