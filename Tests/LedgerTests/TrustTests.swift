import Ledger
import Messages
import Scheduling
import Testing

/// Workers that wrongly call edits faulty, in both ledgers.
struct TrustTests {
  @Test(arguments: LedgerUnderTest.allCases)
  func `a worker that finds edits faulty which another one renders is set aside, and its canary is not believed`(
    _ kind: LedgerUnderTest
  ) throws {
    let bench = try kind.bench()
    for worker in ["bad", "good"] { try bench.register(worker) }
    for job in ["first", "second", "third", "another"] {
      try bench.submit(job, chunks: 1)
      guard case .jobFailed = try bench.fail(try #require(try bench.claim("bad").first), .content, "bad") else {
        Issue.record("content did not fail \(job)")
        return
      }
      #expect(try bench.ledger.change(job: job, .retry) == true)
      #expect(try bench.commit(try #require(try bench.claim("good").first), "good") == .won)
      _ = try bench.ledger.cancel(job: job)
    }
    _ = try bench.ledger.expire()
    #expect(try bench.ledger.workers().map(\.state) == ["set aside", "alive"])
    for _ in 0..<4 { try bench.advanceAlive(by: .seconds(9), ["bad", "good"]) }
    try bench.submit("fourth", chunks: 1)
    #expect(try bench.fail(try #require(try bench.claim("bad").first), .content, "bad") == .retries)
    _ = try bench.ledger.expire()
    // Nothing is known about the edit yet. Once the other worker has rendered it, the canary counts as failed.
    try bench.advanceAlive(by: .seconds(1), ["bad", "good"])
    #expect(try bench.commit(try #require(try bench.claim("good").first), "good") == .won)
    _ = try bench.ledger.expire()
    try bench.submit("fifth", chunks: 1)
    #expect(try bench.claim("bad").isEmpty)
    #expect(try bench.claim("good").count == 1)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `what a store lacks is blamed on no worker, and is waited for`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    for worker in ["bad", "good"] { try bench.register(worker) }
    try bench.submit(chunks: 4)
    for order in try bench.claim("bad", slots: 4) { #expect(try bench.fail(order, .store, "bad") == .retries) }
    try bench.advanceAlive(by: .seconds(1), ["bad", "good"])
    for order in try bench.claim("good", slots: 4) { #expect(try bench.commit(order, "good") == .won) }
    _ = try bench.ledger.expire()
    #expect(try bench.ledger.workers().map(\.state) == ["alive", "alive"])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a file that was away from all workers is blamed on none of them`(_ kind: LedgerUnderTest) throws {
    let (bench, workers) = (try kind.bench(), ["a", "b", "c"])
    for worker in workers { try bench.register(worker) }
    try bench.submit(chunks: 12)
    // Each worker fails while the source is away, and another one tries what it has failed.
    for _ in 0..<4 {
      for worker in workers {
        for order in try bench.claim(worker, slots: 4) { #expect(try bench.fail(order, .source, worker) == .retries) }
      }
      _ = try bench.ledger.expire()
      try bench.advanceAlive(by: .seconds(9), workers)
    }
    try bench.advanceAlive(by: .seconds(9), workers)
    try bench.advanceAlive(by: .seconds(9), workers)
    for worker in workers {
      for order in try bench.claim(worker, slots: 4) { #expect(try bench.commit(order, worker) == .won) }
    }
    _ = try bench.ledger.expire()
    #expect(try bench.ledger.workers().map(\.state) == ["alive", "alive", "alive"])
    #expect(try bench.states().prefix(12).allSatisfy { $0 == .done })
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `workers that cannot read what others can are set aside, also where there are several of them`(
    _ kind: LedgerUnderTest
  ) throws {
    let (bench, workers) = (try kind.bench(), ["bad", "good", "worse"])
    for worker in workers { try bench.register(worker) }
    try bench.submit(chunks: 40)
    for _ in 0..<8 {
      for worker in ["bad", "worse"] {
        for order in try bench.claim(worker, slots: 2) { #expect(try bench.fail(order, .source, worker) == .retries) }
      }
      try bench.advanceAlive(by: .seconds(1), workers)
      for order in try bench.claim("good", slots: 3) { #expect(try bench.commit(order, "good") == .won) }
      _ = try bench.ledger.expire()
      try bench.advanceAlive(by: .seconds(1), workers)
    }
    #expect(try bench.ledger.workers().map(\.state) == ["set aside", "alive", "set aside"])
  }
}
