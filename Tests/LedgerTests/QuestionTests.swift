import FoundationEssentials
import Ledger
import PostgreSQL
import Testing

/// Queries on a large farm: their cost depends on the answer, not on the farm. Pages are counted, not seconds.
struct QuestionTests {
  private let bench: Bench
  private let connection: Connection

  init() throws {
    bench = try LedgerUnderTest.postgreSQL.bench()
    connection = try Connection(url: try #require(bench.url), applicationName: "test")
  }

  @Test func `one job among many reads its own pages, whatever runs`() throws {
    try fill()
    for question in [
      "job_status where id = 'small'", "job_damage where job = 'small'", "job_loudness where job = 'small'",
      "job_target where job = 'small'",
      "chunk_status where job = 'small'",
      "worker_status where name = 'w7'",
      "chunk_status where task = (select max(id) from spool.task)",
    ] {
      let pages = try explain("select * from spool.\(question)").plan.pages
      #expect(pages < 60, "\(question): \(pages) pages")
    }
  }

  @Test func `the newest jobs are read by themselves`() throws {
    try fill()
    let pages = try explain("select * from spool.job_status order by number desc limit 20").plan.pages
    #expect(pages < 60, "\(pages) pages")
  }

  @Test func `the chunks of a large job are read without the attempts of all others`() throws {
    try fill()
    let pages = try explain("select * from spool.chunk_status where job = 'waiting'").plan.pages
    #expect(pages < 200, "\(pages) pages")
  }

  @Test func `what stands in the way of a job is found once, not for each of its chunks`() throws {
    try fill()
    let explained = try explain("select * from spool.chunk_waiting_reason where job = 'waiting'")
    #expect(explained.plan.rows == Double(Self.waitingChunks))
    let reasons = try connection.query(
      Statement("reasons", "select distinct reason from spool.chunk_waiting_reason where job = 'waiting'"))
    #expect(
      try reasons.map { try $0.value("reason", as: String.self) }
        == ["all 500 slots that could take it are busy: 500 with other jobs"])
    // It is summed up by submitters, by jobs, and by the needs that its workers meet.
    let readings = explained.plan.readings(of: "open")
    #expect((1...3).contains(readings), "what runs was summed up \(readings) times")
  }

  @Test func `who led, and since when, is read without the rest of history`() throws {
    try connection.run(
      """
      insert into spool.history (entity, job, after) select 'job', 'j', 'queued' from generate_series(1, 20000);
      insert into spool.history (entity, number, worker, after) values ('leader', 1, 'c', 'leads');
      analyze spool.history
      """)
    let explained = try explain("select at, number, worker from spool.history where entity = 'leader' order by at desc")
    #expect(explained.plan.rows == 1 && explained.plan.pages < 30, "\(explained.plan.pages) pages")
  }

  @Test func `no query is compiled for longer than it runs`() throws {
    let jit = try connection.query(Statement("jit", "select current_setting('jit') as setting"))
    #expect(try jit[0].value("setting", as: String.self) == "off")
  }

  // MARK: Private parts

  private static let waitingChunks = 2000

  /// Fills the database with 3,000 jobs. One has 20,000 chunks that are done and runs on 500 workers, one runs on one worker, one
  /// waits.
  private func fill() throws {
    try connection.run(
      """
      set session_replication_role = replica;
      insert into spool.submitter (name) values ('s');
      update spool.leader set term = 1, coordinator = 'c', lease_until = now() + interval '1 day';
      insert into spool.worker (name, epoch, host, process_id, slots, lease_until)
        select 'w' || n, '1', 'h', 1, 1, now() + interval '1 day' from generate_series(1, 500) n;
      insert into spool.job (id, state, submitter, priority, output, frame_count, chunk_count, parts_left, started_at)
        values ('large', 'running', 's', 0, '/o/l', 205000, 20500, 500, now()), ('small', 'running', 's', 0, '/o/s', 30, 3, 3, now()),
          ('waiting', 'queued', 's', 0, '/o/w', \(Self.waitingChunks * 10), \(Self.waitingChunks), \(Self.waitingChunks), null)
        union all select 'q' || n, 'queued', 's', 0, '/o/' || n, 0, 0, 0, null from generate_series(1, 3000) n;
      insert into spool.task (job, ordinal, kind, state, first_frame, frame_count, cost, attempts)
        select 'large', n, 'picture', case when n < 20000 then 'done' else 'running' end, n * 10, 10, 1, 1 from generate_series(0, 20499) n
        union all select 'waiting', n, 'picture', 'ready', n * 10, 10, 1, 0 from generate_series(0, \(Self.waitingChunks - 1)) n
        union all select 'small', n, 'picture', case n when 0 then 'running' else 'done' end, n * 10, 10, 1, 1 from generate_series(0, 2) n;
      insert into spool.attempt (task, number, worker, epoch, progress_deadline, outcome, ended_at, proof)
        select id, 1, 'w' || id % 500 + 1, '1', now(), case state when 'done' then 'won' end, case state when 'done' then now() end,
          case state when 'done' then '{"file": "0123456789abcdef"}'::json end
        from spool.task where attempts = 1;
      set session_replication_role = origin
      """)
    try connection.run("vacuum analyze")
  }

  private struct Explained: Decodable {
    var plan: Node
    enum CodingKeys: String, CodingKey { case plan = "Plan" }
  }

  private struct Node: Decodable {
    var hits: Int
    var reads: Int
    var rows: Double
    var loops: Double
    var cte: String?
    var children: [Node]?

    enum CodingKeys: String, CodingKey {
      case hits = "Shared Hit Blocks", reads = "Shared Read Blocks", rows = "Actual Rows", loops = "Actual Loops"
      case cte = "CTE Name", children = "Plans"
    }

    /// The pages that this node and the nodes below read.
    var pages: Int { hits + reads }

    /// The number of times that a common table expression was read.
    func readings(of name: String) -> Double {
      (cte == name ? loops : 0) + (children ?? []).reduce(0) { $0 + $1.readings(of: name) }
    }
  }

  private func explain(_ query: String) throws -> Explained {
    let rows = try connection.query(Statement("explain \(query.hashValue)", "explain (analyze, buffers, format json) \(query)"))
    let text = try rows.map { try $0.value("QUERY PLAN", as: String.self) }.joined()
    return try #require(try JSONDecoder().decode([Explained].self, from: Data(text.utf8)).first)
  }
}
