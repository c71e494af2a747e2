import Arguments
internal import Document
internal import Formats
import Ledger
import Messages
import Operations
import Rendering
internal import Scenes
internal import Timeline

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
    guard let output else { return try JobChangeVerb.run(.retry, job, in: database, "queued again") }
    let ledger = try Database.open(database)
    guard let spec = try ledger.spec(job: job) else { throw Complaint(job, "no such job", .noInput) }
    let destination = try Destination(output, overwrites: spec.overwrites)
    let document = try Document(Array(spec.document.utf8))
    try destination.requireName(for: document)
    try destination.requireNone(of: document.assets.values.map(\.path))
    let path = try OutputRoots.path(destination.path, writableBy: try ledger.workers())
    let isOver = try ledger.status(job: job)?.state.isFinal ?? true
    try JobChangeVerb.run(
      .retryWriting(to: path), job, in: database, isOver ? "queued again, to write \(path)" : "is to write \(path)")
  }
}
