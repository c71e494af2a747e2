/// A coordinator that would lead the farm. One leads at a time; the others follow and wait until its lease ends.
package struct Candidate: Hashable, Sendable {
  /// The coordinator's name: unique among the farm's coordinators, and the same at every start.
  package var name: String
  /// A name for this process, new at every start.
  package var epoch: String
  /// Whether this process has neither led nor followed yet. Then it takes over at once from an earlier process of its name, which
  /// must be gone.
  package var isNew: Bool

  package init(name: String, epoch: String, isNew: Bool = true) {
    (self.name, self.epoch, self.isNew) = (name, epoch, isNew)
  }
}

/// The ledger's answer to a candidate.
package enum Leadership: Hashable, Sendable {
  /// The candidate leads. Its writes are made in this term and fail once there is a later term.
  case leads(term: Int)
  /// Another coordinator leads, or its lease has not ended yet.
  case follows(leader: String, term: Int)
}
