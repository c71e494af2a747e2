/// A coordinator that would lead the farm. One leads at a time; the others follow and wait for its end.
package struct Candidate: Hashable, Sendable {
  /// Unique among the farm's coordinators, the same at every start.
  package var name: String
  /// New at every start.
  package var epoch: String
  /// Whether it has led or followed nobody yet: then it succeeds an earlier process of its name at once, which is gone.
  package var isNew: Bool

  package init(name: String, epoch: String, isNew: Bool = true) {
    (self.name, self.epoch, self.isNew) = (name, epoch, isNew)
  }
}

/// What the ledger says to a candidate.
package enum Leadership: Hashable, Sendable {
  /// It leads: its writes are made in this term, and fail once there is a later one.
  case leads(term: Int)
  /// Another coordinator leads, or its lease has not passed yet.
  case follows(leader: String, term: Int)
}
