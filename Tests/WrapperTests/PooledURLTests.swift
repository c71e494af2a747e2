import FarmTesting
import PostgreSQL
import Testing

@Suite struct `A database behind a pooler` {
  @Test(arguments: [
    ("postgresql://a@b/c?pool=transaction", "postgresql://a@b/c"),
    ("postgresql://b/c?pool=transaction&sslmode=require", "postgresql://b/c?sslmode=require"),
    ("postgresql://b/c?sslmode=require&pool=transaction", "postgresql://b/c?sslmode=require"),
    ("host=b pool=transaction dbname=c", "host=b dbname=c"),
    ("dbname=c pool=transaction", "dbname=c"),
  ]) func `is told by a part of its place that libpq does not get`(place: String, url: String) {
    #expect(PooledURL(place).isPooled && PooledURL(place).url == url)
    #expect(!PooledURL(url).isPooled && PooledURL(url).url == url)
  }

  @Test func `leaves nothing in a session, and is refused to who listens`() throws {
    let place = try TestCluster.shared.get().makeDatabase()
    let joint = place.contains("://") ? (place.contains("?") ? "&" : "?") : " "
    let pooled = try Connection(url: "\(place)\(joint)pool=transaction", applicationName: "test")
    let statement = Statement("sum", "select $1::integer + 1 as n")
    for number in 1...3 { #expect(try pooled.query(statement, [.integer(number)]).first?.value("n", as: Int.self) == number + 1) }
    let left = try pooled.query(Statement("left", "select count(*) as n from pg_prepared_statements")).first
    #expect(try left?.value("n", as: Int.self) == 0)
    let patience = try pooled.query(Statement("patience", "select current_setting('statement_timeout') as t")).first
    #expect(try patience?.value("t", as: String.self) == "0")
    #expect(throws: PostgreSQLError.self) { try pooled.listen(channel: "spool") }
  }
}
