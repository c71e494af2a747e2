package import Messages

/// Whether and when a task that failed is tried again. Pure; every ledger asks it.
package struct RetryPolicy: Hashable, Sendable {
  package enum Decision: Hashable, Sendable {
    case retry(afterMilliseconds: Int)
    /// The task fails for good, and its job with it.
    case giveUp
  }

  /// How many failures that machines are at fault for end a task; another worker is preferred each time.
  package var workerLimit = 5
  /// A store that is full, and a store or a source that is away, are everybody's trouble, and an operator's to mend: most of an hour.
  package var storageLimit = 100
  /// Passing trouble says nothing about the task: this many so that a farm whose workers are killed over and over still ends its jobs.
  package var transientLimit = 20
  /// A bug mostly repeats itself.
  package var bugLimit = 3
  /// Pause after the first failure; it doubles with each further one.
  package var firstBackoffMilliseconds = 500
  package var longestBackoffMilliseconds = 30_000

  package init() {}

  /// - Parameter storePatience: seconds for which a task whose store is full, or whose store or source is away, is tried again, and as long as the last pause beyond.
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
  ///   - counts: the task's failures so far by class, the newest one included.
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
    // 30 doublings exceed any sensible bound and stay far from overflow.
    let doublings = min(max(failures - 1, 0), 30)
    return min(firstBackoffMilliseconds << doublings, longestBackoffMilliseconds)
  }
}
