/// The work of a task. A picture task is a chunk of the plan.
package enum Work: Hashable, Sendable {
  /// Renders and encodes the frames `first ..< first + count`.
  case picture(FrameRange)
  /// Mixes and encodes the whole sound.
  case sound
  /// Mixes and encodes a part of the sound (decision 0200).
  case soundPart(SampleRange)
  /// Puts the winners' segment files, in frame order, and the parts of the sound, in the order of their samples, together in a hidden
  /// file beside the output.
  case mux(pictures: [Winner<PictureProof>], sound: [Winner<SoundProof>])
  /// Gives the muxed file its final name, and removes the job's segment files.
  case publish(muxed: Winner<FileProof>)

  package var kind: TaskKind {
    switch self {
    case .picture: .picture
    case .sound, .soundPart: .sound
    case .mux: .mux
    case .publish: .publish
    }
  }
}

package enum TaskKind: String, Hashable, Sendable, Codable, CaseIterable {
  case picture, sound, mux, publish

  /// Whether its attempts write beside the movie instead of to the store.
  package var writesOutput: Bool {
    switch self {
    case .picture, .sound: false
    case .mux, .publish: true
    }
  }

  /// Whether it mostly reads and writes and hardly needs a processor. Then it takes a lane of its worker, if one is free.
  package var isLight: Bool { writesOutput }
}

/// A half-open range of output frames.
package struct FrameRange: Hashable, Sendable, Codable {
  package var first: Int
  package var count: Int

  package init(first: Int, count: Int) {
    self.first = first
    self.count = count
  }

  package var indices: Range<Int> { first..<first + count }

  /// The frames before `border` and the frames from it on; nil when one of them would be empty.
  package func divided(before border: Int) -> (first: FrameRange, rest: FrameRange)? {
    guard border > first, border < indices.upperBound else { return nil }
    return (FrameRange(first: first, count: border - first), FrameRange(first: border, count: indices.upperBound - border))
  }
}

/// A half-open range of the movie's samples.
package struct SampleRange: Hashable, Sendable, Codable {
  package var first: Int64
  package var count: Int64

  package init(first: Int64, count: Int64) {
    self.first = first
    self.count = count
  }

  package init(_ samples: Range<Int64>) { self.init(first: samples.lowerBound, count: samples.upperBound - samples.lowerBound) }

  package var indices: Range<Int64> { first..<first + count }
}

/// A committed attempt with its proof, whose type says what kind of task it won.
package struct Winner<TaskProof: Hashable & Sendable & Codable>: Hashable, Sendable, Codable {
  package var key: AttemptKey
  package var proof: TaskProof

  package init(key: AttemptKey, proof: TaskProof) {
    self.key = key
    self.proof = proof
  }
}

/// The name of an attempt, unique in the farm. `attempt` is the fencing token: it only grows within a task.
package struct AttemptKey: Hashable, Sendable, Codable, CustomStringConvertible {
  package var task: Int64
  package var attempt: Int

  package init(task: Int64, attempt: Int) {
    self.task = task
    self.attempt = attempt
  }

  package var description: String { "\(task)/\(attempt)" }
}
