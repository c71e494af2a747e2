import Arguments
import Ledger
import Operations
import Terminal

struct RetryVerb: Verb {
  static let page = JobChangeVerb.page(
    "retry", "render what failed or cancelled jobs lack",
    [
      """
      Queues the job again: only what is missing is rendered, and earlier failures do not count any more. If the job's segments \
      were cleared away meanwhile, everything is rendered again.
      """,
      """
      A done job whose movie did not get to all its further places is copied to them again. Nothing is rendered.
      """,
      """
      With --output the movie goes to another file, or to several, each of which is checked as 'spool submit' checks it. That also works for a job that \
      has not ended, until its mux has begun.
      """, JobChangeVerb.several("failed"),
    ],
    examples: [
      .init("spool retry b7kq2mzr9x4t", "After its medium was put where it belongs."),
      .init("spool retry b7kq2mzr9x4t -o /srv/output/other.mp4", "Where the output cannot be written."),
      .init("spool retry --state failed --since 2", "All that failed in the last two hours, after the store was mended."),
    ],
    refusal:
      "the job had not failed and was not cancelled, and all its places have the movie; or, with --output, its mux had begun",
    others: [
      .init(ExitCode.usage, "usage error, or a name that promises another kind of file"),
      .init(ExitCode.cannotCreate, "the output cannot be written, or another job that has not ended is to write it"),
    ])

  @Positional("JOB", .name("JOB", .stoppedJobs), minimum: 0, JobChangeVerb.jobs) var jobs: [String]
  @Option(
    "output", short: "o", .file,
    "The movie, from now on; for one job. All its places are those that are named here. Default: as it was submitted.")
  var outputs: [String]
  @Option("state", .choice("STATE"), JobChangeVerb.states) var states: [JobFilter.State]
  @Option("submitter", .name("NAME", .submitters), JobChangeVerb.submitter) var submitter: String?
  @Option("since", .integer(1...87_600, "HOURS"), JobChangeVerb.since) var since: Int?
  @Flag("preview", JobChangeVerb.preview) var preview: Bool
  @Option("database", .text("URL"), Database.help) var database: String?

  func run() throws {
    guard let output = outputs.first else {
      return try BulkChange(
        .retry(), "queued again", jobs: jobs, states: states, submitter: submitter, since: since, usually: [.failed],
        isPreview: preview
      ).run(in: database)
    }
    guard jobs.count == 1, states.isEmpty, submitter == nil, since == nil, !preview else {
      throw Complaint("--output", "is for one JOB that is named", .usage)
    }
    let steered = try Database.face(database).steer(job: jobs[0], .retry(output: output, copies: Array(outputs.dropFirst())))
    let places = ([steered.output] + (steered.copies ?? [])).joined(separator: ", ")
    try StandardStream.output.line("\(steered.job) \(steered.isQueuedAgain ? "queued again, to write" : "is to write") \(places)")
  }
}
