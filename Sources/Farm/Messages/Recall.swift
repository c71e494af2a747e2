/// A question to the process that looks for segments of a job: was the segment of this attempt made before? It is a line of JSON on the process's
/// leash.
package struct RecallQuestion: Hashable, Sendable, Codable {
  package var key: AttemptKey
  package var work: Work

  package init(key: AttemptKey, work: Work) { (self.key, self.work) = (key, work) }

  /// Whether there are such segments: of chunks, and of sound.
  package static func concerns(_ work: Work) -> Bool {
    switch work {
    case .picture, .sound, .soundPart: true
    case .mux, .publish: false
    }
  }
}

/// The answer to a question for a segment, as a line of JSON on the process's standard output.
package struct RecallAnswer: Hashable, Sendable, Codable {
  package var key: AttemptKey
  /// The proof of the segment, which lies under the attempt's name; nil where it has to be made.
  package var proof: Proof?

  package init(key: AttemptKey, proof: Proof?) { (self.key, self.proof) = (key, proof) }
}
