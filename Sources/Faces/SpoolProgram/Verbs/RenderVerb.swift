import Arguments
internal import Document
import Examination
import Formats
import FoundationEssentials
import Glibc
import Ledger
import LocalFarm
import Media
import Operations
import Rendering
internal import Scenes
import Scheduling
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
    ],
    examples: [
      .init("spool render opening.json -o opening.mp4", "Render with a worker for each core."),
      .init("spool render opening.json -o opening.mp4 --workers 1 --chunk-frames 48", "One worker, chunks of 48 frames."),
      .init(
        "spool render --media-url https://media.example/clips edit.json -o edit.mp4",
        "Media behind URLs: from there, and not from anywhere else."),
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
  @Option("output", short: "o", .file, "The movie.") var output: String
  @Option("workers", .integer(1...256), "The number of workers. Default: one for each core.") var workers: Int?
  @Option("chunk-frames", .integer(1...1_000_000), "The number of frames in a chunk. Default: chosen by the estimated cost.")
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
  @Flag("overwrite", negatableDefault: true, "Replace a file that has the movie's name.") var overwrite: Bool
  @Flag("json", "Report on standard output in JSON, one object a line.") var json: Bool

  func run() throws {
    try FailureRecord.telling(if: json) { try render(&$0) }
  }

  private func render(_ assets: inout [(id: AssetID, path: String)]) throws {
    let destination = try Destination(output, overwrites: overwrite)
    let file = try DocumentFile(path: document)
    assets = file.assets
    try destination.requireName(for: file.document)
    try destination.requireNone(of: assets.map(\.path) + [document])
    let setting = try MediaRoots.setting(MediaRoots.ofRender(mediaRoots, file), mediaURLs, containment, user: user)
    if let account = setting.account { try OrdinaryUser.requireProgram(for: account) }
    // From here on, a signal ends the render in good order.
    let interruption = try Interruption()
    let media = try AssetExamination(file.assets, setting)
    let dataPath = try dataPath()
    // The farm starts while the media are examined, with two exceptions. It does not start when the edit is already known to be
    // refused, as after a misspelt name. Nor does it start when that would make a database, because a refused edit must leave
    // nothing new.
    let isPromising = file.document.faults == nil && file.namesFiles(below: setting.roots)
    let early = try isPromising && DataDirectory.holdsDatabase(dataPath) ? farm(at: dataPath, setting.account, interruption) : nil
    // An error of the start comes again, and is reported, once the farm has work.
    try? early?.farm.tend()
    let (submission, warnings): (JobSubmission, [FaultRecord])
    do {
      let found = try edit(file, media, interruption)
      (submission, warnings) = (
        try self.submission(of: found, to: destination), found.edit.warnings.map { FaultRecord($0, of: document) }
      )
      if !json { try StandardStream.error.warn(warnings) }
    } catch {
      early?.farm.stop()
      throw error
    }
    let (directory, farm) = try early ?? self.farm(at: dataPath, setting.account, interruption)
    let session = RenderSession(
      farm: farm, interruption: interruption, destination: destination, sources: file.assets.map(\.path), directory: directory,
      setting: setting, reporter: RenderReporter(json: json, warnings: warnings))
    try session.render(submission, keepsSegments: keep)
  }

  private func farm(
    at path: String, _ account: Account?, _ interruption: Interruption
  ) throws -> (directory: DataDirectory, farm: LocalFarm) {
    let directory = try DataDirectory(making: path, for: account)
    // When the notice cannot be written, the farm starts all the same.
    let patience = StartPatience(interruption: interruption.descriptor) { _ = try? StandardStream.error.line($0) }
    var environment = ProcessInfo.processInfo.environment
    if account != nil { environment["SPOOL_CACHE"] = directory.cache }
    let farm = LocalFarm(
      directory, workers: slots, roles: roles(in: directory), environment: environment,
      prepare: { url in
        // The submission migrates as well, and reports why it cannot.
        do { try PostgreSQLLedger(url: url, role: "render").migrate() } catch { return false }
        return true
      }, patience: patience)
    return (directory, farm)
  }

  private func edit(
    _ file: DocumentFile, _ media: AssetExamination, _ interruption: Interruption
  ) throws -> EditFile {
    while true {
      if let assets = try media.advance(within: 100) { return try EditFile(file, assets, renderingWith: .ofProgram) }
      if try interruption.hasCome() { throw Complaint(faults: [], .interrupted) }
    }
  }

  private func submission(of file: EditFile, to destination: Destination) throws -> JobSubmission {
    let plan = try ChunkPlan.make(timeline: file.edit, ChunkPlan.Options(parallelism: slots, chunkFrames: chunkFrames))
    return JobSubmission(
      edit: file.edit, fonts: file.fonts, plan: plan, output: destination.path, overwrites: overwrite, keepsSegments: keep,
      submitter: Orphans.ownName,
      isDivisible: split && chunkFrames == nil)
  }

  private var slots: Int { workers ?? coreCount }

  private func dataPath() throws -> String {
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
    let contained = ["--containment", containment.rawValue]
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
