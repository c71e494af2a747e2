import FarmTesting
import FoundationEssentials
import Ledger
import PostgreSQL
import Testing

/// The schema that a database gets, and the databases that are refused. `MigrationTests` hold how older ones are raised.
struct SchemaTests {
  private let url: String

  init() throws { url = try TestCluster.shared.get().makeDatabase() }

  @Test func `the program carries the schema that stands at the top level`() throws {
    let published = try String(contentsOfFile: SchemaFixture.repository.appending(path: "schema.sql").path, encoding: .utf8)
    #expect(SchemaPlan.current.schema == published)
  }

  @Test func `migrating an empty database makes the schema, and migrating again changes nothing`() throws {
    let ledger = PostgreSQLLedger(url: url)
    try ledger.migrate()
    try ledger.migrate()
    #expect(try SchemaFixture.versions(url) == [SchemaPlan.current.version])
    #expect(try ledger.jobs(limit: 1).isEmpty)
  }

  /// Versions 2 to 24 were numbered before the schema was written anew as version 25.
  @Test(arguments: [1, 2, 24])
  func `a database from before the oldest version is refused as too old, and stays as it is`(version: Int) throws {
    let connection = try Connection(url: url, applicationName: "test")
    try connection.run(
      """
      create schema spool;
      create table spool.schema_version (version integer primary key);
      insert into spool.schema_version select generate_series(1, \(version))
      """)
    let refusal = LedgerError.corrupt(
      "the database has schema version \(version), older than 25, the oldest that this program can bring up to date: "
        + "give the farm a new database")
    #expect(throws: refusal) { try PostgreSQLLedger(url: url).migrate() }
    #expect(throws: refusal) { _ = try PostgreSQLLedger(url: url).jobs(limit: 1) }
    let tables = Statement("tables", "select relname from pg_class where relnamespace = 'spool'::regnamespace and relkind = 'r'")
    #expect(try connection.query(tables).map { try $0.value("relname", as: String.self) } == ["schema_version"])
  }

  @Test func `a newer database is refused by name of both versions`() throws {
    try PostgreSQLLedger(url: url).migrate()
    let (current, later) = (SchemaPlan.current.version, try SchemaFixture.later())
    try PostgreSQLLedger(url: url, plan: later).migrate()
    let refusal = LedgerError.corrupt("the database has schema version \(later.version), newer than this program's \(current)")
    #expect(throws: refusal) { try PostgreSQLLedger(url: url).migrate() }
    #expect(throws: refusal) { _ = try PostgreSQLLedger(url: url).jobs(limit: 1) }
  }

  @Test(arguments: ["\u{1b}[2J", "\u{9b}2J", "\n", "\u{202e}", "\u{2028}", "\u{7f}"])
  func `names that would steer a terminal are refused by the database itself`(evil: String) throws {
    let bench = try LedgerUnderTest.postgreSQL.bench()
    try bench.lead()
    try bench.register("a")
    try bench.submit("job")
    let connection = try Connection(url: try #require(bench.url), applicationName: "test")
    let changes = [
      "update spool.leader set coordinator = $1::text", "update spool.worker set host = $1::text",
      "update spool.worker set tags = array[$1::text]", "update spool.job set tags = array[$1::text]",
      "insert into spool.submitter (name) values ($1::text)",
    ]
    for (number, sql) in changes.enumerated() {
      let change = Statement("change_\(number)", sql)
      let error = #expect(throws: PostgreSQLError.self, "\(sql)") { _ = try connection.query(change, [.text("a\(evil)b")]) }
      #expect(error?.reason.contains("plain_name") == true, "\(sql): \(String(describing: error))")
      #expect(throws: Never.self, "\(sql)") { _ = try connection.query(change, [.text("a b 雨")]) }
    }
  }

  @Test func `a database without the schema says what to do`() {
    let refusal = LedgerError.corrupt(
      "there is no Spool schema in this database; `spool coordinator` or `spool migrate` makes it")
    #expect(throws: refusal) { _ = try PostgreSQLLedger(url: url).jobs(limit: 1) }
  }

  @Test func `a schema of another program's is left alone`() throws {
    let connection = try Connection(url: url, applicationName: "test")
    try connection.run("create schema spool; create table spool.thread (length_metres integer)")
    let refusal = LedgerError.corrupt("its schema \"spool\" is not this program's: give the farm a database of its own")
    #expect(throws: refusal) { try PostgreSQLLedger(url: url).migrate() }
  }

  @Test func `everything that an operator queries has a comment`() throws {
    try PostgreSQLLedger(url: url).migrate()
    let connection = try Connection(url: url, applicationName: "test")
    let silent = try connection.query(
      Statement(
        "silent",
        """
        select relname from pg_class
        where relnamespace = 'spool'::regnamespace and relkind in ('r', 'p', 'v') and obj_description(oid, 'pg_class') is null
        """))
    #expect(try silent.map { try $0.value("relname", as: String.self) } == [])
  }
}
