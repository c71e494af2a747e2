import FarmTesting
import Glibc
import PostgreSQL
import Subprocess
import Testing

struct PostgreSQLTests {
  private let url: String
  private let connection: Connection

  init() throws {
    url = try TestCluster.shared.get().makeDatabase()
    connection = try Connection(url: url, applicationName: "spool test")
  }

  // MARK: Values

  @Test(arguments: ["", "雨 🎬", "it's", "\"quoted\" \\ back", "{a,b}", "NULL", "line\nend\t", "'; drop table x; --"])
  func `text comes back as it went, alone and in arrays`(_ text: String) throws {
    let row = try #require(
      try connection.query(
        Statement("echo", "select $1::text as one, ($2::text[])[2] as element, ($2::text[])[1] is null as first"),
        [.text(text), .texts([nil, text])]
      ).first)
    #expect(try row.value("one") == text)
    #expect(try row.value("element") == text)
    #expect(try row.value("first", as: Bool.self))
  }

  @Test func `numbers and truths come back exactly`() throws {
    let row = try #require(
      try connection.query(
        Statement(
          "numbers",
          """
          select $1::bigint as low, $2::bigint as high, $3::double precision as tenth, $4::double precision as tiny,
            $5::boolean as yes, ($6::bigint[])[1] as element, ($7::double precision[])[2] as part, $8::bigint as nothing
          """),
        [
          .integer(Int64.min), .integer(Int64.max), .double(0.1), .double(.leastNonzeroMagnitude), .boolean(true),
          .integers([Int64.max, nil]), .doubles([1, 1.0 / 3]), .integer(nil as Int?),
        ]
      ).first)
    #expect(try row.value("low") == Int64.min)
    #expect(try row.value("high") == Int64.max)
    #expect(try row.value("tenth") == 0.1)
    #expect(try row.value("tiny") == Double.leastNonzeroMagnitude)
    #expect(try row.value("yes") == true)
    #expect(try row.value("element") == Int64.max)
    #expect(try row.value("part") == 1.0 / 3)
    #expect(try row.optional("nothing", as: Int.self) == nil)
  }

  @Test func `an answer is not waited for by whom an interruption calls away`() throws {
    let (near, far) = try Descriptor.pair()
    let interruptible = try Connection(url: url, applicationName: "spool test", interruption: near.number)
    try interruptible.run("select 1")
    try #require(unsafe write(far.number, "!", 1) == 1)
    let error = #expect(throws: PostgreSQLError.self) { try interruptible.run("select pg_sleep(25)") }
    #expect(error == PostgreSQLError(.connection, at: "script", "interrupted"))
  }

  @Test func `a NUL cannot be sent, and the text is not cut short instead`() throws {
    let error = #expect(throws: PostgreSQLError.self) {
      _ = try connection.query(Statement("nul", "select $1::text || $2::text as t"), [.text("fine"), .text("a\0b")])
    }
    #expect(error == PostgreSQLError(.parameter, at: "nul", "parameter $2 contains a NUL character"))
  }

  @Test(arguments: ["missing", "none", "word"])
  func `a missing column, a NULL and a wrong type are told by the column's name`(_ column: String) throws {
    let row = try #require(try connection.query(Statement("odd", "select null as none, 'abc' as word")).first)
    let error = #expect(throws: PostgreSQLError.self) { _ = try row.value(column, as: Int.self) }
    #expect(error?.kind == .decoding)
    #expect(error?.reason.contains(column) == true)
  }

  @Test func `a number too large for the type is an error, not another number`() throws {
    let row = try #require(try connection.query(Statement("large", "select 3000000000 as n")).first)
    #expect(try row.value("n") == Int64(3_000_000_000))
    #expect(throws: PostgreSQLError.self) { _ = try row.value("n", as: Int32.self) }
  }

  // MARK: Errors

  @Test func `a refused statement keeps its SQLSTATE, and the connection is still good`() throws {
    let error = #expect(throws: PostgreSQLError.self) { _ = try connection.query(Statement("no_table", "select * from nothing")) }
    #expect(error == PostgreSQLError(.statement(.undefinedTable), at: "no_table", "relation \"nothing\" does not exist"))
    #expect(try one() == 1)
  }

  @Test func `a statement beyond its time is cancelled by the server`() throws {
    var limits = Connection.Limits()
    limits.statement = 50
    let hasty = try Connection(url: url, applicationName: "spool test", limits: limits)
    let error = #expect(throws: PostgreSQLError.self) { try hasty.run("select pg_sleep(60)") }
    #expect(error?.kind == .statement(.queryCanceled))
  }

  @Test func `a server that falls silent counts as gone`() throws {
    var limits = Connection.Limits()
    (limits.statement, limits.silence) = (50, 50)
    let patient = try Connection(url: url, applicationName: "spool test", limits: limits)
    // A stopped server does nothing at all. Not even its own timeout works.
    let error = #expect(throws: PostgreSQLError.self) { try patient.run("set statement_timeout = 0; select pg_sleep(60)") }
    #expect(error?.kind == .connection)
  }

  @Test func `a server that takes nothing in counts as gone`() throws {
    var limits = Connection.Limits()
    (limits.statement, limits.silence) = (200, 50)
    let patient = try Connection(url: url, applicationName: "spool test", limits: limits)
    let server: Int32 = try patient.query(Statement("server", "select pg_backend_pid() as n"))[0].value("n")
    #expect(kill(server, SIGSTOP) == 0)
    defer { kill(server, SIGCONT) }
    // The value is larger than the sockets' buffers.
    let error = #expect(throws: PostgreSQLError.self) {
      _ = try patient.query(Statement("large", "select length($1::text) as n"), [.text(String(repeating: "x", count: 32 << 20))])
    }
    #expect(error?.kind == .connection)
    let second = #expect(throws: PostgreSQLError.self) {
      try patient.run("select '" + String(repeating: "x", count: 32 << 20) + "'")
    }
    #expect(second?.kind == .connection)
  }

  @Test func `a large statement and its large answer pass each other`() throws {
    let text = String(repeating: "雨", count: 8 << 20)
    let row = try #require(
      try connection.query(Statement("large", "select $1::text as one, $1::text as two"), [.text(text)]).first)
    #expect(try row.value("two", as: String.self) == text)
  }

  @Test func `a session that the server ends is lost, not refused`() throws {
    let victim = try Connection(url: url, applicationName: "victim")
    try connection.run(
      "select pg_terminate_backend(pid, 10000) from pg_stat_activity where application_name = 'victim' and datname = current_database()"
    )
    let error = #expect(throws: PostgreSQLError.self) { try victim.run("select 1") }
    #expect(error?.kind == .connection)
  }

  @Test(arguments: ["host=/nonexistent", "host=127.0.0.1 port=1", "dbname='unterminated"])
  func `what cannot be reached is told in one line`(_ url: String) throws {
    let error = #expect(throws: PostgreSQLError.self) { _ = try Connection(url: url, applicationName: "spool test") }
    #expect(error?.kind == .connection)
    #expect(error?.reason.isEmpty == false)
    #expect(error?.reason.contains("\n") == false)
  }

  // MARK: Transactions

  private struct Refusal: Error, Equatable { var reason: PostgreSQLError? }

  @Test func `a transaction that throws leaves nothing, and throws the first error`() throws {
    try connection.run("create table note (n int primary key)")
    #expect(throws: Refusal(reason: nil)) {
      try connection.transaction(mapping: Refusal.init) { () throws(Refusal) in
        try refusing { () throws(PostgreSQLError) in try connection.run("insert into note values (1)") }
        throw Refusal(reason: nil)
      }
    }
    try connection.transaction(mapping: Refusal.init) { () throws(Refusal) in
      try refusing { () throws(PostgreSQLError) in try connection.run("insert into note values (2)") }
    }
    #expect(try connection.query(Statement("notes", "select n from note")).map { try $0.value("n") } == [2])
  }

  @Test func `a constraint that fails at commit fails the transaction`() throws {
    try connection.run(
      "create table parent (n int primary key); create table child (n int references parent deferrable initially deferred)")
    let refusal = #expect(throws: Refusal.self) {
      try connection.transaction(mapping: Refusal.init) { () throws(Refusal) in
        try refusing { () throws(PostgreSQLError) in try connection.run("insert into child values (1)") }
      }
    }
    #expect(refusal?.reason?.place == "commit")
    #expect(try one() == 1)
  }

  @Test func `a statement prepared in a transaction that failed serves on`() throws {
    let statement = Statement("prepared", "select $1::int as n")
    #expect(throws: Refusal.self) {
      try connection.transaction(mapping: Refusal.init) { () throws(Refusal) in
        try refusing { () throws(PostgreSQLError) in _ = try connection.query(statement, [.integer(1)]) }
        throw Refusal(reason: nil)
      }
    }
    #expect(try connection.query(statement, [.integer(2)]).first?.value("n") == 2)
  }

  @Test func `affected rows are counted`() throws {
    try connection.run("create table number as select generate_series(1, 5) as n")
    #expect(try connection.query(Statement("shrink", "delete from number where n > $1"), [.integer(2)]).affectedCount == 3)
    #expect(try connection.query(Statement("count", "select n from number")).affectedCount == 2)
  }

  // MARK: Notifications

  @Test func `notifications arrive on the descriptor, and also beside an answer`() throws {
    try connection.listen(channel: "bell")
    #expect(try connection.takeNotifications() == [])
    let ringer = try Connection(url: url, applicationName: "ringer")
    try ringer.run("notify bell; notify bell; notify other")
    var entry = pollfd(fd: connection.descriptor, events: Int16(POLLIN), revents: 0)
    #expect(unsafe poll(&entry, 1, 10_000) == 1)
    #expect(try connection.takeNotifications() == ["bell"])
    try ringer.run("notify bell")
    // The server sends the notification before the next answer, so no later wait would be woken by it.
    #expect(try one() == 1)
    #expect(try connection.takeNotifications() == ["bell"])
  }

  private func refusing(_ body: () throws(PostgreSQLError) -> Void) throws(Refusal) {
    do throws(PostgreSQLError) { try body() } catch { throw Refusal(reason: error) }
  }

  private func one() throws -> Int? { try connection.query(Statement("one", "select 1 as n")).first?.value("n") }
}
