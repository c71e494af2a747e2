import Glibc
import Ledger
import Messages
import Testing

/// A chunk that one worker does not get on with, while another one is idle.
@Suite(.serialized) struct SpeculationTests {
  /// Attempts of which the first one that starts takes for ever; the others a moment.
  private func farm(coordinator: [String] = []) throws -> RealFarm {
    let farm = try RealFarm(lease: "60", coordinator: coordinator)
    let script = farm.read("attempt").replacing("sleep 0.05", with: "mkdir slow 2>/dev/null && sleep 1000\nsleep 0.05")
    try farm.write("attempt", script, mode: 0o755)
    return farm
  }

  @Test func `a chunk that is slow is done by another worker, and the slow attempt is killed`() throws {
    let farm = try farm()
    try farm.startCoordinator()
    try farm.startWorker("anna")
    try farm.startWorker("ben")
    let job = try farm.submit(chunks: 6)
    try farm.waitDone(job)
    try CrashTests.expectOneWinnerEach(farm, job, tasks: 9)
    let pairs = """
      select s.outcome, w.outcome, s.worker <> w.worker from spool.attempt s
      join spool.attempt w on w.task = s.task and w.is_speculative where not s.is_speculative
      """
    #expect(try farm.psql(pairs) == "superseded|won|t")
    try farm.wait("the slow one is gone", seconds: 10) { try farm.attemptProcesses().allSatisfy { kill($0, 0) == -1 } }
  }

  @Test func `who forbids second attempts gets none`() throws {
    let farm = try farm(coordinator: ["--no-speculation"])
    try farm.startCoordinator()
    try farm.startWorker("anna")
    try farm.startWorker("ben")
    let job = try farm.submit(chunks: 6)
    try farm.wait("all but one are done") { try farm.psql("select count(*) from spool.attempt where outcome = 'won'") == "6" }
    // By the database's clock, which is the one that counts.
    try farm.wait("a second attempt would have been begun") {
      try farm.psql("select clock_timestamp() - min(started_at) > interval '8 seconds' from spool.attempt") == "t"
    }
    #expect(try farm.psql("select count(*) from spool.attempt where is_speculative") == "0")
    _ = try farm.ledger.cancel(job: job)
  }
}
