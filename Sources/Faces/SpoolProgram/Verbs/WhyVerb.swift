import Arguments
import Ledger
import Operations
import Terminal

struct WhyVerb: Verb {
  static let page = Page(
    "why", "say why something waits, and where the time went",
    description: [
      """
      Says in a sentence why a job, a task of one (its number, as 'spool status JOB' shows it) or a worker is not getting on: \
      paused, drained, set aside, over its quota, backing off, without a worker that has what it needs, behind others.
      """,
      """
      Of a job and of a task it says where the time went, to the last moment, and of a job for which attempts and waits its end waited: \
      its critical path, with the longest of them.
      """,
      """
      Without a name it says where the time of the farm's slots went in the last hours: what attempts did in them, and why nothing ran in the others. \
      It is counted in pieces of ten minutes, of which the first is counted whole.
      """,
      "It shows what the views chunk_waiting_reason, worker_waiting_reason, job_time, chunk_time and farm_time of the database show.",
      Database.description,
    ],
    examples: [
      .init("spool why b7kq2mzr9x4t", "A job: a line for each reason, with the number of tasks."),
      .init("spool why 4711", "A task."), .init("spool why render-7", "A worker."),
      .init("spool why --hours 24", "The farm, in the last day."),
    ],
    environment: Database.variables,
    exitCodes: [
      .init(ExitCode.ok, "said"), .init(ExitCode.usage, "usage error"), .init(ExitCode.noInput, "no such job, task or worker"),
      .init(ExitCode.unavailable, "the database cannot be reached"), Database.forbidden,
    ])

  @Positional("WHAT", .name("JOB|TASK|WORKER", .jobs), "A job's id, a task's number or a worker's name.") var what: String?
  @Option(
    "hours", .integer(Farm.timeHours), default: 1, shown: "1", "Without a name: how many hours ago the time begins.") var hours:
    Int
  @Option("database", .text("URL"), Database.help) var database: String?
  @Flag("json", "Print one JSON object instead of sentences.") var json: Bool

  /// The longest stretches of the critical path that are shown.
  private static let shownStretches = 5

  func run() throws {
    guard let what else { return try tellOfFarm() }
    let explanation = try Database.face(database).why(what)
    guard !json else { return try StandardStream.output.json(explanation) }
    for (place, reason) in explanation.reasons.enumerated() {
      try StandardStream.output.folded(place == 0 ? "\(what) \(reason)" : "  \(reason)", indent: 4)
    }
    guard let time = explanation.time, !time.isEmpty else { return }
    let seconds = time.reduce(0) { $0 + $1.seconds }
    let since = explanation.kind == .task ? "since the job's submission" : "since its submission"
    try StandardStream.output.folded("  of \(ProgressText.lasted(seconds)) \(since): \(time.words)", indent: 4)
    guard let path = explanation.path else { return }
    try StandardStream.output.folded("  its end waited for: \(path.time.words)", indent: 4)
    let whole = path.time.reduce(0) { $0 + $1.seconds }
    for slow in explanation.slow ?? [] {
      let words = "\(Int((slow.seconds / max(whole, slow.seconds) * 100).rounded())) % of that on \(slow.worker)"
      let pace = slow.pace.map { ", which takes \(ProgressText.decimal($0)) times as long as others" } ?? ""
      try StandardStream.output.folded("    \(words)\(pace)", indent: 6)
    }
    for stretch in path.stretches.sorted(by: { $0.seconds > $1.seconds }).prefix(Self.shownStretches) {
      try StandardStream.output.folded("    \(ProgressText.lasted(stretch.seconds))  \(stretch.words)", indent: 6)
    }
  }

  private func tellOfFarm() throws {
    let farm = try Database.face(database).time(hours: hours)
    guard !json else { return try StandardStream.output.json(farm) }
    guard let since = farm.since, !farm.time.isEmpty else {
      let words = "nothing was counted in that time: no worker was connected, or only since a moment ago (spool status)"
      return try StandardStream.output.folded(words, indent: 2)
    }
    let seconds = farm.time.reduce(0) { $0 + $1.seconds }
    let words = "of \(ProgressText.lasted(seconds)) of the farm's slots since \(since): \(farm.time.words)"
    try StandardStream.output.folded(words, indent: 2)
  }
}
