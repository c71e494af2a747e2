package import Messages
package import Scheduling

/// The assignment of a task to a worker. Both ledgers decide it in this way once they know the candidates.
package struct Assignment: Hashable, Sendable {
  /// A ready task. Candidates are listed in the order in which they are to be given out.
  package struct Candidate: Hashable, Sendable {
    package var task: Int64
    package var needs: Capabilities
    /// The worker that failed the task last; nil if none did. Another worker is preferred.
    package var avoidedWorker: String?
    package var isLight: Bool
    /// The workers that may write the job's movie; nil means all.
    package var writers: Set<String>?

    package init(
      task: Int64, needs: Capabilities, avoidedWorker: String?, isLight: Bool = false, writers: Set<String>? = nil
    ) {
      (self.task, self.needs, self.avoidedWorker) = (task, needs, avoidedWorker)
      (self.isLight, self.writers) = (isLight, writers)
    }

    fileprivate var isChoosy: Bool { avoidedWorker != nil || needs != Capabilities() }
  }

  package var task: Int64
  package var offer: Offer

  /// Gives each candidate to a worker that can take it. Light tasks choose first, and take lanes. Then come tasks that not every
  /// worker may take, then all others. A candidate that no worker can take gets no assignment.
  package static func spread(_ candidates: [Candidate], over offers: [Offer]) -> [Assignment] {
    var left = offers
    let light = candidates.filter(\.isLight).compactMap { candidate -> Assignment? in
      guard let chosen = left.best(light: candidate.needs, among: candidate.writers, avoiding: candidate.avoidedWorker) else {
        return nil
      }
      left.takeLane(of: chosen)
      return Assignment(task: candidate.task, offer: offers[chosen])
    }
    let parts = candidates.filter { !$0.isLight }
    return light
      + (parts.filter(\.isChoosy) + parts.filter { !$0.isChoosy }).compactMap { candidate in
        guard let chosen = left.best(for: candidate.needs, avoiding: candidate.avoidedWorker) else { return nil }
        left[chosen].slots -= 1
        return Assignment(task: candidate.task, offer: offers[chosen])
      }
  }
}
