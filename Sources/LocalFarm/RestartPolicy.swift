/// When a process that must not end is started again: at once after a long life, later and later after short ones, and
/// in the end not any more.
package struct RestartPolicy: Hashable, Sendable {
  package enum Verdict: Hashable, Sendable {
    /// Start it at that time.
    case start(atMilliseconds: Int64)
    case giveUp
  }

  /// A life this long forgives earlier ends.
  package static let longLifeMilliseconds: Int64 = 30_000
  /// Starts in a row that may fail: with doubling pauses they span about 6 s, longer than PostgreSQL needs to recover
  /// the small database of a private farm.
  package static let startLimit = 8

  private var shortLives = 0

  package init() {}

  /// - Parameters:
  ///   - lived: how long the process ran, in milliseconds.
  ///   - now: on the same clock as the verdict's time.
  package mutating func ended(afterMilliseconds lived: Int64, now: Int64) -> Verdict {
    if lived >= Self.longLifeMilliseconds { shortLives = 0 }
    shortLives += 1
    guard shortLives < Self.startLimit else { return .giveUp }
    return .start(atMilliseconds: shortLives == 1 ? now : now + (100 << (shortLives - 2)))
  }
}
