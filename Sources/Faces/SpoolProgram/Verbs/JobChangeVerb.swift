import Arguments
import Operations
import Terminal

/// The common part of the verbs that change a job.
enum JobChangeVerb {
  static func page(_ name: String, _ summary: String, _ description: [String], example: Page.Example, refusal: String) -> Page {
    page(name, summary, description, examples: [example], refusal: refusal, others: [.init(ExitCode.usage, "usage error")])
  }

  /// - Parameter others: the exit codes for a usage error and for other errors of this verb.
  static func page(
    _ name: String, _ summary: String, _ description: [String], examples: [Page.Example], refusal: String, others: [Page.ExitCode]
  ) -> Page {
    Page(
      name, summary, description: description + [Database.description], examples: examples, environment: [Database.variable],
      exitCodes: [.init(ExitCode.ok, "changed, now or before"), .init(ExitCode.differs, refusal)] + others + [
        .init(ExitCode.noInput, "no such job"), .init(ExitCode.unavailable, "the database cannot be reached"), Database.forbidden,
      ])
  }

  /// - Parameter done: the words that are printed behind the job's ID afterwards.
  static func run(
    _ steering: JobSteering, _ job: String, in database: String?, _ done: (SteeredJob) -> String
  ) throws {
    let steered = try Database.farm(database).steer(job: job, steering)
    try StandardStream.output.line("\(job) \(done(steered))")
  }
}

struct PauseVerb: Verb {
  static let page = JobChangeVerb.page(
    "pause", "begin nothing more of a job",
    ["Running attempts finish; none is begun until 'spool resume'. The job keeps its place, and what is done stays done."],
    example: .init("spool pause b7kq2mzr9x4t", "Until spool resume b7kq2mzr9x4t."), refusal: "the job had ended")

  @Positional("JOB", .text("JOB"), "The job's id, as submit printed it.") var job: String
  @Option("database", .text("URL"), Database.help) var database: String?

  func run() throws { try JobChangeVerb.run(.pause, job, in: database) { _ in "paused" } }
}

struct ResumeVerb: Verb {
  static let page = JobChangeVerb.page(
    "resume", "go on with a paused job", ["Its tasks are given out again, from where it was paused."],
    example: .init("spool resume b7kq2mzr9x4t", "It was paused by spool pause."), refusal: "the job had ended")

  @Positional("JOB", .text("JOB"), "The job's id, as submit printed it.") var job: String
  @Option("database", .text("URL"), Database.help) var database: String?

  func run() throws { try JobChangeVerb.run(.resume, job, in: database) { _ in "resumed" } }
}

struct PriorityVerb: Verb {
  static let page = JobChangeVerb.page(
    "priority", "change a job's priority",
    [
      """
      Jobs of a higher priority go first; those of one priority share the farm by submitter. What runs is not interrupted. A job \
      that is given nothing gains one level an hour ('spool coordinator --ageing'), so that none waits for ever. Write '--' \
      before a negative number.
      """
    ],
    example: .init("spool priority b7kq2mzr9x4t 10", "Before all jobs of priority 9 and below."), refusal: "the job had ended")

  @Positional("JOB", .text("JOB"), "The job's id, as submit printed it.") var job: String
  @Positional("PRIORITY", .integer(JobSteering.priorities), "A whole number. Jobs have 0 unless submit said otherwise.")
  var priority: Int
  @Option("database", .text("URL"), Database.help) var database: String?

  func run() throws {
    try JobChangeVerb.run(.prioritise(level: priority), job, in: database) { _ in "has priority \(priority)" }
  }
}
