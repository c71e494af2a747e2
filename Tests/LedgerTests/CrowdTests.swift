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

/// Many people who submit beside a working farm.
struct CrowdTests {
  private let bench: Bench
  private let url: String

  init() throws {
    bench = try LedgerUnderTest.postgreSQL.bench()
    url = try #require(bench.url)
  }

  @Test func `a claim reads of a crowd's jobs what it could give out`() throws {
    try bench.register("a", slots: 100)
    try Connection(url: url, applicationName: "spool claims").run(
      """
      insert into spool.submitter (name) select 'person' || n from generate_series(1, 100) n;
      with entered as (
        insert into spool.job (id, submitter, priority, output, frame_count, chunk_count, parts_left)
        select 'j' || n, 'person' || 1 + n % 100, 0, '/o/' || n, 10, 1, 1 from generate_series(1, 2000) n returning id
      ), specified as (
        insert into spool.job_spec (job, document, facts, overwrites, keeps_segments) select id, '{}', '{}', true, false from entered
      )
      insert into spool.task (job, ordinal, kind, state, first_frame, frame_count, cost)
      select id, 0, 'picture', 'ready', 0, 10, 1 from entered
      """)
    let rows = try RowsRead(url: url).by {
      let ledger = PostgreSQLLedger(url: url, role: "claims")
      _ = try ledger.lead(Candidate(name: "c", epoch: "c"))
      #expect(try ledger.claim(for: [FreeSlots(worker: "a", epoch: "1", slots: 20)]).count == 20)
    }
    // The claim reads one job of each person, and some more of the first twenty.
    #expect(rows > 100 && rows < 600, "\(rows) rows")
  }

  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `both ledgers give a crowd's jobs out alike, though one looks at a few of them`(_ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let twins = try LedgerUnderTest.allCases.map { try $0.bench() }
    for twin in twins { for tag in ["a", "b"] { try twin.register(tag, slots: 99, capabilities: Capabilities(tags: [tag])) } }
    let limited = (0..<3).map { _ in Int.random(in: 0..<12, using: &random) }
    for (number, person) in limited.enumerated() {
      for twin in twins { try twin.ledger.setShare(of: "person\(person)", weight: number + 1, slots: number == 0 ? 2 : nil) }
    }
    for number in 0..<60 {
      var submission = Bench.submission(
        "job\(number)", chunks: Int.random(in: 1...3, using: &random), sound: random.chance(0.2),
        priority: random.chance(0.2) ? 1 : 0)
      submission.submitter = "person\(Int.random(in: 0..<12, using: &random))"
      if random.chance(0.2) { submission.needs = Capabilities(tags: ["b"]) }
      for twin in twins { _ = try twin.ledger.submit(submission) }
    }
    for step in 0..<60 {
      let offers = ["a", "b"].map { FreeSlots(worker: $0, epoch: "1", slots: Int.random(in: 0...4, using: &random)) }
      let claims = try twins.map { try $0.ledger.claim(for: offers) }
      #expect(claims[0].map(\.order.key) == claims[1].map(\.order.key), "seed \(seed), step \(step)")
      #expect(claims[0].map(\.worker) == claims[1].map(\.worker), "seed \(seed), step \(step)")
      for claimed in claims[0] where random.chance(0.7) {
        let isFailure = random.chance(0.2)
        for twin in twins {
          if isFailure {
            _ = try twin.fail(claimed.order, .transient, claimed.worker)
          } else {
            _ = try twin.commit(claimed.order, claimed.worker)
          }
        }
      }
    }
  }

  @Test func `a small submission reads its own rows, whatever the server believes of a farm with one large job`() throws {
    try bench.submit("large", chunks: 3000)
    try Connection(url: url, applicationName: "test").run("vacuum analyze")
    let rows = try RowsRead(url: url, sessions: "spool person").by {
      let ledger = PostgreSQLLedger(url: url, role: "person")
      // The server keeps a statement's plan from its sixth run on.
      for number in 0..<10 { _ = try ledger.submit(Bench.submission("small\(number)", chunks: 2)) }
    }
    #expect(rows > 10 && rows < 300, "\(rows) rows")
  }

  @Test func `who submits is not woken by others who do`() throws {
    let (mine, theirs) = (PostgreSQLLedger(url: url), PostgreSQLLedger(url: url))
    _ = try mine.submit(Bench.submission("mine"))
    _ = try theirs.submit(Bench.submission("theirs"))
    var entry = pollfd(fd: try #require(mine.notificationDescriptor), events: Int16(POLLIN), revents: 0)
    // A server sends notifications before it answers the next request of the session that gets them. This request is made by
    // another session.
    #expect(try theirs.status(job: "mine")?.state == .queued)
    #expect(unsafe poll(&entry, 1, 500) == 0)
  }

  @Test func `orders of forty jobs take as many statements as those of two, whatever they are about`() throws {
    var counts: [[Int]] = []
    for jobs in [2, 40] {
      let bench = try LedgerUnderTest.postgreSQL.bench()
      let url = try #require(bench.url)
      let name: String = try Connection(url: url, applicationName: "test").query(
        Statement("name", "select current_database() as name"))[0].value("name")
      // The server's log names this ledger's session by its role.
      let role = "counted-\(name)"
      try Connection(url: url, applicationName: "test").run("alter database \(name) set log_statement = 'all'")
      for number in 0..<jobs { try bench.submit("job\(number)", chunks: 1) }
      // On a busy machine, reading the server's log may take longer than a worker may be silent.
      var timing = LedgerTiming()
      timing.lease = 3_600_000
      let ledger = PostgreSQLLedger(url: url, role: role, timing: timing)
      guard case .leads(let term) = try ledger.lead(Candidate(name: "c", epoch: "1")) else {
        Issue.record("nobody else leads")
        return
      }
      ledger.term = term
      try ledger.register([WorkerHello(worker: "a", epoch: "1", host: "h", processID: 1, slots: jobs, running: [])])
      var statements: [Int] = []
      // The claims are of pictures, then of muxes, then of publications.
      for _ in 0..<3 {
        let before = try executions(by: role)
        let claimed = try ledger.claim(for: [FreeSlots(worker: "a", epoch: "1", slots: jobs)])
        statements.append(try executions(by: role) - before)
        #expect(Set(claimed.map(\.order.job)).count == jobs)
        let completions = claimed.map { Completion(worker: "a", epoch: "1", key: $0.order.key, proof: Bench.proof($0.order)) }
        #expect(try ledger.commit(completions).verdicts.allSatisfy { $0 == .won })
      }
      #expect(try bench.state("job0") == .done)
      counts.append(statements)
    }
    #expect(counts[0] == counts[1])
    #expect(counts[0].allSatisfy { $0 > 3 }, "\(counts)")
  }

  @Test func `of workers that have the same one is asked whether it may write a movie`() throws {
    let connection = try Connection(url: url, applicationName: "test")
    let name: String = try connection.query(Statement("name", "select current_database() as name"))[0].value("name")
    try connection.run("alter database \(name) set track_functions = 'all'")
    let (movies, workers) = (20, 50)
    for number in 0..<movies { try bench.submit("job\(number)", chunks: 1) }
    try bench.register("first", slots: movies)
    for order in try bench.claim("first", slots: movies) { _ = try bench.commit(order, "first") }
    _ = try RowsRead(url: url).by {
      let ledger = PostgreSQLLedger(url: url, role: "claims")
      guard case .leads(let term) = try ledger.lead(Candidate(name: "c", epoch: "c")) else { return }
      ledger.term = term
      try ledger.register(
        (0..<workers).map {
          WorkerHello(worker: "w\($0)", epoch: "1", host: "h", processID: 1, slots: 1, outputRoots: ["/out", "/o"], running: [])
        })
      let offers = (0..<workers).map { FreeSlots(worker: "w\($0)", epoch: "1", slots: 1) }
      #expect(try ledger.claim(for: offers).filter { $0.order.work.kind == .mux }.count == movies)
    }
    let calls = Statement(
      "calls", "select coalesce(sum(calls), 0)::bigint as n from pg_stat_user_functions where funcname = 'may_write'")
    let count: Int = try connection.query(calls)[0].value("n")
    #expect(count > 0 && count <= 2 * movies, "\(count) for \(movies) movies and \(workers) workers")
  }

  /// The number of prepared statements that the sessions of a role ran, according to the server's log.
  private func executions(by role: String) throws -> Int {
    let log = try [UInt8](contentsOf: TestCluster.shared.get().log)
    return log.split(separator: UInt8(ascii: "\n")).lazy.map { String(decoding: $0, as: UTF8.self) }.filter {
      $0.contains("spool \(role) ") && $0.contains("execute ")
    }.count
  }

  @Test func `of many who submit at once one is written at a time, and the others hold nothing while they wait`() throws {
    let people = 12
    let writer = try hold(turn: 0)
    let watcher = try Connection(url: url, applicationName: "test")
    let url = url
    let ended = Mutex<[Result<String, any Error>]>([])
    for person in 0..<people {
      DispatchQueue(label: "person \(person)").async {
        let submitted = Result { try PostgreSQLLedger(url: url, role: "crowd").submit(Bench.submission("of\(person)")) }
        ended.withLock { $0.append(submitted) }
      }
    }
    let waiting = Statement(
      "waiting",
      """
      select count(*) as n, count(backend_xid) as writing, count(*) filter (where state <> 'active') as idle
      from pg_stat_activity
      where application_name = 'spool crowd' and datname = current_database() and wait_event = 'advisory'
      """)
    var row = try watcher.query(waiting)[0]
    while try row.value("n", as: Int.self) < people, ended.withLock({ $0.isEmpty }) {
      usleep(1000)
      row = try watcher.query(waiting)[0]
    }
    // PostgreSQL copies the sessions' states first, and reads what each waits for afterwards. One that began to wait in between was
    // told as idle.
    row = try watcher.query(waiting)[0]
    #expect(try row.value("n", as: Int.self) == people)
    #expect(try row.value("writing", as: Int.self) == 0)
    // The session whose turn is next already has all it needs: it waits for no client's answer.
    #expect(try row.value("idle", as: Int.self) == 0)
    try writer.run("commit")
    while ended.withLock({ $0.count < people }) { usleep(1000) }
    for submitted in ended.withLock({ $0 }) { #expect(throws: Never.self) { _ = try submitted.get() } }
    #expect(try (0..<people).allSatisfy { try bench.state("of\($0)") == .queued })
  }

  @Test func `who submits waits for a turn for longer than a statement may take`() throws {
    let writer = try hold(turn: 0)
    let watcher = try Connection(url: url, applicationName: "test")
    let url = url
    let ended = Mutex<Result<String, any Error>?>(nil)
    DispatchQueue.global().async {
      var timing = LedgerTiming()
      timing.statement = 300
      let submitted = Result { try PostgreSQLLedger(url: url, role: "waits", timing: timing).submit(Bench.submission("late")) }
      ended.withLock { $0 = submitted }
    }
    // The wait comes in pieces, each of which is a transaction.
    var pieces: Set<String> = []
    let waits = Statement(
      "waits",
      """
      select xact_start::text as piece from pg_stat_activity
      where application_name = 'spool waits' and datname = current_database() and wait_event = 'advisory'
      """)
    while pieces.count < 3, ended.withLock({ $0 == nil }) {
      for row in try watcher.query(waits) { pieces.insert(try row.value("piece")) }
      usleep(1000)
    }
    #expect(ended.withLock { $0 == nil }, "it is not refused")
    // A submission of many tasks waits only for others of its size.
    try bench.submit("large", chunks: 1001)
    try writer.run("commit")
    while ended.withLock({ $0 == nil }) { usleep(1000) }
    #expect(try ended.withLock { try $0?.get() } == "late")
    #expect(try bench.state("late") == .queued)
  }

  @Test func `who waits for the turn and then for another lock is not refused`() throws {
    let writer = try hold(turn: 0)
    let keeper = try Connection(url: url, applicationName: "keeper", limits: .init(idleTransaction: 600_000))
    try keeper.run("begin; lock table spool.submitter in exclusive mode")
    let url = url
    let ended = Mutex<Result<String, any Error>?>(nil)
    DispatchQueue.global().async {
      var timing = LedgerTiming()
      timing.statement = 3000
      let submitted = Result { try PostgreSQLLedger(url: url, role: "waits", timing: timing).submit(Bench.submission("late")) }
      ended.withLock { $0 = submitted }
    }
    // Each wait is shorter than the two thirds of a statement's time that a wait may take. Both together are longer than all of it.
    let waits = Statement(
      "waits",
      """
      select pid from pg_stat_activity
      where application_name = 'spool waits' and datname = current_database() and wait_event_type = 'Lock'
      """)
    let watcher = try Connection(url: url, applicationName: "test")
    while try watcher.query(waits).first == nil { usleep(1000) }
    usleep(1_500_000)
    try writer.run("commit")
    usleep(2_500_000)
    #expect(ended.withLock { $0 == nil }, "it is not refused")
    try keeper.run("commit")
    while ended.withLock({ $0 == nil }) { usleep(1000) }
    #expect(try ended.withLock { try $0?.get() } == "late")
    #expect(try bench.state("late") == .queued)
  }

  @Test func `what is just being submitted keeps no round waiting`() throws {
    try bench.submit("job", chunks: 6)
    // A submission of the same person is written and not committed.
    let writer = try hold(turn: 0)
    try writer.run(
      """
      select spool.submit_job('held', 'tester', 0, '/out/held.mp4', 10, '{}', 0, '', true, '{}', '{}', false, false,
        '{picture,mux,publish}', '{0,null,null}', '{10,null,null}', '{1,1,1}')
      """)
    var timing = LedgerTiming()
    timing.statement = 3000
    let ledger = PostgreSQLLedger(url: url, timing: timing)
    guard case .leads(let term) = try ledger.lead(Candidate(name: "c", epoch: "1")) else {
      Issue.record("nobody else leads")
      return
    }
    ledger.term = term
    try ledger.register([WorkerHello(worker: "a", epoch: "1", host: "h", processID: 1, slots: 6, running: [])])
    let claimed = try ledger.claim(for: [FreeSlots(worker: "a", epoch: "1", slots: 6)])
    #expect(claimed.count == 6)
    let running = claimed.map { AttemptProgress(key: $0.order.key, done: 1, total: 10) }
    #expect(try ledger.heartbeat([Heartbeat(worker: "a", epoch: "1", running: running)]).first?.closed == [])
    let completions = claimed.dropLast().map {
      Completion(worker: "a", epoch: "1", key: $0.order.key, proof: Bench.proof($0.order))
    }
    #expect(try ledger.commit(completions).verdicts == Array(repeating: .won, count: 5))
    try ledger.learn(from: completions.map(\.key))
    if let last = claimed.last {
      #expect(try ledger.fail(last.order.key, worker: "a", epoch: "1", Failure(.transient, at: "", "")) == .retries)
    }
    #expect(try ledger.expire() == [])
    _ = try ledger.news()
    #expect(try ledger.follow() == nil)
    try ledger.flush()
    try ledger.retire([WorkerProcess(worker: "a", epoch: "1")])
    try writer.run("commit")
    #expect(try bench.state("held") == .queued)
  }

  @Test func `a submission begins when no coordinator's transaction runs, and holds up none by that`() throws {
    let coordinator = PostgreSQLLedger(url: url)
    guard case .leads(let term) = try coordinator.lead(Candidate(name: "c", epoch: "1")) else {
      Issue.record("nobody else leads")
      return
    }
    let round = try Connection(url: url, applicationName: "round", limits: .init(idleTransaction: 600_000))
    try round.run("begin; select spool.require_term(\(term))")
    let watcher = try Connection(url: url, applicationName: "test")
    let url = url
    let ended = Mutex<Result<String, any Error>?>(nil)
    DispatchQueue.global().async {
      let submitted = Result { try PostgreSQLLedger(url: url, role: "waits").submit(Bench.submission("beside")) }
      ended.withLock { $0 = submitted }
    }
    let waits = Statement(
      "waits",
      """
      select pid from pg_stat_activity
      where application_name = 'spool waits' and datname = current_database() and wait_event = 'advisory'
      """)
    while try watcher.query(waits).first == nil, ended.withLock({ $0 == nil }) { usleep(1000) }
    #expect(ended.withLock { $0 == nil }, "it waits for the round")
    // Another transaction of the coordinator does not wait behind the submission.
    coordinator.term = term
    try coordinator.register([WorkerHello(worker: "a", epoch: "1", host: "h", processID: 1, slots: 1, running: [])])
    try round.run("commit")
    while ended.withLock({ $0 == nil }) { usleep(1000) }
    #expect(try ended.withLock { try $0?.get() } == "beside")

    let keeper = try Connection(url: url, applicationName: "keeper", limits: .init(idleTransaction: 600_000))
    try keeper.run("select pg_advisory_lock(1936748396, 2)")
    #expect(try coordinator.claim(for: [FreeSlots(worker: "a", epoch: "1", slots: 1)]).map(\.order.job) == ["beside"])
  }

  /// Holds the turn to submit for as long as the transaction lasts.
  private func hold(turn: Int) throws -> Connection {
    let writer = try Connection(url: url, applicationName: "writer", limits: .init(idleTransaction: 600_000))
    try writer.run("begin; select pg_advisory_xact_lock(1936748396, \(turn))")
    return writer
  }
}
