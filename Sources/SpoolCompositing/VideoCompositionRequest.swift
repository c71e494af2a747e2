internal import Synchronization

/// A frame that a compositor is asked for (AVAsynchronousVideoCompositionRequest).
///
/// To be finished exactly once, by one of the `finish` verbs.
public final class VideoCompositionRequest<Instruction: VideoCompositionInstruction>: Sendable {
  public let renderContext: RenderContext
  /// Of the frame, on the edit's clock.
  public let compositionTime: CompositionTime
  public let instruction: Instruction
  /// How far the instruction is, in [0, 1): (t - start) / duration.
  public let progress: Double
  private let frames: [String: VideoFrame]
  /// Nil once the request is finished.
  private let answer: Mutex<(@Sendable (ComposedAnswer) -> Void)?>

  init(
    _ context: RenderContext, at time: CompositionTime, _ instruction: Instruction, progress: Double,
    frames: [String: VideoFrame], answer: @escaping @Sendable (ComposedAnswer) -> Void
  ) {
    (renderContext, compositionTime, self.instruction) = (context, time, instruction)
    (self.progress, self.frames) = (progress, frames)
    self.answer = Mutex(answer)
  }

  deinit { give(.failed(UnfinishedRequest())) }

  /// The required tracks that have a frame, in the order of the instruction.
  public var sourceTrackIDs: [String] { instruction.requiredSourceTrackIDs.filter { frames[$0] != nil } }

  /// The frame that a required track shows; nil in a gap of the track.
  ///
  /// It is upright, with square pixels, opaque, in the source format of the render context and in the movie's colour.
  public func sourceFrame(byTrackID id: String) -> VideoFrame? { frames[id] }

  /// - Precondition: the request is not finished yet.
  public func finish(withComposedVideoFrame frame: VideoFrame) { finish(.composed(frame)) }

  /// Fails the job: the same request gives the same error wherever it is rendered.
  ///
  /// - Precondition: the request is not finished yet.
  public func finish(with error: any Error) { finish(.failed(error)) }

  /// - Precondition: the request is not finished yet, and requests were cancelled.
  public func finishCancelledRequest() { finish(.cancelled) }

  /// Finishes the request with what `compose` returns or throws.
  ///
  /// - Precondition: the request is not finished yet.
  public func finish(composing compose: () throws -> VideoFrame) {
    do { finish(withComposedVideoFrame: try compose()) } catch { finish(with: error) }
  }

  private func finish(_ result: ComposedAnswer) {
    guard give(result) else { preconditionFailure("a request is finished once") }
  }

  /// - Returns: false when the request was finished before.
  @discardableResult private func give(_ result: ComposedAnswer) -> Bool {
    let answer = self.answer.withLock { answer in
      defer { answer = nil }
      return answer
    }
    answer?(result)
    return answer != nil
  }
}

/// What became of a request.
package enum ComposedAnswer: Sendable {
  case composed(VideoFrame)
  case failed(any Error)
  case cancelled
}

private struct UnfinishedRequest: Error, CustomStringConvertible {
  var description: String { "the request was let go unfinished" }
}

/// A required track shows nothing at this moment; for compositors that cannot do without.
public struct MissingSourceFrame: Error, Hashable, Sendable, CustomStringConvertible {
  public let trackID: String

  public init(trackID: String) { self.trackID = trackID }

  public var description: String { "track '\(trackID)' has no frame" }
}
