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

  /// Repeats a wait while signals interrupt it (EINTR), each time for the rest of its time. So a signal neither lengthens nor
  /// shortens the wait.
  ///
  /// - Parameters:
  ///   - limit: the longest wait; nil where it has no end.
  ///   - wait: waits for at most so many milliseconds; -1 where the wait has no end. They are rounded up, because a wait that ends
  ///     just before work is due would be repeated at once. It gives a negative number and sets `errno` when it fails.
  /// - Returns: the result of the wait. Where it is negative, `errno` says why.
  package static func uninterrupted<Result: SignedInteger>(
    within limit: Duration?, _ wait: (_ milliseconds: Int32) -> Result
  ) -> Result {
    guard let limit = limit.map({ min(max($0, .zero), longestWait) }) else { return uninterrupted { wait(-1) } }
    let end = Duration.nanoseconds(MonotonicClock.nanoseconds) + limit
    return uninterrupted { wait(milliseconds(until: end)) }
  }

  /// The longest wait that can be asked for: 20 days, since poll(2) takes 32 bits of milliseconds.
  private static let longestWait = Duration.seconds(20 * 86_400)

  private static func milliseconds(until end: Duration) -> Int32 {
    let (seconds, attoseconds) = max(end - .nanoseconds(MonotonicClock.nanoseconds), .zero).components
    return Int32(clamping: seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }

  /// Reads until `count` bytes are there or no more come, by a call that may take fewer than it was asked to, such as read(2).
  ///
  /// - Parameter call: reads bytes to the given position. It gives their number, 0 when there are no more, or a negative number with
  ///   `errno`.
  /// - Returns: the number of bytes that were read, and the `errno` of the call that failed; 0 when none did.
  package static func read(_ count: Int, _ call: (_ position: Int) -> Int) -> (count: Int, code: Int32) {
    move(count, codeOfNothing: 0, call)
  }

  /// Writes all of `count` bytes, by a call that may take fewer than it was asked to, such as write(2).
  ///
  /// - Parameter call: writes bytes from the given position on. It gives their number, or a negative number with `errno`.
  /// - Returns: the `errno` of the call that failed; 0 when all bytes were written. A call that takes no byte and tells no error
  ///   counts as ENOSPC, as in GNU's `full_write`: there is no room for them.
  package static func write(_ count: Int, _ call: (_ position: Int) -> Int) -> Int32 {
    move(count, codeOfNothing: ENOSPC, call).code
  }

  /// Writes all bytes to a descriptor (write, or pwrite where an offset is given).
  ///
  /// - Returns: what `write(_:_:)` returns.
  package static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int64? = nil) -> Int32 {
    unsafe bytes.withUnsafeBytes { bytes in
      write(bytes.count) { position in
        let (rest, count) = unsafe (bytes.baseAddress! + position, bytes.count - position)
        guard let offset else { return unsafe Glibc.write(descriptor, rest, count) }
        return unsafe pwrite(descriptor, rest, count, off_t(offset) + off_t(position))
      }
    }
  }

  private static func move(
    _ count: Int, codeOfNothing: Int32, _ call: (_ position: Int) -> Int
  ) -> (count: Int, code: Int32) {
    var moved = 0
    while moved < count {
      let step = uninterrupted { call(moved) }
      guard step > 0 else { return (moved, step < 0 ? errno : codeOfNothing) }
      moved += step
    }
    return (moved, 0)
  }
}
