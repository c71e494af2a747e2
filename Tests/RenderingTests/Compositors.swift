import Linux
import Rendering
import SpoolCompositing
import Synchronization
import Testing

/// A compositor that notes what it is given, and shows nothing.
final class Witness: VideoCompositing {
  struct Instruction: VideoCompositionInstruction {
    struct Parameters: Decodable { let level: Int }

    let statement: InstructionStatement
    let level: Int

    init(_ statement: InstructionStatement) throws {
      self.statement = statement
      level = try statement.parameters(as: Parameters.self).level
      if level < 0 { throw ParameterError("level", "must not be negative") }
    }
  }

  struct Sight {
    let time, frameDuration, color: String
    let progress: Double
    let tracks: [String]
    let level: Int
    let size: [Int]
    let sizes: [String: [Int]]
    let format: FrameFormat
  }

  static let name = "witness"
  static let seen = Mutex<[Sight]>([])

  let sourceFormats: [FrameFormat] = [.rgb8, FrameFormat(.yuv420)]

  func startRequest(_ request: VideoCompositionRequest<Instruction>) {
    let (context, tracks) = (request.renderContext, request.sourceTrackIDs)
    let frames = tracks.compactMap { track in request.sourceFrame(byTrackID: track).map { (track, [$0.width, $0.height]) } }
    let sight = Sight(
      time: "\(request.compositionTime)", frameDuration: "\(context.frameDuration)", color: context.color.matrix,
      progress: request.progress, tracks: tracks, level: request.instruction.level,
      size: [context.renderSize.width, context.renderSize.height], sizes: Dictionary(uniqueKeysWithValues: frames),
      format: context.sourceFormat)
    Self.seen.withLock { $0.append(sight) }
    request.finish { try context.newFrame() }
  }
}

/// A compositor that gives the first source frame back.
final class Giver: VideoCompositing {
  static let name = "give"
  let sourceFormats = [FrameFormat(.yuv420)]

  func startRequest(_ request: VideoCompositionRequest<InstructionStatement>) {
    guard let frame = request.sourceFrame(byTrackID: request.instruction.requiredSourceTrackIDs[0]) else {
      return request.finish(with: MissingSourceFrame(trackID: request.instruction.requiredSourceTrackIDs[0]))
    }
    request.finish(withComposedVideoFrame: frame)
  }
}

/// A compositor that copies its source frame, sample by sample, in the format that the test chooses.
final class Copier: VideoCompositing {
  static let name = "copy"
  @TaskLocal static var format = FrameFormat.rgb8

  let sourceFormats = [Copier.format]

  func startRequest(_ request: VideoCompositionRequest<InstructionStatement>) {
    request.finish {
      let frame = try request.renderContext.newFrame()
      guard let source = request.sourceFrame(byTrackID: "A") else { throw MissingSourceFrame(trackID: "A") }
      for component in frame.format.components {
        if frame.format.bitDepth == 8 {
          copy(source.plane(component, as: UInt8.self), to: frame.mutablePlane(component))
        } else {
          copy(source.plane(component, as: UInt16.self), to: frame.mutablePlane(component))
        }
      }
      return frame
    }
  }

  private func copy<Sample>(_ source: VideoPlane<Sample>, to target: MutableVideoPlane<Sample>) {
    for y in 0..<target.height { for x in 0..<target.width { target[x, y] = source[x, y] } }
  }
}

/// A compositor that gives its source frame back. The source frame was fitted into the movie's size.
final class Fitted: VideoCompositing {
  static let name = "fitted"
  let sourceFormats = [FrameFormat(.yuv420)]
  let sourceSize = SourceSize.render(.resizeAspect)

  func startRequest(_ request: VideoCompositionRequest<InstructionStatement>) {
    request.finish {
      guard let frame = request.sourceFrame(byTrackID: "B") else { throw MissingSourceFrame(trackID: "B") }
      return frame
    }
  }
}

/// A compositor that paints the mean of its source's first row. It counts its calls under the name in its parameters.
final class Tally: VideoCompositing {
  struct Parameters: Decodable { let counter: String }

  static let name = "tally"
  private static let counts = Mutex<[String: Int]>([:])

  static func count(_ counter: String) -> Int { counts.withLock { $0[counter, default: 0] } }

  let sourceFormats: [FrameFormat] = [.rgb8]

  func startRequest(_ request: VideoCompositionRequest<InstructionStatement>) {
    request.finish {
      let counter = try request.instruction.parameters(as: Parameters.self).counter
      Self.counts.withLock { $0[counter, default: 0] += 1 }
      guard let source = request.sourceFrame(byTrackID: "A") else { throw MissingSourceFrame(trackID: "A") }
      let frame = try request.renderContext.newFrame()
      for component in frame.format.components {
        let (from, to) = (source.plane(component, as: UInt8.self), frame.mutablePlane(component, as: UInt8.self))
        let mean = UInt8((0..<from.width).reduce(0) { $0 + Int(from[$1, 0]) } / from.width)
        for y in 0..<to.height { for x in 0..<to.width { to[x, y] = mean } }
      }
      return frame
    }
  }
}

/// A compositor that answers from a thread of its own.
final class Late: VideoCompositing {
  static let name = "late"
  let sourceFormats = [FrameFormat(.yuv420)]

  func startRequest(_ request: VideoCompositionRequest<InstructionStatement>) {
    _ = JoinableThread {
      request.finish {
        guard let frame = request.sourceFrame(byTrackID: "A") else { throw MissingSourceFrame(trackID: "A") }
        return frame
      }
    }
  }
}

/// A compositor that cannot do without its track.
final class Needy: VideoCompositing {
  static let name = "needy"
  let sourceFormats: [FrameFormat] = [.rgb8]

  func startRequest(_ request: VideoCompositionRequest<InstructionStatement>) {
    request.finish {
      guard request.sourceFrame(byTrackID: "B") != nil else { throw MissingSourceFrame(trackID: "B") }
      return try request.renderContext.newFrame()
    }
  }
}

/// A compositor that releases its requests unfinished.
final class Forgetful: VideoCompositing {
  static let name = "forgetful"
  let sourceFormats: [FrameFormat] = [.rgb8]
  func startRequest(_ request: VideoCompositionRequest<InstructionStatement>) {}
}

/// A compositor that holds its request until the request is cancelled.
final class Stuck: VideoCompositing {
  static let name = "stuck"
  static let whenAsked = Mutex<(@Sendable () -> Void)?>(nil)
  static let drained = Mutex(0)

  let sourceFormats: [FrameFormat] = [.rgb8]
  private let pending = Mutex<[VideoCompositionRequest<InstructionStatement>]>([])

  func startRequest(_ request: VideoCompositionRequest<InstructionStatement>) {
    pending.withLock { $0.append(request) }
    if let whenAsked = Self.whenAsked.withLock({ $0 }) { _ = JoinableThread { whenAsked() } }
  }

  func cancelAllPendingVideoCompositionRequests() {
    let requests = pending.withLock { pending in
      defer { pending = [] }
      return pending
    }
    Self.drained.withLock { $0 += requests.count }
    for request in requests { request.finishCancelledRequest() }
  }
}
