package import Messages
package import Scheduling

/// Which worker gets which task: what both ledgers decide once they know the candidates.
package struct Assignment: Hashable, Sendable {
  /// A ready task, in the order in which they go.
  package struct Candidate: Hashable, Sendable {
    package var task: Int64
    package var needs: Capabilities
    /// The worker that failed it last; another one is preferred.
    package var avoidedWorker: String?

    package init(task: Int64, needs: Capabilities, avoidedWorker: String?) {
      (self.task, self.needs, self.avoidedWorker) = (task, needs, avoidedWorker)
    }

    fileprivate var isChoosy: Bool { avoidedWorker != nil || needs != Capabilities() }
  }

  package var task: Int64
  package var offer: Offer

  /// Gives each candidate to a worker that can take it. Those that not every worker may take choose first; who finds nobody
  /// stays where it is.
  package static func spread(_ candidates: [Candidate], over offers: [Offer]) -> [Assignment] {
    var left = offers
    return (candidates.filter(\.isChoosy) + candidates.filter { !$0.isChoosy }).compactMap { candidate in
      guard let chosen = left.best(for: candidate.needs, avoiding: candidate.avoidedWorker) else { return nil }
      left[chosen].slots -= 1
      return Assignment(task: candidate.task, offer: offers[chosen])
    }
  }
}
