import Arguments
import Formats
import MediaTime
import Operations
import Terminal

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
    try FailureRecord.telling(if: json) {
      try Complaint.naming(["range": "--range"]) { () throws(Complaint) in
        let request = FramesRequest(document: document, range: range)
        try MediaRoots.mediaAccess(mediaRoots, mediaURLs, containment).frames(request) { digest throws(Complaint) in
          try presenting { try tell(digest) }
        }
      }
    }
  }

  private func tell(_ digest: FrameDigest) throws {
    guard !json else { return try StandardStream.output.json(digest) }
    try StandardStream.output.line("\(digest.index), \(digest.pts), \(digest.md5)")
  }
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
