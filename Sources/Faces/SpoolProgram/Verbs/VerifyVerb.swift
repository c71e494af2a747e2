import Arguments
import Document
import Formats
import MediaTime
import Messages
import Operations
import Rendering
import Terminal
import Timeline

struct VerifyVerb: Verb {
  static let page = Page(
    "verify", "compare a movie with a render of its edit by one process",
    description: [
      """
      Renders the edit of the document DOC in this process and compares the finished MOVIE with it, frame by frame and sample by \
      sample. Times and counts must be exact. A lossless movie must be equal; in a lossy one every frame must reach the PSNR of \
      --floor.
      """,
      "In place of DOC and MOVIE, the id of a finished job names both.",
    ],
    examples: [
      .init("spool verify opening.json opening.mp4", "A movie and its document."),
      .init("spool verify b7kq2mzr9x4t --database postgresql:///farm", "A job of a farm."),
    ],
    environment: [Database.variable, MediaURLs.variable, OrdinaryUser.variable],
    exitCodes: [
      .init(ExitCode.ok, "the movie is the edit"), .init(ExitCode.differs, "it is not; each difference is a line"),
      .init(ExitCode.usage, "usage error"),
      .init(ExitCode.badDocument, "the document, or a medium in it, cannot be rendered, or the movie is damaged"),
      .init(ExitCode.noInput, "the document, the movie, a medium or the job is missing or cannot be read"),
      .init(ExitCode.unavailable, "the database cannot be reached"), Database.forbidden,
    ])

  @Positional("DOC", .file, "The edit's document, or a job's id.") var document: String
  @Positional("MOVIE", .file, "The movie; left out for a job.") var movie: String?
  @Option(
    "floor", .decibels, default: MovieVerification.defaultFloor, shown: "\(MovieVerification.defaultFloor)",
    "The PSNR in decibels that each frame of a lossy movie must reach.") var floor: Double
  @Option("preset", .choice("NAME"), "The preset with which the movie was rendered, if it was not the document's.")
  var preset: ExportPreset?
  @Option("range", .seconds, "The range with which it was rendered.") var range: MediaTimeRange?
  @Option("size", .pixels, "The size with which it was rendered.") var size: PixelSize?
  @Option("scale", .scale, "The scale with which it was rendered.") var scale: Double?
  @Option("database", .text("URL"), Database.help) var database: String?
  @Option("media-root", .directory, MediaRoots.help) var mediaRoots: [String]
  @Option("media-url", .mediaURL, MediaURLs.help) var mediaURLs: [MediaURLPrefix]
  @Option("containment", .choice("WHAT"), default: .available, shown: "available", Containment.mediaHelp)
  var containment: Containment
  @Flag("json", "Print one JSON object.") var json: Bool

  func run() throws {
    var request = VerifyRequest(document: document, movie: movie)
    (request.floor, request.wish) = (floor, ExportWish(preset: preset, range: range, size: size, scale: scale))
    let result = try Complaint.naming(["movie": "MOVIE"]) { [request] () throws(Complaint) in
      try Database.farm(database).verify(request, reading: MediaRoots.mediaAccess(mediaRoots, mediaURLs, containment))
    }
    if json {
      try StandardStream.output.json(result)
    } else if result.ok {
      try StandardStream.output.line("\(result.movie): \(Self.text(of: result))")
      for rendition in result.renditions ?? [] {
        let likeness = rendition.leastPSNR.map { "at least \(Self.rounded($0)) dB" } ?? "all frames equal"
        let size = "\(rendition.size.width)x\(rendition.size.height)"
        try StandardStream.output.line("\(result.movie): rendition \(size): \(rendition.frames) frames, \(likeness)")
      }
      if let count = result.captionFiles {
        let files = count == 1 ? "1 file" : "\(count) files"
        try StandardStream.output.line("\(result.movie): \(files) of captions beside it, equal to the edit's")
      }
      if let count = result.stillFiles {
        try StandardStream.output.line("\(result.movie): \(count) files of still pictures, equal to the edit's")
      }
      for copy in result.copies ?? [] { try StandardStream.output.line("\(copy.output): the same movie") }
      if let sentence = result.concealed.sentence { try StandardStream.output.line("\(result.movie): \(sentence)") }
      if let loudness = result.loudness { try StandardStream.output.line("\(result.movie): \(loudness.words)") }
    }
    guard result.ok else {
      throw Complaint(faults: json ? [] : result.faults.map { "\(result.movie): \($0)" }, .differs)
    }
  }

  private static func text(of result: Verification) -> String {
    let copied = result.copiedFrames.map { " (\($0) copied)" } ?? ""
    let copiedSamples = result.copiedSamples.map { " (\($0) copied)" } ?? ""
    let counts =
      "\(result.frameCount) frames\(copied), \(result.sampleCount) samples\(copiedSamples)"
      + (result.soundCount.map { " of each of \($0) sounds" } ?? "")
    guard !result.lossless else { return "equal to the edit: \(counts)" }
    switch result.pictures {
    case .uncompared: return "true to the edit: \(counts)"
    case .equal: return "true to the edit: \(counts), all frames equal"
    case .differ:
      let least = result.worstFrame.map { ", at least \(rounded($0.psnr)) dB (frame \($0.index))" }
      return "true to the edit: \(counts), PSNR \(rounded(result.psnr ?? 0)) dB\(least ?? "")"
    }
  }

  private static func rounded(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}

extension Format where Value == Double {
  static let decibels = Format("DB", expectation: "a number of decibels from 0 to 200") { text in
    Double(text).flatMap { VerifyRequest.floors.contains($0) ? $0 : nil }
  }
}
