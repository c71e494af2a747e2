import Arguments
import Formats
import Operations
import Terminal

struct FrameVerb: Verb {
  static let page = Page(
    "frame", "write one frame of an edit as PNG",
    description: [
      """
      Composites one frame of the edit in this process: the picture that the movie has at that time, before it is encoded. \
      The PNG has the R'G'B' values of the movie's own primaries and transfer, in full range, 8 bits a component, or 16 for \
      a movie of 10 bits, with alpha where the movie has it.
      """,
      """
      A time is written as in the document: seconds ('12.5', '1001/30000') or a timecode ('00:00:04:12') that counts the \
      movie's frames. The frame is the one shown then. An index counts the movie's frames from 0.
      """,
    ],
    examples: [
      .init("spool frame opening.json --at 4.5 -o title.png", "What is seen after four and a half seconds."),
      .init("spool frame opening.json --index 0 -o first.png", "The first frame."),
    ],
    environment: [MediaURLs.variable, OrdinaryUser.variable],
    exitCodes: [
      .init(ExitCode.ok, "written"), .init(ExitCode.usage, "usage error, or a time outside the movie"),
      .init(ExitCode.badDocument, "the document, or a medium in it, cannot be rendered; each fault is a line"),
      .init(ExitCode.noInput, "the document, a medium or a font is missing or cannot be read"),
      .init(ExitCode.cannotCreate, "the picture cannot be written, or exists already"),
    ])

  @Positional("DOC", .file, "The edit's document; '-' is standard input.") var document: String
  @Option("at", .text("T"), "The frame that is shown at the time T of the edit.") var time: String?
  @Option("index", .integer(0...Int(Int32.max)), "The frame N of the movie.") var index: Int?
  @Option("output", short: "o", .file, "The picture's file.") var output: String
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
    var request = FrameRequest(document: document, output: output, time: time, index: index)
    request.overwrites = overwrite
    let written = try Complaint.naming(["time": "--at", "index": "--index"]) { [request] () throws(Complaint) in
      try MediaRoots.mediaAccess(mediaRoots, mediaURLs, containment).frame(request)
    }
    if json { try StandardStream.output.json(written) }
  }
}
