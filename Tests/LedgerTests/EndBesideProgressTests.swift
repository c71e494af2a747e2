import Dispatch
import FarmTesting
import FoundationEssentials
import Glibc
import Ledger
import Messages
import PostgreSQL
import Scheduling
import Synchronization
import Testing

/// Attempts that are ended at the moment at which their progress is noted. Progress is noted without locking their job.
struct EndBesideProgressTests {
  private let bench: Bench
  private let url: String

  init() throws {
    bench = try LedgerUnderTest.postgreSQL.bench()
    url = try #require(bench.url)
    try bench.register("a", ahead: 128)
    try bench.submit("job", chunks: 3)
  }

  /// Performs `deed` while a coordinator has noted progress of all open attempts and has not committed that yet.
  ///
  /// - Parameter deed: is called on another thread with a ledger of its own; it must wait for the rows of the attempts.
  private func besideProgress<Value: Sendable>(_ deed: @escaping @Sendable (PostgreSQLLedger) throws -> Value) throws -> Value {
    let coordinator = try Connection(url: url, applicationName: "coordinator", limits: .init(idleTransaction: 600_000))
    try coordinator.run("begin; update spool.attempt set units_done = 1 where outcome is null")
    let url = url
    let ended = Mutex<Result<Value, any Error>?>(nil)
    DispatchQueue.global().async {
      let result = Result { try deed(PostgreSQLLedger(url: url, role: "beside")) }
      ended.withLock { $0 = result }
    }
    let waits = Statement(
      "waits",
      """
      select pid from pg_stat_activity
      where application_name = 'spool beside' and datname = current_database() and wait_event_type = 'Lock'
      """)
    let watcher = try Connection(url: url, applicationName: "test")
    while try watcher.query(waits).first == nil, ended.withLock({ $0 == nil }) { usleep(1000) }
    #expect(ended.withLock { $0 == nil }, "it did not wait for the attempts")
    try coordinator.run("commit")
    while ended.withLock({ $0 == nil }) { usleep(1000) }
    return try #require(ended.withLock { $0 }).get()
  }

  @Test func `a cancelled job's attempts end though their progress is just being noted`() throws {
    let running = try bench.claim(slots: 2).map { ExpiredAttempt(worker: "a", key: $0.key) }
    let ended = try #require(try besideProgress { try $0.cancel(job: "job") })
    #expect(Set(ended) == Set(running) && running.count == 2)
    #expect(try bench.ledger.closed(among: running).count == 2)
    #expect(try bench.states("job").allSatisfy { $0 == .cancelled })
  }

  @Test func `a replaced job's attempts that nobody awaits end though their progress is just being noted`() throws {
    let running = try bench.claim(slots: 2).map { ExpiredAttempt(worker: "a", key: $0.key) }
    var heir = Bench.submission("heir", chunks: 3)
    (heir.spec.output, heir.replaces, heir.tasks[0].twin) = ("/out/job.mp4", "job", running[0].key.task)
    let submission = heir
    #expect(try besideProgress { try $0.submit(submission) } == "heir")
    #expect(try bench.ledger.closed(among: running) == [running[1]])
  }
}
