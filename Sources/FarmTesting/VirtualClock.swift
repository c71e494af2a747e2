/// A clock that stands until a test moves it: the time of a simulation, shared by all its parts.
package final class VirtualClock {
  /// Since the clock's own zero.
  package private(set) var now: Duration = .zero

  package init() {}

  /// - Precondition: `time` is not before now.
  package func move(to time: Duration) {
    precondition(time >= now)
    now = time
  }

  package func advance(by duration: Duration) { move(to: now + duration) }
}
