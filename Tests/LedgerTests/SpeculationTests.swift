import FarmTesting
import Ledger
import Messages
import Scheduling
import Testing

/// Second attempts beside slow ones, in both ledgers.
struct SpeculationTests {
  /// A bench on which chunks are known to take ten seconds, and a has run one for a hundred.
  private func slow(_ kind: LedgerUnderTest) throws -> (bench: Bench, order: AttemptOrder) {
    var policy = RetryPolicy()
    policy.firstBackoffMilliseconds = 0
    let bench = try kind.bench(retryPolicy: policy)
    for worker in ["a", "b"] { try bench.register(worker) }
    try bench.submit("earlier", chunks: 4)
    let earlier = try bench.claim("b", slots: 4)
    try bench.advanceAlive(by: .seconds(10), ["a", "b"])
    for order in earlier { #expect(try bench.commit(order, "b") == .won) }
    try bench.ledger.learn(from: earlier.map(\.key))
    _ = try bench.ledger.cancel(job: "earlier")
    try bench.submit(chunks: 1)
    let order = try #require(try bench.claim("a").first)
    try bench.advanceAlive(by: .seconds(9), ["a", "b"])
    return (bench, order)
  }

  private func run(_ bench: Bench, _ order: AttemptOrder, done: Int64, for seconds: Int) throws {
    for _ in 0..<seconds / 9 { try bench.advanceAlive(by: .seconds(9), ["a", "b"]) }
    let progress = AttemptProgress(key: order.key, done: done, total: 10)
    #expect(try bench.ledger.heartbeat(worker: "a", epoch: "1", running: [progress]) == [])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `an attempt that takes much longer than expected gets one beside it, once, on another worker`(_ kind: LedgerUnderTest)
    throws
  {
    let (bench, order) = try slow(kind)
    // Nine of the expected ten seconds are no reason for a second attempt.
    #expect(try bench.speculate("b") == [])
    try run(bench, order, done: 1, for: 27)
    #expect(try bench.speculate("a") == [])
    #expect(try bench.speculate("b", most: 0) == [])
    let second = try #require(try bench.speculate("b").first)
    #expect(second.key == AttemptKey(task: order.key.task, attempt: 2))
    #expect(second.work == order.work)
    #expect(try bench.speculate("b") == [])
    let task = try #require(try bench.ledger.tasks(job: "job").first)
    #expect((task.state, task.worker, task.workerBeside, task.framesDone) == (.running, "a", "b", 1))
    #expect(try bench.ledger.openAttempts(worker: "b", epoch: "1").map(\.order) == [second])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a second attempt is given as much time as the stalls of its task ask for`(_ kind: LedgerUnderTest) throws {
    let (bench, order) = try slow(kind)
    for _ in 0..<3 { try bench.advanceAlive(by: .seconds(9), ["a", "b"]) }
    #expect(try bench.ledger.expire().map(\.key) == [order.key])
    let again = try #require(try bench.claim("b").first)
    for _ in 0..<3 { try bench.advanceAlive(by: .seconds(9), ["a", "b"]) }
    let progress = AttemptProgress(key: again.key, done: 1, total: 10)
    #expect(try bench.ledger.heartbeat(worker: "b", epoch: "1", running: [progress]) == [])
    let second = try #require(try bench.speculate("a").first)
    // The times are learned, and a database's clock runs on while a test runs.
    let patiences = try [order, again, second].map { try #require($0.patience) / LedgerUnderTest.stretch }
    #expect((29...31).contains(patiences[0]))
    #expect(patiences[1...].allSatisfy { (58...62).contains($0) }, "\(patiences)")
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `an attempt that is nearly done is left alone`(_ kind: LedgerUnderTest) throws {
    let (bench, order) = try slow(kind)
    try run(bench, order, done: 9, for: 27)
    #expect(try bench.speculate("b") == [])
  }

  @Test(arguments: LedgerUnderTest.allCases, [false, true])
  func `the first result wins and ends the other attempt, whichever it is`(_ kind: LedgerUnderTest, isSecond: Bool) throws {
    let (bench, order) = try slow(kind)
    try run(bench, order, done: 1, for: 27)
    let second = try #require(try bench.speculate("b").first)
    let both = [
      Completion(worker: "a", epoch: "1", key: order.key, proof: Bench.proof(order)),
      Completion(worker: "b", epoch: "1", key: second.key, proof: Bench.proof(second)),
    ]
    let (winner, loser) = isSecond ? (both[1], both[0]) : (both[0], both[1])
    #expect(
      try bench.ledger.commit([winner, loser])
        == Committed(verdicts: [.won, .stale], superseded: [ExpiredAttempt(worker: loser.worker, key: loser.key)]))
    #expect(try bench.ledger.commit([loser, winner]) == Committed(verdicts: [.stale, .won], repeated: [winner.key]))
    #expect(try bench.states() == [.done, .ready, .waiting])
    let mux = try #require(try bench.claim("b").first)
    #expect(mux.work == .mux(of: [Winner(key: winner.key, proof: winner.proof)]))
  }

  @Test(arguments: LedgerUnderTest.allCases, [Failure.Class.content, .worker, .bug])
  func `a failure of one is no failure of the chunk while the other goes on`(_ kind: LedgerUnderTest, _ class: Failure.Class)
    throws
  {
    let (bench, order) = try slow(kind)
    try run(bench, order, done: 1, for: 27)
    let second = try #require(try bench.speculate("b").first)
    #expect(try bench.fail(order, `class`, "a") == .retries)
    #expect(try bench.states() == [.running, .waiting, .waiting])
    #expect(try bench.ledger.status(job: "job")?.retries == 0)
    let task = try #require(try bench.ledger.tasks(job: "job").first)
    #expect((task.worker, task.workerBeside, task.failure) == ("b", nil, nil))
    #expect(try bench.commit(second, "b") == .won)
    #expect(try bench.states() == [.done, .ready, .waiting])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `when both failed the chunk did`(_ kind: LedgerUnderTest) throws {
    let (bench, order) = try slow(kind)
    try run(bench, order, done: 1, for: 27)
    let second = try #require(try bench.speculate("b").first)
    #expect(try bench.fail(second, .worker, "b") == .retries)
    #expect(try bench.states() == [.running, .waiting, .waiting])
    // An attempt gets one second attempt only.
    #expect(try bench.speculate("b") == [])
    #expect(try bench.fail(order, .content, "a") == .jobFailed([]))
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `attempts that expire together are one retry`(_ kind: LedgerUnderTest) throws {
    let (bench, order) = try slow(kind)
    try run(bench, order, done: 1, for: 27)
    _ = try #require(try bench.speculate("b").first)
    try bench.advance(by: .seconds(11))
    #expect(try bench.ledger.expire().count == 2)
    #expect(try bench.states() == [.ready, .waiting, .waiting])
    #expect(try bench.ledger.status(job: "job")?.retries == 1)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a worker that leaves or is lost takes its attempt with it and leaves the other`(_ kind: LedgerUnderTest) throws {
    let (bench, order) = try slow(kind)
    try run(bench, order, done: 1, for: 27)
    let second = try #require(try bench.speculate("b").first)
    try bench.ledger.lose(worker: "a", epoch: "1")
    #expect(try bench.states() == [.running, .waiting, .waiting])
    #expect(try bench.ledger.status(job: "job")?.retries == 0)
    try bench.ledger.retire(worker: "b", epoch: "1")
    #expect(try bench.states() == [.ready, .waiting, .waiting])
    #expect(try bench.commit(second, "b") == .stale)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `nothing is begun beside an attempt where quota, pause or drain forbid it`(_ kind: LedgerUnderTest) throws {
    let (bench, order) = try slow(kind)
    try run(bench, order, done: 1, for: 27)
    try bench.ledger.setShare(of: "tester", weight: 1, slots: 1)
    #expect(try bench.speculate("b") == [])
    try bench.ledger.setShare(of: "tester", weight: 1, slots: nil)
    _ = try bench.ledger.change(job: "job", .pause)
    #expect(try bench.speculate("b") == [])
    _ = try bench.ledger.change(job: "job", .resume)
    for worker in ["b", nil] {
      #expect(try bench.ledger.drain(worker: worker, true))
      #expect(try bench.speculate("b") == [])
      #expect(try bench.ledger.drain(worker: worker, false))
    }
    #expect(try bench.speculate("b").count == 1)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a mux that hangs gets no second attempt beside it, but one after it`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    for worker in ["a", "b"] { try bench.register(worker) }
    try bench.submit(chunks: 1)
    #expect(try bench.commit(try #require(try bench.claim("a").first)) == .won)
    let mux = try #require(try bench.claim("a").first)
    for _ in 0..<6 {
      try bench.advanceAlive(by: .seconds(9), ["a", "b"])
      #expect(try bench.speculate("b") == [])
      #expect(try bench.ledger.expire() == [])
    }
    try bench.advanceAlive(by: .seconds(9), ["a", "b"])
    #expect(try bench.ledger.expire() == [ExpiredAttempt(worker: "a", key: mux.key)])
    try bench.advanceAlive(by: .seconds(1), ["a", "b"])
    #expect(try bench.claim("a") == [])
    #expect(try bench.claim("b").map(\.key) == [AttemptKey(task: mux.key.task, attempt: 2)])
  }

  @Test(arguments: LedgerUnderTest.allCases, [false, true])
  func `a second attempt is charged to its submitter's share`(_ kind: LedgerUnderTest, isHelped: Bool) throws {
    let (bench, order) = try slow(kind)
    // The job costs as much as the slow chunk, so both submitters have the same share before the second attempt.
    var others = Bench.submission("others", chunks: 1)
    others.submitter = "other"
    _ = try bench.ledger.submit(others)
    #expect(try bench.claim("b").map(\.job) == ["others"])
    try run(bench, order, done: 1, for: 27)
    if isHelped { #expect(try bench.speculate("b").count == 1) }
    try bench.submit("mine", chunks: 3)
    others = Bench.submission("theirs", chunks: 3)
    others.submitter = "other"
    _ = try bench.ledger.submit(others)
    let turns = try (0..<4).flatMap { _ in try bench.claim("b").map(\.job) }
    #expect(turns == (isHelped ? ["theirs", "mine", "theirs", "mine"] : ["mine", "theirs", "mine", "theirs"]))
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a cancelled job ends both`(_ kind: LedgerUnderTest) throws {
    let (bench, order) = try slow(kind)
    try run(bench, order, done: 1, for: 27)
    let second = try #require(try bench.speculate("b").first)
    let cancelled = try #require(try bench.ledger.cancel(job: "job"))
    #expect(Set(cancelled) == [ExpiredAttempt(worker: "a", key: order.key), ExpiredAttempt(worker: "b", key: second.key)])
  }
}
