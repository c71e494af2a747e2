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
    #expect(try bench.ledger.status(job: "a")?.copies == [CopiedMovie(output: "/out/b.mp4", state: .waiting)])
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

  @Test(arguments: LedgerUnderTest.allCases)
  func `a job that is done tells of each place, and a retry copies to those that failed and renders nothing`(
    _ kind: LedgerUnderTest
  ) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try submit(bench, "a", ["/b.mp4", "/c.mp4"])
    #expect(try bench.ledger.status(job: "a")?.copies?.map(\.state) == [.waiting, .waiting])
    let failed = [CopiedMovie(output: "/b.mp4", error: "no room"), CopiedMovie(output: "/c.mp4")]
    #expect(try run(bench, copies: failed).map(\.work.kind) == [.picture, .mux, .publish])
    let ends = [CopiedMovie(output: "/b.mp4", error: "no room", state: .failed), CopiedMovie(output: "/c.mp4", state: .done)]
    let status = try #require(try bench.ledger.status(job: "a"))
    #expect(status.state == .done && status.copies == ends)
    // Its places are its own again meanwhile.
    try submit(bench, "b", ["/b.mp4"])
    #expect(throws: LedgerError.outputTaken("/b.mp4", job: "b")) { try bench.ledger.change(job: "a", .retry) }
    _ = try bench.ledger.cancel(job: "b")
    #expect(try bench.ledger.change(job: "a", .retry) == true)
    let queued = try #require(try bench.ledger.status(job: "a"))
    #expect(queued.state == .queued && queued.copies?.map(\.state) == [.waiting, .waiting] && queued.chunksDone == 1)
    let again = try run(bench, copies: [CopiedMovie(output: "/b.mp4"), CopiedMovie(output: "/c.mp4")])
    #expect(again.map(\.work.kind) == [.publish] && again.map(\.key.attempt) == [2])
    let done = try #require(try bench.ledger.status(job: "a"))
    #expect(done.state == .done && done.copies?.map(\.state) == [.done, .done])
    // Where all places have the movie, nothing is to be retried.
    #expect(try bench.ledger.change(job: "a", .retry) == false)
    #expect(try bench.ledger.status(job: "a")?.state == .done)
  }

  @Test func `webhooks hear of each place, when a job ends and when it is copied again`() throws {
    let bench = try LedgerUnderTest.postgreSQL.bench()
    let ledger = try #require(bench.ledger as? PostgreSQLLedger)
    try ledger.change(
      webhook: Webhook(
        name: "w", url: "https://w.example/", events: ["job.submitted", "job.done", "job.retried"], secret: "whsec_AAAA"))
    try bench.register("a")
    try submit(bench, "a", ["/b.mp4", "/c.mp4"])
    _ = try run(bench, copies: [CopiedMovie(output: "/b.mp4", error: "no room"), CopiedMovie(output: "/c.mp4")])
    #expect(try bench.ledger.change(job: "a", .retry) == true)
    _ = try run(bench, copies: [CopiedMovie(output: "/b.mp4"), CopiedMovie(output: "/c.mp4")])
    try submit(bench, "b", [])
    var told: [String] = []
    while let order = try ledger.takeDelivery() {
      told.append(order.body.filter { $0 != " " })
      try ledger.settle(order, status: 200, failure: nil)
    }
    func copies(_ states: String...) -> String {
      let places = zip(["/b.mp4", "/c.mp4"], states).map { place, state in
        #"{"output":"\#(place)","state":"\#(state)","error":\#(state == "failed" ? "\"noroom\"" : "null")}"#
      }
      return "\"copies\":[\(places.joined(separator: ","))]"
    }
    let expected = [
      ("job.submitted", copies("waiting", "waiting")), ("job.done", copies("failed", "done")),
      ("job.retried", "\"copies\":["), ("job.done", copies("done", "done")), ("job.submitted", "\"copies\":null"),
    ]
    #expect(told.count == expected.count, "\(told)")
    for (body, (event, copies)) in zip(told, expected) {
      #expect(body.contains("\"\(event)\"") && body.contains(copies), "\(body)")
    }
  }

  /// Claims and commits what there is to do, with ends of copying.
  private func run(_ bench: Bench, copies: [CopiedMovie]) throws -> [AttemptOrder] {
    var orders: [AttemptOrder] = []
    for _ in 0..<3 {
      for order in try bench.claim(slots: 8) {
        var proof = Bench.proof(order)
        if case .publish(var file) = proof {
          file.copies = copies
          proof = .publish(file)
        }
        _ = try bench.ledger.commit(order.key, worker: "a", epoch: "1", proof: proof)
        orders.append(order)
      }
    }
    return orders
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
