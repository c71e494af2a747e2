import Arguments
import Ledger
import Operations
import Terminal

struct WebhookVerb: Verb {
  static let page = Page(
    "webhook", "send events of jobs to other programs",
    description: [
      """
      Without NAME, shows all webhooks. With NAME and --url, makes that webhook or changes all of it, and prints the secret of a new one. \
      With NAME and --remove, removes it and its deliveries. Messages follow Standard Webhooks 1.0: signed, repeated for 28 hours, in \
      order for each job, and at least once. They are sent by a console that runs with --deliver.
      """,
      """
      A host whose address is in a private network, or is the console's own machine, is refused unless --private is given, whatever its \
      name is when it is looked up.
      """, Database.description,
    ],
    examples: [
      .init("spool webhook portal --url https://portal.example/hooks/spool", "Of all jobs that end. Prints the secret."),
      .init(
        "spool webhook failures --url http://10.0.0.7:8080/ --private --event job.failed --submitter ana@edit-1",
        "Her failures, here."),
      .init("spool webhook", "All webhooks, and what waits for them."),
    ],
    environment: Database.variables,
    exitCodes: [
      .init(ExitCode.ok, "shown or changed"), .init(ExitCode.usage, "usage error"), .init(ExitCode.noInput, "no such webhook"),
      .init(ExitCode.unavailable, "the database cannot be reached"), Database.forbidden,
    ])

  @Positional("NAME", .text("NAME"), "The webhook's name: lower-case letters, digits and hyphens.") var name: String?
  @Option("url", .text("URL"), "Where messages are sent, by POST.") var url: String?
  @Option(
    "event", .text("EVENT"),
    "An event that is sent. Default: job.done, job.failed, job.cancelled. Others: job.submitted, job.started, job.retried.")
  var events: [String]
  @Option("submitter", .name("NAME", .submitters), "Only jobs of that submitter.") var submitter: String?
  @Flag("private", "Allow a host in a private network, or on the console's machine.") var mayBePrivate: Bool
  @Flag("renew", "Give it a new secret, and print that.") var renew: Bool
  @Flag("remove", "Remove it.") var remove: Bool
  @Option("database", .text("URL"), Database.help) var database: String?
  @Flag("json", "Print one JSON object instead of text.") var json: Bool

  func run() throws {
    let farm = try Database.face(database)
    switch (name, url, remove) {
    case (nil, nil, false): try list(farm)
    case (let name?, let url?, false): try change(name, url, farm)
    case (let name?, nil, true):
      try farm.remove(webhook: name)
      try StandardStream.output.line("\(name) removed")
    case (nil, _, _): throw Complaint("NAME", "required with --url and --remove", .usage)
    default: throw Complaint("--url", "give either this or --remove", .usage)
    }
  }

  private func change(_ name: String, _ url: String, _ farm: any FarmFace) throws {
    var webhook = Webhook(name: name, url: url, submitter: submitter, mayBePrivate: mayBePrivate)
    if !events.isEmpty { webhook.events = events }
    let names = ["name": "NAME", "url": "--url", "events": "--event", "submitter": "--submitter"]
    let changed = try Complaint.naming(names) { [webhook, renew] () throws(Complaint) in
      try farm.change(webhook, renewingSecret: renew)
    }
    if json {
      try StandardStream.output.json(changed)
    } else {
      try StandardStream.output.line(changed.secret ?? "\(name) changed")
    }
  }

  private func list(_ farm: any FarmFace) throws {
    let found = try farm.webhooks()
    guard !json else { return try StandardStream.output.json(found) }
    guard !found.webhooks.isEmpty else { return try StandardStream.output.line("no webhooks") }
    var table = TextTable("WEBHOOK", "EVENTS", "SUBMITTER", "WAITING", "FAILING", "URL")
    for (column, width) in [(5, 8), (2, 9), (1, 10), (0, 8)] { table.mayCut(column, to: width) }
    for each in found.webhooks {
      table.add(
        each.name, each.events.joined(separator: " "), each.submitter ?? "-", "\(each.waiting)", "\(each.failing)",
        each.url + (each.mayBePrivate ? " (private)" : ""))
    }
    try StandardStream.output.table(table)
  }
}

struct DeliveriesVerb: Verb {
  static let page = Page(
    "deliveries", "show what webhooks were sent, and send it again",
    description: [
      """
      Shows the newest messages of webhooks, how often they were tried, and how the last try ended. With --replay, sends one again, with \
      the id that it had.
      """, Database.description,
    ],
    examples: [
      .init("spool deliveries --webhook portal --failed", "What the portal did not take at the last try."),
      .init("spool deliveries --replay 4711", "Once more."),
    ],
    environment: Database.variables,
    exitCodes: [
      .init(ExitCode.ok, "shown, or to be sent"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.noInput, "no such delivery"),
      .init(ExitCode.unavailable, "the database cannot be reached"), Database.forbidden,
    ])

  @Option("webhook", .text("NAME"), "Only those of that webhook.") var webhook: String?
  @Flag("failed", "Only those whose last try failed.") var isFailed: Bool
  @Option("limit", .integer(DeliveriesRequest.limits), default: 50, shown: "50", "How many to show.") var limit: Int
  @Option("replay", .integer(1...Int.max), "Send the delivery with this number again.") var replay: Int?
  @Option("database", .text("URL"), Database.help) var database: String?
  @Flag("json", "Print one JSON object instead of a table.") var json: Bool

  func run() throws {
    let farm = try Database.face(database)
    if let replay {
      try farm.replay(delivery: Int64(replay))
      return try StandardStream.output.line("\(replay) is sent again")
    }
    var request = DeliveriesRequest(webhook: webhook)
    (request.isFailed, request.limit) = (isFailed, limit)
    let found = try farm.deliveries(request)
    guard !json else { return try StandardStream.output.json(found) }
    guard !found.deliveries.isEmpty else { return try StandardStream.output.line("no deliveries") }
    try StandardStream.output.table(found.table(columns: StandardStream.output.tableColumns))
  }
}
