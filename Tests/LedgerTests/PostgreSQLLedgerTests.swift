import Dispatch
import FarmTesting
import FoundationEssentials
import Glibc
import Ledger
import Messages
import PostgreSQL
import Scheduling
import Subprocess
import Synchronization
import Testing

/// The ledger in PostgreSQL when its database goes away, comes back, or is shared.
struct PostgreSQLLedgerTests {
  private let bench: Bench
  private let url: String

  init() throws {
    bench = try LedgerUnderTest.postgreSQL.bench()
    url = try #require(bench.url)
  }

  @Test func `a lost connection is told as such, and the next call has a new one`() throws {
    try bench.submit()
    try disconnect()
    #expect(throws: LedgerError.self) { _ = try bench.state() }
    #expect(try bench.state() == .queued)
  }

  @Test func `a connection lost within a transaction leaves nothing half done`() throws {
    try bench.register("a")
    try bench.submit(chunks: 1)
    let order = try #require(try bench.claim().first)
    try disconnect()
    #expect(throws: LedgerError.self) { _ = try bench.commit(order) }
    #expect(try bench.states() == [.running, .waiting, .waiting])
    #expect(try bench.commit(order) == .won)
  }

  @Test func `a claim reads no more of a long queue than of a short one`() throws {
    try bench.register("a", slots: 100)
    try enqueue(20)
    let short = try readByClaim()
    try enqueue(2000)
    let long = try readByClaim()
    #expect(short > 10 && long < short + 100, "\(short) rows with 20 jobs, \(long) with 2,000")
  }

  @Test func `a claim counts what runs once, however many submitters have quotas`() throws {
    try bench.register("a", slots: 500)
    try enqueue(200)
    let offer = FreeSlots(worker: "a", epoch: "1", slots: 200)
    #expect(try PostgreSQLLedger(url: url, role: "claims").claim(for: [offer]).count == 200)
    func enter(_ submitters: Range<Int>) throws {
      let ledger = PostgreSQLLedger(url: url, role: "claims")
      for number in submitters {
        var submission = Bench.submission("job\(number)", chunks: 10)
        submission.submitter = "limited\(number)"
        _ = try ledger.submit(submission)
        try ledger.setShare(of: submission.submitter, weight: 1, slots: 100)
      }
    }
    try enter(0..<1)
    let one = try readByClaim()
    try enter(1..<31)
    let many = try readByClaim()
    // Each submitter adds a job and the ten tasks that would fill the slots.
    #expect(many - one < 30 * 20 + 200, "\(one) rows with one, \(many) with 31")
  }

  /// The rows of the tables of jobs and tasks that a claim of ten tasks reads.
  private func readByClaim() throws -> Int {
    try RowsRead(url: url).by {
      let ledger = PostgreSQLLedger(url: url, role: "claims")
      // The session is set up as a coordinator's.
      _ = try ledger.lead(Candidate(name: "c", epoch: "c"))
      #expect(try ledger.claim(for: [FreeSlots(worker: "a", epoch: "1", slots: 10)]).count == 10)
    }
  }

  /// Enters jobs of three chunks by two submitters. Some are paused, some fit no worker, and some have tasks that are tried again
  /// later.
  private func enqueue(_ jobs: Int) throws {
    try Connection(url: url, applicationName: "spool claims").run(
      """
      insert into spool.submitter (name) values ('s0'), ('s1') on conflict do nothing;
      with entered as (
        insert into spool.job (id, submitter, priority, output, frame_count, chunk_count, parts_left, tags, paused_at, wakes_at)
        select 'q\(jobs)n' || n, 's' || n % 2, 0, '/o/\(jobs)/' || n, 30, 3, 3, case n % 5 when 1 then '{gpu}'::text[] else '{}' end,
          case n % 5 when 2 then now() end, case n % 5 when 3 then 'infinity'::timestamptz end
        from generate_series(1, \(jobs)) n returning id, wakes_at
      ), specified as (
        insert into spool.job_spec (job, document, facts, overwrites, keeps_segments) select id, '{}', '{}', true, false from entered
      )
      insert into spool.task (job, ordinal, kind, state, first_frame, frame_count, cost, ready_at)
      select id, n, 'picture', 'ready', n * 10, 10, 1, case when wakes_at is null then now() else now() + interval '1 day' end
      from entered, generate_series(0, 2) n
      """)
  }

  @Test func `a job whose tasks are tried again later is not looked at before, and then is`() throws {
    try bench.register("a")
    try bench.submit(chunks: 1)
    let wakes = Statement(
      "wakes",
      "select case when wakes_at is null then 'awake' when wakes_at < 'infinity' then 'waits' else 'sleeps' end as w from spool.job"
    )
    let connection = try Connection(url: url, applicationName: "test")
    func state() throws -> String { try connection.query(wakes).map { try $0.value("w", as: String.self) }[0] }
    #expect(try state() == "awake")
    let order = try #require(try bench.claim().first)
    #expect(try state() == "sleeps")
    #expect(try bench.fail(order, .transient) == .retries)
    #expect(try state() == "waits")
    #expect(try bench.claim().isEmpty)
    try bench.advanceAlive(by: .seconds(1), ["a"])
    let again = try #require(try bench.claim().first)
    #expect(try state() == "sleeps")
    #expect(try bench.commit(again) == .won)
    // The mux is found by itself.
    #expect(try state() == "sleeps")
    let mux = try #require(try bench.claim().first)
    #expect(mux.work.kind == .mux)
    #expect(try state() == "sleeps")
    #expect(try bench.fail(mux, .transient) == .retries)
    #expect(try state() == "waits")
  }

  @Test(arguments: ["'; drop schema spool cascade; --", "$1", "a'b\"c\\", "{x,NULL}", "%s%n", "\u{1}\n\u{7f}", "歌'); --", "$$;"])
  func `SQL in a string is a string`(_ text: String) throws {
    var submission = Bench.submission("job", chunks: 1)
    let name = String(text.unicodeScalars.filter { $0.value > 0x1f && $0.value != 0x7f })
    (submission.submitter, submission.spec.output, submission.spec.document) = (name, "/out/\(text)", text)
    // A worker's name has no spaces, quotes or slashes. The rest of the text is the worst that it can hold.
    let worker = String(text.filter { WorkerHello.isName(String($0)) }) + "'--"
    try bench.register(worker)
    let job = try bench.ledger.submit(submission)
    let order = try #require(try bench.claim(worker).first)
    #expect(order.spec == submission.spec)
    let failure = Failure(.content, at: text, text)
    _ = try bench.ledger.fail(order.key, worker: worker, epoch: "1", failure)
    let status = try #require(try bench.ledger.status(job: job))
    #expect(status.submitter == name && status.output == "/out/\(text)" && status.failure == failure)
    #expect(try bench.ledger.workers().map(\.name) == [worker])
  }

  @Test func `no database is unavailable, not a crash`() {
    let ledger = PostgreSQLLedger(url: "host=/nonexistent dbname=farm")
    #expect {
      _ = try ledger.jobs(limit: 1)
    } throws: { error in
      guard case .unavailable(let reason) = error as? LedgerError else { return false }
      return reason.contains("/nonexistent") && !reason.contains("\n")
    }
  }

  @Test func `a submission whose session is lost is made in another one, once`() throws {
    let connection = try Connection(url: url, applicationName: "test")
    // A sequence is not rolled back with its transaction.
    try connection.run(
      """
      create sequence public.tries;
      create function public.lose() returns trigger language plpgsql as
        $$ begin if nextval('public.tries') < 3 then perform pg_terminate_backend(pg_backend_pid()); end if; return new; end $$;
      create trigger lose before insert on spool.task for each row when (new.ordinal = 0) execute function public.lose();
      """)
    let client = PostgreSQLLedger(url: url, patience: .seconds(30))
    #expect(try client.submit(Bench.submission("lost", chunks: 3)) == "lost")
    #expect(try bench.states("lost").count == 5)
    #expect(try bench.ledger.jobs(limit: 9).count == 1)
  }

  @Test func `a coordinator that starts again finds what its workers hold`() throws {
    try bench.register("a")
    try bench.submit(chunks: 3)
    let orders = try bench.claim(slots: 2)
    let successor = PostgreSQLLedger(url: url)
    try successor.migrate()
    #expect(try successor.openAttempts(worker: "a", epoch: "1").map(\.order) == orders)
    #expect(try successor.commit(orders[0].key, worker: "a", epoch: "1", proof: Bench.proof(orders[0])) == .won)
    #expect(try bench.states() == [.done, .running, .ready, .waiting, .waiting])
  }

  @Test func `ledgers that claim at the same time never get the same task`() throws {
    try bench.submit(chunks: 300)
    let workers = (0..<4).map { "w\($0)" }
    for worker in workers { try bench.register(worker) }
    let url = url
    let claims = try onThreads(workers.count) { index in
      let ledger = PostgreSQLLedger(url: url)
      var keys: [AttemptKey] = []
      while true {
        let claimed = try ledger.claim(for: [FreeSlots(worker: workers[index], epoch: "1", slots: 7)])
        guard !claimed.isEmpty else { return keys }
        keys += claimed.map(\.order.key)
      }
    }
    let keys = claims.flatMap { $0 }
    #expect(keys.count == 300)
    #expect(Set(keys).count == 300)
    #expect(keys.allSatisfy { $0.attempt == 1 })
  }

  @Test func `the last parts committed at the same time make the mux ready once`() throws {
    try bench.register("a", slots: 64)
    for round in 0..<20 {
      try bench.submit("round\(round)", chunks: 4)
      let orders = try bench.claim(slots: 64)
      let url = url
      _ = try onThreads(orders.count) { index in
        let order = orders[index]
        return try PostgreSQLLedger(url: url).commit(order.key, worker: "a", epoch: "1", proof: Bench.proof(order))
      }
      #expect(try bench.states("round\(round)") == [.done, .done, .done, .done, .ready, .waiting])
      #expect(try bench.ledger.cancel(job: "round\(round)") == [])
    }
  }

  @Test func `claims, ends, expiry and cancellation at the same time neither deadlock nor lose a task`() throws {
    let url = url
    for job in 0..<8 { try bench.submit("job\(job)", chunks: 10) }
    _ = try onThreads(4) { index in
      let (ledger, worker) = (PostgreSQLLedger(url: url), "w\(index)")
      var random = SeededRandom(seed: UInt64(index))
      for round in 0..<40 {
        let epoch = "\(round / 10)"
        try ledger.register(WorkerHello(worker: worker, epoch: epoch, host: "h", processID: 1, slots: 4, running: []))
        for claimed in try ledger.claim(for: [FreeSlots(worker: worker, epoch: epoch, slots: 4)]) {
          let key = claimed.order.key
          if random.chance(0.7) {
            _ = try ledger.commit(key, worker: worker, epoch: epoch, proof: Bench.proof(claimed.order))
          } else {
            _ = try ledger.fail(key, worker: worker, epoch: epoch, Failure(.transient, at: "", ""))
          }
        }
        _ = try ledger.expire()
        if round % 10 == 9 { _ = try ledger.cancel(job: "job\(index)") }
      }
    }
    let connection = try Connection(url: url, applicationName: "test")
    let broken = Statement(
      "broken",
      """
      select t.id from spool.task t join spool.job j on j.id = t.job
      where (t.state = 'running') <> exists (select from spool.attempt a where a.task = t.id and a.outcome is null)
        or (t.state = 'done') <> exists (select from spool.attempt a where a.task = t.id and a.outcome = 'won')
        or j.state in ('done', 'failed', 'cancelled') and t.state in ('waiting', 'ready', 'running')
      """)
    #expect(try connection.query(broken).isEmpty)
    let miscounted = Statement(
      "miscounted",
      """
      select id from spool.job j where chunks_done <> (
        select count(*) from spool.task t where t.job = j.id and t.kind = 'picture' and t.state = 'done')
      """)
    #expect(try connection.query(miscounted).isEmpty)
  }

  @Test func `submitting and cancelling wake those who listen, and are told apart`() throws {
    let listener = PostgreSQLLedger(url: url)
    // The session listens as a coordinator's does, whether it leads or not.
    _ = try listener.lead(Candidate(name: "c", epoch: "c"))
    #expect(try listener.takeNotifications() == nil)
    try bench.submit(chunks: 50)
    #expect(try isReadable(try #require(listener.notificationDescriptor)))
    #expect(try listener.takeNotifications() == .submissions)
    #expect(try listener.takeNotifications() == nil)
    _ = try bench.ledger.cancel(job: "job")
    #expect(try isReadable(try #require(listener.notificationDescriptor)))
    #expect(try listener.takeNotifications() == .changes)
  }

  @Test func `the database itself refuses what breaks the fence`() throws {
    try bench.register("a")
    try bench.submit(chunks: 1)
    #expect(try bench.commit(try #require(try bench.claim().first)) == .won)
    let connection = try Connection(url: url, applicationName: "test")
    let won = "update spool.attempt set outcome"
    for breach in [
      "\(won) = 'failed', proof = null, failure_class = 'bug', failure_place = '', failure_reason = '' where outcome = 'won'",
      "\(won) = null, ended_at = null, proof = null where outcome = 'won'",
      """
      insert into spool.attempt (task, number, worker, epoch, progress_deadline, ended_at, outcome, proof)
      select task, number + 1, worker, epoch, progress_deadline, ended_at, outcome, proof from spool.attempt where outcome = 'won'
      """,
      "update spool.task set attempts = attempts - 1",
      "update spool.task set state = 'failed' where kind = 'picture'",
      "update spool.job set state = 'done'",
      "update spool.job set state = 'done', failure_class = 'bug', failure_place = '', failure_reason = '', ended_at = now()",
      "update spool.job set chunks_done = chunks_done + 1",
      "insert into spool.task (job, ordinal, kind, state, cost) values ('job', 9, 'mux', 'waiting', 1)",
    ] {
      #expect("\(breach)") {
        try connection.run(breach)
      } throws: { error in
        guard case .statement(let state) = (error as? PostgreSQLError)?.kind else { return false }
        return state.code.hasPrefix("23")
      }
    }
  }

  @Test func `an operator reads the views with psql`() throws {
    try bench.register("a", slots: 3)
    try bench.submit(chunks: 2)
    let order = try #require(try bench.claim().first)
    #expect(try bench.commit(order) == .won)
    #expect(
      try psql("select id, state, frames_done, frame_count, attempts_running from spool.job_status") == "job|running|10|20|0")
    #expect(
      try psql("select ordinal, kind, state, units_done, units_total, worker from spool.chunk_status order by ordinal")
        == "0|picture|done|10|10|a\n1|picture|ready|0|10|\n2|mux|waiting|0|0|\n3|publish|waiting|0|0|")
    #expect(try psql("select name, slots, attempts_running, is_alive from spool.worker_status") == "a|3|0|t")
    #expect(
      try psql("select jobs_queued, jobs_running, tasks_ready, attempts_running, workers_alive, slots from spool.farm_status")
        == "0|1|1|0|1|3")
  }

  @Test func `the queries that the operator's page shows all run`() throws {
    let top = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOfFile: top.appending(path: "docs/database.md").path, encoding: .utf8)
    let code = page.split(separator: "\n").filter { $0.hasPrefix("    ") }
    // Text before a query's comment is a command for the shell, or changes something.
    let queries = code.joined(separator: "\n").split(separator: ";").map { text in
      text.split(separator: "\n").drop { !$0.hasPrefix("    -- ") }.joined(separator: "\n")
    }.filter { $0.contains("select") }
    #expect(queries.count == 6)
    for query in queries { _ = try psql(query) }
  }

  @Test func `a job whose stored specification cannot be read fails alone`() throws {
    try bench.register("a")
    try bench.submit("broken", chunks: 1)
    try bench.submit("sound", chunks: 1)
    try Connection(url: url, applicationName: "test").run("update spool.job_spec set facts = '7' where job = 'broken'")
    #expect(try bench.claim(slots: 8).map(\.job) == ["sound"])
    #expect(try bench.ledger.status(job: "broken")?.failure?.class == .content)
  }

  // MARK: Private parts

  private func disconnect() throws {
    try Connection(url: url, applicationName: "test").run(
      "select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = current_database() and application_name = 'spool client'"
    )
  }

  /// Runs `body` for each index, on as many threads as there are cores, and returns the results in order.
  private func onThreads<Value: Sendable>(_ count: Int, _ body: @Sendable (Int) throws -> Value) throws -> [Value] {
    let results = Mutex<[Int: Result<Value, any Error>]>([:])
    DispatchQueue.concurrentPerform(iterations: count) { index in
      let result = Result { try body(index) }
      results.withLock { $0[index] = result }
    }
    let finished = results.withLock { $0 }
    return try (0..<count).map { try #require(finished[$0]).get() }
  }

  private func isReadable(_ descriptor: Int32) throws -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, 10_000) == 1
  }

  private func psql(_ sql: String) throws -> String {
    let command = Command("/usr/bin/psql", ["-XAtd", url, "-c", sql], environment: ["PATH": "/usr/bin:/bin"])
    let completed = try #require(try command.run(timeoutMilliseconds: 30_000))
    #expect(completed.status.isSuccess, "\(completed.errorOutput)")
    return completed.output.split(separator: "\n").joined(separator: "\n")
  }
}
