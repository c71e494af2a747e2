package import Messages

/// The fit of a result to the task of its attempt. Both ledgers decide it in this way once they know the task's frames.
package enum ResultFit: Hashable, Sendable {
  /// The result is the whole task.
  case whole
  /// The result is the chunk's frames before `before`; its process had promised to leave the rest.
  case firstPart(before: Int)
  /// The result is something else: a process broke its promise, or does not say which frames it made.
  case other(Failure)

  /// - Parameters:
  ///   - proved: the frames of the result.
  ///   - frames: the frames of the task; nil when it is not a chunk.
  package init(of proved: FrameRange?, to frames: FrameRange?) {
    guard let frames, proved != frames else {
      self = .whole
      return
    }
    if let proved, proved.first == frames.first, frames.divided(before: proved.indices.upperBound) != nil {
      self = .firstPart(before: proved.indices.upperBound)
    } else {
      self = .other(
        Failure(
          .bug, at: "frames \(frames.first)..<\(frames.indices.upperBound)",
          proved.map { "the result is of frames \($0.first)..<\($0.indices.upperBound)" } ?? "the result tells no frames"))
    }
  }
}
