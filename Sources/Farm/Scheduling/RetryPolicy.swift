package import Messages

/// Whether and when a failed task is tried again. Pure; every ledger uses it.
package struct RetryPolicy: Hashable, Sendable {
  package enum Decision: Hashable, Sendable {
    case retry(afterMilliseconds: Int)
    /// The task fails for good, and its job with it.
    case giveUp
  }

  /// The number of failures blamed on machines that ends a task. Each retry prefers another worker.
  package var workerLimit = 5
  /// The number of failures of a store or a source that ends a task. A full store, or a store or source that is away, affects
  /// everybody, and an operator has to fix it. The tries take most of an hour.
  package var storageLimit = 100
  /// The number of transient failures that ends a task. They say nothing about the task. The limit lets jobs end even when their
  /// workers are killed again and again.
  package var transientLimit = 20
  /// The number of failures by bugs that ends a task. A bug mostly happens again.
  package var bugLimit = 3
  /// The pause after the first failure. It doubles with each further failure.
  package var firstBackoffMilliseconds = 500
  package var longestBackoffMilliseconds = 30_000

  package init() {}

  /// Sets `storageLimit`.
  ///
  /// - Parameter storePatience: the seconds for which a task is tried again while its store is full, or its store or source is
  /// away. The last pause may exceed them.
  package init(storePatience: Int) {
    var (waited, count) = (0, 1)
    while waited < storePatience * 1000 {
      waited += backoff(failures: count)
      count += 1
    }
    storageLimit = count
  }

  /// - Parameters:
  ///   - failure: the class of the newest failure.
  ///   - counts: the number of the task's failures in each class, including the newest one.
  package func decide(after failure: Failure.Class, counts: [Failure.Class: Int]) -> Decision {
    let limit =
      switch failure {
      case .content: 1
      case .worker: workerLimit
      case .store, .source: storageLimit
      case .transient: transientLimit
      case .bug: bugLimit
      }
    guard counts[failure, default: 1] < limit else { return .giveUp }
    return .retry(afterMilliseconds: backoff(failures: counts.values.reduce(0, +)))
  }

  private func backoff(failures: Int) -> Int {
    // Thirty doublings exceed any sensible bound and are far from overflow.
    let doublings = min(max(failures - 1, 0), 30)
    return min(firstBackoffMilliseconds << doublings, longestBackoffMilliseconds)
  }
}
