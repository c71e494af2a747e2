/// The policy of starting a process again that must keep running: at once after a long life, with growing pauses after short
/// ones, and no more after too many short ones.
package struct RestartPolicy: Hashable, Sendable {
  package enum Verdict: Hashable, Sendable {
    /// The process is started again at that time.
    case start(atMilliseconds: Int64)
    case giveUp
  }

  /// A process that lived so long, in milliseconds, makes earlier short lives forgotten.
  package static let longLifeMilliseconds: Int64 = 30_000
  /// The number of short lives in a row after which the process is given up. The pauses double and take about 6 s together. That
  /// is longer than PostgreSQL needs to recover the small database of a private farm.
  package static let startLimit = 8

  private var shortLives = 0

  package init() {}

  /// - Parameters:
  ///   - lived: how long the process ran, in milliseconds.
  ///   - now: the present time in milliseconds, on the clock of the verdict's time.
  package mutating func ended(afterMilliseconds lived: Int64, now: Int64) -> Verdict {
    if lived >= Self.longLifeMilliseconds { shortLives = 0 }
    shortLives += 1
    guard shortLives < Self.startLimit else { return .giveUp }
    return .start(atMilliseconds: shortLives == 1 ? now : now + (100 << (shortLives - 2)))
  }
}
