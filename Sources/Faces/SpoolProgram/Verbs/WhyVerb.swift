import Arguments
import Ledger
import Messages
import Terminal

struct WhyVerb: Verb {
  static let page = Page(
    "why", "say why something waits",
    description: [
      """
      Says in a sentence why a job, a task of one (its number, as 'spool status JOB' shows it) or a worker is not getting on: \
      paused, drained, set aside, over its quota, backing off, without a worker that has what it needs, behind others.
      """,
      "It shows what the views chunk_waiting_reason and worker_waiting_reason of the database show.", Database.description,
    ],
    examples: [
      .init("spool why b7kq2mzr9x4t", "A job: a line for each reason, with the number of tasks."),
      .init("spool why 4711", "A task."), .init("spool why render-7", "A worker."),
    ],
    environment: [Database.variable],
    exitCodes: [
      .init(ExitCode.ok, "said"), .init(ExitCode.usage, "usage error"), .init(ExitCode.noInput, "no such job, task or worker"),
      .init(ExitCode.unavailable, "the database cannot be reached"), Database.forbidden,
    ])

  @Positional("WHAT", .text("JOB|TASK|WORKER"), "A job's id, a task's number or a worker's name.") var what: String
  @Option("database", .text("URL"), Database.help) var database: String?
  @Flag("json", "Print one JSON object instead of sentences.") var json: Bool

  func run() throws {
    let ledger = try Database.open(database)
    let answer = try Self.job(what, ledger) ?? Self.task(what, ledger) ?? Self.worker(what, ledger)
    guard let answer else { throw Complaint(what, "no such job, task or worker", ExitCode.noInput) }
    guard !json else { return try StandardStream.output.json(answer) }
    for (place, reason) in answer.reasons.enumerated() {
      try StandardStream.output.line(place == 0 ? "\(what) \(reason)" : "  \(reason)")
    }
  }

  private static func job(_ id: String, _ ledger: PostgreSQLLedger) throws -> Answer? {
    guard let job = try ledger.status(job: id) else { return nil }
    guard !job.state.isFinal else {
      return Answer(kind: "job", reasons: ["is \(job.state.rawValue)\(job.failure.map { ": \($0)" } ?? "")"])
    }
    let done = "\(job.chunksDone) of \(job.chunkCount) chunks done"
    let runs = job.running == 0 ? "" : job.running == 1 ? ", 1 task runs" : ", \(job.running) tasks run"
    let state = job.isPaused ? "paused since \(job.pausedAt ?? "now")" : job.state.rawValue
    let first = "is \(state), \(done)\(runs)" + (job.isPaused ? " (spool resume \(id))" : "")
    // A reason that stops the whole farm also stops this job, whatever else is in its way.
    if let reason = try ledger.farmReason(job: id) { return Answer(kind: "job", reasons: [first, reason]) }
    guard !job.isPaused else { return Answer(kind: "job", reasons: [first]) }
    let waiting = try ledger.waiting(job: id)
    let trouble = try ledger.trouble(job: id).map { ["\($0)"] } ?? []
    return Answer(
      kind: "job",
      reasons: [first + (waiting.isEmpty ? "; nothing waits for a worker" : "")]
        + waiting.map { "\(words($0)): \($0.reason)" } + trouble)
  }

  /// The waiting tasks in words, such as `6 chunks wait` or `the sound waits`.
  private static func words(_ waiting: PostgreSQLLedger.WaitingTasks) -> String {
    switch waiting.kind {
    case .picture: waiting.count == 1 ? "1 chunk waits" : "\(waiting.count) chunks wait"
    case .sound: "the sound waits"
    case .mux: "the mux waits"
    case .publish: "the publishing waits"
    }
  }

  private static func task(_ number: String, _ ledger: PostgreSQLLedger) throws -> Answer? {
    guard let id = Int64(number), let found = try ledger.task(id) else { return nil }
    let task = found.status
    if let reason = try ledger.reason(task: id) { return Answer(kind: "task", reasons: ["of \(found.job) waits: \(reason)"]) }
    let worker = task.state == .running ? task.worker.map { " on \($0)" } ?? "" : ""
    let beside = task.workerBeside.map { ", and since it is slow there, on \($0) as well: the first result wins" } ?? ""
    let origin = task.splitFrom.map { "; it was split off task \($0), which was costly" } ?? ""
    let failure = task.state == .failed ? task.failure.map { ": \($0)" } ?? "" : ""
    let patience = task.state == .running ? patience(with: found) : ""
    let state = "\(task.state.rawValue)\(worker)\(beside)\(patience)\(failure)\(origin)"
    return Answer(kind: "task", reasons: ["of \(found.job) does not wait: it is \(state)"])
  }

  private static func patience(with task: PostgreSQLLedger.FoundTask) -> String {
    guard let silence = task.silence, let patience = task.patience else { return "" }
    return "; its last progress was \(Int(silence)) s ago, and after \(Int(patience)) s without any it is ended"
  }

  private static func worker(_ name: String, _ ledger: PostgreSQLLedger) throws -> Answer? {
    try ledger.reason(worker: name).map { Answer(kind: "worker", reasons: ["is given nothing new: \($0)"]) }
  }

  private struct Answer: Encodable {
    let kind: String
    let reasons: [String]
  }
}
