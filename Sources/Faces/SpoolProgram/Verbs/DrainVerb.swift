import Arguments
import Operations
import Terminal

struct DrainVerb: Verb {
  static let page = Page(
    "drain", "give a worker, or the whole farm, nothing new",
    description: [
      """
      Running attempts finish; nothing is begun until 'spool undrain'. A worker is drained by its name, so it stays drained when \
      it is started again. Without WORKER the whole farm is drained.
      """, Database.description,
    ],
    examples: [
      .init("spool drain render-7 && spool why render-7", "Before its machine is repaired."),
      .init("spool drain", "Before the store is moved."),
    ],
    environment: Database.variables, exitCodes: DrainVerb.exitCodes)

  static let exitCodes: [Page.ExitCode] = [
    .init(ExitCode.ok, "done, now or before"), .init(ExitCode.usage, "usage error"),
    .init(ExitCode.noInput, "no such worker"), .init(ExitCode.unavailable, "the database cannot be reached"), Database.forbidden,
  ]

  @Positional("WORKER", .name("WORKER", .workers), "The worker's name. Default: the whole farm.") var worker: String?
  @Option("database", .text("URL"), Database.help) var database: String?

  func run() throws { try Self.drain(worker, true, database) }

  static func drain(_ worker: String?, _ isDrained: Bool, _ database: String?) throws {
    let done = try Database.face(database).drain(Drainage(worker: worker, isDrained: isDrained))
    try StandardStream.output.line("\(done.worker ?? "the farm") \(done.isDrained ? "drained" : "is given work")")
  }
}

struct UndrainVerb: Verb {
  static let page = Page(
    "undrain", "give a drained worker, or the farm, work again",
    description: [
      "Undoes 'spool drain'. Undraining the farm leaves workers drained that were drained by name.", Database.description,
    ],
    examples: [.init("spool undrain render-7", "It is given work at once.")],
    environment: Database.variables, exitCodes: DrainVerb.exitCodes)

  @Positional("WORKER", .name("WORKER", .workers), "The worker's name. Default: the whole farm.") var worker: String?
  @Option("database", .text("URL"), Database.help) var database: String?

  func run() throws { try DrainVerb.drain(worker, false, database) }
}
