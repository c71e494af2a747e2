import Arguments
import Ledger
import Messages
import Operations
import Terminal

struct LogsVerb: Verb {
  static let page = Page(
    "logs", "show what attempts wrote",
    description: [
      """
      Shows what the processes of attempts wrote to their standard error: warnings of decoders and encoders, what your compositors print, \
      and the last words of a crash. Of each attempt the first 4 KiB and the last 12 KiB are kept, as long as the history is. Of \
      an attempt that runs there is what it wrote until some ten seconds ago. The newest come first.
      """, Database.description,
    ],
    examples: [
      .init("spool logs b7kq2mzr9x4t", "All attempts of a job that wrote anything."),
      .init("spool logs 4711/2", "The second attempt at task 4711, as 'spool status JOB' and failures name it."),
      .init("spool logs b7kq2mzr9x4t --containing 'error while decoding'", "Those with these words."),
    ],
    environment: Database.variables,
    exitCodes: [
      .init(ExitCode.ok, "shown"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.noInput, "no such job, task or attempt"), .init(ExitCode.unavailable, "the database cannot be reached"),
      Database.forbidden,
    ])

  @Positional("WHAT", .name("JOB|TASK|ATTEMPT", .jobs), "A job's id, a task's number, or an attempt: TASK/NUMBER.") var what:
    String
  @Option("database", .text("URL"), Database.help) var database: String?
  @Option("containing", .text("WORDS"), "Only logs with these words in them.") var words: String?
  @Option("limit", .integer(LogRequest.limits), default: 100, shown: "100", "How many logs to show.") var limit: Int
  @Flag("json", "Print one JSON object instead of text.") var json: Bool

  func run() throws {
    let found = try Database.face(database).logs(LogRequest(about: what, words: words, limit: limit))
    guard !json else { return try StandardStream.output.json(found) }
    guard !found.logs.isEmpty else {
      return try StandardStream.output.line(words == nil ? "\(what): nothing was written" : "\(what): nothing with these words")
    }
    for (place, log) in found.logs.enumerated() {
      if place > 0 { try StandardStream.output.line("") }
      try StandardStream.output.folded(log.heading, indent: 2)
      for line in log.text.split(whereSeparator: \.isNewline) { try StandardStream.output.line("  \(line)") }
    }
  }
}

extension KeptLog {
  /// The attempt in a line.
  fileprivate var heading: String {
    let part = frames.map { "frames \($0.first)..\($0.first + $0.count)" } ?? kind.rawValue
    return "\(task)/\(number)  \(part)  \(worker)  \(outcome ?? "running")  \(at)  \(byteCount) bytes"
  }
}
