import Arguments
import Examination
import Formats
import Media
import MediaTime
import Messages
import Operations
import Rendering
internal import Scenes
import Terminal
import Timeline

struct FramesVerb: Verb {
  static let page = Page(
    "frames", "print the digest of each frame of an edit",
    description: [
      """
      Composites the edit's frames in this process, before any encoding, and prints a line for each: index, presentation time in \
      seconds, MD5 of the raw frame. The MD5 is that of ffmpeg's framemd5 for the same frame, so a lossless export gives the \
      same digests.
      """
    ],
    examples: [
      .init("spool frames opening.json", "Every frame."),
      .init("spool frames opening.json --range 100..200", "Frames 100 to 199."),
    ],
    environment: [MediaURLs.variable, OrdinaryUser.variable],
    exitCodes: [
      .init(ExitCode.ok, "printed"), .init(ExitCode.usage, "usage error, or a range beyond the edit"),
      .init(ExitCode.badDocument, "the document, or a medium in it, cannot be rendered; each fault is a line"),
      .init(ExitCode.noInput, "the document, a medium or a font is missing or cannot be read"),
    ])

  @Positional("DOC", .file, "The edit's document; '-' is standard input.") var document: String
  @Option("range", .frameRange, "The frames A to B - 1. Default: all frames.") var range: Range<Int>?
  @Option("media-root", .directory, MediaRoots.help) var mediaRoots: [String]
  @Option("media-url", .mediaURL, MediaURLs.help) var mediaURLs: [MediaURLPrefix]
  @Option("containment", .choice("WHAT"), default: .available, shown: "available", Containment.mediaHelp)
  var containment: Containment
  @Flag("json", "Print a JSON object a line.") var json: Bool

  func run() throws {
    try FailureRecord.telling(if: json) { try tell(&$0) }
  }

  private func tell(_ assets: inout [(id: AssetID, path: String)]) throws {
    let setting = try MediaRoots.setting(mediaRoots, mediaURLs, containment)
    let file = try DocumentFile(path: document)
    assets = file.assets
    let checked = try EditFile(file, setting, renderingWith: .ofProgram)
    let edit = checked.edit
    let count = try edit.frameCount
    let range = range ?? 0..<count
    guard range.upperBound <= count else {
      throw Complaint(
        "--range", "\(range.lowerBound)..\(range.upperBound) is beyond the edit's \(count) frames, which are 0..\(count)",
        .usage)
    }
    guard let frameDuration = edit.videoComposition?.frameDuration else { return }
    var next = range.lowerBound
    do {
      let frames = FrameRange(first: range.lowerBound, count: range.count)
      try EditExamination(of: edit, fonts: checked.fonts, setting).frames(frames) { index, md5 in
        try tell(FrameRecord(index: index, pts: try frameDuration * Int64(index), md5: md5))
        next = index + 1
      }
    } catch let broken as EditExamination.Broken { throw try broken.complaint(edit, at: next) }
  }

  private func tell(_ record: FrameRecord) throws {
    guard !json else { return try StandardStream.output.json(record) }
    try StandardStream.output.line("\(record.index), \(record.pts), \(record.md5)")
  }
}

private struct FrameRecord: Encodable {
  let index: Int
  let pts: MediaTime
  let md5: String
}

extension Format where Value == Range<Int> {
  /// A half-open range of frames, `A..B`.
  static let frameRange = Format("A..B", expectation: "a range of frames such as 0..100") { text in
    let ends = text.split(separator: ".", omittingEmptySubsequences: false)
    guard ends.count == 3, ends[1].isEmpty, let first = Int(ends[0]), let end = Int(ends[2]), 0 <= first, first < end else {
      return nil
    }
    return first..<end
  }
}
