import Glibc
import Ledger
import Messages
import Testing

/// A chunk that makes no progress on one worker while another worker is idle.
@Suite(.serialized) struct SpeculationFarmTests {
  /// A farm in which the first attempt takes for ever and the others take a moment.
  private func farm(coordinator: [String] = []) throws -> RealFarm {
    let farm = try RealFarm(lease: "60", coordinator: coordinator)
    let script = farm.read("attempt").replacing("pause 0.05", with: "mkdir slow 2>/dev/null && pause 1000\npause 0.05")
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
    // The database's clock decides, so it is asked.
    try farm.wait("a second attempt would have been begun") {
      try farm.psql("select clock_timestamp() - min(started_at) > interval '8 seconds' from spool.attempt") == "t"
    }
    #expect(try farm.psql("select count(*) from spool.attempt where is_speculative") == "0")
    _ = try farm.ledger.cancel(job: job)
  }

  @Test func `an attempt that takes longer than the shortest lease is made once`() throws {
    let farm = try RealFarm(lease: "3", coordinator: ["--no-speculation"])
    let script = farm.read("attempt").replacing("pause 0.05", with: "mkdir slow 2>/dev/null && pause 7\npause 0.05")
    try farm.write("attempt", script, mode: 0o755)
    try farm.startCoordinator()
    try farm.startWorker("anna")
    let job = try farm.submit(chunks: 2)
    try farm.waitDone(job)
    #expect(
      try farm.psql(
        "select max(attempts), max(ended_at - started_at) > '7 s' from spool.task t join spool.attempt a on a.task = t.id")
        == "1|t")
  }

  @Test(arguments: [TaskKind.mux, .publish])
  func `a mux or a publishing that hangs is ended for want of progress, and done by another worker`(_ kind: TaskKind) throws {
    let farm = try RealFarm(lease: "60")
    let script = farm.read("attempt").replacing(
      "pause 0.05",
      with: "case $order in *'\"work\":{\"\(kind.rawValue)\"'*) mkdir slow 2>/dev/null && pause 1000;; esac\npause 0.05")
    try farm.write("attempt", script, mode: 0o755)
    try farm.startCoordinator()
    try farm.startWorker("anna")
    try farm.startWorker("ben")
    let job = try farm.submit(chunks: 2)
    try farm.wait("the \(kind.rawValue) hangs") { farm.hasFolder("slow") }
    // The minute that the attempt may take without progress is set to a second.
    let hung = "from spool.task t where t.id = a.task and t.kind = '\(kind.rawValue)' and a.outcome is null"
    let shortened = "update spool.attempt a set patience = '1 s', progress_deadline = progress_at + interval '1 s' \(hung)"
    try farm.wait("it is known to have begun") { try farm.psql(shortened) == "UPDATE 1" }
    try farm.waitDone(job)
    let ends = """
      select a.outcome, a.failure_class, a.failure_reason ~ '^no progress for', w.outcome, w.is_speculative, w.worker <> a.worker
      from spool.task t join spool.attempt a on a.task = t.id and a.number = 1 join spool.attempt w on w.task = t.id and w.number = 2
      where t.kind = '\(kind.rawValue)'
      """
    #expect(try farm.psql(ends) == "expired|worker|t|won|f|t")
    try farm.wait("the one that hung is gone", seconds: 10) { try farm.attemptProcesses().allSatisfy { kill($0, 0) == -1 } }
  }
}
