import Arguments
import Formats
import Operations
import Terminal

struct ReadVerb: Verb {
  static let page = Page(
    "read", "write an edit's raw pictures or sound to standard output",
    description: [
      """
      Composites the edit's frames, or mixes its sound, as for the movie and before any encoding, and writes a stream of samples: \
      'SPOOLS1', a line of JSON that says what they are, and records of 32 bytes with the samples behind them (docs/cli.md). The \
      Swift library reads media in this way.
      """
    ],
    examples: [
      .init("spool read opening.json --what frames --rgb > frames.samples", "Every frame in RGB."),
      .init("spool read opening.json --what sound > sound.samples", "The mixed sound as floats."),
    ],
    environment: [MediaURLs.variable, OrdinaryUser.variable],
    exitCodes: [
      .init(ExitCode.ok, "written"), .init(ExitCode.usage, "usage error, or a range beyond the edit"),
      .init(ExitCode.badDocument, "the document, or a medium in it, cannot be rendered; each fault is a line"),
      .init(ExitCode.noInput, "the document, a medium or a font is missing or cannot be read"),
      .init(ExitCode.cannotCreate, "nobody reads the samples any more"),
    ])

  @Positional("DOC", .file, "The edit's document; '-' is standard input.") var document: String
  @Option(
    "what", .choice("WHAT"), default: .frames, shown: "frames",
    "frames: those of the movie; track-pictures: those of the first video track, each once, when it begins; sound: the mix.")
  var wish: SamplesRequest.Wish
  @Flag("rgb", "Give pictures in RGB. Default: the layout in which they are composited.") var rgb: Bool
  @Option("range", .frameRange, "The frames A to B - 1. Default: all frames.") var range: Range<Int>?
  @Option("media-root", .directory, MediaRoots.help) var mediaRoots: [String]
  @Option("media-url", .mediaURL, MediaURLs.help) var mediaURLs: [MediaURLPrefix]
  @Option("containment", .choice("WHAT"), default: .available, shown: "available", Containment.mediaHelp)
  var containment: Containment
  /// The descriptor for the samples, where the caller made one. Standard output then has a line of JSON about a failure.
  @Option(hidden: "data", .integer(3...Int(Int32.max))) var data: Int?

  func run() throws {
    try FailureRecord.telling(if: data != nil) {
      var request = SamplesRequest(document: document, wish: wish)
      (request.isRGB, request.range) = (rgb, range)
      try Complaint.naming(["range": "--range"]) { [request] () throws(Complaint) in
        try MediaRoots.mediaAccess(mediaRoots, mediaURLs, containment).samples(request, to: data.map(Int32.init) ?? 1)
      }
    }
  }
}
