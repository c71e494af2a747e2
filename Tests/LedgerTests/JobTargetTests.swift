import FarmTesting
import Ledger
import Messages
import Testing

/// The view of what targets reached, as a viewer reads it.
struct JobTargetTests {
  private let bench: Bench
  private let logins: Logins

  init() throws {
    bench = try LedgerUnderTest.postgreSQL.bench()
    logins = Logins(url: try #require(bench.url))
  }

  @Test func `a viewer reads how well a job's movie meets its target, and that a job has none`() throws {
    try bench.register("a")
    for job in ["exact", "plain"] { try bench.submit(job, chunks: 1) }
    let measure = TargetMeasure(.bitRate, asked: 400_000, reached: 391_204)
    let ledger = PostgreSQLLedger(url: try logins.new("spool_viewer").url)
    for _ in 0..<2 {
      for order in try bench.claim(slots: 8) {
        var proof = Bench.proof(order)
        if case .mux(var file) = proof {
          #expect(try ledger.target(job: order.job) == nil)
          file.target = order.job == "exact" ? measure : nil
          proof = .mux(file)
        }
        _ = try bench.ledger.commit(order.key, worker: "a", epoch: "1", proof: proof)
      }
    }
    #expect(try ledger.target(job: "exact") == measure)
    #expect(try ledger.target(job: "plain") == nil)
  }
}
