import FarmTesting
import FoundationEssentials
import Ledger
import Messages
import PostgreSQL
import Scheduling
import Testing

/// The server's plans for a coordinator's statements, when it knows nothing of the tables, or knows them as they were.
struct PlanTests {
  private static let chunks = 400

  enum Statistics: String, CaseIterable { case none, ofEmptyTables, ofThisMoment }

  @Test(arguments: Statistics.allCases)
  func `a batch is never compared row by row with another, whatever the planner knows`(_ known: Statistics) throws {
    let plans = try plans(
      of: { ledger, connection in
        try work(ledger, jobs: 20) { if known == .ofThisMoment { try connection.run("vacuum analyze") } }
      },
      before: { _, connection in
        if known == .ofEmptyTables { try connection.run("vacuum analyze") }
      })
    #expect(plans.contains { $0.text.contains("insert into spool.attempt") })
    #expect(plans.contains { $0.text.contains("outcome = 'won'") })
    expectNoWaste(plans)
  }

  /// The server last looked at the tables when all jobs had ended. So it takes the indexes of unfinished jobs for empty.
  @Test func `the jobs of a crowd are looked up by their keys, although there were none before`() throws {
    let plans = try plans(
      of: { ledger, _ in
        try submit(ledger, jobs: Self.chunks, chunks: 1)
        let workers = (0..<40).map { "worker\($0)" }
        try ledger.register(workers.map { WorkerHello(worker: $0, epoch: "1", host: "h", processID: 1, slots: 10, running: []) })
        // Pictures, muxes and publications.
        for _ in 0..<3 {
          let claimed = try ledger.claim(for: workers.map { FreeSlots(worker: $0, epoch: "1", slots: 10) })
          #expect(claimed.count == Self.chunks)
          _ = try ledger.commit(claimed.map { completion($0, "1") })
        }
      },
      before: { ledger, connection in
        for job in 0..<Self.chunks {
          try submit(ledger, job: "ended\(job)", submitter: "person\(job)", chunks: 1)
          _ = try ledger.cancel(job: "ended\(job)")
        }
        try connection.run("vacuum analyze")
      })
    #expect(plans.contains { $0.text.contains("with recursive offer") })
    expectNoWaste(plans)
  }

  /// Twenty submitters run as much as they may on a hundred workers, after weeks in which much was held and failed.
  @Test func `slots are counted and workers judged by what there is now, not by what was`() throws {
    let submitters = 20
    let plans = try plans(
      of: { ledger, connection in
        try submit(ledger, jobs: submitters, chunks: 40)
        try connection.run("update spool.submitter set slots = 20")
        try connection.run(
          """
          insert into spool.hold (kind, name, since, until)
          select 'quota', 'person' || p, t, t + interval '5 s' from generate_series(0, \(submitters - 1)) p,
            generate_series(now() - interval '3 hours', now() - interval '1 hour', interval '7 s') t;
          insert into spool.attempt (task, number, worker, epoch, outcome, failure_class, failure_place, failure_reason,
            started_at, ended_at, progress_deadline)
          select id, n, 'worker0', '0', 'failed', 'worker', 'a', 'b', now() - interval '8 days 10 seconds', now() - interval '8 days', now()
          from spool.task, generate_series(100, 111) n where kind = 'picture';
          """)
        let workers = (0...100).map { "worker\($0)" }
        try ledger.register(workers.map { WorkerHello(worker: $0, epoch: "1", host: "h", processID: 1, slots: 4, running: []) })
        let claimed = try ledger.claim(for: workers.map { FreeSlots(worker: $0, epoch: "1", slots: 4) })
        #expect(claimed.count == 20 * submitters)
        // The server keeps a statement's plan from its sixth run on.
        for _ in 0..<8 {
          try ledger.countSlots()
          _ = try ledger.expire()
        }
        let held = Statement("held", "select count(*) as holds from spool.hold where until > now() - interval '1 minute'")
        #expect(try connection.query(held)[0].value("holds", as: Int.self) == submitters, "each was prolonged, and none doubled")
      }, before: { _, _ in })
    let asked = ["insert into spool.hold", "as obstacle", "as slots_busy", "set_aside_count = 1"]
    for words in asked { #expect(plans.contains { $0.text.contains(words) }, "\(words)") }
    expectNoWaste(plans.filter { plan in asked.contains { plan.text.contains($0) } && !plan.text.contains("generate_series") })
  }

  private func expectNoWaste(_ plans: [QueryPlan]) {
    let wasteful = plans.filter { $0.root.removedRows > Double(10 * Self.chunks) }.map {
      "\($0.root.removedRows) rows removed, most by \($0.root.mostWasteful) of \($0.text.prefix(60))"
    }
    #expect(wasteful.isEmpty, "\(wasteful)")
  }

  /// The plans of all statements of `work`, with a new ledger that leads. What `prepare` does before is not among them.
  private func plans(
    of work: (PostgreSQLLedger, Connection) throws -> Void, before prepare: (PostgreSQLLedger, Connection) throws -> Void
  ) throws -> [QueryPlan] {
    let cluster = try TestCluster.shared.get()
    let bench = try LedgerUnderTest.postgreSQL.bench()
    let url = try #require(bench.url)
    let connection = try Connection(url: url, applicationName: "test")
    try prepare(PostgreSQLLedger(url: url), connection)
    let database: String = try connection.query(Statement("database", "select current_database() as name"))[0].value("name")
    // Sessions of this database log the plan of each statement, including those of triggers.
    try connection.run(
      """
      alter database \(database) set session_preload_libraries = 'auto_explain';
      alter database \(database) set auto_explain.log_min_duration = 0;
      alter database \(database) set auto_explain.log_analyze = on;
      alter database \(database) set auto_explain.log_timing = off;
      alter database \(database) set auto_explain.log_nested_statements = on;
      alter database \(database) set auto_explain.log_format = json;
      alter database \(database) set log_min_messages = log
      """)
    let start = try [UInt8](contentsOf: cluster.log).count
    let ledger = PostgreSQLLedger(url: url)
    guard case .leads(let term) = try ledger.lead(Candidate(name: "c", epoch: "1")) else {
      Issue.record("nobody else leads")
      return []
    }
    ledger.term = term
    try work(ledger, connection)
    return QueryPlan.all(in: try [UInt8](contentsOf: cluster.log).dropFirst(start))
  }

  private func submit(_ ledger: PostgreSQLLedger, jobs: Int, chunks: Int) throws {
    for job in 0..<jobs { try submit(ledger, job: "job\(job)", submitter: "person\(job)", chunks: chunks) }
  }

  private func submit(_ ledger: PostgreSQLLedger, job: String, submitter: String, chunks: Int) throws {
    let pictures = (0..<chunks).map {
      JobSubmission.Task(kind: .picture, frames: FrameRange(first: 10 * $0, count: 10), cost: 1)
    }
    let spec = JobSpec(document: "{}", facts: [:], output: "/movie\(job).mp4", overwrites: false, keepsSegments: false)
    _ = try ledger.submit(
      JobSubmission(
        id: job, spec: spec, submitter: submitter, priority: 0, frameCount: 10 * pictures.count,
        tasks: pictures + [.init(kind: .mux, cost: 0), .init(kind: .publish, cost: 0)]))
  }

  /// The events of a farm, in batches: workers come, take tasks, report, finish some and fail some; others are lost.
  private func work(_ ledger: PostgreSQLLedger, jobs: Int, _ pause: () throws -> Void) throws {
    let epochs = ["1", "2"]
    try submit(ledger, jobs: jobs, chunks: Self.chunks / jobs)
    // The server keeps a statement's plan from its sixth run on.
    for round in 0..<8 {
      let epoch = epochs[round % 2]
      let workers = (0..<40).map { "worker\($0)" }
      try ledger.register(
        workers.map { WorkerHello(worker: $0, epoch: epoch, host: "h", processID: 1, slots: 10, running: []) })
      try pause()
      let claimed = try ledger.claim(for: workers.map { FreeSlots(worker: $0, epoch: epoch, slots: 10) })
      try pause()
      let running = Dictionary(grouping: claimed, by: \.worker)
      let heartbeats = running.map { worker, attempts in
        Heartbeat(
          worker: worker, epoch: epoch, running: attempts.map { AttemptProgress(key: $0.order.key, done: 1, total: 10) })
      }
      _ = try ledger.heartbeat(heartbeats)
      _ = try ledger.openAttempts(of: workers.map { WorkerProcess(worker: $0, epoch: epoch) })
      _ = try ledger.closed(among: claimed.map { ExpiredAttempt(worker: $0.worker, key: $0.order.key) })
      _ = try ledger.speculate(for: [FreeSlots(worker: "worker0", epoch: epoch, slots: 1)], most: 10, sparing: [])
      let some = claimed.prefix(claimed.count * (round + 1) / 8)
      let committed = try ledger.commit(some.map { completion($0, epoch) })
      #expect(committed.verdicts.allSatisfy { $0 == .won })
      try ledger.learn(from: some.map(\.order.key))
      if round == 6 { try ledger.lose(workers.map { WorkerProcess(worker: $0, epoch: epoch) }) }
      try ledger.flush()
    }
  }

  private func completion(_ attempt: ClaimedAttempt, _ epoch: String) -> Completion {
    Completion(
      worker: attempt.worker, epoch: epoch, key: attempt.order.key, proof: .sample(of: attempt.order.work))
  }
}

/// A plan that auto_explain wrote to the server's log.
private struct QueryPlan: Decodable {
  struct Node: Decodable {
    var loops: Double
    /// The rows that were read for nothing, in each loop.
    var removedByJoin: Double?
    var removedByFilter: Double?
    var below: [Node]?
    var type: String
    var index: String?
    var relation: String?

    enum CodingKeys: String, CodingKey {
      case type = "Node Type", index = "Index Name", relation = "Relation Name"
      case loops = "Actual Loops", removedByJoin = "Rows Removed by Join Filter", removedByFilter = "Rows Removed by Filter"
      case below = "Plans"
    }

    /// The rows that were read for nothing, in this node alone. Those of VALUES are no other rows: the statement writes a few out of the row at
    /// hand, such as the parts of an attempt's time, and leaves out those that are empty.
    var ownRemovedRows: Double { type == "Values Scan" ? 0 : ((removedByJoin ?? 0) + (removedByFilter ?? 0)) * loops }
    /// The rows that were read for nothing, in this node and below.
    var removedRows: Double { (below ?? []).reduce(ownRemovedRows) { $0 + $1.removedRows } }

    private var all: [Node] { (below ?? []).reduce([self]) { $0 + $1.all } }
    /// The node that reads the most rows for nothing, as a person may look for it in the plan.
    var mostWasteful: String {
      all.max { $0.ownRemovedRows < $1.ownRemovedRows }.map {
        "\($0.type) \($0.index ?? "") \($0.relation ?? "") \($0.loops) times"
      } ?? ""
    }
  }

  var text: String
  var root: Node

  enum CodingKeys: String, CodingKey { case text = "Query Text", root = "Plan" }

  static func all(in log: some Collection<UInt8>) -> [QueryPlan] {
    let lines = log.split(separator: UInt8(ascii: "\n"))
    return lines.indices.filter { String(decoding: lines[$0], as: UTF8.self).hasSuffix("plan:") }.compactMap { start in
      // All lines of a message but its first begin with a tab.
      let json = lines[(start + 1)...].prefix { $0.first == UInt8(ascii: "\t") }.joined(separator: [UInt8(ascii: "\n")])
      return try? JSONDecoder().decode(QueryPlan.self, from: Data(json))
    }
  }
}
