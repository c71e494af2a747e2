import Arguments
import FoundationEssentials
import Operations
import Terminal

struct TraceVerb: Verb {
  static let page = Page(
    "trace", "write a job's attempts over time, for Perfetto",
    description: [
      """
      Writes what each worker did for a job and when, as trace events in JSON. Open the file at https://ui.perfetto.dev, which reads it \
      in the browser and sends it nowhere, or at chrome://tracing. Each worker is a process, each attempt a bar with its frames, its \
      outcome and its speed; failures are marked, and arrows lead from the parts to the mux. Times count from the submission.
      """,
      "A job that still runs is written as it is now.", Database.description,
    ],
    examples: [
      .init("spool trace b7kq2mzr9x4t -o job.json", "A file for Perfetto."),
      .init(
        "spool trace b7kq2mzr9x4t | jq '[.traceEvents[] | select(.ph == \"X\" and .pid > 1).dur] | add'",
        "Microseconds that attempts took."),
    ],
    environment: Database.variables,
    exitCodes: [
      .init(ExitCode.ok, "written"), .init(ExitCode.usage, "usage error"), .init(ExitCode.noInput, "no such job"),
      .init(ExitCode.unavailable, "the database cannot be reached"),
      .init(ExitCode.cannotCreate, "the file cannot be written, or exists already"),
      Database.forbidden,
    ])

  @Positional("JOB", .name("JOB", .jobs), "A job's id, as submit printed it.") var job: String
  @Option("output", short: "o", .file, "The file; without it the trace is printed.") var output: String?
  @Option("database", .text("URL"), Database.help) var database: String?
  @Flag("overwrite", "Replace the file if it exists.") var overwrite: Bool

  func run() throws {
    let destination = try output.map { try Destination($0, overwrites: overwrite) }
    let trace = try Database.face(database).trace(job: job)
    guard let destination else { return try StandardStream.output.json(line: trace) }
    do { try Data(trace).write(to: URL(filePath: destination.path), options: .atomic) } catch {
      throw Complaint(destination.path, "cannot be written: \(error)", .cannotCreate)
    }
  }
}
