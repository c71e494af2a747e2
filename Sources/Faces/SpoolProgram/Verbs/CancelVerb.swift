import Arguments
import Operations

struct CancelVerb: Verb {
  static let page = Page(
    "cancel", "cancel a job",
    description: [
      "Ends a job that has not ended yet. Its attempts are killed; nothing appears under the output's name.",
      Database.description,
    ],
    examples: [.init("spool cancel b7kq2mzr9x4t", "Cancel the job with the id that submit printed.")],
    environment: [Database.variable],
    exitCodes: [
      .init(ExitCode.ok, "cancelled, now or before"), .init(ExitCode.differs, "the job had ended otherwise: done or failed"),
      .init(ExitCode.usage, "usage error"), .init(ExitCode.noInput, "no such job"),
      .init(ExitCode.unavailable, "the database cannot be reached"), Database.forbidden,
    ])

  @Positional("JOB", .text("JOB"), "The job's id, as submit printed it.") var job: String
  @Option("database", .text("URL"), Database.help) var database: String?

  func run() throws { try JobChangeVerb.run(.cancel, job, in: database) { _ in "cancelled" } }
}
