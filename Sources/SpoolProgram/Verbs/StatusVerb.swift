import Arguments
import Ledger
import Messages
import Terminal

struct StatusVerb: Verb {
  static let page = Page(
    "status", "show jobs and workers, or one job",
    description: [
      "Without JOB, shows the newest jobs and all workers; with JOB, that job and its tasks.",
      """
      It shows what the views job_status, chunk_status and worker_status of the database show, which can be queried with \
      psql as well.
      """,
      Database.description,
    ],
    examples: [
      .init("spool status", "Jobs, newest first, and workers."),
      .init("spool status --json b7kq2mzr9x4t | jq .job.state", "One job, for a script."),
    ],
    environment: [Database.variable],
    exitCodes: [
      .init(ExitCode.ok, "shown"), .init(ExitCode.usage, "usage error"), .init(ExitCode.noInput, "no such job"),
      .init(ExitCode.unavailable, "the database cannot be reached"), Database.forbidden,
    ])

  @Positional("JOB", .text("JOB"), "A job's id, as submit printed it.") var job: String?
  @Option("database", .text("URL"), Database.help) var database: String?
  @Option("limit", .integer(1...10_000), default: 20, shown: "20", "How many jobs to show.") var limit: Int
  @Flag("json", "Print one JSON object instead of tables.") var json: Bool

  func run() throws {
    let ledger = try Database.open(database)
    if let job { try show(job, in: ledger) } else { try showAll(in: ledger) }
  }

  private func show(_ id: String, in ledger: PostgreSQLLedger) throws {
    guard let job = try ledger.status(job: id) else { throw Complaint(id, "no such job", ExitCode.noInput) }
    let tasks = try ledger.tasks(job: id)
    guard !json else { return try StandardStream.output.json(JobRecord(job: job, tasks: tasks)) }
    let trouble = job.state.isFinal ? nil : try ledger.trouble(job: id)
    try StandardStream.output.write(Self.facts(of: job, trouble) + "\n" + Self.table(of: tasks))
  }

  private func showAll(in ledger: some Ledger) throws {
    let (jobs, workers) = (try ledger.jobs(limit: limit), try ledger.workers())
    guard !json else { return try StandardStream.output.json(FarmRecord(jobs: jobs, workers: workers)) }
    try StandardStream.output.write(Self.table(of: jobs) + "\n" + Self.table(of: workers))
  }

  private static func facts(of job: JobStatus, _ trouble: PostgreSQLLedger.Trouble?) -> String {
    let rows = [
      ("job", job.id), ("state", job.shownState), ("priority", String(job.priority)), ("output", job.output),
      ("frames", "\(job.framesDone)/\(job.frameCount)"), ("chunks", "\(job.chunksDone)/\(job.chunkCount)"),
      ("retries", String(job.retries)), ("submitter", job.submitter), ("submitted", job.submittedAt),
      ("elapsed", ProgressText.clock(job.elapsedSeconds)),
    ]
    let left = job.secondsLeft.map { [("left", "about " + ProgressText.clock($0))] } ?? []
    let failure = job.failure.map { [("failure", $0.description)] } ?? []
    return (rows + left + failure + (trouble.map { [("trouble", $0.description)] } ?? []))
      .map { $0 + String(repeating: " ", count: 11 - $0.count) + $1 + "\n" }.joined()
  }

  private static func table(of jobs: [JobStatus]) -> String {
    guard !jobs.isEmpty else { return "no jobs\n" }
    var table = TextTable("JOB", "STATE", "FRAMES", "CHUNKS", "RETRIES", "ELAPSED", "OUTPUT")
    for job in jobs {
      table.add(
        job.id, job.shownState, "\(job.framesDone)/\(job.frameCount)", "\(job.chunksDone)/\(job.chunkCount)",
        String(job.retries), ProgressText.clock(job.elapsedSeconds), job.output)
    }
    return table.text
  }

  private static func table(of workers: [WorkerStatus]) -> String {
    guard !workers.isEmpty else { return "no workers\n" }
    var table = TextTable("WORKER", "HOST", "STATE", "RUNNING", "HEARTBEAT")
    for worker in workers {
      table.add(
        worker.name, worker.host, worker.state, "\(worker.running)/\(worker.slots)",
        "\(ProgressText.decimal(worker.secondsSinceHeartbeat)) s ago")
    }
    return table.text
  }

  private static func table(of tasks: [TaskStatus]) -> String {
    var table = TextTable("TASK", "KIND", "STATE", "FRAMES", "DONE", "ATTEMPTS", "WORKER", "FAILURE")
    for task in tasks {
      table.add(
        String(task.id), task.kind.rawValue, task.state.rawValue,
        task.frames.map { "\($0.first)..\($0.first + $0.count)" } ?? "-", task.frames == nil ? "-" : String(task.framesDone),
        String(task.attempts), [task.worker, task.workerBeside].compactMap(\.self).joined(separator: ", ").orDash,
        task.failure?.description ?? "")
    }
    return table.text
  }
}

extension JobStatus {
  fileprivate var shownState: String { isPaused && !state.isFinal ? "paused" : state.rawValue }
}

extension String {
  fileprivate var orDash: String { isEmpty ? "-" : self }
}

private struct JobRecord: Encodable {
  let job: JobStatus
  let tasks: [TaskStatus]
}

private struct FarmRecord: Encodable {
  let jobs: [JobStatus]
  let workers: [WorkerStatus]
}
