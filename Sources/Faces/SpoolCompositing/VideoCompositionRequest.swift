internal import Synchronization

/// A request for one frame to a compositor (AVAsynchronousVideoCompositionRequest).
///
/// Finish it exactly once, with one of the `finish` methods.
public final class VideoCompositionRequest<Instruction: VideoCompositionInstruction>: Sendable {
  public let renderContext: RenderContext
  /// The frame's time in the edit.
  public let compositionTime: CompositionTime
  public let instruction: Instruction
  /// The progress of the instruction, in [0, 1): (t - start) / duration.
  public let progress: Double
  private let frames: [String: VideoFrame]
  /// The function that takes the answer; nil once the request is finished.
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
  /// It is upright and opaque, with square pixels. It has the source format of the render context and the movie's colour.
  public func sourceFrame(byTrackID id: String) -> VideoFrame? { frames[id] }

  /// Finishes the request with the composed frame.
  ///
  /// - Precondition: the request is not finished yet.
  public func finish(withComposedVideoFrame frame: VideoFrame) { finish(.composed(frame)) }

  /// Finishes the request with an error, which fails the job: the same request would give the same error wherever it is rendered.
  ///
  /// - Precondition: the request is not finished yet.
  public func finish(with error: any Error) { finish(.failed(error)) }

  /// Finishes a request that was cancelled, without a frame.
  ///
  /// - Precondition: the request is not finished yet, and requests were cancelled.
  public func finishCancelledRequest() { finish(.cancelled) }

  /// Finishes the request with the frame that `compose` returns or the error that it throws.
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

/// The end of a request.
package enum ComposedAnswer: Sendable {
  case composed(VideoFrame)
  case failed(any Error)
  case cancelled
}

private struct UnfinishedRequest: Error, CustomStringConvertible {
  var description: String { "the request was let go unfinished" }
}

/// The error that a required track shows nothing at this moment. It is for compositors that need all of their tracks.
public struct MissingSourceFrame: Error, Hashable, Sendable, CustomStringConvertible {
  public let trackID: String

  public init(trackID: String) { self.trackID = trackID }

  public var description: String { "track '\(trackID)' has no frame" }
}
