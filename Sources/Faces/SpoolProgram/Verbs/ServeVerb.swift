import Arguments
import Formats
import Operations
import Terminal

struct ServeVerb: Verb {
  static let page = Page(
    "serve", "keep this machine's farm running",
    description: [
      """
      Starts this machine's own farm, as 'spool render' does, and keeps it running until ^C. Renders in the same data directory then use it, and begin at once.
      """,
      """
      The number of workers, the media roots and URLs, the containment and whether earlier chunks are taken are those of the farm that runs: the same options \
      of 'spool render' have no effect meanwhile. When the service ends, renders that still run go on with a farm of their own.
      """,
    ],
    examples: [
      .init("spool serve &", "Renders begin at once from now on."),
      .init("spool serve --workers 2 --data /srv/spool", "Two workers, for renders with --data /srv/spool."),
    ],
    environment: OwnFarm.variables,
    exitCodes: [
      .init(ExitCode.ok, "ended by ^C or SIGTERM"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.unavailable, "the farm cannot be started or kept running"),
      .init(ExitCode.cannotCreate, "the data directory cannot be made or written to"),
      .init(ExitCode.notPermitted, "the data directory is another user's"),
    ])

  @Option("workers", .integer(RenderRequest.workerCounts), OwnFarm.workersHelp) var workers: Int?
  @Option("data", .directory, OwnFarm.dataHelp) var data: String?
  @Option("media-root", .directory, MediaRoots.renderHelp) var mediaRoots: [String]
  @Option("media-url", .mediaURL, MediaURLs.help) var mediaURLs: [MediaURLPrefix]
  @Option("containment", .choice("WHAT"), default: .available, shown: "available", Containment.mediaHelp)
  var containment: Containment
  @Option("user", .text("USER"), OrdinaryUser.help) var user: String?
  @Flag("reuse", negatableDefault: true, OwnFarm.reuseHelp) var reuse: Bool
  @Flag("json", "Report on standard output in JSON, one object a line.") var json: Bool

  func run() throws {
    let own = OwnFarm(
      data: data, mediaRoots: mediaRoots, mediaURLs: mediaURLs, containment: containment, user: user, reuse: reuse)
    try own.farm.serve(workers: workers, reading: own.media) { served throws(Complaint) in
      try presenting {
        if json { return try StandardStream.output.json(served) }
        let (count, isOurs) = (served.workers, served.isOurs)
        let words = "\(count) worker\(count == 1 ? " is" : "s are") ready"
        try StandardStream.output.line(
          isOurs ? "\(words); ^C ends them" : "\(words), of another process, from which this one takes over")
      }
    }
  }
}
