package import Scheduling

/// Which worker gets which task: what both ledgers decide once they know the candidates.
package struct Assignment: Hashable, Sendable {
  /// A ready task, in the order of the queue.
  package struct Candidate: Hashable, Sendable {
    package var task: Int64
    /// The worker that failed it last; another one is preferred.
    package var avoidedWorker: String?

    package init(task: Int64, avoidedWorker: String?) {
      (self.task, self.avoidedWorker) = (task, avoidedWorker)
    }
  }

  package var task: Int64
  package var worker: String
  package var epoch: String

  /// The most attempts that one claim opens: it bounds a transaction, and the next claim follows at once.
  package static let limit = 1000

  /// Gives each candidate, first come first served, to the worker with the most slots left. Candidates that avoid a worker
  /// choose first, so that they find another one.
  package static func spread(_ candidates: [Candidate], over workers: [FreeSlots]) -> [Assignment] {
    var left = workers.map(\.slots)
    let choosers = candidates.filter { $0.avoidedWorker != nil } + candidates.filter { $0.avoidedWorker == nil }
    return choosers.prefix(limit).compactMap { candidate in
      let open = left.indices.filter { left[$0] > 0 }
      let others = open.filter { workers[$0].worker != candidate.avoidedWorker }
      guard let chosen = (others.isEmpty ? open : others).max(by: { (left[$0], -$0) < (left[$1], -$1) }) else { return nil }
      left[chosen] -= 1
      return Assignment(task: candidate.task, worker: workers[chosen].worker, epoch: workers[chosen].epoch)
    }
  }
}
