import FarmTesting
import FoundationEssentials
import Ledger
import PostgreSQL
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
    #expect(try versions() == [1])
    #expect(try ledger.jobs(limit: 1).isEmpty)
  }

  @Test func `an older database is brought up by the numbered migrations it lacks, once`() throws {
    try PostgreSQLLedger(url: url).migrate()
    try PostgreSQLLedger(url: url, plan: Self.third).migrate()
    try PostgreSQLLedger(url: url, plan: Self.third).migrate()
    #expect(try versions() == [1, 2, 3])
    let connection = try Connection(url: url, applicationName: "test")
    #expect(try connection.query(Statement("note", "select first, second from spool.note")).isEmpty)
  }

  @Test func `a migration that fails leaves the database at the version it had`() throws {
    try PostgreSQLLedger(url: url).migrate()
    var plan = Self.third
    plan.migrations[1].sql = "alter table spool.nothing add column second text"
    #expect(throws: LedgerError.self) { try PostgreSQLLedger(url: url, plan: plan).migrate() }
    #expect(try versions() == [1])
  }

  @Test func `a newer database is refused by name of both versions`() throws {
    try PostgreSQLLedger(url: url).migrate()
    try PostgreSQLLedger(url: url, plan: Self.third).migrate()
    let refusal = LedgerError.corrupt("the database has schema version 3, newer than this program's 1")
    #expect(throws: refusal) { try PostgreSQLLedger(url: url).migrate() }
    #expect(throws: refusal) { _ = try PostgreSQLLedger(url: url).jobs(limit: 1) }
  }

  @Test func `a database without the schema says what to do`() {
    let refusal = LedgerError.corrupt("there is no Spool schema in this database; `spool coordinator` makes it")
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

  private static let third = SchemaPlan(
    schema: "", version: 3,
    migrations: [
      .init(version: 2, sql: "create table spool.note (first text)"),
      .init(version: 3, sql: "alter table spool.note add column second text"),
    ])

  private func versions() throws -> [Int] {
    let connection = try Connection(url: url, applicationName: "test")
    return try connection.query(Statement("versions", "select version from spool.schema_version order by 1")).map {
      try $0.value("version")
    }
  }
}
