import Arguments
import EditFiles
import Formats
import MediaTime
import Operations
import Terminal

struct ValidateVerb: Verb {
  static let page = Page(
    "validate", "check an edit without rendering it",
    description: [
      """
      Checks the whole document DOC, and the media that it names. It refuses what 'spool render' would refuse, with each fault \
      on a line of its own. Otherwise it prints "ok" and what the movie will be.
      """,
      """
      A part of the document that has no effect, such as a layer that no frame shows or an asset that nothing plays, is a \
      warning on standard error. It is no reason to refuse the document.
      """,
    ],
    examples: [
      .init("spool validate opening.json", "Prints 'ok', or each fault with its path in the document."),
      .init("spool validate --json - < opening.json", "From standard input, for a script."),
    ],
    environment: [MediaURLs.variable, OrdinaryUser.variable],
    exitCodes: [
      .init(ExitCode.ok, "the edit can be rendered"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.badDocument, "the document, or a medium in it, cannot be rendered; each fault is a line"),
      .init(ExitCode.noInput, "the document, a medium or a font is missing or cannot be read"),
    ])

  @Positional("DOC", .file, "The edit's document; '-' is standard input.") var document: String
  @Option("media-root", .directory, MediaRoots.help) var mediaRoots: [String]
  @Option("media-url", .mediaURL, MediaURLs.help) var mediaURLs: [MediaURLPrefix]
  @Option("containment", .choice("WHAT"), default: .available, shown: "available", Containment.mediaHelp)
  var containment: Containment
  @Flag("json", "Print one JSON object; faults are in it too.") var json: Bool

  func run() throws {
    let report: EditReport
    do throws(Complaint) {
      report = try MediaRoots.mediaAccess(mediaRoots, mediaURLs, containment).validate(document)
    } catch {
      guard json else { throw error }
      try StandardStream.output.json(EditFaults(error))
      throw Complaint(faults: [], error.exit)
    }
    guard !json else { return try StandardStream.output.json(report) }
    try StandardStream.error.warn(report.warnings)
    try StandardStream.output.line("ok: " + report.text)
  }
}

extension EditReport {
  /// The movie's length, size, frames and samples, in words.
  var text: String {
    let size = renderSize.map { ["\($0.width)x\($0.height)"] } ?? []
    let frames = frameDuration.map { ["\(frameCount) frames of \($0) s"] } ?? []
    let samples = sampleCount > 0 ? ["\(sampleCount) samples"] : []
    return (["\(duration) s"] + size + frames + samples).joined(separator: ", ")
  }
}
