import Arguments
import Ledger
import Operations
import Terminal

struct AuditVerb: Verb {
  static let page = Page(
    "audit", "show who did what",
    description: [
      """
      Shows each verb of operators and submitters that was carried out: submit, cancel, pause, resume, prioritise, retry, drain, undrain, \
      and changes of shares. The newest come first. WHO is the name of a console's token, or USER@HOST of who ran this program; FROM is \
      where from. The database writes each row in the transaction that does the deed, with the role that did it ('--json'), and keeps it \
      as long as the history.
      """, Database.description,
    ],
    examples: [
      .init("spool audit --since 24", "Today."), .init("spool audit --job b7kq2mzr9x4t", "What was done to a job."),
      .init("spool audit --who ana@edit-1 --verb cancel", "What she cancelled."),
    ],
    environment: Database.variables,
    exitCodes: [
      .init(ExitCode.ok, "shown"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.unavailable, "the database cannot be reached"), Database.forbidden,
    ])

  @Option("job", .text("JOB"), "Only what was done to that job.") var job: String?
  @Option("who", .text("NAME"), "Only what that caller, or that role of the database, did.") var who: String?
  @Option("verb", .text("VERB"), "Only that verb.") var verb: String?
  @Option("since", .integer(1...87_600, "HOURS"), "Only the last HOURS hours.") var since: Int?
  @Option("limit", .integer(Farm.auditLimits), default: 50, shown: "50", "How many rows to show.") var limit: Int
  @Option("database", .text("URL"), Database.help) var database: String?
  @Flag("json", "Print one JSON object instead of a table.") var json: Bool

  func run() throws {
    let filter = AuditFilter(job: job, who: who, verb: verb, seconds: since.map { $0 * 3600 }, limit: limit)
    let audit = try Complaint.naming(["verb": "--verb"]) { () throws(Complaint) in try Database.face(database).audit(filter) }
    guard !json else { return try StandardStream.output.json(audit) }
    guard !audit.entries.isEmpty else { return try StandardStream.output.line("nothing was done") }
    var table = TextTable("TIME", "WHO", "FROM", "VERB", "WHAT", "CHANGE")
    for (column, width) in [(1, 10), (2, 9), (5, 12)] { table.mayCut(column, to: width) }
    for entry in audit.entries {
      table.add(String(entry.at.prefix(19)) + "Z", entry.who, entry.origin, entry.verb, entry.object, entry.change)
    }
    try StandardStream.output.table(table)
  }
}
