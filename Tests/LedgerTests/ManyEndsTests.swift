import FarmTesting
import Ledger
import Messages
import PostgreSQL
import Scheduling
import Testing

/// The end of many attempts at once, as when a rack of machines vanishes.
struct ManyEndsTests {
  private let bench: Bench
  private let url: String

  init() throws {
    bench = try LedgerUnderTest.postgreSQL.bench()
    url = try #require(bench.url)
  }

  @Test func `the end of many attempts takes as many statements as that of one`() throws {
    let connection = try Connection(url: url, applicationName: "test")
    // The trigger counts each statement that changes tasks.
    try connection.run(
      """
      create table public.counted (n int);
      create function public.count_one() returns trigger language plpgsql as
        $$ begin insert into public.counted values (1); return null; end $$;
      create trigger counted after update on spool.task for each statement execute function public.count_one();
      """)
    for job in 0..<4 { try bench.submit("job\(job)", chunks: 50) }
    func updates(epoch: String, _ end: () throws -> Void) throws -> Int {
      try bench.register("a", epoch: epoch, slots: 200)
      #expect(try bench.claim(epoch: epoch, slots: 200).count == 200)
      try connection.run("truncate public.counted")
      try end()
      let count: Int = try connection.query(Statement("counted", "select count(*) as n from public.counted"))[0].value("n")
      #expect(try (0..<4).allSatisfy { try bench.states("job\($0)").prefix(50).allSatisfy { $0 == .ready } })
      // Time passes until the tasks may be tried again.
      try bench.advance(by: .seconds(60))
      return count
    }
    let counts = [
      try updates(epoch: "1") { try bench.register("a", epoch: "2") },
      try updates(epoch: "2") { try bench.ledger.lose(worker: "a", epoch: "2") },
      try updates(epoch: "3") { try bench.ledger.retire(worker: "a", epoch: "3") },
      try updates(epoch: "4") {
        try bench.advance(by: .seconds(11))
        _ = try bench.ledger.expire()
      },
    ]
    #expect(counts.allSatisfy { $0 <= 3 }, "\(counts)")
  }

  @Test func `no more attempts are ended together than a transaction should`() throws {
    let most = ExpiredAttempt.mostTogether
    try bench.register("a", slots: 1000)
    try bench.submit(chunks: most + 100)
    #expect(try bench.claim(slots: 1000).count == most + 100)
    try bench.advance(by: .seconds(11))
    #expect(try [bench.ledger.expire().count, bench.ledger.expire().count, bench.ledger.expire().count] == [most, 100, 0])
  }
}
