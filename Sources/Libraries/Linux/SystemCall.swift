internal import Glibc

/// System calls that a signal interrupts, or that move fewer bytes than they were asked to.
package enum SystemCall {
  /// Repeats a call while signals interrupt it (EINTR).
  ///
  /// - Parameter call: gives a negative number and sets `errno` when it fails.
  /// - Returns: the result of the call. Where it is negative, `errno` says why.
  package static func uninterrupted<Result: SignedInteger>(_ call: () -> Result) -> Result {
    while true {
      let result = call()
      if result >= 0 || errno != EINTR { return result }
    }
  }

  /// Moves bytes by a call that may move fewer than it was asked to, such as read(2) or write(2), until all are moved.
  ///
  /// - Parameters:
  ///   - count: the number of bytes.
  ///   - call: moves bytes from the given position on. It gives their number, 0 when there are no more, or a negative number with
  ///     `errno`.
  /// - Returns: the number of bytes that were moved, and the `errno` of the call that failed; 0 when none did.
  package static func move(_ count: Int, _ call: (_ position: Int) -> Int) -> (count: Int, code: Int32) {
    var moved = 0
    while moved < count {
      let step = uninterrupted { call(moved) }
      guard step > 0 else { return (moved, step < 0 ? errno : 0) }
      moved += step
    }
    return (moved, 0)
  }
}
