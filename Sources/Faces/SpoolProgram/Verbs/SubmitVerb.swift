import Arguments
import Document
import Formats
import MediaTime
import Operations
import Terminal
import Timeline

struct SubmitVerb: Verb {
  static let page = Page(
    "submit", "give an edit to a farm",
    description: [
      """
      Checks the edit that the document DOC describes and enters it into the farm's database as a job, whose id it prints. \
      The media and the output must have the same paths here and on the workers.
      """,
      Database.description,
    ],
    examples: [
      .init("spool submit opening.json -o /srv/output/opening.mp4", "Prints the job's id."),
      .init("spool submit opening.json -o /srv/output/opening.mp4 --wait", "Ends with code 0 once the movie is there."),
      .init("spool submit opening.json -o /srv/output/opening.mp4 -o s3://bucket/opening.mp4", "To a file, and to S3."),
      .init("spool status $(spool submit opening.json -o /srv/output/opening.mp4)", "Submit, and look at the job."),
    ],
    environment: Database.variables + [MediaURLs.variable, OrdinaryUser.variable],
    exitCodes: [
      .init(ExitCode.ok, "submitted; with --wait, the job is done. A job that is not done ends with the code of 'spool watch'"),
      .init(ExitCode.usage, "usage error"),
      .init(ExitCode.badDocument, "the document, or a medium in it, cannot be rendered; each fault is a line"),
      .init(ExitCode.noInput, "the document or a medium is missing or cannot be read"),
      .init(ExitCode.unavailable, "the database cannot be reached"),
      .init(
        ExitCode.cannotCreate,
        "the output cannot be written, here or by any worker of the farm, or another job that has not ended is to write it"),
      Database.forbidden,
    ])

  @Positional("DOC", .file, "The edit's document; '-' is standard input.") var document: String
  @Option(
    "output", short: "o", .file, minimum: 1,
    """
    The movie: a file, or a place in S3 (s3://bucket/movie.mp4). Its ending chooses the file type if the document does not. Of several, \
    the first one is made, and the others are copies of it.
    """)
  var outputs: [String]
  @Option("preset", .choice("NAME"), ExportPreset.help) var preset: ExportPreset?
  @Option("range", .seconds, ExportWishes.range) var range: MediaTimeRange?
  @Option("size", .pixels, ExportWishes.size) var size: PixelSize?
  @Option("scale", .scale, ExportWishes.scale) var scale: Double?
  @Option("quality", .quality, ExportWishes.quality) var quality: QualityTarget?
  @Option("database", .text("URL"), Database.help) var database: String?
  @Option(
    "chunk-frames", .integer(SubmitRequest.chunkSizes), "The number of frames in a chunk. Default: chosen by the estimated cost.")
  var chunkFrames: Int?
  @Option(
    "slots", .integer(SubmitRequest.slotCounts),
    "The number of slots to divide the edit for. Default: the slots that the farm has now.")
  var slots: Int?
  @Option(
    "priority", .integer(JobSteering.priorities), default: 0, shown: "0",
    "Jobs with a higher number go first. The role spool_submitter may give at most 0.")
  var priority: Int
  @Option("require", .tag, "A tag that a worker must have to be given the job's tasks.") var tags: [String]
  @Option(
    "require-memory", .integer(SubmitRequest.memories, "MIB"), "The memory in MiB that a worker must have for each of its slots.")
  var memory: Int?
  @Option(
    "submitter", .name,
    "The name to submit under. Default: USER@HOST, or the database's role if that may submit under no other name.")
  var submitter: String?
  @Option(
    "replaces", .name("JOB", .jobs),
    """
    A job that this one replaces: it is cancelled once this edit was found good, unless it has ended. What it has finished, \
    or renders just then, is not rendered again where nothing has changed.
    """)
  var replaces: String?
  @Option("media-root", .directory, MediaRoots.help) var mediaRoots: [String]
  @Option("media-url", .mediaURL, MediaURLs.help) var mediaURLs: [MediaURLPrefix]
  @Option("containment", .choice("WHAT"), default: .available, shown: "available", Containment.mediaHelp)
  var containment: Containment
  @Flag("keep", "Keep the job's segment files.") var keep: Bool
  @Flag(
    "split", negatableDefault: true,
    "Divide chunks further while they run, if the job is then done sooner. Chunks of --chunk-frames are never divided.")
  var split: Bool
  @Flag("overwrite", negatableDefault: true, "Replace a file that has the movie's name.") var overwrite: Bool
  @Flag(
    "wait", "Wait until the job has ended, as 'spool watch JOB' does, and end with its exit code. Ctrl-C ends the wait alone.")
  var wait: Bool
  @Flag("json", "Print one JSON object instead of the id.") var json: Bool

  func run() throws {
    try FailureRecord.telling(if: json) { try submit() }
  }

  private func submit() throws {
    let media = MediaRoots.mediaAccess(mediaRoots, mediaURLs, containment)
    let farm = try Database.face(database)
    let submitted = try farm.submit(request, reading: media) { warning throws(Complaint) in
      if !json { try presenting { try StandardStream.error.warn([warning]) } }
    }
    if json { try StandardStream.output.json(submitted) } else { try StandardStream.output.line(submitted.job) }
    if wait { try self.wait(for: submitted.job, of: farm) }
  }

  private func wait(for job: String, of farm: any FarmFace) throws {
    let interruption = try Interruption()
    try WatchVerb.watch(WatchRequest(jobs: [job]), of: farm, interruption, asJSON: json)
  }

  private var request: SubmitRequest {
    var request = SubmitRequest(document: document, output: outputs[0])
    request.copies = Array(outputs.dropFirst())
    request.wish = ExportWish(preset: preset, range: range, size: size, scale: scale, quality: quality)
    (request.chunkFrames, request.slots, request.priority) = (chunkFrames, slots, priority)
    (request.tags, request.memory, request.submitter) = (tags, memory, submitter)
    (request.keepsSegments, request.isDivisible, request.overwrites) = (keep, split, overwrite)
    request.replaces = replaces
    return request
  }
}
