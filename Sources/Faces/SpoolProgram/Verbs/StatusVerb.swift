import Arguments
import Ledger
import Linux
import Messages
import Operations
import Terminal

struct StatusVerb: Verb {
  static let page = Page(
    "status", "show jobs and workers, or one job",
    description: [
      """
      Without JOB, shows the farm: what keeps it from working, if anything does, then its jobs, coordinators and workers. Jobs \
      that run come first, then those that wait, in their order, then the newest that ended. RAN is the time since a job ran \
      first. LEFT is a forecast of the time until it is done, with all the work that goes before it.
      """,
      """
      With JOB, shows that job and its tasks. Tasks that run or failed have a row each. Neighbours that are done, or that have not begun, \
      share one, unless you say --each. If damaged media were replaced ("damage": "conceal" of an asset), it also shows \
      which assets, where and how much; the list marks such jobs. If the edit asks for a loudness, it shows what was measured and done. If it has a \
      target of its bits ('bitRate', 'fileSize') or of quality, it shows what the movie has, as a warning where that is off by more than 1 %, or a \
      chunk has less quality. 'spool why' says at length what something waits for.
      """,
      """
      It shows what the views job_status, job_damage, job_loudness, job_target, job_waiting_reason, chunk_status, worker_status and coordinator_status of \
      the database show, which can be queried with psql as well.
      """,
      Database.description,
    ],
    examples: [
      .init("spool status", "What runs, what waits and what ended last; coordinators and workers."),
      .init("spool status --state failed --since 24", "What failed in the last 24 hours."),
      .init("spool status --submitter ana@edit-1 --limit 100", "Her jobs."),
      .init("spool status --json b7kq2mzr9x4t | jq .job.state", "One job, for a script."),
    ],
    environment: Database.variables,
    exitCodes: [
      .init(ExitCode.ok, "shown"), .init(ExitCode.usage, "usage error"), .init(ExitCode.noInput, "no such job"),
      .init(ExitCode.unavailable, "the database cannot be reached"), Database.forbidden,
    ])

  @Positional("JOB", .name("JOB", .jobs), "A job's id, as submit printed it.") var job: String?
  @Option("database", .text("URL"), Database.help) var database: String?
  @Option("state", .choice("STATE"), "Only jobs in that state.") var states: [JobFilter.State]
  @Option("submitter", .name("NAME", .submitters), "Only jobs of that submitter.") var submitter: String?
  @Option("since", .integer(1...87_600, "HOURS"), "Leave out jobs that ended more than HOURS hours ago.")
  var since: Int?
  @Option(
    "limit", .integer(1...10_000), default: JobFilter.usualLimit, shown: "\(JobFilter.usualLimit)", "How many jobs to show.")
  var limit: Int
  @Flag("each", "With JOB: show each task in a row of its own.") var each: Bool
  @Flag("json", "Print one JSON object instead of tables.") var json: Bool

  func run() throws {
    let farm = try Database.face(database)
    if let job { try show(job, of: farm) } else { try showAll(of: farm) }
  }

  private func show(_ id: String, of farm: any FarmFace) throws {
    let report = try farm.report(job: id)
    guard !json else { return try StandardStream.output.json(report) }
    for (name, value) in JobTable.facts(of: report) {
      try StandardStream.output.folded(name + String(repeating: " ", count: max(1, 11 - name.count)) + value, indent: 11)
    }
    try StandardStream.output.line("")
    let tasks = TaskTable.table(of: report.tasks, isBrief: !each, columns: StandardStream.output.tableColumns)
    try StandardStream.output.table(tasks)
  }

  private func showAll(of farm: any FarmFace) throws {
    let report = try farm.report(
      JobFilter(states: states, submitter: submitter, seconds: since.map { $0 * 3600 }, limit: limit))
    guard !json else { return try StandardStream.output.json(report) }
    for line in report.farm.banner { try StandardStream.output.folded(line, indent: 2, .fault) }
    try StandardStream.output.folded(report.summary, indent: 2)
    try StandardStream.output.line("")
    let jobs = JobTable.table(of: report.jobs, columns: StandardStream.output.tableColumns, now: UTCTime.now)
    try say(report.jobs.isEmpty ? nil : jobs, else: "no jobs")
    try StandardStream.output.line("")
    try say(report.coordinators.isEmpty ? nil : Self.table(of: report.coordinators), else: "no coordinators")
    try StandardStream.output.line("")
    try say(report.workers.isEmpty ? nil : WorkerStatus.table(of: report.workers, columns: Self.columns), else: "no workers")
  }

  /// The width of the workers' table. When the output is not a terminal, that of 80 columns is written and nothing in it is cut.
  private static var columns: Int { StandardStream.output.isTerminal ? StandardStream.output.columns : 80 }

  private func say(_ table: TextTable?, else words: String) throws {
    if let table { try StandardStream.output.table(table) } else { try StandardStream.output.line(words) }
  }

  private static func table(of coordinators: [CoordinatorStatus]) -> TextTable {
    var table = TextTable("COORDINATOR", "STATE", "SINCE")
    table.mayColor(1)
    table.mayCut(0, to: 20)
    for each in coordinators { table.add(each.name, each.state, JobTable.span(each.seconds)) }
    return table
  }
}
