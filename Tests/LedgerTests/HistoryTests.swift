import FarmTesting
import Ledger
import Messages
import PostgreSQL
import Scheduling
import Testing

/// The history that the database itself writes.
struct HistoryTests {
  private let bench: Bench
  private let connection: Connection

  init() throws {
    bench = try LedgerUnderTest.postgreSQL.bench()
    connection = try Connection(url: try #require(bench.url), applicationName: "test")
  }

  @Test func `every change of a job, its tasks, its attempts and its worker is there, in order`() throws {
    _ = try bench.ledger.lead(Candidate(name: "anna", epoch: "1"))
    try bench.register("a")
    try bench.submit(chunks: 1)
    #expect(try bench.fail(try #require(try bench.claim().first), .transient) == .retries)
    try bench.advance(by: .seconds(30))
    try bench.register("a")
    for _ in 0..<3 { #expect(try bench.commit(try #require(try bench.claim().first)) == .won) }
    try bench.ledger.retire(worker: "a", epoch: "1")
    #expect(try history("entity = 'leader'") == ["nobody>leads"])
    #expect(try history("entity = 'worker'") == [">serving", "serving>retired"])
    #expect(try history("entity = 'job'") == [">queued", "queued>running", "running>done"])
    let chunk = try bench.ledger.tasks(job: "job")[0].id
    #expect(
      try history("entity = 'task' and task = \(chunk)")
        == ["ready>running", "running>ready: reason", "ready>running", "running>done"])
    #expect(
      try history("entity = 'attempt' and task = \(chunk)") == [">open", "open>failed: reason", ">open", "open>won"])
    #expect(try history("entity = 'task' and job = 'job'").count == 4 + 2 * 3)
  }

  @Test func `heartbeats and progress change no state`() throws {
    try bench.register("a")
    try bench.submit(chunks: 1)
    let order = try #require(try bench.claim().first)
    let before = try history("true").count
    for done in 1...3 {
      let progress = AttemptProgress(key: order.key, done: Int64(done), total: 9)
      _ = try bench.ledger.heartbeat(worker: "a", epoch: "1", running: [progress])
    }
    #expect(try history("true").count == before)
  }

  @Test func `a worker that is silent for weeks is forgotten, unless it is drained, and what it did stays`() throws {
    try bench.submit(chunks: 1)
    for worker in ["pod", "drained", "silent", "left"] { try bench.register(worker) }
    #expect(try bench.commit(try #require(try bench.claim("pod").first), "pod") == .won)
    #expect(try bench.ledger.drain(worker: "drained", true))
    try bench.ledger.retire(worker: "left", epoch: "1")
    try connection.run("update spool.worker set lease_until = clock_timestamp() - interval '13 days'")
    try bench.ledger.keepHistory()
    #expect(try bench.ledger.workers().map(\.name) == ["drained", "left", "pod", "silent"])
    try connection.run("update spool.worker set lease_until = clock_timestamp() - interval '15 days' where name <> 'silent'")
    try bench.ledger.keepHistory()
    #expect(try bench.ledger.workers().map(\.name) == ["drained", "silent"])
    #expect(try bench.ledger.tasks(job: "job")[0].worker == "pod")
    // A forgotten worker comes back like any other.
    try bench.register("pod")
    #expect(try bench.claim("pod").count == 1)
    // A worker that holds an attempt is not forgotten, however old its row looks.
    try connection.run("update spool.worker set lease_until = clock_timestamp() - interval '15 days'")
    try bench.ledger.keepHistory()
    #expect(try bench.ledger.workers().map(\.name) == ["drained", "pod"])
  }

  @Test func `what is too old is dropped with its month, and what has no month yet is kept`() throws {
    try connection.run(
      """
      create table spool.history_2020_01 partition of spool.history for values from ('2020-01-01Z') to ('2020-02-01Z');
      insert into spool.history (at, entity, after) values
        ('2019-06-01', 'job', 'before all partitions'), ('2020-01-15', 'job', 'long ago'),
        (clock_timestamp() + interval '3 months', 'job', 'to come');
      """)
    try bench.ledger.keepHistory()
    #expect(try history("job is null and entity = 'job'") == [">to come"])
    let left = try connection.query(Statement("left", "select to_regclass('spool.history_2020_01') is null as gone"))
    #expect(try left[0].value("gone") == true)
  }

  @Test func `who reads history for long does not have the farm wait for its care`() throws {
    try connection.run(
      "create table spool.history_2020_01 partition of spool.history for values from ('2020-01-01Z') to ('2020-02-01Z')")
    let isThere = Statement("is_there", "select to_regclass('spool.history_2020_01') is not null as it")
    let reader = try Connection(url: try #require(bench.url), applicationName: "reader", limits: .init(idleTransaction: 600_000))
    try reader.run("begin; select count(*) from spool.history")
    try bench.ledger.keepHistory()
    #expect(try connection.query(isThere)[0].value("it") == true)
    try reader.run("commit")
    try bench.ledger.keepHistory()
    #expect(try connection.query(isThere)[0].value("it") == false)
  }

  @Test func `a month that began without its partition gets one, with all it had`() throws {
    try connection.run(
      """
      do $$ declare part text; begin
        for part in select relname from pg_class where relname ~ '^history_[0-9]{4}' and relkind = 'r' loop
          execute format('drop table spool.%I', part);
        end loop;
      end $$
      """)
    try bench.submit(chunks: 1)
    try bench.ledger.keepHistory()
    #expect(try history("entity = 'job'") == [">queued"])
    let other = try connection.query(Statement("other", "select count(*) as count from spool.history_other"))
    #expect(try other[0].value("count") == 0)
  }

  @Test func `submitters whose jobs have ended are forgotten, and come back with a retry`() throws {
    try bench.register("a")
    for name in ["gone", "last"] {
      var submission = Bench.submission(name, chunks: 1)
      submission.submitter = name
      _ = try bench.ledger.submit(submission)
      _ = try bench.claim(slots: 8)
    }
    try connection.run("update spool.submitter set turn = case name when 'last' then 9 else 1 end")
    try bench.ledger.keepHistory()
    #expect(try bench.ledger.submitters().map(\.name) == ["gone", "last"])
    _ = try bench.ledger.cancel(job: "gone")
    try bench.ledger.keepHistory()
    #expect(try bench.ledger.submitters().map(\.name) == ["last"])
    #expect(try bench.ledger.change(job: "gone", .retry) == true)
    #expect(try bench.ledger.submitters().map(\.name) == ["gone", "last"])
    #expect(try bench.claim(slots: 8).map(\.job) == ["gone"])
  }

  @Test func `a submitter that is told to be forgotten is, unless it has a share or a job`() throws {
    let ledger = PostgreSQLLedger(url: try #require(bench.url))
    for name in ["ended", "busy", "favoured"] {
      var submission = Bench.submission(name, chunks: 1)
      submission.submitter = name
      _ = try ledger.submit(submission)
      if name != "busy" { _ = try ledger.cancel(job: name) }
    }
    try bench.ledger.setShare(of: "favoured", weight: 3, slots: nil)
    for name in ["ended", "busy", "favoured", "unknown"] { try ledger.forget(submitter: name) }
    #expect(try ledger.submitters().map(\.name) == ["busy", "favoured"])
  }

  @Test func `submitters without jobs are forgotten, but not their shares, nor whose turn tells the present`() throws {
    try bench.register("a")
    for name in ["gone", "last", "here"] {
      var submission = Bench.submission(name, chunks: 1)
      submission.submitter = name
      _ = try bench.ledger.submit(submission)
      _ = try bench.claim(slots: 8)
    }
    try bench.ledger.setShare(of: "favoured", weight: 3, slots: nil)
    try connection.run(
      "delete from spool.job where id <> 'here'; update spool.submitter set turn = case name when 'last' then 9 else 1 end")
    try bench.ledger.keepHistory()
    #expect(try bench.ledger.submitters().map(\.name) == ["favoured", "here", "last"])
  }

  @Test func `what was learned of jobs and workers that are gone is forgotten`() throws {
    try bench.register("a")
    try bench.submit(chunks: 1)
    try connection.run(
      """
      insert into spool.pace (kind, name, pace, result_count) values
        ('job', 'job', 1, 1), ('job', 'gone', 1, 1), ('worker', 'a', 1, 1), ('worker', 'gone', 1, 1), ('work', 'sound', 1, 1)
      """)
    try bench.ledger.keepHistory()
    let left = try connection.query(Statement("paces", "select kind || ' ' || name as pace from spool.pace order by 1"))
    #expect(try left.map { try $0.value("pace", as: String.self) } == ["job job", "work sound", "worker a"])
  }

  /// The rows for which the condition holds, each as "before>after: reason".
  private func history(_ condition: String) throws -> [String] {
    let rows = try connection.query(
      Statement(
        "history \(condition)",
        """
        select coalesce(before, '') || '>' || after || coalesce(': ' || reason, '') as line from spool.history
        where \(condition) order by at
        """))
    return try rows.map { try $0.value("line") }
  }
}
