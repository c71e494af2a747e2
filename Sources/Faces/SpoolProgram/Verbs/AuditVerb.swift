import Arguments
import Ledger
import Operations
import Terminal

struct AuditVerb: Verb {
  static let page = Page(
    "audit", "show who did what",
    description: [
      """
      Shows each verb of operators and submitters that was carried out, and each that was refused for lack of a right: submit, cancel, \
      pause, resume, prioritise, retry, drain, undrain, and changes of shares and webhooks. The newest come first. WHO is the name of a console's token, or USER@HOST of who ran this program; FROM is \
      where from. The database writes each row in the transaction that does the deed, with the role that did it ('--json'), and keeps it \
      as long as the history. A refusal is written by who was refused, and counted where it comes again within the hour; 'steer' is a \
      change of jobs that a console refused before it read which.
      """, Database.description,
    ],
    examples: [
      .init("spool audit --since 24", "Today."), .init("spool audit --job b7kq2mzr9x4t", "What was done to a job."),
      .init("spool audit --who ana@edit-1 --verb cancel", "What she cancelled."),
      .init("spool audit --refused --since 24", "Who tried what he may not do."),
    ],
    environment: Database.variables,
    exitCodes: [
      .init(ExitCode.ok, "shown"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.unavailable, "the database cannot be reached"), Database.forbidden,
    ])

  @Option("job", .name("JOB", .jobs), "Only what was done to that job.") var job: String?
  @Option("who", .text("NAME"), "Only what that caller, or that role of the database, did.") var who: String?
  @Option("verb", .text("VERB"), "Only that verb.") var verb: String?
  @Flag("refused", "Only what was refused.") var isRefused: Bool
  @Option("since", .integer(1...87_600, "HOURS"), "Only the last HOURS hours.") var since: Int?
  @Option("limit", .integer(Farm.auditLimits), default: 50, shown: "50", "How many rows to show.") var limit: Int
  @Option("database", .text("URL"), Database.help) var database: String?
  @Flag("json", "Print one JSON object instead of a table.") var json: Bool

  func run() throws {
    let filter = AuditFilter(job: job, who: who, verb: verb, seconds: since.map { $0 * 3600 }, limit: limit, isRefused: isRefused)
    let audit = try Complaint.naming(["verb": "--verb"]) { () throws(Complaint) in try Database.face(database).audit(filter) }
    guard !json else { return try StandardStream.output.json(audit) }
    guard !audit.entries.isEmpty else { return try StandardStream.output.line("nothing was done") }
    try StandardStream.output.table(audit.table(columns: StandardStream.output.tableColumns))
  }
}
