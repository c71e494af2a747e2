/// A clock that moves only when a test moves it. All parts of a simulation share it.
package final class VirtualClock {
  /// The time since the clock's own zero.
  package private(set) var now: Duration = .zero

  package init() {}

  /// Moves the clock forward.
  ///
  /// - Precondition: `time` is not before `now`.
  package func move(to time: Duration) {
    precondition(time >= now)
    now = time
  }

  package func advance(by duration: Duration) { move(to: now + duration) }
}
