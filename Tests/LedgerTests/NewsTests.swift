import FarmTesting
import Ledger
import Messages
import PostgreSQL
import Scheduling
import Testing

/// The news that the database has the coordinator log, whoever caused them.
struct NewsTests {
  private let bench: Bench
  private let ledger: PostgreSQLLedger

  init() throws {
    bench = try LedgerUnderTest.postgreSQL.bench()
    ledger = try #require(bench.ledger as? PostgreSQLLedger)
    for worker in ["a", "b"] { try bench.register(worker) }
  }

  /// The news as log lines, without the fields that depend on the clock.
  private func news() throws -> [String] {
    try ledger.news().map { news in
      Note(News(news.event, news.facts.filter { !$0.name.hasSuffix("seconds") })).description
    }
  }

  @Test func `a job's end is told once, with its state, its time, its frames and its retries`() throws {
    try bench.submit(chunks: 1)
    for _ in 0..<3 { #expect(try bench.commit(try #require(try bench.claim().first)) == .won) }
    let all = try ledger.news()
    #expect(
      all.flatMap(\.facts).map(\.name) == ["job", "state", "seconds", "waited_seconds", "frames", "retries", "submitter"])
    #expect(all.map(\.event) == ["job_ended"])
    #expect(all[0].facts.first { $0.name == "frames" }?.value == "10/10")
    #expect(all[0].facts.first { $0.name == "seconds" }.flatMap { Double($0.value) }.map { $0 >= 0 } == true)
    #expect(try ledger.news() == [])
  }

  @Test func `a failure is told with the job's end`() throws {
    try bench.submit(chunks: 1)
    _ = try bench.fail(try #require(try bench.claim().first), .content)
    #expect(
      try news() == [
        #"event=job_ended job=job state=failed frames=0/10 retries=0 submitter=tester failure="content: place: reason""#
      ])
  }

  @Test func `what operators do is told`() throws {
    try bench.submit()
    for change in [JobChange.pause, .pause, .resume, .prioritise(3)] { _ = try ledger.change(job: "job", change) }
    _ = try ledger.cancel(job: "job")
    _ = try ledger.change(job: "job", .retry)
    for isDrained in [true, true, false] {
      _ = try ledger.drain(worker: nil, isDrained)
      _ = try ledger.drain(worker: "a", isDrained)
    }
    #expect(
      try news() == [
        "event=job_paused job=job", "event=job_resumed job=job",
        "event=job_ended job=job state=cancelled frames=0/20 retries=0 submitter=tester", "event=job_retried job=job",
        "event=farm_drained", "event=worker_drained worker=a", "event=farm_undrained", "event=worker_undrained worker=a",
      ])
  }

  @Test func `attempts that expired are told, each with the reason`() throws {
    try bench.submit()
    let orders = try bench.claim(slots: 2)
    try ledger.lose(worker: "a", epoch: "1")
    #expect(
      try news()
        == orders.map {
          #"event=expired attempt=\#($0.key) job=job worker=a reason="its connection was lost""#
        })
  }

  @Test func `a worker that is set aside, and taken back, is told`() throws {
    let connection = try Connection(url: try #require(bench.url), applicationName: "test")
    try connection.run("update spool.worker set set_aside_at = now(), canary_at = now() + interval '30 seconds' where name = 'a'")
    try connection.run("update spool.worker set set_aside_at = null, canary_at = null where name = 'a'")
    #expect(
      try ledger.news() == [
        News("worker_set_aside", [.init("worker", "a"), .init("canary_seconds", "30")]),
        News("worker_trusted", [.init("worker", "a")]),
      ])
  }

  @Test func `of much only so much is taken at once, in its order`() throws {
    let connection = try Connection(url: try #require(bench.url), applicationName: "test")
    try connection.run("select spool.tell('e', 'n', n::text) from generate_series(1, \(News.mostTogether + 3)) n")
    let first = try ledger.news()
    #expect(first.count == News.mostTogether)
    #expect(first.last?.facts == [.init("n", "\(News.mostTogether)")])
    #expect(try ledger.news().count == 3)
  }

  @Test func `what was told in a former term is not taken by whoever leads no longer`() throws {
    ledger.term = 99
    #expect(throws: LedgerError.self) { _ = try ledger.news() }
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a result that comes again is known as such`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 1)
    let order = try #require(try bench.claim().first)
    let done = Completion(worker: "a", epoch: "1", key: order.key, proof: Bench.proof(order))
    #expect(try bench.ledger.commit([done]) == Committed(verdicts: [.won]))
    #expect(try bench.ledger.commit([done]) == Committed(verdicts: [.won], repeated: [order.key]))
  }
}
