import FarmTesting
import Ledger
import Messages
import Scheduling
import Testing

/// Jobs whose movies have further places.
@Suite struct `Further places of a movie` {
  @Test(arguments: LedgerUnderTest.allCases)
  func `no two jobs that have not ended write the same place, whichever of their places it is`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try submit(bench, "a", ["/out/b.mp4", "s3://bucket/a.mp4"])
    // The first place of one is a further one of the other; and the other way round; and both are further ones.
    for (job, copies, taken) in [
      ("b", [], "/out/b.mp4"), ("c", ["/out/a.mp4"], "/out/a.mp4"), ("d", ["/x.mp4", "s3://bucket/a.mp4"], "s3://bucket/a.mp4"),
    ] {
      #expect(throws: LedgerError.outputTaken(taken, job: "a"), "\(job)") { try submit(bench, job, copies) }
    }
    try submit(bench, "e", ["/out/f.mp4"])
    #expect(throws: LedgerError.outputTaken("/out/f.mp4", job: "e")) {
      try bench.ledger.change(job: "a", .retryWriting(to: "/out/a.mp4", copies: ["/out/g.mp4", "/out/f.mp4"]))
    }
    // Asked again for the places that it has, a job is in nobody's way.
    #expect(try bench.ledger.change(job: "a", .retryWriting(to: "/out/a.mp4", copies: ["/out/b.mp4"])) == true)
    #expect(try bench.ledger.status(job: "a")?.copies == [CopiedMovie(output: "/out/b.mp4")])
    try submit(bench, "d", ["/x.mp4", "s3://bucket/a.mp4"])
    _ = try bench.ledger.cancel(job: "a")
    try submit(bench, "b", [])
    #expect(throws: LedgerError.outputTaken("/out/b.mp4", job: "b")) { try bench.ledger.change(job: "a", .retry) }
    #expect(try bench.ledger.change(job: "a", .retryWriting(to: "/out/a.mp4")) == true)
    #expect(try bench.ledger.status(job: "a")?.copies == nil)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `an order has them, and a sweep, and whoever writes the movie may write all`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    let copies = ["/far/a.mp4", "s3://bucket/a.mp4"]
    try register("a", bench, roots: ["/out", "/far"])
    try submit(bench, "a", copies)
    #expect(try bench.claim().isEmpty, "no worker may write all places, so nothing of the job is given out")
    try register("b", bench, roots: ["/", "s3://bucket"])
    let chunk = try #require(try bench.claim().first, "chunks go to any worker")
    #expect(try chunk.spec.copies == copies && bench.commit(chunk) == .won)
    let lanes = ["a", "b"].map { FreeSlots(worker: $0, epoch: "1", slots: 1, lanes: 1) }
    for kind in [TaskKind.mux, .publish] {
      let orders = try commit(bench, lanes)
      #expect(orders.map(\.work.kind) == [kind] && orders.allSatisfy { $0.spec.copies == copies })
    }
    #expect(try bench.ledger.over(among: ["a"], endedFor: .zero) == [OverJob(id: "a", output: "/out/a.mp4", copies: copies)])
    #expect(try (bench.ledger as? PostgreSQLLedger)?.spec(job: "a")?.copies ?? copies == copies)
  }

  @Test func `a job that is done tells each place that its movie did not get to`() throws {
    let bench = try LedgerUnderTest.postgreSQL.bench()
    try bench.register("a")
    try submit(bench, "a", ["/b.mp4", "/c.mp4"])
    let ends = [CopiedMovie(output: "/b.mp4", error: "no room"), CopiedMovie(output: "/c.mp4")]
    for _ in 0..<3 {
      for order in try bench.claim(slots: 8) {
        var proof = Bench.proof(order)
        if case .publish(var file) = proof {
          file.copies = ends
          proof = .publish(file)
        }
        _ = try bench.ledger.commit(order.key, worker: "a", epoch: "1", proof: proof)
      }
    }
    let status = try #require(try bench.ledger.status(job: "a"))
    #expect(status.state == .done && status.copies == ends)
  }

  private func submit(_ bench: Bench, _ id: String, _ copies: [String]) throws {
    var submission = Bench.submission(id, chunks: 1)
    submission.spec.copies = copies.isEmpty ? nil : copies
    _ = try bench.ledger.submit(submission)
  }

  private func register(_ worker: String, _ bench: Bench, roots: [String]) throws {
    try bench.ledger.register(
      WorkerHello(
        worker: worker, epoch: "1", host: "h", processID: 1, slots: 1, lanes: 1, capabilities: Capabilities(), outputRoots: roots,
        running: []))
  }

  /// Claims what can be claimed, and commits all that is open.
  private func commit(_ bench: Bench, _ offers: [FreeSlots]) throws -> [AttemptOrder] {
    var orders: [AttemptOrder] = []
    for claimed in try bench.ledger.claim(for: offers) {
      _ = try bench.ledger.commit(claimed.order.key, worker: claimed.worker, epoch: "1", proof: Bench.proof(claimed.order))
      orders.append(claimed.order)
    }
    return orders
  }
}
