/// The key of a segment, as far as its attempt is believed (decision 0174).
///
/// A process that decodes a stranger's media may be made to say anything. Its first report comes before that, so only that one
/// tells the key. A proof with another key loses it: its segment is used, and not kept.
package struct KeyWitness: Hashable, Sendable {
  private var key: String?
  private var hasReported = false

  package init() {}

  /// The report as it is believed; nil for one that only tells a key.
  package mutating func believed(_ report: AttemptReport) -> AttemptReport? {
    defer { hasReported = true }
    switch report {
    case .keyed(let key):
      if !hasReported { self.key = key }
      return nil
    case .finished(.picture(var proof)):
      if proof.key != key { proof.key = nil }
      return .finished(.picture(proof))
    case .finished(.sound(var proof)):
      if proof.key != key { proof.key = nil }
      return .finished(.sound(proof))
    case .progress, .composing, .shortened, .finished, .failed: return report
    }
  }
}
