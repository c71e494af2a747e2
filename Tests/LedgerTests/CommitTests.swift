import Ledger
import Messages
import Scheduling
import Testing

/// Many results at once; both ledgers.
struct CommitTests {
  private func completion(_ order: AttemptOrder, _ worker: String = "a", key: AttemptKey? = nil) -> Completion {
    Completion(worker: worker, epoch: "1", key: key ?? order.key, proof: Bench.proof(order))
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `each of many results is judged by itself, and what waited for them is ready`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit("first", chunks: 2, sound: true)
    try bench.submit("second", chunks: 2)
    try bench.submit("third", chunks: 1)
    let orders = try bench.claim(slots: 6)
    _ = try bench.ledger.cancel(job: "third")
    let strange = [
      completion(orders[3], key: AttemptKey(task: 999, attempt: 1)), completion(orders[3], "b"),
      completion(orders[3], key: AttemptKey(task: orders[3].key.task, attempt: 2)),
    ]
    let verdicts = try bench.ledger.commit(strange + orders.filter { $0.key != orders[3].key }.map { completion($0) })
      .verdicts
    #expect(verdicts == [.stale, .stale, .stale, .won, .won, .won, .won, .stale])
    #expect(try bench.states("first") == [.done, .done, .done, .ready, .waiting])
    #expect(try bench.states("second") == [.running, .done, .waiting, .waiting])
    #expect(try bench.ledger.status(job: "first")?.framesDone == 20)
    #expect(try bench.ledger.status(job: "second")?.chunksDone == 1)
    // Again, after an answer that was lost, along with what is new.
    #expect(try bench.ledger.commit(orders.prefix(4).map { completion($0) }).verdicts == [.won, .won, .won, .won])
    #expect(try bench.states("second") == [.done, .done, .ready, .waiting])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `jobs that are muxed and published in one go are done`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    for job in ["first", "second"] { try bench.submit(job, chunks: 1) }
    for _ in 0..<3 {
      let orders = try bench.claim(slots: 8)
      #expect(try bench.ledger.commit(orders.map { completion($0) }).verdicts == [.won, .won])
    }
    #expect(try bench.ledger.jobs(limit: 9).map(\.state) == [.done, .done])
    #expect(try bench.ledger.commit([]).verdicts == [])
  }
}
