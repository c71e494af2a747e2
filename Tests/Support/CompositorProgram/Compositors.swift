import Glibc
import SpoolCompositing
import Synchronization

/// Mixes two tracks by the progress of the instruction, in R'G'B'. A track with a gap counts as black.
final class Mixer: VideoCompositing {
  static let name = "mix"
  let sourceFormats: [FrameFormat] = [.rgb8, .rgb16]
  let sourceSize = SourceSize.render(.resizeAspect)

  func startRequest(_ request: VideoCompositionRequest<InstructionStatement>) {
    request.finish {
      let frame = try request.renderContext.newFrame()
      let sources = request.instruction.requiredSourceTrackIDs.map { request.sourceFrame(byTrackID: $0) }
      let share = Int(request.progress * 256)
      for component in frame.format.components {
        if frame.format.bitDepth == 8 {
          mix(sources.map { $0?.plane(component, as: UInt8.self) }, share, into: frame.mutablePlane(component))
        } else {
          mix(sources.map { $0?.plane(component, as: UInt16.self) }, share, into: frame.mutablePlane(component))
        }
      }
      return frame
    }
  }

  private func mix<Sample>(_ sources: [VideoPlane<Sample>?], _ share: Int, into target: MutableVideoPlane<Sample>) {
    for y in 0..<target.height {
      for x in 0..<target.width {
        let (from, to) = (Int(sources[0]?[x, y] ?? 0), Int(sources[1]?[x, y] ?? 0))
        target[x, y] = Sample((from * (256 - share) + to * share) / 256)
      }
    }
  }
}

/// Shows its track upside down, from a thread of its own. It tells the renderer that it has no tweening, whatever the document
/// says.
final class Holder: VideoCompositing {
  struct Instruction: VideoCompositionInstruction {
    let statement: InstructionStatement
    var containsTweening: Bool { false }
    init(_ statement: InstructionStatement) { self.statement = statement }
  }

  static let name = "hold"
  let sourceFormats = [FrameFormat(.yuv420)]
  let sourceSize = SourceSize.render(.resize)

  func startRequest(_ request: VideoCompositionRequest<Instruction>) {
    Task.detached { request.finish { try self.flipped(request) } }
  }

  private func flipped(_ request: VideoCompositionRequest<Instruction>) throws -> VideoFrame {
    let track = request.instruction.requiredSourceTrackIDs[0]
    guard let source = request.sourceFrame(byTrackID: track) else { throw MissingSourceFrame(trackID: track) }
    let frame = try request.renderContext.newFrame()
    for component in frame.format.components {
      let (from, to) = (source.plane(component, as: UInt8.self), frame.mutablePlane(component, as: UInt8.self))
      for y in 0..<to.height { for x in 0..<to.width { to[x, y] = from[x, to.height - 1 - y] } }
    }
    return frame
  }
}

/// Crashes. When its parameters name a file, it makes that file and crashes only if there was none.
final class Crasher: VideoCompositing {
  struct Instruction: VideoCompositionInstruction {
    struct Parameters: Decodable { let unless: String? }

    let statement: InstructionStatement
    let unless: String?

    init(_ statement: InstructionStatement) throws {
      self.statement = statement
      unless = try statement.parameters(as: Parameters.self).unless
    }
  }

  static let name = "crash"
  let sourceFormats: [FrameFormat] = [.rgb8]

  func startRequest(_ request: VideoCompositionRequest<Instruction>) {
    guard let file = request.instruction.unless, !isFirst(file) else { preconditionFailure("planted") }
    request.finish { try request.renderContext.newBlackFrame() }
  }

  private func isFirst(_ file: String) -> Bool {
    let descriptor = unsafe open(file, O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
    return descriptor >= 0
  }
}

/// Fails when one of its tracks has no frame.
final class Thrower: VideoCompositing {
  static let name = "throw"
  let sourceFormats: [FrameFormat] = [.rgb8]

  func startRequest(_ request: VideoCompositionRequest<InstructionStatement>) {
    request.finish {
      for track in request.instruction.requiredSourceTrackIDs where request.sourceFrame(byTrackID: track) == nil {
        throw MissingSourceFrame(trackID: track)
      }
      return try request.renderContext.newBlackFrame()
    }
  }
}

/// Keeps its request until it is cancelled. It writes "asked" and "drained" to the file that its parameters name.
final class Waiter: VideoCompositing {
  struct Instruction: VideoCompositionInstruction {
    struct Parameters: Decodable { let file: String }

    let statement: InstructionStatement
    let file: String

    init(_ statement: InstructionStatement) throws {
      self.statement = statement
      file = try statement.parameters(as: Parameters.self).file
    }
  }

  static let name = "wait"
  let sourceFormats: [FrameFormat] = [.rgb8]
  private let pending = Mutex<VideoCompositionRequest<Instruction>?>(nil)

  func startRequest(_ request: VideoCompositionRequest<Instruction>) {
    // A cancellation that comes now waits for the lock, so "drained" is never written before "asked".
    pending.withLock { pending in
      pending = request
      note("asked\n", in: request.instruction.file)
    }
  }

  func cancelAllPendingVideoCompositionRequests() {
    let request = pending.withLock { pending in
      defer { pending = nil }
      return pending
    }
    guard let request else { return }
    note("drained\n", in: request.instruction.file)
    request.finishCancelledRequest()
  }

  private func note(_ word: String, in file: String) {
    let descriptor = unsafe open(file, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0o600)
    _ = unsafe write(descriptor, word, word.utf8.count)
    close(descriptor)
  }
}

extension RenderContext {
  fileprivate func newBlackFrame() throws -> VideoFrame {
    let frame = try newFrame()
    for component in frame.format.components {
      let plane = frame.mutablePlane(component, as: UInt8.self)
      for y in 0..<plane.height { for x in 0..<plane.width { plane[x, y] = 0 } }
    }
    return frame
  }
}
