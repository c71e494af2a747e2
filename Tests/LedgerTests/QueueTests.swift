import FarmTesting
import Ledger
import Messages
import Scheduling
import Testing

/// The work that is left, as forecasts are made from it, in both ledgers.
struct QueueTests {
  @Test(arguments: LedgerUnderTest.allCases)
  func `the present is the last turn of anybody, of whom no job may be left`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 3)
    // A chunk costs 1.5, and the second turn begins after the first.
    for _ in 0..<2 { #expect(try bench.claim().count == 1) }
    _ = try bench.ledger.cancel(job: "job")
    var other = Bench.submission("other")
    other.submitter = "rested"
    _ = try bench.ledger.submit(other)
    let queue = try bench.ledger.queue()
    #expect(queue.submitters.mapValues(\.spent) == ["rested": 0])
    #expect(queue.turn == 1.5)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `waiting raises priorities as it does in claims, by what the leader says`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    func priorities() throws -> [String: Int] {
      Dictionary(uniqueKeysWithValues: try bench.ledger.queue().jobs.map { ($0.id, $0.priority) })
    }
    try bench.lead()
    try bench.submit("first")
    // Two hours and a half.
    try bench.advance(by: .seconds(9000))
    try bench.submit("second")
    try bench.submit("urgent", priority: 1)
    #expect(try priorities() == ["first": 2, "second": 2, "urgent": 1])
    try bench.register("a")
    #expect(try bench.claim().map(\.job) == ["first"])
    #expect(try priorities() == ["first": 0, "second": 0, "urgent": 1])
  }
}
