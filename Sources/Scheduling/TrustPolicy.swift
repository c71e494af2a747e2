package import Messages

/// When a worker is set aside, and when it is tried again.
///
/// A worker is blamed for a task that it failed (class content, worker, source or bug, or without progress) and that another worker did,
/// if it began after another worker had begun what this one had failed at before: else what failed may have been away from all,
/// and the others came when it was back. One that is blamed for several within a while is set aside: it is given nothing until a canary, one task of the queue, is due.
/// When that passes the worker is trusted again; when it fails the next one comes after twice the time. In milliseconds.
package struct TrustPolicy: Hashable, Sendable {
  /// Blames that set a worker aside: one or two happen to any machine.
  package var mostFailures = 3
  /// How long a blame counts.
  package var window = 600_000
  /// How long before a failure the other worker may have begun, and twice as long as the failure took: what somebody could do earlier says
  /// nothing of now.
  package var evidence = 30_000
  package var firstPause = 30_000
  /// Bounds the doubling: a machine that was repaired is found within ten minutes.
  package var longestPause = 600_000

  package init() {}

  /// - Parameter setAsides: how often in a row it was set aside before.
  package func pause(setAsides: Int) -> Int { min(firstPause << min(setAsides, Self.mostDoublings), longestPause) }

  /// More would overflow.
  package static let mostDoublings = 30
}

extension Failure {
  /// As it counts for its task: that the edit is at fault is not believed of a worker that is not trusted, but asked of another one.
  package func believed(fromCanary isCanary: Bool) -> Failure {
    isCanary && `class` == .content ? Failure(.worker, at: place, reason, damaged: damaged) : self
  }
}
