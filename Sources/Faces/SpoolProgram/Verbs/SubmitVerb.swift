import Arguments
import Examination
import Formats
import Glibc
import Ledger
import Media
import Messages
import Operations
import PlainText
import Rendering
internal import Scenes
import Scheduling
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
      .init("spool status $(spool submit opening.json -o /srv/output/opening.mp4)", "Submit, and look at the job."),
    ],
    environment: [Database.variable, MediaURLs.variable, OrdinaryUser.variable],
    exitCodes: [
      .init(ExitCode.ok, "submitted"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.badDocument, "the document, or a medium in it, cannot be rendered; each fault is a line"),
      .init(ExitCode.noInput, "the document or a medium is missing or cannot be read"),
      .init(ExitCode.unavailable, "the database cannot be reached"),
      .init(
        ExitCode.cannotCreate,
        "the output cannot be written, here or by any worker of the farm, or another job that has not ended is to write it"),
      Database.forbidden,
    ])

  @Positional("DOC", .file, "The edit's document; '-' is standard input.") var document: String
  @Option("output", short: "o", .file, "The movie.") var output: String
  @Option("database", .text("URL"), Database.help) var database: String?
  @Option("chunk-frames", .integer(1...1_000_000), "The number of frames in a chunk. Default: chosen by the estimated cost.")
  var chunkFrames: Int?
  @Option("slots", .integer(1...100_000), "The number of slots to divide the edit for. Default: the slots that the farm has now.")
  var slots: Int?
  @Option(
    "priority", .integer(-1000...1000), default: 0, shown: "0",
    "Jobs with a higher number go first. The role spool_submitter may give at most 0.")
  var priority: Int
  @Option("require", .tag, "A tag that a worker must have to be given the job's tasks.") var tags: [String]
  @Option("require-memory", .integer(1...16_777_216, "MIB"), "The memory in MiB that a worker must have for each of its slots.")
  var memory: Int?
  @Option(
    "submitter", .name,
    "The name to submit under. Default: USER@HOST, or the database's role if that may submit under no other name.")
  var submitter: String?
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
  @Flag("json", "Print one JSON object instead of the id.") var json: Bool

  func run() throws {
    try FailureRecord.telling(if: json) { try submit(&$0) }
  }

  private func submit(_ assets: inout [(id: AssetID, path: String)]) throws {
    let destination = try Destination(output, overwrites: overwrite)
    let read = try DocumentFile(path: document)
    assets = read.assets
    try destination.requireName(for: read.document)
    try destination.requireNone(of: assets.map(\.path) + [document])
    let file = try EditFile(read, MediaRoots.setting(mediaRoots, mediaURLs, containment))
    let edit = file.edit
    try file.requireParameters(.ofProgram)
    var warnings = edit.warnings.map { FaultRecord($0, of: document) }
    if !json { try StandardStream.error.warn(warnings) }
    let ledger = try Database.open(database)
    let workers = try ledger.workers()
    let output = try OutputRoots.path(destination.path, writableBy: workers)
    if workers.isEmpty {
      warnings.append(OutputRoots.untold(output))
      if !json { try StandardStream.error.warn(warnings.suffix(1)) }
    }
    // Workers that are away count too: a farm may start its workers only when there is work.
    let known = Set(workers.flatMap(\.capabilities.tags))
    try file.requireCompositors { name in
      known.contains(Capabilities.tag(ofCompositor: name)) ? nil : "no worker of the farm has compositor '\(name)'"
    }
    let parallelism = slots ?? max(1, workers.filter(\.isAlive).reduce(0) { $0 + $1.slots })
    let options = ChunkPlan.Options(
      parallelism: parallelism, chunkFrames: chunkFrames, slowness: try ledger.slowness(of: edit.work))
    let plan = try ChunkPlan.make(timeline: edit, options)
    let submission = JobSubmission(
      edit: edit, fonts: file.fonts, plan: plan, output: output, overwrites: overwrite, keepsSegments: keep,
      submitter: try submitter ?? ledger.ownSubmitter() ?? Self.userAndHost, priority: priority,
      needs: Capabilities(tags: tags, memory: memory ?? 0), isDivisible: split && chunkFrames == nil)
    let job = try ledger.submit(submission)
    guard json else { return try StandardStream.output.line(job) }
    try StandardStream.output.json(SubmittedRecord(job, submission, warnings: warnings))
  }

  private static var userAndHost: String {
    // getpwuid is not thread-safe. The entry is copied at once, and no other thread runs.
    let user = unsafe getpwuid(getuid()).map { unsafe String(cString: $0.pointee.pw_name) } ?? String(getuid())
    return "\(user)@\(hostName)".plain
  }
}
