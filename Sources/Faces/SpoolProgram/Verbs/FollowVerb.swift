import Arguments
import Ledger
import Linux
import Operations
import Terminal

struct FollowVerb: Verb {
  static let page = Page(
    "follow", "tell each change of a job until it ends",
    description: [
      """
      Prints a line for each change of a job, its tasks and its attempts, as they come, and first the ten before: what began, on which \
      worker, what ended, and why it failed. It ends when the job has ended, as 'spool render' would: with code 0 if it is done, else with \
      the code of its failure.
      """,
      """
      Of very many changes within a second the last thousand are told, and how many were not. While the database is away, it says so and waits. \
      Ctrl-C ends it, and not the job.
      """, Database.description,
    ],
    examples: [
      .init("spool follow b7kq2mzr9x4t", "A job that runs."),
      .init("spool submit edit.json -o edit.mp4 | xargs spool follow", "From its beginning on."),
    ],
    environment: Database.variables,
    exitCodes: WatchVerb.page.exitCodes)

  @Positional("JOB", .name("JOB", .unfinishedJobs), "A job's id, as submit printed it.") var job: String
  @Option("database", .text("URL"), Database.help) var database: String?
  @Flag("json", "Print one JSON object a line.") var json: Bool

  /// The changes that are told of those before.
  private static let past = 10

  func run() throws {
    // The signals are blocked before any thread starts.
    let interruption = try Interruption()
    let farm = try Database.face(database)
    var (news, isAway) = (HistoryNews(past: Self.past), false)
    // Lines have the time of day. Before the first change of another day than that of the last line stands that day.
    var day = UTCTime.text(secondsSince1970: UTCTime.now).prefix(10)
    let ended = try farm.watch(WatchRequest(jobs: [job]), interruption) { sight in
      if case .away(let complaint) = sight {
        if !isAway { try StandardStream.error.line("the database is away: \(complaint.told.first?.text ?? "")") }
        isAway = true
        return
      }
      isAway = false
      let (fresh, missed) = news.take(try farm.history(job: job, limit: Farm.historyLimits.upperBound).entries)
      if missed { try StandardStream.error.line("changes before these were too many to be told") }
      for entry in fresh {
        guard !json else {
          try StandardStream.output.json(entry)
          continue
        }
        if !entry.at.hasPrefix(day) { try StandardStream.output.line(String(entry.at.prefix(10))) }
        day = entry.at.prefix(10)
        try StandardStream.output.line(entry.sentence)
      }
    }
    guard let ended else { throw WatchVerb.interrupted([job]) }
    if let complaint = ended.compactMap(\.complaint).first { throw complaint }
  }
}
