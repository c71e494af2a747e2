import Arguments
import Ledger
import Terminal

struct QuotaVerb: Verb {
  static let page = Page(
    "quota", "show or set the submitters' shares of the farm",
    description: [
      """
      Among jobs of one priority, submitters take turns so that each is given the same estimated work, times its weight. A quota \
      bounds how many attempts run at once for all jobs of a submitter.
      """,
      "Without SUBMITTER, shows all of them; with one, sets its share to what the options say.", Database.description,
    ],
    examples: [
      .init("spool quota", "All submitters."),
      .init("spool quota ana@edit-1 --weight 3 --slots 20", "Three shares, at most 20 slots."),
      .init("spool quota ana@edit-1", "One share and no quota, as everybody has at first."),
    ],
    environment: [Database.variable],
    exitCodes: [
      .init(ExitCode.ok, "shown or set"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.unavailable, "the database cannot be reached"),
    ])

  @Positional("SUBMITTER", .text("SUBMITTER"), "As status shows it.") var submitter: String?
  @Option("weight", .integer(1...1000), default: 1, shown: "1", "Share relative to others.") var weight: Int
  @Option("slots", .integer(0...1_000_000), "Attempts that may run at once; any number unless given.") var slots: Int?
  @Option("database", .text("URL"), Database.help) var database: String?
  @Flag("json", "Print one JSON object instead of a table.") var json: Bool

  func run() throws {
    let ledger = try Database.open(database)
    if let submitter { try ledger.setShare(of: submitter, weight: weight, slots: slots) }
    let submitters = try ledger.submitters()
    guard !json else { return try StandardStream.output.json(SubmittersRecord(submitters: submitters)) }
    guard !submitters.isEmpty else { return try StandardStream.output.line("no submitters") }
    var table = TextTable("SUBMITTER", "WEIGHT", "RUNNING", "QUOTA", "JOBS")
    for each in submitters {
      table.add(each.name, String(each.weight), String(each.running), each.slots.map(String.init) ?? "-", String(each.jobs))
    }
    try StandardStream.output.write(table.text)
  }
}

private struct SubmittersRecord: Encodable {
  let submitters: [SubmitterStatus]
}
