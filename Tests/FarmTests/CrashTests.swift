import Glibc
import Ledger
import Messages
import Subprocess
import Testing

/// Real processes that are killed in the middle of a job. The result shows nothing of it: each task has one winner.
@Suite(.serialized) struct CrashTests {
  @Test func `an undisturbed job is done, each task by its first attempt`() throws {
    let farm = try RealFarm()
    try farm.startCoordinator()
    try farm.startWorker("anna")
    try farm.startWorker("ben")
    let job = try farm.submit(chunks: 6)
    try farm.waitDone(job)
    try Self.expectOneWinnerEach(farm, job, tasks: 9)
    #expect(try farm.psql("select count(*) from spool.attempt") == "9")
  }

  @Test func `a worker that is killed takes its attempts down, and others do its work`() throws {
    let farm = try RealFarm(attemptSeconds: "0.5")
    try farm.startCoordinator()
    try farm.startWorker("anna")
    let job = try farm.submit(chunks: 6)
    try farm.wait("two attempts run") { try farm.attemptProcesses().count >= 2 }
    try farm.kill(farm.workers["anna"])
    try farm.startWorker("ben")
    try farm.waitDone(job)
    try Self.expectOneWinnerEach(farm, job, tasks: 9)
    #expect(try farm.psql("select count(*) from spool.attempt where outcome = 'won' and worker = 'anna'") == "0")
  }

  @Test func `a worker that is killed is noticed by its connection, long before its lease ends`() throws {
    let farm = try RealFarm(attemptSeconds: "0.5", lease: "600")
    try farm.startCoordinator()
    try farm.startWorker("anna")
    let job = try farm.submit(chunks: 4)
    try farm.wait("two attempts run") { try farm.attemptProcesses().count >= 2 }
    try farm.kill(farm.workers["anna"])
    try farm.startWorker("ben")
    try farm.waitDone(job)
    try Self.expectOneWinnerEach(farm, job, tasks: 7)
    #expect(
      try farm.psql("select distinct worker, outcome, failure_reason from spool.attempt where outcome <> 'won'")
        == "anna|expired|its connection was lost")
  }

  @Test func `a worker that is killed and started again goes on at once, its lease notwithstanding`() throws {
    let farm = try RealFarm(attemptSeconds: "0.5")
    try farm.startCoordinator()
    try farm.startWorker("anna")
    let job = try farm.submit(chunks: 4)
    try farm.wait("two attempts run") { try farm.attemptProcesses().count >= 2 }
    try farm.kill(farm.workers["anna"])
    try farm.startWorker("anna")
    try farm.waitDone(job)
    try Self.expectOneWinnerEach(farm, job, tasks: 7)
  }

  @Test func `an attempt that is killed is a failure of its worker, and is made again`() throws {
    let farm = try RealFarm(attemptSeconds: "0.5")
    try farm.startCoordinator()
    try farm.startWorker("anna")
    let job = try farm.submit(chunks: 2)
    try farm.wait("an attempt runs") { try !farm.attemptProcesses().isEmpty }
    #expect(kill(try farm.attemptProcesses()[0], SIGKILL) == 0)
    try farm.waitDone(job)
    try Self.expectOneWinnerEach(farm, job, tasks: 5)
    #expect(
      try farm.psql("select failure_class, failure_reason from spool.attempt where outcome = 'failed'")
        == "worker|the attempt was killed; out of memory?")
  }

  @Test func `a coordinator that is killed and started again finds its workers at their work`() throws {
    let farm = try RealFarm(attemptSeconds: "0.5")
    try farm.startCoordinator()
    try farm.startWorker("anna")
    let job = try farm.submit(chunks: 6)
    try farm.wait("two attempts run") { try farm.attemptProcesses().count >= 2 }
    try farm.kill(farm.coordinator)
    try farm.startCoordinator()
    try farm.waitDone(job)
    try Self.expectOneWinnerEach(farm, job, tasks: 9)
    #expect(try farm.psql("select count(*) from spool.attempt") == "9")
  }

  @Test func `a database that is restarted interrupts nothing that runs`() throws {
    let farm = try RealFarm(attemptSeconds: "0.5", hasOwnServer: true)
    try farm.startCoordinator()
    try farm.startWorker("anna")
    let job = try farm.submit(chunks: 6)
    try farm.wait("two attempts run") { try farm.attemptProcesses().count >= 2 }
    try farm.restartDatabase()
    try farm.waitDone(job)
    try Self.expectOneWinnerEach(farm, job, tasks: 9)
    #expect(try farm.psql("select count(*) from spool.attempt") == "9")
  }

  @Test func `a coordinator that was away for longer than a lease lets go on what still runs`() throws {
    let farm = try RealFarm(attemptSeconds: "0.5")
    try farm.startCoordinator()
    try farm.startWorker("anna")
    let job = try farm.submit(chunks: 6)
    try farm.wait("two attempts run") { try farm.attemptProcesses().count >= 2 }
    try farm.kill(farm.coordinator)
    try farm.wait("their leases have passed") {
      try farm.psql("select count(*) from spool.worker where lease_until < clock_timestamp()") == "1"
    }
    try farm.startCoordinator()
    try farm.waitDone(job)
    try Self.expectOneWinnerEach(farm, job, tasks: 9)
    #expect(try farm.psql("select count(*) from spool.attempt") == "9")
  }

  @Test func `a cancelled job's attempts are killed`() throws {
    let farm = try RealFarm(attemptSeconds: "1000")
    try farm.startCoordinator()
    try farm.startWorker("anna")
    let job = try farm.submit(chunks: 2)
    try farm.wait("two attempts run") { try farm.attemptProcesses().count == 2 }
    _ = try farm.ledger.cancel(job: job)
    try farm.wait("both are gone", seconds: 10) { try farm.attemptProcesses().allSatisfy { kill($0, 0) == -1 } }
    #expect(try farm.ledger.status(job: job)?.state == .cancelled)
  }

  @Test func `a worker that is told to stop finishes what it runs and takes no more`() throws {
    let farm = try RealFarm(attemptSeconds: "0.5")
    try farm.startCoordinator()
    try farm.startWorker("anna")
    _ = try farm.submit(chunks: 4)
    try farm.wait("two attempts run") { try farm.attemptProcesses().count == 2 }
    // The signal goes to the worker alone, because its attempts lead groups of their own.
    farm.workers["anna"]?.signal(SIGTERM)
    #expect(try farm.workers["anna"]?.wait() == .exited(0))
    #expect(try farm.psql("select outcome, count(*) from spool.attempt group by 1") == "won|2")
  }

  static func expectOneWinnerEach(_ farm: RealFarm, _ job: String, tasks: Int) throws {
    let winners =
      "select count(*) from spool.attempt a join spool.task t on t.id = a.task where t.job = '\(job)' and outcome = 'won'"
    #expect(try farm.psql(winners) == "\(tasks)")
    #expect(try farm.psql("select count(*) from spool.task where job = '\(job)' and state = 'done'") == "\(tasks)")
    #expect(try farm.psql("select count(*) from spool.attempt where outcome is null") == "0")
  }
}
