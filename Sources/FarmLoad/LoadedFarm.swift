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

  init(workers: Int, slots: Int) throws {
    directory = "/tmp/spool-load-\(getpid())"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    // The user postgres, as which the database runs when we are root, must pass through.
    try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: directory)
    cluster = try PostgreSQLCluster(
      dataDirectory: directory,
      settings: [
        "shared_buffers": "512MB", "max_wal_size": "4GB", "shared_preload_libraries": "pg_stat_statements",
        "pg_stat_statements.track": "all",
      ])
    try cluster.start()
    database = cluster.connectionString
    let pidFile = try String(contentsOfFile: "\(directory)/postgresql/cluster/postmaster.pid", encoding: .utf8)
    databaseProcess = Int32(pidFile.split(separator: "\n").first ?? "") ?? 0
    ledger = PostgreSQLLedger(url: database, role: "load")
    try ledger.migrate()
    try Connection(url: database, applicationName: "spool load").run("create extension pg_stat_statements")
    let endpoint = "ipc://\(directory)/farm"
    let folder = CommandLine.arguments[0].split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(
      separator: "/")
    coordinator = try ChildProcess(
      Command(
        "\(folder)/spool", ["coordinator", "--database", database, "--endpoint", endpoint, "--parent", "\(getpid())"],
        environment: ["PATH": "/usr/bin:/bin"], output: .null, errorOutput: .file("\(directory)/coordinator.log")))
    fleet = try Fleet(workers: workers, slots: slots, endpoint: endpoint)
  }

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
  func submit(jobs: Int, chunks: Int) throws -> Int {
    for _ in 0..<jobs {
      let pictures = (0..<chunks).map {
        JobSubmission.Task(kind: .picture, frames: FrameRange(first: 10 * $0, count: 10), cost: 1)
      }
      let spec = JobSpec(
        document: "{\"spool\":1}", facts: [:], output: "/load/movie.mp4", overwrites: false, keepsSegments: false)
      _ = try ledger.submit(
        JobSubmission(
          spec: spec, submitter: "load", frameCount: 10 * chunks,
          tasks: pictures + [.init(kind: .mux, cost: 0), .init(kind: .publish, cost: 0)]))
    }
    return jobs * (chunks + 2)
  }

  /// Writes ended jobs, as a farm has after a long time, and lets the server know its tables again.
  func addHistory(chunks: Int) throws {
    let connection = try Connection(
      url: database, applicationName: "spool load", limits: .init(statement: 3_600_000))
    try connection.run(Self.historyScript(jobs: max(1, chunks / 1000), chunks: min(chunks, 1000)))
    try connection.run("vacuum analyze")
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
