package import Messages

/// What a result is of the task that its attempt was at: what both ledgers decide once they know the task's frames.
package enum ResultFit: Hashable, Sendable {
  /// All of it.
  case whole
  /// The frames of a chunk before that one, where its process promised to leave the rest.
  case firstPart(before: Int)
  /// Something else: a process that broke its promise, or does not tell what it made.
  case other(Failure)

  /// - Parameters:
  ///   - proved: the frames of the result.
  ///   - frames: those of the task; nil where it is no chunk.
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
