import Arguments
import Compositing
import Examination
import Formats
import Media
import MediaTime
import Operations
import Rendering
import Scenes
import Terminal
import Timeline

struct FrameVerb: Verb {
  static let page = Page(
    "frame", "write one frame of an edit as PNG",
    description: [
      """
      Composites one frame of the edit in this process: the picture that the movie has at that time, before it is encoded. \
      The PNG has the R'G'B' values of the movie's own primaries and transfer, in full range, 8 bits a component, or 16 for \
      a movie of 10 bits.
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
    try FailureRecord.telling(if: json) { try write(&$0) }
  }

  private func write(_ assets: inout [(id: AssetID, path: String)]) throws {
    let setting = try MediaRoots.setting(mediaRoots, mediaURLs, containment)
    let file = try DocumentFile(path: document)
    assets = file.assets
    let checked = try EditFile(file, setting, renderingWith: .ofProgram)
    let edit = checked.edit
    let index = try frameIndex(in: edit)
    let destination = try Destination(output, overwrites: overwrite)
    try destination.requirePNGName()
    try destination.requireNone(of: edit.timeline.assets.values.map(\.path) + [document])
    do {
      try PNGImage(EditExamination(of: edit, fonts: checked.fonts, setting).picture(index)).write(to: destination.path)
    } catch let broken as EditExamination.Broken { throw try broken.complaint(edit, at: index) }
    guard json, let composition = edit.videoComposition else { return }
    let time = try edit.exportRange.start + composition.frameDuration * Int64(index)
    try StandardStream.output.json(
      PictureRecord(output: destination.path, index: index, time: time, size: composition.outputSize))
  }

  private func frameIndex(in edit: ResolvedTimeline) throws -> Int {
    guard let frameDuration = edit.videoComposition?.frameDuration else {
      throw Complaint(document, "the edit has no picture", .badDocument)
    }
    let count = try edit.frameCount
    switch (index, time) {
    case (let index?, nil):
      guard index < count else {
        throw Complaint("--index", "\(index) is not in the movie, whose \(count) frames are 0 to \(count - 1)", .usage)
      }
      return index
    case (nil, let text?):
      let (time, range) = try (parsed(text, frameDuration), edit.exportRange)
      guard range.contains(time) else {
        let words = "\(time) s is outside the movie: its frames are shown from \(range.start) s until just before \(range.end) s"
        throw Complaint("--at", words, .usage)
      }
      return try edit.frameIndex(at: Rational(time - range.start), orJustBefore: false)
    default: throw Complaint("frame", "needs either --at or --index", .usage)
    }
  }

  private func parsed(_ text: String, _ frameDuration: MediaTime) throws(Complaint) -> MediaTime {
    do {
      return try text.contains(":") ? Timecode(frameDuration: frameDuration).time(parsing: text) : MediaTime(parsing: text)
    } catch {
      throw Complaint("--at", "\(error)", .usage)
    }
  }
}

private struct PictureRecord: Encodable {
  let output: String
  let index: Int
  /// The frame's time in the edit.
  let time: MediaTime
  let size: PixelSize
}
