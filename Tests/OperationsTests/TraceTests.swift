import FarmTesting
import FoundationEssentials
import Ledger
import Messages
import Operations
import Scheduling
import Testing

@Suite struct `The trace operation` {
  private struct Trace: Decodable {
    struct Event: Decodable {
      let name: String, ph: String, ts: Int, pid: Int, tid: Int
      let dur: Int?
      let args: [String: String]?
      let cat: String?
    }

    let traceEvents: [Event]
    let otherData: [String: String]
  }

  private func trace(_ bench: FarmBench) throws -> Trace {
    try JSONDecoder().decode(Trace.self, from: Data(bench.farm.trace(job: "job")))
  }

  @Test func `each attempt is a bar of its worker with its outcome, and those at once lie on threads of their own`() throws {
    let bench = try FarmBench()
    try bench.start()
    try bench.submit()
    let orders = try bench.claim()
    #expect(orders.count == 2)
    _ = try bench.ledger.fail(orders[0].key, worker: "anna", epoch: "1", Failure(.transient, at: "store", "no \u{1b}[31mroom"))
    let trace = try trace(bench)
    let bars = trace.traceEvents.filter { $0.ph == "X" && $0.pid == 2 }
    #expect(Set(bars.map(\.name)) == ["frames 0..10", "frames 10..20"])
    #expect(Set(bars.map(\.tid)).count == 2, "they ran at once")
    #expect(Set(bars.compactMap { $0.args?["outcome"] }) == ["failed", "running"])
    #expect(bars.allSatisfy { $0.ts >= 0 && ($0.dur ?? -1) >= 0 })
    let failure = try #require(trace.traceEvents.first { $0.ph == "i" })
    #expect(failure.name.contains("store") && !failure.name.contains("\u{1b}"))
    let names = trace.traceEvents.filter { $0.ph == "M" }.compactMap { $0.args?["name"] }
    #expect(names == ["job job", "job", "worker anna", "slot 1", "slot 2"])
    let job = trace.traceEvents.filter { $0.pid == 1 && $0.ph == "X" }
    #expect(job.map(\.name) == ["waits", "running"] && job.last?.ts == job.first?.dur)
    #expect(trace.otherData["output"] == "/out/job.mp4")
  }

  @Test func `a chunk that won tells its frames a second, and an arrow leads from its end to the mux`() throws {
    let bench = try FarmBench()
    try bench.start()
    try bench.submit()
    for order in try bench.claim() + bench.claim() {
      _ = try bench.ledger.commit(order.key, worker: "anna", epoch: "1", proof: .sample(of: order.work))
    }
    let mux = try #require(try bench.claim().first)
    _ = try bench.ledger.commit(mux.key, worker: "anna", epoch: "1", proof: .sample(of: mux.work))
    try bench.ledger.flush()
    // The chunks ran from the first to the third second, and the mux in the fifth.
    try bench.run(
      """
      update spool.attempt a set started_at = j.submitted_at + t.began, ended_at = j.submitted_at + t.ended
      from spool.task k join spool.job j on j.id = k.job
      join (values ('picture', interval '1 s', interval '3 s'), ('mux', interval '4 s', interval '5 s')) t (kind, began, ended)
        on t.kind = k.kind
      where k.id = a.task
      """)
    let events = try trace(bench).traceEvents
    let chunks = events.filter { $0.ph == "X" && $0.name.hasPrefix("frames") }
    #expect(chunks.map { $0.args?["fps"] } == ["5.0", "5.0"])
    let arrows = events.filter { $0.name == "part" }
    #expect(arrows.filter { $0.ph == "s" }.map(\.ts) == [2_999_999, 2_999_999])
    #expect(arrows.filter { $0.ph == "f" }.map(\.ts) == [4_000_000, 4_000_000])
    #expect(Set(arrows.filter { $0.ph == "s" }.map(\.tid)) == Set(chunks.map(\.tid)))
  }

  @Test func `a job that has not begun only waits, and one that is not there is missing`() throws {
    let bench = try FarmBench()
    try bench.submit()
    #expect(try trace(bench).traceEvents.filter { $0.ph != "M" }.map(\.name) == ["waits"])
    #expect(try complaint { _ = try bench.farm.trace(job: "nope") }?.exit == .noInput)
  }
}
