import Arguments
import Formats
import Operations
import Terminal

struct ContactSheetVerb: Verb {
  static let page = Page(
    "contact-sheet", "write frames of an edit side by side, as one PNG",
    description: [
      """
      Composites frames at equal distances, as the movie has them before it is encoded, makes them smaller and puts them side by side into \
      one picture. Prints which frames they are, from the left, row by row.
      """
    ],
    examples: [
      .init("spool contact-sheet opening.json -o sheet.png", "Twelve frames in rows of four."),
      .init("spool contact-sheet opening.json --count 30 --columns 6 --width 200 -o sheet.png", "Thirty smaller ones."),
    ],
    environment: [MediaURLs.variable, OrdinaryUser.variable],
    exitCodes: [
      .init(ExitCode.ok, "written"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.badDocument, "the document, or a medium in it, cannot be rendered; each fault is a line"),
      .init(ExitCode.noInput, "the document, a medium or a font is missing or cannot be read"),
      .init(ExitCode.cannotCreate, "the picture cannot be written, or exists already"),
    ])

  @Positional("DOC", .file, "The edit's document; '-' is standard input.") var document: String
  @Option("output", short: "o", .file, "The picture's file.") var output: String
  @Option(
    "count", .integer(ContactSheetRequest.counts), default: 12, shown: "12", "How many frames; fewer if the movie has fewer.")
  var count: Int
  @Option("columns", .integer(ContactSheetRequest.columnCounts), default: 4, shown: "4", "How many frames in a row.") var columns:
    Int
  @Option(
    "width", .integer(ContactSheetRequest.widths, "PIXELS"), default: 320, shown: "320",
    "How wide each frame is. None is made larger than it is.")
  var width: Int
  @Flag("overwrite", "Replace the file if it exists.") var overwrite: Bool
  @Option("media-root", .directory, MediaRoots.help) var mediaRoots: [String]
  @Option("media-url", .mediaURL, MediaURLs.help) var mediaURLs: [MediaURLPrefix]
  @Option("containment", .choice("WHAT"), default: .available, shown: "available", Containment.mediaHelp)
  var containment: Containment
  @Flag("json", "Print one JSON object.") var json: Bool

  func run() throws {
    try FailureRecord.telling(if: json) { try write() }
  }

  private func write() throws {
    var request = ContactSheetRequest(document: document, output: output)
    (request.count, request.columns, request.width, request.overwrites) = (count, columns, width, overwrite)
    let written = try MediaRoots.mediaAccess(mediaRoots, mediaURLs, containment).contactSheet(request)
    guard !json else { return try StandardStream.output.json(written) }
    for frame in written.frames { try StandardStream.output.line("\(frame.index) \(frame.time)") }
  }
}
