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

struct SchemaTests {
  private let url: String

  init() throws { url = try TestCluster.shared.get().makeDatabase() }

  @Test func `the program carries the schema that stands at the top level`() throws {
    let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let published = try String(contentsOfFile: top.appending(path: "schema.sql").path, encoding: .utf8)
    #expect(SchemaPlan.current.schema == published)
  }

  @Test func `migrating an empty database makes the schema, and migrating again changes nothing`() throws {
    let ledger = PostgreSQLLedger(url: url)
    try ledger.migrate()
    try ledger.migrate()
    #expect(try versions() == [SchemaPlan.current.version])
    #expect(try ledger.jobs(limit: 1).isEmpty)
  }

  @Test func `an older database is brought up by the numbered migrations it lacks, once`() throws {
    try PostgreSQLLedger(url: url).migrate()
    try PostgreSQLLedger(url: url, plan: Self.later).migrate()
    try PostgreSQLLedger(url: url, plan: Self.later).migrate()
    #expect(try versions() == [Self.current, Self.current + 1, Self.current + 2])
    let connection = try Connection(url: url, applicationName: "test")
    #expect(try connection.query(Statement("note", "select first, second from spool.note")).isEmpty)
  }

  @Test func `a migration that fails leaves the database at the version it had`() throws {
    try PostgreSQLLedger(url: url).migrate()
    var plan = Self.later
    plan.migrations[plan.migrations.count - 1].sql = "alter table spool.nothing add column second text"
    #expect(throws: LedgerError.self) { try PostgreSQLLedger(url: url, plan: plan).migrate() }
    #expect(try versions() == [Self.current])
  }

  @Test func `an extension that lies in the schema stays, and does not stop a migration`() throws {
    try PostgreSQLLedger(url: url).migrate()
    let connection = try Connection(url: url, applicationName: "test")
    // A role named spool creates extensions in this schema, because its own schema comes first.
    try connection.run("create extension pg_stat_statements schema spool")
    try PostgreSQLLedger(url: url, plan: Self.later).migrate()
    let stays = Statement("stays", "select to_regclass('spool.pg_stat_statements') is not null as it")
    #expect(try connection.query(stays)[0].value("it") == true)
  }

  @Test func `who may only read still may after a migration`() throws {
    try PostgreSQLLedger(url: url).migrate()
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
    var plan = Self.later
    plan.schema = SchemaPlan.current.schema
    try PostgreSQLLedger(url: url, plan: plan).migrate()
    try connection.run("set role \(viewer)")
    let views = try connection.query(Statement("views", "select viewname from pg_views where schemaname = 'spool'"))
    #expect(views.count == 10)
    for view in views { try connection.run("select * from spool.\(try view.value("viewname", as: String.self))") }
    #expect(throws: PostgreSQLError.self) { try connection.run("update spool.job set priority = 1") }
  }

  @Test func `a migration gives way to who reads for long`() throws {
    try PostgreSQLLedger(url: url).migrate()
    let reader = try Connection(url: url, applicationName: "reader", limits: .init(idleTransaction: 600_000))
    try reader.run("begin; select count(*) from spool.job_status")
    #expect {
      try PostgreSQLLedger(url: url, plan: Self.later).migrate()
    } throws: { error in
      guard case .refused("drop views", let reason) = error as? LedgerError else { return false }
      return reason.contains("lock timeout")
    }
    #expect(try versions() == [Self.current])
    try reader.run("commit")
    try PostgreSQLLedger(url: url, plan: Self.later).migrate()
  }

  @Test func `a migration takes as long as it takes, however short the time of a statement is`() throws {
    try PostgreSQLLedger(url: url).migrate()
    var plan = Self.later
    plan.migrations[plan.migrations.count - 1].sql = "select pg_sleep(0.7); select pg_sleep(0.7)"
    var reports: [String] = []
    try PostgreSQLLedger(url: url, timing: Self.hasty, plan: plan).migrate { reports.append($0.description) }
    #expect(try versions().last == Self.current + 2)
    #expect(
      reports == (1...2).map { "event=migrates to_version=\(Self.current + $0)" } + ["event=makes_views"])
  }

  @Test func `a coordinator that comes while another one migrates waits for its end`() throws {
    try PostgreSQLLedger(url: url).migrate()
    let other = try Connection(url: url, applicationName: "test")
    // This session keeps the lock as a migration does, for a second.
    try other.run("begin")
    _ = try other.query(Statement("lock", "select pg_advisory_xact_lock(x'73706f6f6c'::bigint)"))
    let (url, end) = (url, DispatchSemaphore(value: 0))
    let ended = Mutex<Result<Void, any Error>?>(nil)
    DispatchQueue.global().async {
      let migrated = Result { try PostgreSQLLedger(url: url, timing: Self.hasty, plan: Self.later).migrate { _ in end.signal() } }
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
    #expect(try versions().last == Self.current + 2)
  }

  @Test func `a migration that waits for a lock in vain says what keeps it`() throws {
    try PostgreSQLLedger(url: url).migrate()
    let other = try Connection(url: url, applicationName: "test")
    try other.run("begin; lock table spool.worker in access share mode")
    var (plan, timing) = (Self.later, LedgerTiming())
    plan.migrations[plan.migrations.count - 1].sql = "alter table spool.worker add column note text"
    timing.schemaLock = 100
    #expect {
      try PostgreSQLLedger(url: url, timing: timing, plan: plan).migrate()
    } throws: { error in
      "\(error)".contains("migration \(Self.current + 2)") && "\(error)".contains("other sessions keep what it needs")
    }
    #expect(try versions() == [Self.current])
  }

  @Test func `a newer database is refused by name of both versions`() throws {
    try PostgreSQLLedger(url: url).migrate()
    try PostgreSQLLedger(url: url, plan: Self.later).migrate()
    let refusal = LedgerError.corrupt(
      "the database has schema version \(Self.current + 2), newer than this program's \(Self.current)")
    #expect(throws: refusal) { try PostgreSQLLedger(url: url).migrate() }
    #expect(throws: refusal) { _ = try PostgreSQLLedger(url: url).jobs(limit: 1) }
  }

  @Test func `a database of version 1 becomes what an empty one becomes`() throws {
    try loadVersion1(url)
    try PostgreSQLLedger(url: url).migrate()
    let fresh = try TestCluster.shared.get().makeDatabase()
    try PostgreSQLLedger(url: fresh).migrate()
    let (migrated, made) = (try catalog(of: url), try catalog(of: fresh))
    for line in migrated.symmetricDifference(made).sorted() {
      Issue.record("\(migrated.contains(line) ? "only migrated" : "only fresh"): \(line)")
    }
    #expect(migrated.count > 100)
  }

  @Test func `the jobs of a database of version 1 go on`() throws {
    try loadVersion1(url)
    let ledger = PostgreSQLLedger(url: url)
    try ledger.migrate()
    #expect(try ledger.jobs(limit: 9).map(\.state) == [.queued, .failed, .running, .done])
    let open = try ledger.openAttempts(worker: "ben", epoch: "e2")
    #expect(open.map(\.order.job) == ["running1"])
    let proof = Proof.sample(of: open[0].order.work)
    #expect(try ledger.commit(open[0].order.key, worker: "ben", epoch: "e2", proof: proof) == .won)
    let claimed = try ledger.claim(for: [FreeSlots(worker: "ben", epoch: "e2", slots: 4)])
    #expect(claimed.map(\.order.work.kind) == [.mux, .picture])
  }

  @Test func `of jobs of an older database that were to write one movie the first goes on`() throws {
    try loadVersion1(url)
    let connection = try Connection(url: url, applicationName: "test")
    try connection.run("update spool.job set output = '/out/2.mp4' where id in ('done1', 'queued1')")
    let ledger = PostgreSQLLedger(url: url)
    try ledger.migrate()
    #expect(try ledger.jobs(limit: 9).map(\.state) == [.failed, .failed, .running, .done])
    let failure = try ledger.status(job: "queued1")?.failure
    #expect(failure?.description == "/out/2.mp4: job running1, which was submitted before, is to write it")
    while try ledger.follow() != nil {}
    #expect(try ledger.tasks(job: "queued1").map(\.state) == [.cancelled, .cancelled, .cancelled])
  }

  @Test func `jobs of an older database say whether damaged media were replaced in them`() throws {
    try loadVersion1(url)
    let connection = try Connection(url: url, applicationName: "test")
    try connection.run(
      """
      update spool.attempt set proof = '{"concealed": [{"asset": "a", "frames": 3, "samples": 0}]}'
      where proof is not null and task in (select id from spool.task where job = 'done1' and kind = 'picture')
      """)
    let ledger = PostgreSQLLedger(url: url)
    try ledger.migrate()
    #expect(try ledger.jobs(limit: 9).filter(\.isDamaged).map(\.id) == ["done1"])
    #expect(try ledger.concealed(job: "done1").map(\.asset) == ["a"])
    #expect(try ledger.concealed(job: "running1") == [])
  }

  @Test func `names in an older database that would steer a terminal are made plain`() throws {
    try loadVersion1(url)
    let connection = try Connection(url: url, applicationName: "test")
    try connection.run("update spool.worker set host = E'a\\u001b[2J'")
    try connection.run("update spool.job set submitter = E'x\\u202ey' where id = 'queued1'")
    let ledger = PostgreSQLLedger(url: url)
    try ledger.migrate()
    #expect(Set(try ledger.workers().map(\.host)) == ["a?[2J"])
    #expect(try ledger.status(job: "queued1")?.submitter == "x?y")
    #expect(try ledger.submitters().map(\.name).contains("x?y"))
  }

  @Test func `a database without the schema says what to do`() {
    let refusal = LedgerError.corrupt(
      "there is no Spool schema in this database; `spool coordinator` or `spool migrate` makes it")
    #expect(throws: refusal) { _ = try PostgreSQLLedger(url: url).jobs(limit: 1) }
  }

  @Test func `everything that an operator queries has a comment`() throws {
    try PostgreSQLLedger(url: url).migrate()
    let connection = try Connection(url: url, applicationName: "test")
    let silent = try connection.query(
      Statement(
        "silent",
        """
        select relname from pg_class
        where relnamespace = 'spool'::regnamespace and relkind in ('r', 'v') and obj_description(oid, 'pg_class') is null
        """))
    #expect(try silent.map { try $0.value("relname", as: String.self) } == [])
  }

  /// A timing in which statements have half a second.
  private static var hasty: LedgerTiming {
    var timing = LedgerTiming()
    timing.statement = 500
    return timing
  }

  private static let current = SchemaPlan.current.version
  private static let later = SchemaPlan(
    schema: "", version: current + 2,
    migrations: SchemaPlan.current.migrations + [
      .init(version: current + 1, sql: "create table spool.note (first text)"),
      .init(version: current + 2, sql: "alter table spool.note add column second text"),
    ])

  private func loadVersion1(_ url: String) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/version-1.sql")
    try Connection(url: url, applicationName: "test").run(try String(contentsOfFile: file.path, encoding: .utf8))
  }

  /// Every column, constraint, index, trigger, function, view and comment of the schema, without the order of columns.
  private func catalog(of url: String) throws -> Set<String> {
    let connection = try Connection(url: url, applicationName: "test")
    return Set(try connection.query(Self.catalogQuery).map { try $0.value("line", as: String.self) })
  }

  private static let catalogQuery = Statement(
    "catalog",
    """
    with relation as (select * from pg_class where relnamespace = 'spool'::regnamespace)
    select 'relation ' || relname || ' ' || relkind::text || ' ' || coalesce(reloptions::text, '') as line from relation
    union all select 'column ' || relname || '.' || attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull
      || ' ' || attidentity::text || ' ' || coalesce(pg_get_expr(adbin, adrelid), '')
      || ' ' || coalesce(col_description(attrelid, attnum), '')
      from pg_attribute a join relation r on r.oid = attrelid
      left join pg_attrdef d on d.adrelid = attrelid and d.adnum = attnum where attnum > 0 and not attisdropped
    union all select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
      from pg_constraint where connamespace = 'spool'::regnamespace
    union all select 'index ' || pg_get_indexdef(indexrelid) from pg_index join relation r on r.oid = indexrelid
    union all select 'trigger ' || pg_get_triggerdef(t.oid) from pg_trigger t join relation r on r.oid = tgrelid
      where not tgisinternal
    union all select 'function ' || pg_get_functiondef(oid) || coalesce(obj_description(oid, 'pg_proc'), '')
      from pg_proc where pronamespace = 'spool'::regnamespace
    union all select 'view ' || relname || ' ' || pg_get_viewdef(oid) from relation where relkind = 'v'
    union all select 'comment ' || relname || ' ' || coalesce(obj_description(oid, 'pg_class'), '') from relation
    """)

  private func versions() throws -> [Int] {
    let connection = try Connection(url: url, applicationName: "test")
    return try connection.query(Statement("versions", "select version from spool.schema_version order by 1")).map {
      try $0.value("version")
    }
  }
}
