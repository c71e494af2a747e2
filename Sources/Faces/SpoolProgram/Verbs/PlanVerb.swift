import Arguments
import Document
import EditFiles
import Formats
import FoundationEssentials
import Glibc
import Ledger
import LocalFarm
import MediaTime
import Messages
import Operations
import Terminal
import Timeline

struct PlanVerb: Verb {
  static let page = Page(
    "plan", "say what an edit would cost, and what of it was rendered before",
    description: [
      """
      Checks the edit that the document DOC describes as 'spool submit' does, and enters nothing. It prints the chunks with their estimated cost, the \
      time until the movie would be there, and what would not be rendered again.
      """,
      """
      For a farm, the edit is compared with an earlier job: the one that --against names, or else the newest one with this submitter and the movie that -o names. Of each chunk that \
      none of its finished chunks showed, the first frame that is new is told, and what differs in it. The bytes of media, the program and what the store has \
      kept are not compared: they decide when the chunk is rendered.
      """,
      """
      The farm is named by --database, or else by $SPOOL_DATABASE or $SPOOL_URL. Without all three, the edit is planned for 'spool render' on this machine, and \
      chunks are looked for where that keeps them.
      """,
    ],
    examples: [
      .init("spool plan opening.json", "What 'spool render' would do on this machine."),
      .init("spool plan opening.json -o /srv/output/opening.mp4 --slots 100", "How long a farm of a hundred slots would take."),
      .init("spool plan opening.json -o /srv/output/opening.mp4 --json | jq .seconds", "The seconds, for a script."),
    ],
    environment: Database.variables + [
      .init("SPOOL_DATA", "The data directory of this machine's own farm, unless --data names it."), MediaURLs.variable,
      OrdinaryUser.variable,
    ],
    exitCodes: [
      .init(ExitCode.ok, "planned"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.badDocument, "the document, or a medium in it, cannot be rendered; each fault is a line"),
      .init(ExitCode.noInput, "the document or a medium is missing or cannot be read, or there is no such job"),
      .init(ExitCode.unavailable, "the database cannot be reached"),
      .init(ExitCode.cannotCreate, "the output cannot be written"), Database.forbidden,
    ])

  @Positional("DOC", .file, "The edit's document; '-' is standard input.") var document: String
  @Option(
    "output", short: "o", .file,
    """
    The movie. Its ending chooses the file type if the document does not, and it is checked that the movie may be written there. \
    Default: none.
    """)
  var output: String?
  @Option("preset", .choice("NAME"), ExportPreset.help) var preset: ExportPreset?
  @Option("range", .seconds, ExportWishes.range) var range: MediaTimeRange?
  @Option("size", .pixels, ExportWishes.size) var size: PixelSize?
  @Option("scale", .scale, ExportWishes.scale) var scale: Double?
  @Option("quality", .quality, ExportWishes.quality) var quality: QualityTarget?
  @Option("database", .text("URL"), Database.help) var database: String?
  @Option("against", .name("JOB", .jobs), "The job of a farm to compare the edit with.") var against: String?
  @Option(
    "chunk-frames", .integer(SubmitRequest.chunkSizes), "The number of frames in a chunk. Default: chosen by the estimated cost.")
  var chunkFrames: Int?
  @Option(
    "slots", .integer(SubmitRequest.slotCounts),
    "The number of slots to divide the edit for. Default: the slots that the farm has now, or the cores of this machine.")
  var slots: Int?
  @Option("submitter", .name, "The name to submit under. Default: as 'spool submit' has it.") var submitter: String?
  @Option("data", .directory, "The data directory of this machine's own farm. Default: as 'spool render' has it.") var data:
    String?
  @Option("media-root", .directory, MediaRoots.help) var mediaRoots: [String]
  @Option("media-url", .mediaURL, MediaURLs.help) var mediaURLs: [MediaURLPrefix]
  @Option("containment", .choice("WHAT"), default: .available, shown: "available", Containment.mediaHelp)
  var containment: Containment
  @Flag("json", "Print one JSON object.") var json: Bool

  func run() throws {
    try FailureRecord.telling(if: json) {
      let planned = try plan()
      guard !json else { return try StandardStream.output.json(planned) }
      try StandardStream.error.warn(planned.warnings)
      for line in planned.words { try StandardStream.output.line(line) }
      guard !planned.chunks.isEmpty else { return }
      try StandardStream.output.line("")
      try StandardStream.output.table(planned.table)
    }
  }

  private func plan() throws -> PlannedJob {
    let media = MediaRoots.mediaAccess(mediaRoots, mediaURLs, containment)
    let environment = ProcessInfo.processInfo.environment
    let named = ["SPOOL_DATABASE", "SPOOL_URL"].contains { environment[$0].map { !$0.isEmpty } ?? false }
    let wish = ExportWish(preset: preset, range: range, size: size, scale: scale, quality: quality)
    guard named || database != nil else {
      if against != nil { throw Complaint("--against", "a job of a farm is to be compared, and no farm is named", .usage) }
      var request = RenderRequest(document: document, output: output ?? "")
      (request.wish, request.chunkFrames, request.workers) = (wish, chunkFrames, slots)
      return try media.plan(request, data: data ?? DataDirectory.standard(environment: environment, isRoot: geteuid() == 0))
    }
    var request = SubmitRequest(document: document, output: output ?? "")
    (request.wish, request.chunkFrames, request.slots) = (wish, chunkFrames, slots)
    (request.submitter, request.against) = (submitter, against)
    return try Database.face(database).plan(request, reading: media)
  }
}

extension PlannedJob {
  /// The plan in a few lines, without its chunks.
  fileprivate var words: [String] {
    let sound = soundParts == 0 ? "" : ", and sound" + (soundParts > 1 ? " in \(soundParts) parts" : "")
    let parts = "\(frameCount) frames in \(chunkCount) chunk\(chunkCount == 1 ? "" : "s")\(sound)"
    let slotWords = "\(slots) slot\(slots == 1 ? "" : "s")"
    let cost = "\(ProgressText.clock(coreSeconds)) of one core, about \(ProgressText.clock(seconds)) on \(slotWords)"
    let found = chunks.count { $0.isFound == true }
    let known = chunks.contains { $0.isFound != nil }
    let reason = soundReason.map { ["the sound is made in one piece: \($0)"] } ?? []
    let sizes = (renditions ?? []).map { "\($0.width)x\($0.height)" }
    let ladder = sizes.isEmpty ? [] : ["each frame is encoded \(sizes.count + 1) times: also in \(sizes.joined(separator: ", "))"]
    return [(output.map { "\($0): " } ?? "") + parts, cost] + ladder + reason
      + (known ? [JobReuse(chunkCount: found, frameCount: 0).words(of: chunkCount)] : [])
      + (comparison?.words ?? [])
  }

  fileprivate var table: TextTable {
    var table = TextTable("CHUNK", "FRAMES", "FROM", "CORE", "BEFORE")
    table.mayCut(4, to: 20)
    for (place, chunk) in chunks.enumerated() {
      let before = chunk.finding?.text ?? chunk.isFound.map { $0 ? "yes" : "no" } ?? "-"
      table.add(
        "\(place + 1)", "\(chunk.frames.first)..\(chunk.frames.first + chunk.frames.count)", ProgressText.clock(chunk.start),
        JobTable.span(chunk.coreSeconds), before)
    }
    return table
  }
}

extension EditChanges {
  /// The differences of the documents, one a line.
  var words: [String] {
    changes.isEmpty ? ["the document is that of job \(job)"] : ["changed since job \(job):"] + changes.map { "  \($0.text)" }
  }
}
