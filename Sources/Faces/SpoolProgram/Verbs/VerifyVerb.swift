import Arguments
import Examination
import Formats
import FoundationEssentials
import Ledger
import Media
import Messages
import Operations
import Rendering
import Scenes
import Terminal

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
  @Option("database", .text("URL"), Database.help) var database: String?
  @Option("media-root", .directory, MediaRoots.help) var mediaRoots: [String]
  @Option("media-url", .mediaURL, MediaURLs.help) var mediaURLs: [MediaURLPrefix]
  @Option("containment", .choice("WHAT"), default: .available, shown: "available", Containment.mediaHelp)
  var containment: Containment
  @Flag("json", "Print one JSON object.") var json: Bool

  func run() throws {
    let setting = try MediaRoots.setting(mediaRoots, mediaURLs, containment)
    let (edit, fonts, movie) = try subject(setting)
    let result = try verification(of: movie, against: edit, fonts, setting)
    if json {
      try StandardStream.output.json(VerificationRecord(movie, result))
    } else if result.faults.isEmpty {
      try StandardStream.output.line("\(movie): \(Self.text(of: result))")
      if let sentence = result.concealed.sentence { try StandardStream.output.line("\(movie): \(sentence)") }
    }
    guard result.faults.isEmpty else {
      throw Complaint(faults: json ? [] : result.faults.map { "\(movie): \($0)" }, .differs)
    }
  }

  private func verification(
    of movie: String, against edit: ResolvedTimeline, _ fonts: [FontFace]?, _ setting: ExaminationSetting
  ) throws -> MovieVerification {
    var compared = 0
    do {
      return try EditExamination(of: edit, fonts: fonts, setting).verification(of: movie, floor: floor) { progress in
        if case .pictures(let count) = progress { compared = count }
      }
    } catch let broken as EditExamination.Broken { throw try broken.complaint(edit, at: compared, [movie]) }
  }

  private func subject(_ setting: ExaminationSetting) throws -> (ResolvedTimeline, [FontFace]?, String) {
    if let movie {
      let file = try EditFile(path: document, setting, renderingWith: .ofProgram)
      return (file.edit, file.fonts, movie)
    }
    let ledger = try Database.open(database)
    guard let status = try ledger.status(job: document), let spec = try ledger.spec(job: document) else {
      throw Complaint(document, "no such job; for a document, MOVIE is required", .noInput)
    }
    guard status.state == .done else {
      throw Complaint(document, "the job has no finished movie: it is \(status.state.rawValue)", .noInput)
    }
    return (try spec.edit, spec.fonts, spec.output)
  }

  private static func text(of result: MovieVerification) -> String {
    let counts = "\(result.frames) frames, \(result.samples) samples"
    guard !result.isLossless else { return "equal to the edit: \(counts)" }
    switch result.pictures {
    case .uncompared: return "true to the edit: \(counts)"
    case .equal: return "true to the edit: \(counts), all frames equal"
    case .decibels(let psnr):
      let least = result.worstFrame.map { ", at least \(rounded($0.psnr)) dB (frame \($0.index))" }
      return "true to the edit: \(counts), PSNR \(rounded(psnr)) dB\(least ?? "")"
    }
  }

  private static func rounded(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}

private struct VerificationRecord: Encodable {
  struct Worst: Encodable {
    let index: Int
    let psnr: Double
  }

  let movie: String
  let ok: Bool
  let lossless: Bool
  let frameCount: Int
  let sampleCount: Int64
  /// Whether the movie's pictures are "equal" to the edit's, "differ", or are "uncompared".
  let pictures: String
  /// The PSNR in decibels; left out unless the pictures differ.
  let psnr: Double?
  let worstFrame: Worst?
  /// The frames and samples of damaged assets that were replaced.
  let concealed: [Concealment]
  let faults: [String]

  init(_ movie: String, _ result: MovieVerification) {
    (self.movie, ok, lossless) = (movie, result.faults.isEmpty, result.isLossless)
    (frameCount, sampleCount) = (result.frames, result.samples)
    switch result.pictures {
    case .uncompared: (pictures, psnr) = ("uncompared", nil)
    case .equal: (pictures, psnr) = ("equal", nil)
    case .decibels(let decibels): (pictures, psnr) = ("differ", decibels)
    }
    worstFrame = result.worstFrame.map { Worst(index: $0.index, psnr: $0.psnr) }
    concealed = result.concealed
    faults = result.faults
  }
}

extension Format where Value == Double {
  static let decibels = Format("DB", expectation: "a number of decibels from 0 to 200") { text in
    Double(text).flatMap { (0...200).contains($0) ? $0 : nil }
  }
}
