import Arguments
import Document
import EditFiles
import Examination
import Formats
import FoundationEssentials
import Glibc
import LocalFarm
import MediaTime
import Operations
import Rendering
import SpoolCompositing
import Subprocess
import Terminal
import Timeline

struct RenderVerb: Verb {
  static let page = Page(
    "render", "render an edit on this machine",
    description: [
      """
      Renders the edit that the document DOC describes, on a farm of this machine's own: a PostgreSQL server, a \
      coordinator and workers, which are started, used and stopped. The movie appears under its name when it is complete.
      """,
      """
      When another render is running in the same data directory, its farm is used. ^C cancels the job and leaves nothing \
      behind; a second ^C ends at once. After a crash the next render finds the data directory in order.
      """,
      """
      Progress goes to standard error: a live line on a terminal, now and then a line elsewhere. With --json, standard \
      output has one JSON object a line: events "submitted", "progress" and "done", or "failed".
      """,
      """
      With '-o -' the movie goes to standard output once it is whole, and all else to standard error. Its file type has to be one that is \
      read from front to back.
      """,
    ],
    examples: [
      .init("spool render opening.json -o opening.mp4", "Render with a worker for each core."),
      .init("spool render opening.json -o opening.mp4 --workers 1 --chunk-frames 48", "One worker, chunks of 48 frames."),
      .init(
        "spool render --media-url https://media.example/clips edit.json -o edit.mp4",
        "Media behind URLs: from there, and not from anywhere else."),
      .init("spool render opening.json -o show/master.m3u8", "A folder of pieces for HLS and DASH."),
      .init("spool render opening.json -o - | mbuffer > opening.mkv", "The movie to standard output."),
      .init("spool render --json opening.json -o opening.mp4 | jq .framesPerSecond", "For a script."),
    ],
    environment: [
      MediaURLs.variable, OrdinaryUser.variable,
      .init("SPOOL_DATA", "The data directory, unless --data names it."),
      .init("XDG_DATA_HOME", "The data directory is spool/ in this one, unless SPOOL_DATA is set. Root does not use it."),
      .init("XDG_RUNTIME_DIR", "Where sockets go when the data directory's path is too long for them."),
    ],
    exitCodes: [
      .init(ExitCode.ok, "rendered"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.badDocument, "the document, or a medium in it, cannot be rendered; each fault is a line"),
      .init(ExitCode.noInput, "the document, a medium or a font is missing or cannot be read"),
      .init(ExitCode.unavailable, "the farm cannot be started or reached"), .init(ExitCode.software, "a bug of spool"),
      .init(ExitCode.cannotCreate, "the output cannot be written, or the disk is full"),
      .init(ExitCode.notPermitted, "the data directory, or what is in it, is not the caller's alone"),
      .init(ExitCode.interrupted, "interrupted"),
    ])

  @Positional("DOC", .file, "The edit's document; '-' is standard input.") var document: String
  @Option(
    "output", short: "o", .file, "The movie; '-' is standard output. Its ending chooses the file type if the document does not.")
  var output: String
  @Option("preset", .choice("NAME"), ExportPreset.help) var preset: ExportPreset?
  @Option("range", .seconds, ExportWishes.range) var range: MediaTimeRange?
  @Option("size", .pixels, ExportWishes.size) var size: PixelSize?
  @Option("scale", .scale, ExportWishes.scale) var scale: Double?
  @Option("workers", .integer(RenderRequest.workerCounts), "The number of workers. Default: one for each core.") var workers: Int?
  @Option(
    "chunk-frames", .integer(SubmitRequest.chunkSizes), "The number of frames in a chunk. Default: chosen by the estimated cost.")
  var chunkFrames: Int?
  @Option("data", .directory, "The data directory. Default: /var/lib/spool for root, else ~/.local/share/spool.") var data:
    String?
  @Option("media-root", .directory, MediaRoots.renderHelp) var mediaRoots: [String]
  @Option("media-url", .mediaURL, MediaURLs.help) var mediaURLs: [MediaURLPrefix]
  @Option("containment", .choice("WHAT"), default: .available, shown: "available", Containment.mediaHelp)
  var containment: Containment
  @Option("user", .text("USER"), OrdinaryUser.help) var user: String?
  @Flag("keep", "Keep the segment files of the job in the data directory.") var keep: Bool
  @Flag(
    "split", negatableDefault: true,
    "Divide chunks further while they run, if the job is then done sooner. Chunks of --chunk-frames are never divided.")
  var split: Bool
  @Flag("reuse", negatableDefault: true, "Take what an earlier render made as it is, where nothing in it has changed.")
  var reuse: Bool
  @Flag("overwrite", negatableDefault: true, "Replace a file that has the movie's name.") var overwrite: Bool
  @Flag(
    "watch",
    """
    Render again whenever the document or one of its media changes, until ^C. The farm goes on meanwhile, and only chunks are \
    rendered in which something has changed.
    """)
  var watch: Bool
  @Flag("json", "Report on standard output in JSON, one object a line.") var json: Bool

  func run() throws {
    try FailureRecord.telling(if: json) { try render() }
  }

  private func render() throws {
    let farm = PrivateFarm(
      dataPath: { () throws(Complaint) in try dataPath() }, roles: roles(in:),
      interruption: { () throws(Complaint) in try complaining { try Interruption() } },
      // When the notice cannot be written, the farm starts all the same.
      notice: { _ = try? StandardStream.error.line($0) })
    let media = MediaAccess(compositors: .ofProgram) { document throws(Complaint) in
      try presenting { try setting(for: document) }
    }
    var reporter = RenderReporter(json: json)
    guard !watch else { return try self.watch(farm, media) }
    let piped = try output == "-" ? PipedMovie(in: ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp") : nil
    var request = request
    if let piped { (request.output, request.isPiped) = (piped.path, true) }
    let rendered = try farm.render(request, reading: media) { event throws(Complaint) in
      try presenting { try reporter.tell(event) }
    }
    var movie = rendered.movie
    if let piped {
      try piped.send()
      movie.output = output
    }
    try reporter.done(movie, rendered.facts)
  }

  private func watch(_ farm: PrivateFarm, _ media: MediaAccess) throws {
    guard output != "-" else { throw Complaint("--watch", "writes the movie again and again: name a file, not '-'", .usage) }
    guard overwrite else { throw Complaint("--watch", "writes the movie again and again, which --no-overwrite forbids", .usage) }
    var reporter = RenderReporter(json: json)
    try farm.watch(request, reading: media) { event throws(Complaint) in
      try presenting { try reporter.tell(event) }
    } done: { movie, facts throws(Complaint) in
      try presenting { try RenderReporter(json: json).done(movie, facts) }
    } failed: { complaint throws(Complaint) in
      try presenting {
        if json { try StandardStream.output.json(FailureRecord(complaint)) }
        for fault in complaint.faults { try StandardStream.error.line("error: \(fault)") }
      }
    }
  }

  private var request: RenderRequest {
    var request = RenderRequest(document: document, output: output)
    request.wish = ExportWish(preset, range, size, scale)
    (request.workers, request.chunkFrames, request.keepsSegments) = (workers, chunkFrames, keep)
    (request.isDivisible, request.overwrites) = (split, overwrite)
    return request
  }

  private func setting(for document: DocumentFile?) throws -> ExaminationSetting {
    let roots = document.map { MediaRoots.ofRender(mediaRoots, $0) } ?? mediaRoots
    let setting = try MediaRoots.setting(roots, mediaURLs, containment, user: user)
    if let account = setting.account { try OrdinaryUser.requireProgram(for: account) }
    return setting
  }

  private func dataPath() throws(Complaint) -> String {
    if let data { return data }
    guard let path = DataDirectory.standard(environment: ProcessInfo.processInfo.environment, isRoot: geteuid() == 0) else {
      throw Complaint("--data", "required, since neither SPOOL_DATA, XDG_DATA_HOME nor HOME is set", .usage)
    }
    return path
  }

  private func roles(in directory: DataDirectory) -> LocalFarm.Roles {
    let isOther = directory.account != nil
    // When the farm runs as another user, its media are handed over. Only custom compositors may open other files.
    let opensNone = isOther && CompositorRegistry.ofProgram.names.isEmpty
    let roots = (opensNone ? [directory.media] : mediaRoots.isEmpty ? ["/"] : mediaRoots).flatMap { ["--media-root", $0] }
    let handing = isOther ? ["--media-handout", directory.media, "--output-root", directory.movies] : []
    let urls = (mediaURLs.isEmpty ? MediaURLs.internet : mediaURLs).flatMap { ["--media-url", $0.description] }
    let contained = ["--containment", containment.rawValue, "--reuse", (reuse ? Reuse.all : .none).rawValue]
    return LocalFarm.Roles(
      // All of the farm's workers are on this machine, so a second attempt would be as slow as the first. The user who waits for
      // the movie can also make room on the disk, so a full one is not waited for as long.
      coordinator: {
        [
          "coordinator", "--name", "local", "--database", $0, "--endpoint", $1, "--no-speculation", "--store-patience", "5",
        ]
      },
      worker: { ["worker", "--name", $0, "--connect", $1, "--store", $2, "--slots", "1"] + contained + roots + urls + handing })
  }
}
