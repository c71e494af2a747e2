/// One unit of dispatch. A picture task is a chunk of the plan.
package enum Work: Hashable, Sendable, Codable {
  /// Render and encode the frames `first ..< first + count`.
  case picture(FrameRange)
  /// Mix and encode the whole sound.
  case sound
  /// Join the winners' segment files, in frame order, with the sound, into a hidden file beside the output.
  case mux(pictures: [Winner], sound: Winner?)
  /// Give the muxed file its final name and drop the job's segment files.
  case publish(muxed: Winner)

  package var kind: TaskKind {
    switch self {
    case .picture: .picture
    case .sound: .sound
    case .mux: .mux
    case .publish: .publish
    }
  }
}

package enum TaskKind: String, Hashable, Sendable, Codable, CaseIterable {
  case picture, sound, mux, publish

  /// Whether an attempt at it writes beside the movie, rather than to the store.
  package var writesOutput: Bool {
    switch self {
    case .picture, .sound: false
    case .mux, .publish: true
    }
  }

  /// Whether it is input and output, and hardly work for a processor: it takes a lane of its worker, where that has one free.
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

  /// The frames before `border`, and the rest; nil where one of them is empty.
  package func divided(before border: Int) -> (first: FrameRange, rest: FrameRange)? {
    guard border > first, border < indices.upperBound else { return nil }
    return (FrameRange(first: first, count: border - first), FrameRange(first: border, count: indices.upperBound - border))
  }
}

/// A committed attempt and what it proved.
package struct Winner: Hashable, Sendable, Codable {
  package var key: AttemptKey
  package var proof: Proof

  package init(key: AttemptKey, proof: Proof) {
    self.key = key
    self.proof = proof
  }
}

/// Names an attempt in the whole farm. `attempt` is the fencing token: it only ever grows within a task.
package struct AttemptKey: Hashable, Sendable, Codable, CustomStringConvertible {
  package var task: Int64
  package var attempt: Int

  package init(task: Int64, attempt: Int) {
    self.task = task
    self.attempt = attempt
  }

  package var description: String { "\(task)/\(attempt)" }
}

/// What an attempt commits with its segment file; whoever uses the file checks it first.
package struct Proof: Hashable, Sendable, Codable {
  /// The file, relative to the segment store (for a muxed movie: its absolute path).
  package var file: String
  package var byteCount: Int64
  /// XXH3-128 of the file, lower-case hexadecimal.
  package var byteDigest: String
  /// The frames it holds; nil for sound.
  package var frames: FrameRange?
  /// Samples a channel after priming; nil for pictures.
  package var sampleCount: Int64?
  /// XXH3-128 of the codec parameters (extradata), equal for all segments of a movie.
  package var parameterSetDigest: String?
  /// XXH3-128 over the composited frames' own XXH3-128 digests, in order, before encoding; for sound over the mixed samples.
  package var contentDigest: String?
  /// What of its media was damaged and replaced; nil for nothing.
  package var concealed: [Concealment]?

  package init(
    file: String, byteCount: Int64, byteDigest: String, frames: FrameRange? = nil, sampleCount: Int64? = nil,
    parameterSetDigest: String? = nil, contentDigest: String? = nil, concealed: [Concealment] = []
  ) {
    self.concealed = concealed.isEmpty ? nil : concealed
    (self.file, self.byteCount, self.byteDigest, self.frames) = (file, byteCount, byteDigest, frames)
    (self.sampleCount, self.parameterSetDigest, self.contentDigest) = (sampleCount, parameterSetDigest, contentDigest)
  }
}
