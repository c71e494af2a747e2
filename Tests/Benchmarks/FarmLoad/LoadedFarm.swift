import FoundationEssentials
import Glibc
import Ledger
import LocalFarm
import Messages
import PostgreSQL
import Subprocess

/// A PostgreSQL server with durable commits, a coordinator and a fleet, in a folder that is removed with them.
final class LoadedFarm {
  let fleet: Fleet
  let ledger: PostgreSQLLedger
  let database: String
  private let directory: String
  private let cluster: PostgreSQLCluster
  private let coordinator: ChildProcess
  private let databaseProcess: Int32

  /// - Parameters:
  ///   - people: the number of people who connect to the database at once.
  ///   - isAnalyzed: whether the server is told that its tables are empty before the coordinator's statements are planned.
  init(workers: Int, slots: Int, people: Int, isAnalyzed: Bool) throws {
    directory = "/tmp/spool-load-\(getpid())"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    // The database runs as the user postgres if this program runs as root, so that user must be able to enter.
    try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: directory)
    cluster = try PostgreSQLCluster(
      dataDirectory: directory,
      settings: [
        "shared_buffers": "512MB", "max_wal_size": "4GB", "shared_preload_libraries": "pg_stat_statements",
        "pg_stat_statements.track": "all", "max_connections": "\(people + 50)",
        // Autovacuum looks at tables more often than by default, so that it is at work in each phase.
        "autovacuum_naptime": "5s",
      ])
    try cluster.start()
    database = cluster.connectionString
    let pidFile = try String(contentsOfFile: "\(directory)/postgresql/cluster/postmaster.pid", encoding: .utf8)
    databaseProcess = Int32(pidFile.split(separator: "\n").first ?? "") ?? 0
    ledger = PostgreSQLLedger(url: database, role: "load")
    try ledger.migrate()
    try Connection(url: database, applicationName: "spool load").run("create extension pg_stat_statements")
    if isAnalyzed { try Connection(url: database, applicationName: "spool load").run("vacuum analyze") }
    let endpoint = "ipc://\(directory)/farm"
    coordinator = try ChildProcess(
      Command(
        "\(Self.folder)/spool", ["coordinator", "--database", database, "--endpoint", endpoint, "--parent", "\(getpid())"],
        environment: ["PATH": "/usr/bin:/bin"], output: .null, errorOutput: .file("\(directory)/coordinator.log")))
    fleet = try Fleet(workers: workers, slots: slots, endpoint: endpoint)
  }

  /// The folder of this program and of spool.
  static let folder = CommandLine.arguments[0].split(separator: "/", omittingEmptySubsequences: false).dropLast()
    .joined(separator: "/")

  /// Stops everything and removes the folder.
  func stop() throws {
    coordinator.signal(SIGTERM)
    _ = try coordinator.wait()
    cluster.stop()
    try FileManager.default.removeItem(atPath: directory)
  }

  func coordinatorReadings() throws -> Readings { try Readings(process: coordinator.processID) }
  func databaseReadings() throws -> Readings { try Readings(process: databaseProcess, withChildren: true) }

  /// Submits jobs.
  ///
  /// - Returns: the number of their tasks, with the mux and the publication of each.
  @discardableResult func submit(jobs: Int, chunks: Int, submitters: Int = 1, priority: Int = 0) throws -> Int {
    for number in 0..<jobs {
      _ = try ledger.submit(Self.submission(chunks: chunks, submitter: "load-\(number % submitters)", priority: priority))
    }
    return jobs * (chunks + 2)
  }

  static func submission(chunks: Int, submitter: String, priority: Int = 0) -> JobSubmission {
    let pictures = (0..<chunks).map {
      JobSubmission.Task(kind: .picture, frames: FrameRange(first: 10 * $0, count: 10), cost: 1)
    }
    let id = JobSubmission.newID()
    let spec = JobSpec(
      document: "{\"spool\":1}", facts: [:], output: "/load/\(id).mp4", overwrites: false, keepsSegments: false)
    return JobSubmission(
      id: id, spec: spec, submitter: submitter, priority: priority, frameCount: 10 * chunks,
      tasks: pictures + [.init(kind: .mux, cost: 0), .init(kind: .publish, cost: 0)])
  }

  /// The mean time in milliseconds from submission to the end of a person's jobs: that of the luckiest and that of the unluckiest
  /// person of a crowd.
  func luck() throws -> (least: Double, most: Double) {
    let connection = try Connection(url: database, applicationName: "spool load")
    let rows = try connection.query(
      Statement(
        "load_luck",
        """
        select coalesce(min(ms), 0)::double precision as least, coalesce(max(ms), 0)::double precision as most from (
          select avg(extract(epoch from ended_at - submitted_at)) * 1000 as ms from spool.job
          where submitter like 'person-%' and state = 'done' group by submitter) person
        """))
    return (try rows[0].value("least"), try rows[0].value("most"))
  }

  /// Submits as `submit` does, but on another thread while the fleet works on. Workers that were silent during many submissions
  /// would count as dead, and the next measurement would show how they are welcomed again.
  func submitBesideWork(jobs: Int, chunks: Int, submitters: Int = 1, priority: Int = 0) throws {
    let crowd = Crowd(people: 1)
    crowd.start(each: jobs, database: database) {
      Self.submission(chunks: chunks, submitter: "load-\($0 % submitters)", priority: priority)
    }
    _ = try fleet.work(limit: .seconds(3600)) { _ in crowd.isOver }
    if let fault = crowd.fault { throw Phase.NotDone(description: "submitting \(jobs) jobs: \(fault)") }
  }

  /// Submits jobs of three chunks, by ten people and with the lowest priority. None is begun before `openQueue`.
  func enqueue(jobs: Int) throws {
    _ = try ledger.drain(worker: nil, true)
    try submitBesideWork(jobs: jobs, chunks: 3, submitters: 10, priority: -1000)
  }

  func openQueue() throws { _ = try ledger.drain(worker: nil, false) }

  /// The number of tasks that are ready, waiting or running.
  func openTasks() throws -> Int {
    try count("select count(*) as n from spool.task where state in ('ready', 'waiting', 'running')")
  }

  /// Submits a job of so many chunks and pauses it.
  ///
  /// - Returns: the job's id.
  func submitPaused(chunks: Int) throws -> String {
    _ = try ledger.drain(worker: nil, true)
    try submitBesideWork(jobs: 1, chunks: chunks)
    guard let job = try ledger.jobs(limit: 1).first?.id else { return "" }
    _ = try ledger.change(job: job, .pause)
    _ = try ledger.drain(worker: nil, false)
    return job
  }

  /// Runs `spool VERB JOB` as a process.
  func steer(_ verb: String, _ job: String) throws -> ChildProcess {
    try ChildProcess(
      Command(
        "\(Self.folder)/spool", [verb, "--database", database, job], environment: ["PATH": "/usr/bin:/bin"], output: .null,
        errorOutput: .null))
  }

  /// The number of a job's tasks in one of the states, which are given as SQL, such as "'ready', 'waiting'".
  func tasks(of job: String, _ states: String) throws -> Int {
    try count("select count(*) as n from spool.task where job = '\(job)' and state in (\(states))")
  }

  private func count(_ query: String) throws -> Int {
    let connection = try Connection(url: database, applicationName: "spool load")
    return try connection.query(Statement("load_count", query)).map { try $0.value("n", as: Int.self) }.first ?? 0
  }

  /// The queries that people ask of a farm, with the milliseconds that each took.
  func questions() throws -> [(question: String, milliseconds: Double)] {
    let connection = try Connection(url: database, applicationName: "spool load")
    let job = try ledger.jobs(limit: 1).first?.id ?? ""
    func time(_ question: String, _ ask: () throws -> Void) rethrows -> (String, Double) {
      let start = ContinuousClock.now
      try ask()
      return (question, (ContinuousClock.now - start) / .milliseconds(1))
    }
    return [
      try time("spool.farm_status") { _ = try connection.query(Statement("load_farm", "select * from spool.farm_status")) },
      try time("spool status") { _ = (try ledger.jobs(limit: 20), try ledger.workers()) },
      try time("spool why JOB") { _ = try ledger.waiting(job: job) },
      try time("spool why WORKER") { _ = try ledger.reason(worker: "load-0") },
      try time("spool.submitter_status") { _ = try ledger.submitters() },
      try time("spool.job_status, all unfinished") {
        _ = try connection.query(
          Statement("load_jobs", "select * from spool.job_status where state in ('queued', 'running')"))
      },
      try time("spool.chunk_waiting_reason, all") {
        _ = try connection.query(
          Statement("load_reasons", "select job, reason, count(*) from spool.chunk_waiting_reason group by 1, 2"))
      },
    ]
  }

  /// Has the server look at its tables, as autovacuum does on any real farm.
  func analyze() throws {
    let connection = try Connection(
      url: database, applicationName: "spool load", limits: .init(statement: 3_600_000))
    try connection.run("vacuum analyze")
  }

  /// Writes ended jobs into the database, as a farm has them after a long time.
  func addHistory(chunks: Int) throws {
    let connection = try Connection(
      url: database, applicationName: "spool load", limits: .init(statement: 3_600_000))
    try connection.run(Self.historyScript(jobs: max(1, chunks / 1000), chunks: min(chunks, 1000)))
  }

  /// The statements on which the database spent the most time.
  func statements() throws -> [String] {
    let connection = try Connection(url: database, applicationName: "spool load")
    let rows = try connection.query(
      Statement(
        "load_statements",
        """
        select format('%s ms  %s calls  %s', round(total_exec_time), calls, left(regexp_replace(query, '\\s+', ' ', 'g'), 100)) as line
        from pg_stat_statements order by total_exec_time desc limit 12
        """))
    return try rows.map { try $0.value("line") }
  }

  private static func historyScript(jobs: Int, chunks: Int) -> String {
    """
    set session_replication_role = replica;
    insert into spool.worker (name, epoch, host, process_id, slots, lease_until, retired_at)
      values ('past', '1', 'past', 1, 1, 'epoch', 'epoch') on conflict do nothing;
    with job as (
      insert into spool.job (id, state, submitter, priority, output, frame_count, chunk_count, frames_done, chunks_done, parts_left,
        started_at, ended_at)
      select 'p' || substr(md5(random()::text), 1, 20), 'done', 'past', 0, '/past', \(chunks * 10), \(chunks), \(chunks * 10),
        \(chunks), 0, 'epoch', 'epoch' from generate_series(1, \(jobs))
      returning id
    ), task as (
      insert into spool.task (job, ordinal, kind, state, first_frame, frame_count, cost, attempts)
      select id, n, 'picture', 'done', n * 10, 10, 1, 1 from job, generate_series(0, \(chunks - 1)) n
      returning id
    )
    insert into spool.attempt (task, number, worker, epoch, progress_deadline, ended_at, outcome, proof)
    select id, 1, 'past', '1', 'epoch', 'epoch', 'won', '{"byteCount":1,"byteDigest":"d","file":"f"}' from task;
    """
  }
}
