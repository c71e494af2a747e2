import AVFoundation
import Glibc
import SpoolHost
import Synchronization

/// Mixes two tracks by the progress of the instruction, in R'G'B'. A track with a gap counts as black.
final class Mixer: NSObject, AVVideoCompositing {
  var sourcePixelBufferAttributes: [String: any Sendable]? { packedForm }
  var requiredPixelBufferAttributesForRenderContext: [String: any Sendable] { packedForm }
  func renderContextChanged(_ newRenderContext: AVVideoCompositionRenderContext) {}

  func startRequest(_ request: AVAsynchronousVideoCompositionRequest) {
    request.finish {
      let picture = try request.newPicture()
      let sources = request.requiredTracks.map(request.sourceFrame(byTrackID:))
      picture.mix(sources.first ?? nil, sources.dropFirst().first ?? nil, share: request.share)
      return picture
    }
  }
}

/// Shows its track upside down, from a thread of its own.
final class Holder: NSObject, AVVideoCompositing {
  private static let form: [String: any Sendable] = [
    kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange
  ]
  var sourcePixelBufferAttributes: [String: any Sendable]? { Self.form }
  var requiredPixelBufferAttributesForRenderContext: [String: any Sendable] { Self.form }
  private let queue = DispatchQueue(label: "holder")

  override init() { super.init() }
  func renderContextChanged(_ newRenderContext: AVVideoCompositionRenderContext) {}

  func startRequest(_ request: AVAsynchronousVideoCompositionRequest) {
    queue.async { request.finish { try Self.flipped(request) } }
  }

  private static func flipped(_ request: AVAsynchronousVideoCompositionRequest) throws -> CVPixelBuffer {
    let track = request.requiredTracks[0]
    guard let source = request.sourceFrame(byTrackID: track) else {
      throw MissingFrame(track, in: request)
    }
    var made: CVPixelBuffer?
    let code = unsafe CVPixelBufferCreate(
      nil, source.width, source.height, kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, nil, &made)
    guard code == kCVReturnSuccess, let made else { throw NoPicture() }
    for key in [kCVImageBufferColorPrimariesKey, kCVImageBufferTransferFunctionKey, kCVImageBufferYCbCrMatrixKey] {
      if let value = CVBufferCopyAttachment(source, key, nil) { CVBufferSetAttachment(made, key, value, .shouldPropagate) }
    }
    for plane in 0..<2 {
      let (from, to) = unsafe (source.rows(plane), made.rows(plane))
      let height = CVPixelBufferGetHeightOfPlane(made, plane)
      let count = unsafe min(from.stride, to.stride)
      for y in 0..<height {
        unsafe (to.base + y * to.stride).copyMemory(from: from.base + (height - 1 - y) * from.stride, byteCount: count)
      }
    }
    return made
  }
}

/// Crashes. When its parameters name a file, it makes that file and crashes only if there was none.
final class Crasher: NSObject, AVVideoCompositing {
  private struct Parameters: Decodable { let unless: String? }
  func renderContextChanged(_ newRenderContext: AVVideoCompositionRenderContext) {}

  func startRequest(_ request: AVAsynchronousVideoCompositionRequest) {
    request.finish {
      let parameters = try (request.videoCompositionInstruction as? DocumentInstruction)?.parameters(as: Parameters.self)
      guard let file = parameters?.unless, !isFirst(file) else { preconditionFailure("planted") }
      return try request.newPicture()
    }
  }

  private func isFirst(_ file: String) -> Bool {
    let descriptor = unsafe open(file, O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    if descriptor >= 0 { close(descriptor) }
    return descriptor >= 0
  }
}

/// Fails when one of its tracks has no frame.
final class Thrower: NSObject, AVVideoCompositing {
  var sourcePixelBufferAttributes: [String: any Sendable]? { packedForm }
  var requiredPixelBufferAttributesForRenderContext: [String: any Sendable] { packedForm }
  func renderContextChanged(_ newRenderContext: AVVideoCompositionRenderContext) {}

  func startRequest(_ request: AVAsynchronousVideoCompositionRequest) {
    request.finish {
      for track in request.requiredTracks where request.sourceFrame(byTrackID: track) == nil {
        throw MissingFrame(track, in: request)
      }
      return try request.newPicture()
    }
  }
}

/// Keeps its request until it is cancelled. It writes "asked" and "drained" to the file that its parameters name.
final class Waiter: NSObject, AVVideoCompositing {
  private struct Parameters: Decodable { let file: String }
  private let pending = Mutex<(request: AVAsynchronousVideoCompositionRequest, file: String)?>(nil)

  override init() { super.init() }
  func renderContextChanged(_ newRenderContext: AVVideoCompositionRenderContext) {}

  func startRequest(_ request: AVAsynchronousVideoCompositionRequest) {
    do {
      guard let written = request.videoCompositionInstruction as? DocumentInstruction else { throw NoPicture() }
      let file = try written.parameters(as: Parameters.self).file
      // A cancellation that comes now waits for the lock, so "drained" is never written before "asked".
      pending.withLock { pending in
        pending = (request, file)
        note("asked\n", in: file)
      }
    } catch { request.finish(with: error) }
  }

  func cancelAllPendingVideoCompositionRequests() {
    let taken = pending.withLock { pending in
      defer { pending = nil }
      return pending
    }
    guard let taken else { return }
    note("drained\n", in: taken.file)
    taken.request.finishCancelledRequest()
  }

  private func note(_ word: String, in file: String) {
    let descriptor = unsafe open(file, O_CREAT | O_APPEND | O_WRONLY | O_CLOEXEC, 0o600)
    _ = unsafe write(descriptor, word, word.utf8.count)
    close(descriptor)
  }
}
