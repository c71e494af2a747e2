import Arguments
import Ledger
import Operations
import Terminal

/// The common part of the verbs that change jobs: one, several that are named, or all that a filter chooses.
enum JobChangeVerb {
  static func page(
    _ name: String, _ summary: String, _ description: [String], examples: [Page.Example], refusal: String,
    others: [Page.ExitCode] = [.init(ExitCode.usage, "usage error")]
  ) -> Page {
    Page(
      name, summary, description: description + [Database.description], examples: examples, environment: Database.variables,
      exitCodes: [.init(ExitCode.ok, "changed, now or before"), .init(ExitCode.differs, refusal)] + others + [
        .init(ExitCode.noInput, "no such job"), .init(ExitCode.unavailable, "the database cannot be reached"), Database.forbidden,
      ])
  }

  /// The paragraph of help about several jobs.
  static func several(_ states: String) -> String {
    """
    Without JOB, the options choose jobs, ten thousand at most; without --state those that are \(states). With --preview it \
    shows which jobs they are, and changes nothing. A job that refuses does not keep the others from it.
    """
  }

  static let jobs = "Jobs' ids, as submit printed them."
  static let states = "Jobs in that state."
  static let submitter = "Jobs of that submitter."
  static let since = "Of jobs that have ended, those that did in the last HOURS hours."
  static let preview = "Show which jobs are meant, and change nothing."
}

/// A change of some jobs as the arguments of a verb say it.
struct BulkChange {
  var steering: JobSteering
  /// The words that are printed behind the id of a job afterwards, or behind the number of jobs.
  var words: String
  var jobs: [String]
  var filter: JobFilter
  /// The states of the jobs that are chosen where no state is named.
  var usualStates: [JobFilter.State]
  var isPreview: Bool

  init(
    _ steering: JobSteering, _ words: String, jobs: [String], states: [JobFilter.State], submitter: String?, since: Int?,
    usually usualStates: [JobFilter.State], isPreview: Bool
  ) {
    (self.steering, self.words, self.jobs, self.usualStates, self.isPreview) = (steering, words, jobs, usualStates, isPreview)
    filter = JobFilter(states: states, submitter: submitter, seconds: since.map { $0 * 3600 }, limit: Farm.mostJobs)
  }

  private var hasFilter: Bool { !filter.states.isEmpty || filter.submitter != nil || filter.seconds != nil }

  func run(in database: String?) throws {
    guard !jobs.isEmpty || hasFilter else { throw Complaint("JOB", "required, or --submitter, --state or --since", .usage) }
    guard jobs.isEmpty || !hasFilter else {
      throw Complaint("JOB", "names jobs, and a filter chooses some: give one of them", .usage)
    }
    let farm = try Database.face(database)
    if jobs.count == 1, !isPreview {
      let steered = try farm.steer(job: jobs[0], steering)
      return try StandardStream.output.line("\(steered.job) \(words)")
    }
    let meant = try jobs.isEmpty ? farm.chosen(by: filled) : jobs
    guard !isPreview else { return try show(meant) }
    let outcome = try farm.steer(many: meant, steering)
    try StandardStream.output.line("\(outcome.jobs.count) of \(outcome.count) \(outcome.count == 1 ? "job" : "jobs") \(words)")
    guard !outcome.refused.isEmpty else { return }
    throw Complaint(
      told: outcome.refused.map(\.fault),
      outcome.refused.contains { $0.fault.kind == ExitClass.noInput.word } ? .noInput : .differs)
  }

  private var filled: JobFilter {
    var filter = filter
    if filter.states.isEmpty { filter.states = usualStates }
    return filter
  }

  private func show(_ meant: [String]) throws {
    for job in meant { try StandardStream.output.line(job) }
    try StandardStream.error.line("\(meant.count) \(meant.count == 1 ? "job" : "jobs") would be \(words); nothing was changed")
  }
}

struct PauseVerb: Verb {
  static let page = JobChangeVerb.page(
    "pause", "begin nothing more of jobs",
    [
      "Running attempts finish; none is begun until 'spool resume'. A job keeps its place, and what is done stays done.",
      JobChangeVerb.several("queued or running"),
    ],
    examples: [
      .init("spool pause b7kq2mzr9x4t", "Until spool resume b7kq2mzr9x4t."),
      .init("spool pause --submitter ana@edit-1 --preview", "Which jobs that would be."),
    ], refusal: "a job had ended")

  @Positional("JOB", .name("JOB", .unfinishedJobs), minimum: 0, JobChangeVerb.jobs) var jobs: [String]
  @Option("state", .choice("STATE"), JobChangeVerb.states) var states: [JobFilter.State]
  @Option("submitter", .name("NAME", .submitters), JobChangeVerb.submitter) var submitter: String?
  @Flag("preview", JobChangeVerb.preview) var preview: Bool
  @Option("database", .text("URL"), Database.help) var database: String?

  func run() throws {
    try BulkChange(
      .pause, "paused", jobs: jobs, states: states, submitter: submitter, since: nil, usually: [.queued, .running],
      isPreview: preview
    ).run(in: database)
  }
}

struct ResumeVerb: Verb {
  static let page = JobChangeVerb.page(
    "resume", "go on with paused jobs",
    ["Their tasks are given out again, from where they were paused.", JobChangeVerb.several("paused")],
    examples: [
      .init("spool resume b7kq2mzr9x4t", "It was paused by spool pause."),
      .init("spool resume --submitter ana@edit-1", "All her paused jobs."),
    ], refusal: "a job had ended")

  @Positional("JOB", .name("JOB", .pausedJobs), minimum: 0, JobChangeVerb.jobs) var jobs: [String]
  @Option("state", .choice("STATE"), JobChangeVerb.states) var states: [JobFilter.State]
  @Option("submitter", .name("NAME", .submitters), JobChangeVerb.submitter) var submitter: String?
  @Flag("preview", JobChangeVerb.preview) var preview: Bool
  @Option("database", .text("URL"), Database.help) var database: String?

  func run() throws {
    try BulkChange(
      .resume, "resumed", jobs: jobs, states: states, submitter: submitter, since: nil, usually: [.paused], isPreview: preview
    ).run(in: database)
  }
}

struct PriorityVerb: Verb {
  static let page = JobChangeVerb.page(
    "priority", "change jobs' priorities",
    [
      """
      Jobs of a higher priority go first; those of one priority share the farm by submitter. What runs is not interrupted. A job \
      that is given nothing gains one level an hour ('spool coordinator --ageing'), so that none waits for ever. Write '--' \
      before a negative number.
      """, JobChangeVerb.several("queued, running or paused"),
    ],
    examples: [
      .init("spool priority b7kq2mzr9x4t 10", "Before all jobs of priority 9 and below."),
      .init("spool priority --submitter ana@edit-1 --preview 10", "Which jobs of hers would be raised."),
      .init("spool priority --state queued -- -5", "All that have not begun, behind the others."),
    ], refusal: "a job had ended")

  @Positional("JOB", .name("JOB", .unfinishedJobs), minimum: 0, JobChangeVerb.jobs) var jobs: [String]
  @Positional("PRIORITY", .integer(JobSteering.priorities), "A whole number. Jobs have 0 unless submit said otherwise.")
  var priority: Int
  @Option("state", .choice("STATE"), JobChangeVerb.states) var states: [JobFilter.State]
  @Option("submitter", .name("NAME", .submitters), JobChangeVerb.submitter) var submitter: String?
  @Flag("preview", JobChangeVerb.preview) var preview: Bool
  @Option("database", .text("URL"), Database.help) var database: String?

  func run() throws {
    try BulkChange(
      .prioritise(level: priority), "given priority \(priority)", jobs: jobs, states: states, submitter: submitter, since: nil,
      usually: [.queued, .running, .paused], isPreview: preview
    ).run(in: database)
  }
}
