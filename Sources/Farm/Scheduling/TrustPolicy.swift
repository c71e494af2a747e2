package import Messages

/// The rule by which a worker is set aside, and tried again. All times are in milliseconds.
///
/// A worker is blamed for a task that it failed and another worker did later. The failure is of class content, worker, source or
/// bug, or a lack of progress. It counts only with evidence that the worker alone was at fault
/// (docs/decisions/0091-blame-needs-evidence.md): between an earlier failure of the worker and this one, another worker had begun
/// the task that failed earlier, and then won it. Without that rule a file that is away from all workers for a while would set
/// all of them aside.
///
/// A worker that is blamed for several tasks within `window` is set aside. It gets nothing until its canary, one task of the
/// queue, is due. When the canary succeeds, the worker is trusted again. When it fails, the next one comes after twice the time.
package struct TrustPolicy: Hashable, Sendable {
  /// The number of blames that sets a worker aside. One or two happen to any machine.
  package var mostFailures = 3
  /// The time for which a blame counts.
  package var window = 600_000
  /// The age that evidence may have when the failed attempt begins, besides twice the time that the attempt took. What another
  /// worker could do long before says nothing.
  package var evidence = 30_000
  package var firstPause = 30_000
  /// The longest pause between canaries. It bounds the doubling, so that a repaired machine is found within ten minutes.
  package var longestPause = 600_000

  package init() {}

  /// The pause before the next canary.
  ///
  /// - Parameter setAsides: how often in a row the worker was set aside before.
  package func pause(setAsides: Int) -> Int { min(firstPause << min(setAsides, Self.mostDoublings), longestPause) }

  /// The most doublings of a pause; more would overflow.
  package static let mostDoublings = 30
}

extension Failure {
  /// The failure as it counts for its task. A worker that is not trusted is not believed when it calls the edit faulty; another
  /// worker is asked.
  package func believed(fromCanary isCanary: Bool) -> Failure {
    isCanary && `class` == .content ? Failure(.worker, at: place, reason, damaged: damaged) : self
  }
}
