import FoundationEssentials
import Glibc
import Ledger
import LocalFarm
import Messages
import PostgreSQL
import Subprocess

/// A PostgreSQL server that keeps what it acknowledges, a coordinator, and a fleet, in a folder of their own that goes with them.
final class LoadedFarm {
  let fleet: Fleet
  let ledger: PostgreSQLLedger
  let database: String
  private let directory: String
  private let cluster: PostgreSQLCluster
  private let coordinator: ChildProcess
  private let databaseProcess: Int32

  /// - Parameters:
  ///   - people: who connect to the database at once.
  ///   - isAnalyzed: whether the server is told what its tables are, which is empty, before the coordinator makes its plans.
  init(workers: Int, slots: Int, people: Int, isAnalyzed: Bool) throws {
    directory = "/tmp/spool-load-\(getpid())"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    // The user postgres, as which the database runs when we are root, must pass through.
    try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: directory)
    cluster = try PostgreSQLCluster(
      dataDirectory: directory,
      settings: [
        "shared_buffers": "512MB", "max_wal_size": "4GB", "shared_preload_libraries": "pg_stat_statements",
        "pg_stat_statements.track": "all", "max_connections": "\(people + 50)",
        // It looks at tables more often than by default, so that it is at work in each phase.
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

  /// Where this program and spool are.
  private static let folder = CommandLine.arguments[0].split(separator: "/", omittingEmptySubsequences: false).dropLast()
    .joined(separator: "/")

  /// Removes everything.
  func stop() throws {
    coordinator.signal(SIGTERM)
    _ = try coordinator.wait()
    cluster.stop()
    try FileManager.default.removeItem(atPath: directory)
  }

  func coordinatorReadings() throws -> Readings { try Readings(process: coordinator.processID) }
  func databaseReadings() throws -> Readings { try Readings(process: databaseProcess, withChildren: true) }

  /// - Returns: the jobs' tasks, the mux and the publishing included.
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

  /// How many milliseconds the jobs of each person of a crowd took on average from their submission to their end: of the luckiest and
  /// of the unluckiest person.
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

  /// As `submit`, from another thread, while the fleet works on: workers that are not heard for the time that many submissions take count as
  /// dead, and what is measured next would be how they are all welcomed again.
  func submitBesideWork(jobs: Int, chunks: Int, submitters: Int = 1, priority: Int = 0) throws {
    let crowd = Crowd(people: 1)
    crowd.start(each: jobs, database: database) {
      Self.submission(chunks: chunks, submitter: "load-\($0 % submitters)", priority: priority)
    }
    _ = try fleet.work(limit: .seconds(3600)) { _ in crowd.isOver }
    if let fault = crowd.fault { throw Phase.NotDone(description: "submitting \(jobs) jobs: \(fault)") }
  }

  /// Enters jobs of three chunks, of ten people, that everybody else goes before; none of them is begun before `openQueue`.
  func enqueue(jobs: Int) throws {
    _ = try ledger.drain(worker: nil, true)
    try submitBesideWork(jobs: jobs, chunks: 3, submitters: 10, priority: -1000)
  }

  func openQueue() throws { _ = try ledger.drain(worker: nil, false) }

  /// Tasks that are not done, of jobs that have not ended.
  func openTasks() throws -> Int {
    try count("select count(*) as n from spool.task where state in ('ready', 'waiting', 'running')")
  }

  /// A job of so many chunks that is paused.
  func submitPaused(chunks: Int) throws -> String {
    _ = try ledger.drain(worker: nil, true)
    try submitBesideWork(jobs: 1, chunks: chunks)
    guard let job = try ledger.jobs(limit: 1).first?.id else { return "" }
    _ = try ledger.change(job: job, .pause)
    _ = try ledger.drain(worker: nil, false)
    return job
  }

  /// `spool VERB JOB`, as a process of its own.
  func steer(_ verb: String, _ job: String) throws -> ChildProcess {
    try ChildProcess(
      Command(
        "\(Self.folder)/spool", [verb, "--database", database, job], environment: ["PATH": "/usr/bin:/bin"], output: .null,
        errorOutput: .null))
  }

  /// How many tasks of a job have one of the states, such as "'ready', 'waiting'".
  func tasks(of job: String, _ states: String) throws -> Int {
    try count("select count(*) as n from spool.task where job = '\(job)' and state in (\(states))")
  }

  private func count(_ query: String) throws -> Int {
    let connection = try Connection(url: database, applicationName: "spool load")
    return try connection.query(Statement("load_count", query)).map { try $0.value("n", as: Int.self) }.first ?? 0
  }

  /// What people ask of a farm, and how many milliseconds each took to answer.
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

  /// Writes ended jobs, as a farm has after a long time.
  func addHistory(chunks: Int) throws {
    let connection = try Connection(
      url: database, applicationName: "spool load", limits: .init(statement: 3_600_000))
    try connection.run(Self.historyScript(jobs: max(1, chunks / 1000), chunks: min(chunks, 1000)))
  }

  /// What the database spent its time on.
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
