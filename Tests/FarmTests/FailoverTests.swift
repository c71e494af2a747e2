import Glibc
import Ledger
import Subprocess
import Testing

/// Two coordinators, of which the one that leads goes away in the middle of a job.
@Suite(.serialized) struct FailoverTests {
  @Test func `a leader that is killed is followed by the other one, and nothing is rendered twice`() throws {
    let farm = try Self.farm()
    let job = try Self.jobAtWork(farm)
    try farm.kill(farm.coordinator)
    try farm.waitDone(job)
    try Self.expectNothingTwice(farm, job)
    #expect(try farm.psql("select leader, term from spool.farm_status") == "deputy|2")
  }

  @Test func `a leader that is stopped is followed, and does no harm when it goes on`() throws {
    let farm = try Self.farm()
    let job = try Self.jobAtWork(farm)
    farm.coordinator?.signal(SIGSTOP)
    try farm.wait("the other one leads") { try farm.psql("select leader from spool.farm_status") == "deputy" }
    farm.coordinator?.signal(SIGCONT)
    try farm.waitDone(job)
    try Self.expectNothingTwice(farm, job)
    try farm.wait("the first one follows") { farm.read("coordinator.log").contains("event=follows leader=deputy") }
    #expect(try farm.psql("select leader, term from spool.farm_status") == "deputy|2")
  }

  @Test func `a leader that is told to stop gives the lead away at once`() throws {
    let farm = try Self.farm()
    let job = try Self.jobAtWork(farm)
    farm.coordinator?.signal(SIGTERM)
    #expect(try farm.coordinator?.wait() == .exited(0))
    try farm.waitDone(job)
    try Self.expectNothingTwice(farm, job)
    #expect(farm.read("coordinator.log").contains("event=resigned"))
  }

  @Test func `a leader that loses the database is followed by one that has it`() throws {
    let farm = try Self.farm(apart: true)
    let job = try Self.jobAtWork(farm)
    try farm.loseDatabase()
    try farm.waitDone(job)
    try Self.expectNothingTwice(farm, job)
    #expect(try farm.psql("select leader, term from spool.farm_status") == "deputy|2")
  }

  /// - Parameter apart: whether the one that leads may lose the database.
  private static func farm(apart: Bool = false) throws -> RealFarm {
    // Workers leave a coordinator that does not answer after four seconds; their leases are longer, as they are by default.
    let farm = try RealFarm(attemptSeconds: "1", lease: "10")
    if apart { try farm.startCoordinatorApart() } else { try farm.startCoordinator() }
    try farm.wait("the first one leads") { try farm.psql("select leader from spool.farm_status") == "coordinator" }
    try farm.startDeputy()
    try farm.startWorker("anna", knowsDeputy: true)
    try farm.startWorker("ben", knowsDeputy: true)
    return farm
  }

  private static func jobAtWork(_ farm: RealFarm) throws -> String {
    let job = try farm.submit(chunks: 8)
    try farm.wait("four attempts run") { try farm.attemptProcesses().count >= 4 }
    return job
  }

  private static func expectNothingTwice(_ farm: RealFarm, _ job: String) throws {
    try CrashTests.expectOneWinnerEach(farm, job, tasks: 11)
    #expect(try farm.psql("select task, number, worker, outcome, failure_reason from spool.attempt where outcome <> 'won'") == "")
  }
}
