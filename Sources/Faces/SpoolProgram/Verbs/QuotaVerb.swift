import Arguments
import Ledger
import Operations
import Terminal

struct QuotaVerb: Verb {
  static let page = Page(
    "quota", "show or change the submitters' shares of the farm",
    description: [
      """
      Among jobs of one priority, submitters take turns so that each gets work in proportion to its weight. A quota bounds how \
      many attempts run at once for all jobs of a submitter.
      """,
      """
      Shows all submitters, or SUBMITTER alone. --weight and --slots change its share and its quota, and what is not named \
      stays as it is. --reset takes both back to what everybody has at first.
      """,
      Database.description,
    ],
    examples: [
      .init("spool quota", "All submitters."),
      .init("spool quota ana@edit-1", "One of them."),
      .init("spool quota ana@edit-1 --weight 3 --slots 20", "Three shares, at most 20 slots."),
      .init("spool quota ana@edit-1 --slots none", "Any number of slots; the weight stays."),
      .init("spool quota --new ben@edit-2 --weight 2", "Before anything was submitted by that name."),
    ],
    environment: Database.variables,
    exitCodes: [
      .init(ExitCode.ok, "shown or changed"), .init(ExitCode.usage, "usage error"), .init(ExitCode.noInput, "no such submitter"),
      .init(ExitCode.unavailable, "the database cannot be reached"), Database.forbidden,
    ])

  @Positional("SUBMITTER", .name, "The submitter's name, as 'spool status' shows it.") var submitter: String?
  @Option("weight", .integer(SharesRequest.weights), "The submitter's share relative to others. Everybody has 1 at first.")
  var weight: Int?
  @Option("slots", .slots, "Attempts that may run at once; 'none': any number.") var slots: ShareChange.Slots?
  @Flag("reset", "Weight 1, and any number of slots.") var reset: Bool
  @Flag("new", "Enter a submitter that has submitted nothing yet.") var isNew: Bool
  @Option("database", .text("URL"), Database.help) var database: String?
  @Flag("json", "Print one JSON object instead of a table.") var json: Bool

  func run() throws {
    var request = SharesRequest(submitter: submitter)
    (request.weight, request.slots, request.resets, request.entersNew) = (weight, slots, reset, isNew)
    let shares = try Complaint.naming(Self.names) { [request] () throws(Complaint) in
      try Database.face(database).shares(request)
    }
    guard !json else { return try StandardStream.output.json(shares) }
    guard !shares.submitters.isEmpty else { return try StandardStream.output.line("no submitters") }
    var table = TextTable("SUBMITTER", "WEIGHT", "RUNNING", "QUOTA", "JOBS")
    table.mayCut(0, to: 20)
    for each in shares.submitters {
      table.add(each.name, String(each.weight), String(each.running), each.slots.map(String.init) ?? "-", String(each.jobs))
    }
    try StandardStream.output.table(table)
  }

  private static let names = [
    "submitter": "SUBMITTER", "weight": "--weight", "slots": "--slots", "resets": "--reset", "entersNew": "--new",
  ]
}

extension Format where Value == ShareChange.Slots {
  fileprivate static let slots = Format("N|none", expectation: "a whole number from 0 to 1000000, or none") { text in
    if text == "none" { return .unlimited }
    return Int(text).flatMap { SharesRequest.quotas.contains($0) ? .atMost($0) : nil }
  }
}
