import Arguments
import Formats
import MediaTime
import Operations
import Terminal

struct InitVerb: Verb {
  static let page = Page(
    "init", "write a first document for some media",
    description: [
      """
      Writes the document of an edit that shows the clips and still pictures one after the other, in the order in which they are \
      named, with the clips' own sound. Media with sound alone play under the picture from its start, one after the other, and \
      end with it. The edit can be rendered as it is, or be a start for one of your own.
      """,
      """
      Size, frame rate and colour are those of the first clip. Where there are still pictures only, the movie has 1920x1080 at 30 \
      frames a second. Media below the document's folder are named from there, so that the folder can move.
      """,
    ],
    examples: [
      .init("spool init *.mp4 song.m4a -o edit.json", "Clips in a row with music; then 'spool render edit.json -o movie.mp4'."),
      .init("spool init --still 3 *.jpg -o slides.json", "A slide show, three seconds a picture."),
    ],
    environment: [MediaURLs.variable, OrdinaryUser.variable],
    exitCodes: [
      .init(ExitCode.ok, "written"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.badDocument, "a medium is damaged or of an unsupported kind; each fault is a line"),
      .init(ExitCode.noInput, "a medium is missing or cannot be read"),
      .init(ExitCode.cannotCreate, "the document cannot be written, or exists already"),
    ])

  @Positional("MEDIUM", .file, minimum: 1, "A media file, or a URL.") var media: [String]
  @Option("output", short: "o", .file, "The document's file; without it the document is printed.") var output: String?
  @Option("still", .text("T"), default: "5", shown: "5", "The time for which a still picture is shown, in seconds.") var still:
    String
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
    var request = FirstEditRequest(media: media, output: output)
    (request.still, request.overwrites) = (still, overwrite)
    let written = try Complaint.naming(["still": "--still"]) { [request] () throws(Complaint) in
      try MediaRoots.mediaAccess(mediaRoots, mediaURLs, containment).firstEdit(request)
    }
    if json { return try StandardStream.output.json(written) }
    try StandardStream.error.warn(written.edit.warnings)
    guard let path = written.output else {
      for line in written.document.split(separator: "\n") { try StandardStream.output.line(String(line)) }
      return
    }
    try StandardStream.output.line("\(path): \(written.edit.text)")
  }
}
