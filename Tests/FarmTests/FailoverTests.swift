import Glibc
import Ledger
import Subprocess
import Testing

/// Two coordinators, of which the leading one goes away in the middle of a job.
@Suite(.serialized) struct FailoverTests {
  /// Several farms run at once, because each waits for a lease to end.
  @Test func `a leader that is killed, stopped or cut off is followed by the other one, and nothing is rendered twice`() throws {
    let killed = try Self.farmAtWork()
    try killed.farm.kill(killed.farm.coordinator)
    let stopped = try Self.farmAtWork()
    stopped.farm.coordinator?.signal(SIGSTOP)
    let cutOff = try Self.farmAtWork(apart: true)
    try cutOff.farm.loseDatabase()
    try stopped.farm.wait("the other one leads") {
      try stopped.farm.psql("select leader from spool.farm_status") == "deputy"
    }
    // A stopped leader that goes on does no harm.
    stopped.farm.coordinator?.signal(SIGCONT)
    for (farm, job) in [killed, stopped, cutOff] {
      try farm.waitDone(job)
      try Self.expectNothingTwice(farm, job)
    }
    try stopped.farm.wait("the first one follows") {
      stopped.farm.read("coordinator.log").contains("event=follows leader=deputy")
    }
    for (farm, _) in [killed, stopped, cutOff] {
      #expect(try farm.psql("select leader, term from spool.farm_status") == "deputy|2")
    }
  }

  @Test func `a leader that is told to stop gives the lead away at once`() throws {
    let (farm, job) = try Self.farmAtWork()
    farm.coordinator?.signal(SIGTERM)
    #expect(try farm.coordinator?.wait() == .exited(0))
    try farm.waitDone(job)
    try Self.expectNothingTwice(farm, job)
    #expect(farm.read("coordinator.log").contains("event=resigned"))
  }

  /// A farm with two coordinators whose job has begun.
  ///
  /// - Parameter apart: whether the test may cut the leading coordinator off from the database.
  private static func farmAtWork(apart: Bool = false) throws -> (farm: RealFarm, job: String) {
    // Workers leave a coordinator that does not answer after four seconds. Their leases are longer, as by default.
    let farm = try RealFarm(attemptSeconds: "1", lease: "10")
    if apart { try farm.startCoordinatorApart() } else { try farm.startCoordinator() }
    try farm.wait("the first one leads") { try farm.psql("select leader from spool.farm_status") == "coordinator" }
    try farm.startDeputy()
    try farm.startWorker("anna", knowsDeputy: true)
    try farm.startWorker("ben", knowsDeputy: true)
    let job = try farm.submit(chunks: 8)
    try farm.wait("four attempts run") { try farm.attemptProcesses().count >= 4 }
    return (farm, job)
  }

  private static func expectNothingTwice(_ farm: RealFarm, _ job: String) throws {
    try CrashTests.expectOneWinnerEach(farm, job, tasks: 11)
    #expect(try farm.psql("select task, number, worker, outcome, failure_reason from spool.attempt where outcome <> 'won'") == "")
  }
}
