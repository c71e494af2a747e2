import Arguments
import FoundationEssentials
import Operations
import Terminal

struct ReportVerb: Verb {
  static let page = Page(
    "report", "write all that is known of a job, as one HTML file",
    description: [
      """
      Writes what the farm's record has of a job: its state and failure, where its time went, a picture of its attempts over time, its \
      workers, what attempts wrote, who did what, and its last events. The file needs no other, and loads nothing: for a ticket, a mail or \
      an archive.
      """, Database.description,
    ],
    examples: [.init("spool report b7kq2mzr9x4t -o job.html", "A file for a browser.")],
    environment: Database.variables,
    exitCodes: [
      .init(ExitCode.ok, "written"), .init(ExitCode.usage, "usage error"), .init(ExitCode.noInput, "no such job"),
      .init(ExitCode.unavailable, "the database cannot be reached"),
      .init(ExitCode.cannotCreate, "the file cannot be written, or exists already"), Database.forbidden,
    ])

  @Positional("JOB", .name("JOB", .jobs), "A job's id, as submit printed it.") var job: String
  @Option("output", short: "o", .file, "The file.") var output: String
  @Option("database", .text("URL"), Database.help) var database: String?
  @Flag("overwrite", "Replace the file if it exists.") var overwrite: Bool

  func run() throws {
    let destination = try Destination(output, overwrites: overwrite)
    let text = try Database.face(database).paper(job: job)
    do { try Data(text.utf8).write(to: URL(filePath: destination.path), options: .atomic) } catch {
      throw Complaint(destination.path, "cannot be written: \(error)", .cannotCreate)
    }
  }
}
