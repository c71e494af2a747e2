import Arguments
import Operations

struct RetryVerb: Verb {
  static let page = JobChangeVerb.page(
    "retry", "render what a failed or cancelled job lacks",
    [
      """
      Queues the job again: only what is missing is rendered, and earlier failures do not count any more. If the job's segments \
      were cleared away meanwhile, everything is rendered again.
      """,
      """
      With --output the movie goes to another file, which is checked as 'spool submit' checks it. That also works for a job that \
      has not ended, until its mux has begun.
      """,
    ],
    examples: [
      .init("spool retry b7kq2mzr9x4t", "After its medium was put where it belongs."),
      .init("spool retry b7kq2mzr9x4t -o /srv/output/other.mp4", "Where the output cannot be written."),
    ],
    refusal: "the job had not failed and was not cancelled; or, with --output, its mux had begun",
    others: [
      .init(ExitCode.usage, "usage error, or a name that promises another kind of file"),
      .init(ExitCode.cannotCreate, "the output cannot be written, or another job that has not ended is to write it"),
    ])

  @Positional("JOB", .text("JOB"), "The job's id, as submit printed it.") var job: String
  @Option("output", short: "o", .file, "The movie, from now on. Default: as it was submitted.") var output: String?
  @Option("database", .text("URL"), Database.help) var database: String?

  func run() throws {
    try JobChangeVerb.run(.retry(output: output), job, in: database) { steered in
      guard output != nil else { return "queued again" }
      return steered.isQueuedAgain ? "queued again, to write \(steered.output)" : "is to write \(steered.output)"
    }
  }
}
