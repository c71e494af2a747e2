import Arguments
import Ledger
import Operations

struct CancelVerb: Verb {
  static let page = JobChangeVerb.page(
    "cancel", "cancel jobs",
    [
      "Ends jobs that have not ended yet. Their attempts are killed; nothing appears under the names of their outputs.",
      JobChangeVerb.several("queued, running or paused"),
    ],
    examples: [
      .init("spool cancel b7kq2mzr9x4t", "Cancel the job with the id that submit printed."),
      .init("spool cancel --submitter ana@edit-1 --preview", "Which jobs of hers would be cancelled."),
      .init("spool cancel --submitter ana@edit-1 --state queued", "Those that have not begun."),
    ], refusal: "a job had ended otherwise: done or failed")

  @Positional("JOB", .name("JOB", .unfinishedJobs), minimum: 0, JobChangeVerb.jobs) var jobs: [String]
  @Option("state", .choice("STATE"), JobChangeVerb.states) var states: [JobFilter.State]
  @Option("submitter", .name("NAME", .submitters), JobChangeVerb.submitter) var submitter: String?
  @Flag("preview", JobChangeVerb.preview) var preview: Bool
  @Option("database", .text("URL"), Database.help) var database: String?

  func run() throws {
    try BulkChange(
      .cancel, "cancelled", jobs: jobs, states: states, submitter: submitter, since: nil, usually: [.queued, .running, .paused],
      isPreview: preview
    ).run(in: database)
  }
}
