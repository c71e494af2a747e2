package import Messages

/// The fit of a result to the task of its attempt. Both ledgers decide it in this way once they know the task's frames.
package enum ResultFit: Hashable, Sendable {
  /// The result is the whole task.
  case whole
  /// The result is the chunk's frames before `before`; its process had promised to leave the rest.
  case firstPart(before: Int)
  /// The result is something else: it is of another kind of task, or of other frames than its process promised.
  case other(Failure)

  /// - Parameters:
  ///   - proof: the proof of the result.
  ///   - kind: the kind of the task.
  ///   - frames: the frames of the task; nil when it is not a chunk.
  ///   - samples: the samples of the task; nil when it is not a part of the sound.
  package init(of proof: Proof, to kind: TaskKind, _ frames: FrameRange?, _ samples: SampleRange? = nil) {
    guard proof.kind == kind else {
      self = .other(Failure(.bug, at: "task of kind \(kind)", "the result is of kind \(proof.kind)"))
      return
    }
    if case .sound(let sound) = proof, sound.samples != samples {
      let words = { (samples: SampleRange?) in samples.map { "samples \($0.indices)" } ?? "the whole sound" }
      self = .other(Failure(.bug, at: words(samples), "the result is of \(words(sound.samples))"))
      return
    }
    guard case .picture(let picture) = proof, let frames, picture.frames != frames else {
      self = .whole
      return
    }
    let (first, end) = (picture.frames.first, picture.frames.indices.upperBound)
    if first == frames.first, frames.divided(before: end) != nil {
      self = .firstPart(before: end)
    } else {
      self = .other(
        Failure(
          .bug, at: "frames \(frames.first)..<\(frames.indices.upperBound)", "the result is of frames \(first)..<\(end)"))
    }
  }
}
