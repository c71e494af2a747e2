import Arguments
import Messages
import Operations
import Terminal

struct CompareVerb: Verb {
  static let page = Page(
    "compare", "say what changed from one job to the next",
    description: [
      """
      Prints in what the documents of two jobs differ, and of each chunk of JOB whether a finished chunk of the earlier job showed the same. Of the others it \
      tells the first frame that is new, and what differs in it. So it says why a chunk was rendered again.
      """,
      """
      The earlier job is EARLIER, or else the newest one before JOB with its submitter and output. The bytes of media and the program are not compared.
      """,
      Database.description,
    ],
    examples: [
      .init("spool compare b7kq2mzr9x4t", "With the job before it that wrote the same movie."),
      .init("spool compare b7kq2mzr9x4t 4hs8xk2vn9tq --json", "With another job, for a script."),
    ],
    environment: Database.variables,
    exitCodes: [
      .init(ExitCode.ok, "compared"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.noInput, "no such job, or no earlier one"),
      .init(ExitCode.unavailable, "the database cannot be reached"), Database.forbidden,
    ])

  @Positional("JOB", .name("JOB", .jobs), "A job's id, as submit printed it.") var job: String
  @Positional("EARLIER", .name("JOB", .jobs), "The id of the job to compare it with.") var earlier: String?
  @Option("database", .text("URL"), Database.help) var database: String?
  @Flag("json", "Print one JSON object.") var json: Bool

  func run() throws {
    let compared = try Database.face(database).compare(job: job, with: earlier)
    guard !json else { return try StandardStream.output.json(compared) }
    for line in compared.comparison.words { try StandardStream.output.line(line) }
    guard !compared.chunks.isEmpty else { return }
    let same = compared.comparison.sameChunks
    try StandardStream.output.line("\(same) of \(compared.chunks.count) chunks show what a finished chunk of it shows")
    try StandardStream.output.line("")
    var table = TextTable("FRAMES", "FROM", "BEFORE")
    table.mayCut(2, to: 20)
    for chunk in compared.chunks {
      table.add(
        "\(chunk.frames.first)..\(chunk.frames.first + chunk.frames.count)", ProgressText.clock(chunk.start), chunk.finding.text)
    }
    try StandardStream.output.table(table)
  }
}
