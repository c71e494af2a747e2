import Messages
import Scheduling
import Testing

struct RetryPolicyTests {
  private let policy = RetryPolicy()

  @Test func `a fault of the edit or its media is never retried`() {
    #expect(policy.decide(after: .content, counts: [.content: 1]) == .giveUp)
  }

  @Test(arguments: [(Failure.Class.worker, 5), (.transient, 20), (.store, 100), (.bug, 3)])
  func `each class gives up at its own limit and not before`(class: Failure.Class, limit: Int) {
    for count in 1..<limit {
      #expect(policy.decide(after: `class`, counts: [`class`: count]) != .giveUp)
    }
    #expect(policy.decide(after: `class`, counts: [`class`: limit]) == .giveUp)
  }

  @Test func `failures of another class do not use up the limit`() {
    #expect(policy.decide(after: .bug, counts: [.bug: 1, .transient: 19, .worker: 4]) != .giveUp)
  }

  @Test func `the pause doubles with each failure of any class up to its bound`() {
    let pauses = (1...10).map { policy.decide(after: .transient, counts: [.transient: $0 - $0 / 2, .worker: $0 / 2]) }
    let expected = [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000, 30_000]
    #expect(pauses == expected.map { .retry(afterMilliseconds: $0) })
  }

  @Test func `patience with a store is a time, whatever the pauses are`() {
    // The pauses of 0.5, 1 and 2 s together are too short; with the next one of 4 s they are enough.
    #expect(RetryPolicy(storePatience: 5).storageLimit == 5)
    #expect(RetryPolicy(storePatience: 0).storageLimit == 1)
    let policy = RetryPolicy(storePatience: 3600)
    let pauses = (1..<policy.storageLimit).map { policy.decide(after: .store, counts: [.store: $0]) }
    let total = pauses.reduce(0) { if case .retry(let pause) = $1 { $0 + pause } else { $0 } }
    #expect((3_600_000..<3_630_000).contains(total))
  }

  @Test func `no number of failures overflows the pause`() {
    var policy = policy
    policy.transientLimit = .max
    #expect(policy.decide(after: .transient, counts: [.transient: .max - 1]) == .retry(afterMilliseconds: 30_000))
  }
}
