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
      When another render, or 'spool serve', is running in the same data directory, its farm is used, with its own options. ^C cancels the job, and no \
      movie is written; what was rendered is found by the next render of the edit. A second ^C ends at once. After a crash the next render finds the data directory in order.
      """,
      """
      Progress goes to standard error: a live line on a terminal, now and then a line elsewhere. With --json, standard \
      output has one JSON object a line: events "submitted", "progress" and "done", or "failed".
      """,
      """
      With '-o -' the movie goes to standard output once it is whole, and all else to standard error. Its file type has to be one that is \
      read from front to back.
      """,
      """
      A place in S3 needs the variables of AWS's tools: AWS_ENDPOINT_URL, AWS_REGION, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.
      """,
    ],
    examples: [
      .init("spool render opening.json -o opening.mp4", "Render with a worker for each core."),
      .init("spool render opening.json -o opening.mp4 --workers 1 --chunk-frames 48", "One worker, chunks of 48 frames."),
      .init(
        "spool render --media-url https://media.example/clips edit.json -o edit.mp4",
        "Media behind URLs: from there, and not from anywhere else."),
      .init("spool render opening.json -o show/master.m3u8", "A folder of pieces for HLS and DASH."),
      .init("spool render opening.json -o s3://bucket/opening.mp4", "To S3, where it appears whole or not at all."),
      .init("spool render opening.json -o opening.mp4 -o s3://bucket/opening.mp4", "To a file and to S3."),
      .init("spool render opening.json -o - | mbuffer > opening.mkv", "The movie to standard output."),
      .init("spool render --json opening.json -o opening.mp4 | jq .framesPerSecond", "For a script."),
    ],
    environment: OwnFarm.variables,
    exitCodes: [
      .init(ExitCode.ok, "rendered"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.badDocument, "the document, or a medium in it, cannot be rendered; each fault is a line"),
      .init(ExitCode.noInput, "the document, a medium or a font is missing or cannot be read"),
      .init(ExitCode.unavailable, "the farm cannot be started or reached"), .init(ExitCode.software, "a bug of spool"),
      .init(ExitCode.cannotCreate, "an output cannot be written, or the disk is full"),
      .init(
        ExitCode.notPermitted,
        "the data directory, or what is in it, is not the caller's alone, or S3 lets these credentials not write"),
      .init(ExitCode.interrupted, "interrupted"),
    ])

  @Positional("DOC", .file, "The edit's document; '-' is standard input.") var document: String
  @Option(
    "output", short: "o", .file, minimum: 1,
    """
    The movie: a file, a place in S3 (s3://bucket/movie.mp4), or '-' for standard output. Its ending chooses the file type if the \
    document does not. Of several, a file is the first, and the others are copies of it.
    """)
  var outputs: [String]
  @Option("preset", .choice("NAME"), ExportPreset.help) var preset: ExportPreset?
  @Option("range", .seconds, ExportWishes.range) var range: MediaTimeRange?
  @Option("size", .pixels, ExportWishes.size) var size: PixelSize?
  @Option("scale", .scale, ExportWishes.scale) var scale: Double?
  @Option("quality", .quality, ExportWishes.quality) var quality: QualityTarget?
  @Option("workers", .integer(RenderRequest.workerCounts), OwnFarm.workersHelp) var workers: Int?
  @Option(
    "chunk-frames", .integer(SubmitRequest.chunkSizes), "The number of frames in a chunk. Default: chosen by the estimated cost.")
  var chunkFrames: Int?
  @Option("data", .directory, OwnFarm.dataHelp) var data: String?
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
  @Flag("reuse", negatableDefault: true, OwnFarm.reuseHelp)
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
    let (farm, media) = (own.farm, own.media)
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
    if let complaint = movie.complaint { throw complaint }
  }

  private func watch(_ farm: PrivateFarm, _ media: MediaAccess) throws {
    guard output != "-" else { throw Complaint("--watch", "writes the movie again and again: name a file, not '-'", .usage) }
    guard overwrite else { throw Complaint("--watch", "writes the movie again and again, which --no-overwrite forbids", .usage) }
    var reporter = RenderReporter(json: json)
    try farm.watch(request, reading: media) { event throws(Complaint) in
      try presenting { try reporter.tell(event) }
    } done: { movie, facts throws(Complaint) in
      try presenting { try RenderReporter(json: json).done(movie, facts) }
      if !json, let complaint = movie.complaint {
        try presenting { for fault in complaint.faults { try StandardStream.error.line("error: \(fault)") } }
      }
    } failed: { complaint throws(Complaint) in
      try presenting {
        if json { try StandardStream.output.json(FailureRecord(complaint)) }
        for fault in complaint.faults { try StandardStream.error.line("error: \(fault)") }
      }
    }
  }

  /// The first place of the movie.
  private var output: String { outputs[0] }

  private var request: RenderRequest {
    var request = RenderRequest(document: document, output: output)
    request.copies = Array(outputs.dropFirst())
    request.wish = ExportWish(preset: preset, range: range, size: size, scale: scale, quality: quality)
    (request.workers, request.chunkFrames, request.keepsSegments) = (workers, chunkFrames, keep)
    (request.isDivisible, request.overwrites, request.reuses) = (split, overwrite, reuse)
    return request
  }

  private var own: OwnFarm {
    OwnFarm(data: data, mediaRoots: mediaRoots, mediaURLs: mediaURLs, containment: containment, user: user, reuse: reuse)
  }
}
