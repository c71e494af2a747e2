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

/// How a database is raised, with two migrations that are only for tests (`SchemaFixture`).
struct MigrationTests {
  private let url: String

  /// Each test begins with a database of version 25.
  init() throws {
    url = try TestCluster.shared.get().makeDatabase()
    try Connection(url: url, applicationName: "test").run(try SchemaFixture.oldest())
  }

  @Test func `a database of the oldest version becomes what an empty one becomes`() throws {
    try PostgreSQLLedger(url: url).migrate()
    let fresh = try made(by: SchemaPlan.current)
    try expectEqual(SchemaFixture.catalog(of: url), SchemaFixture.catalog(of: fresh))
    #expect(try SchemaFixture.versions(url) == Array(SchemaPlan.current.oldest...SchemaPlan.current.version))
  }

  @Test func `a database raised by two versions becomes what an empty one becomes, functions and views included`() throws {
    let before = try SchemaFixture.catalog(of: url)
    let plan = try SchemaFixture.later()
    try PostgreSQLLedger(url: url, plan: plan).migrate()
    try PostgreSQLLedger(url: url, plan: plan).migrate()
    let raised = try SchemaFixture.catalog(of: url)
    try expectEqual(raised, SchemaFixture.catalog(of: made(by: plan)))
    #expect(try SchemaFixture.versions(url) == [25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36])
    // Each kind of change has arrived.
    let new = raised.subtracting(before)
    for change in [
      "relation note", "column job.note", "column note.author", "function CREATE OR REPLACE FUNCTION spool.since",
      "view job_status", "trigger CREATE TRIGGER a_drain_is_told", "trigger CREATE CONSTRAINT TRIGGER frames_change",
    ] {
      #expect(new.contains { $0.hasPrefix(change) }, "\(change)")
    }
  }

  @Test func `what is in the database stays, and the farm goes on`() throws {
    // This program's statements need its own version of the schema.
    try PostgreSQLLedger(url: url).migrate()
    let bench = Bench(PostgreSQLLedger(url: url), url: url) { _ in }
    try bench.lead()
    try bench.register("a")
    try bench.submit("job", chunks: 2, priority: 7)
    let order = try #require(try bench.claim().first)
    try PostgreSQLLedger(url: url, plan: SchemaFixture.later()).migrate()
    let raised = PostgreSQLLedger(url: url, plan: try SchemaFixture.later())
    #expect(try raised.openAttempts(worker: "a", epoch: "1").map(\.order) == [order])
    #expect(try raised.commit(order.key, worker: "a", epoch: "1", proof: Bench.proof(order)) == .won)
    let note = try Connection(url: url, applicationName: "test").query(
      Statement("note", "select note, chunks_done from spool.job_status"))
    #expect(try note.map { try $0.value("note", as: String.self) } == ["priority 7"])
    #expect(try note[0].value("chunks_done") == 1)
  }

  @Test func `a migration that fails leaves the database as it was`() throws {
    let before = try SchemaFixture.catalog(of: url)
    let plan = try SchemaFixture.later([("0037-fails.sql", "alter table spool.nothing add column second text")])
    #expect {
      try PostgreSQLLedger(url: url, plan: plan).migrate()
    } throws: { "\($0)".contains("migration 0037-fails.sql") }
    try expectEqual(SchemaFixture.catalog(of: url), before)
    #expect(try SchemaFixture.versions(url) == [25])
  }

  @Test func `a migration whose session is killed in the middle leaves the database as it was, and can be made again`() throws {
    let before = try SchemaFixture.catalog(of: url)
    let suicide = "select pg_terminate_backend(pg_backend_pid()); select pg_sleep(1)"
    let plan = try SchemaFixture.later([("0037-kills-its-session.sql", suicide)])
    #expect(throws: LedgerError.self) { try PostgreSQLLedger(url: url, plan: plan).migrate() }
    try expectEqual(SchemaFixture.catalog(of: url), before)
    #expect(try SchemaFixture.versions(url) == [25])
    try PostgreSQLLedger(url: url, plan: SchemaFixture.later()).migrate()
    #expect(try SchemaFixture.versions(url) == [25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36])
  }

  @Test func `programs that migrate at once take turns, and each step is made once`() throws {
    let empty = try TestCluster.shared.get().makeDatabase()
    let plan = try SchemaFixture.later()
    for (url, versions) in [(url, [25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36]), (empty, [36])] {
      let failures = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        do { try PostgreSQLLedger(url: url, plan: plan).migrate() } catch { failures.withLock { $0.append("\(error)") } }
      }
      #expect(failures.withLock { $0 } == [])
      #expect(try SchemaFixture.versions(url) == versions)
    }
    try expectEqual(SchemaFixture.catalog(of: url), SchemaFixture.catalog(of: empty))
  }

  @Test func `an extension that lies in the schema stays, and does not stop a migration`() throws {
    let connection = try Connection(url: url, applicationName: "test")
    // A role named spool creates extensions in this schema, because its own schema comes first.
    try connection.run("create extension pg_stat_statements schema spool")
    try PostgreSQLLedger(url: url, plan: SchemaFixture.later()).migrate()
    let stays = Statement("stays", "select to_regclass('spool.pg_stat_statements') is not null as it")
    #expect(try connection.query(stays)[0].value("it") == true)
  }

  @Test func `who may only read still may after a migration`() throws {
    let connection = try Connection(url: url, applicationName: "test")
    let viewer = "viewer_\(UInt32.random(in: 0...UInt32.max))"
    // These are the rights that an older docs/database.md told operators to give.
    try connection.run(
      """
      create role \(viewer);
      grant usage on schema spool to \(viewer);
      grant select on all tables in schema spool to \(viewer);
      alter default privileges in schema spool grant select on tables to \(viewer)
      """)
    // The cluster is removed with the tests anyway.
    defer { try? connection.run("reset role; drop owned by \(viewer); drop role \(viewer)") }
    try PostgreSQLLedger(url: url, plan: SchemaFixture.later()).migrate()
    try connection.run("set role \(viewer)")
    let views = try connection.query(Statement("views", "select viewname from pg_views where schemaname = 'spool'"))
    #expect(views.count == 20)
    for view in views { try connection.run("select * from spool.\(try view.value("viewname", as: String.self))") }
    #expect(throws: PostgreSQLError.self) { try connection.run("update spool.job set priority = 1") }
  }

  @Test func `a role that does not own the schema raises nothing, and is told who does`() throws {
    let login = try Logins(url: url).new("spool_coordinator")
    #expect {
      try PostgreSQLLedger(url: login.url, plan: SchemaFixture.later()).migrate()
    } throws: { error in
      guard case .forbidden(let reason) = error as? LedgerError else { return false }
      return reason.hasPrefix("to make or change the schema takes the role that owns it ('spool migrate'): ")
    }
    #expect(try SchemaFixture.versions(url) == [25])
  }

  @Test func `the care of history does not follow the schema's first months when it is raised`() throws {
    let connection = try Connection(url: url, applicationName: "test")
    try connection.run(
      "create table spool.history_2020_01 partition of spool.history for values from ('2020-01-01Z') to ('2020-02-01Z')")
    try PostgreSQLLedger(url: url, plan: SchemaFixture.later()).migrate()
    let stays = Statement("stays", "select to_regclass('spool.history_2020_01') is not null as it")
    #expect(try connection.query(stays)[0].value("it") == true)
  }

  @Test func `a migration gives way to who reads for long`() throws {
    let reader = try Connection(url: url, applicationName: "reader", limits: .init(idleTransaction: 600_000))
    try reader.run("begin; select count(*) from spool.job_status")
    #expect {
      try PostgreSQLLedger(url: url, plan: SchemaFixture.later()).migrate()
    } throws: { error in
      guard case .refused("drop views", let reason) = error as? LedgerError else { return false }
      return reason.contains("lock timeout")
    }
    #expect(try SchemaFixture.versions(url) == [25])
    try reader.run("commit")
    try PostgreSQLLedger(url: url, plan: SchemaFixture.later()).migrate()
  }

  @Test func `a migration takes as long as it takes, however short the time of a statement is`() throws {
    let plan = try SchemaFixture.later([("0037-takes-long.sql", "select pg_sleep(0.7); select pg_sleep(0.7)")])
    var reports: [String] = []
    try PostgreSQLLedger(url: url, timing: Self.hasty, plan: plan).migrate { reports.append($0.description) }
    #expect(try SchemaFixture.versions(url).last == 37)
    #expect(reports == (26...37).map { "event=migrates to_version=\($0)" } + ["event=makes_views"])
  }

  @Test func `a coordinator that comes while another one migrates waits for its end`() throws {
    let other = try Connection(url: url, applicationName: "test")
    // This session keeps the lock as a migration does, for a second.
    try other.run("begin")
    _ = try other.query(Statement("lock", "select pg_advisory_xact_lock(x'73706f6f6c'::bigint)"))
    let (url, end, plan) = (url, DispatchSemaphore(value: 0), try SchemaFixture.later())
    let ended = Mutex<Result<Void, any Error>?>(nil)
    DispatchQueue.global().async {
      let migrated = Result { try PostgreSQLLedger(url: url, timing: Self.hasty, plan: plan).migrate { _ in end.signal() } }
      ended.withLock { $0 = migrated }
      end.signal()
    }
    end.wait()
    usleep(1_000_000)
    #expect(ended.withLock { $0 == nil })
    try other.run("commit")
    // Each step of the migration is reported.
    while ended.withLock({ $0 == nil }) { end.wait() }
    try ended.withLock { try $0?.get() }
    #expect(try SchemaFixture.versions(url).last == 36)
  }

  @Test func `a migration that waits for a lock in vain says what keeps it`() throws {
    let other = try Connection(url: url, applicationName: "test")
    try other.run("begin; lock table spool.pace in access share mode")
    var timing = LedgerTiming()
    let plan = try SchemaFixture.later([("0037-waits.sql", "alter table spool.pace add column note text")])
    timing.schemaLock = 100
    #expect {
      try PostgreSQLLedger(url: url, timing: timing, plan: plan).migrate()
    } throws: { error in
      "\(error)".contains("migration 0037-waits.sql") && "\(error)".contains("other sessions keep what it needs")
    }
    #expect(try SchemaFixture.versions(url) == [25])
  }

  /// A timing in which statements have half a second.
  private static var hasty: LedgerTiming {
    var timing = LedgerTiming()
    timing.statement = 500
    return timing
  }

  /// An empty database in which `plan` made the schema.
  private func made(by plan: SchemaPlan) throws -> String {
    let fresh = try TestCluster.shared.get().makeDatabase()
    try PostgreSQLLedger(url: fresh, plan: plan).migrate()
    return fresh
  }

  private func expectEqual(_ raised: Set<String>, _ made: Set<String>) throws {
    for line in raised.symmetricDifference(made).sorted() {
      Issue.record("\(raised.contains(line) ? "only here" : "only expected"): \(line)")
    }
    #expect(raised.count > 300)
  }
}
