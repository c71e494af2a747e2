internal import Glibc
internal import Linux
internal import Operations
internal import Synchronization
internal import WebServer

/// Requests that wait for what is not there yet. Each has a thread, so they are few, and wait for a bounded time.
final class Holds: Sendable {
  private let count = Atomic(0)
  private let isOver = Atomic(false)

  /// The most requests that wait at once.
  static let most = 48
  /// The seconds that a request may wait, and that it waits if it says nothing. Players in browsers give up a request that tells nothing
  /// for 10 s.
  static let (limits, usual): (ClosedRange<Int>, Int) = (0...120, 8)

  /// Repeats `look` until it gives an answer.
  ///
  /// - Parameter expired: the answer when the time is over, or when too many wait.
  func answer(
    within seconds: Int, _ look: () throws(Complaint) -> WebResponse?, expired: (_ isCrowded: Bool) -> WebResponse
  ) throws(Complaint) -> WebResponse {
    if let answer = try look() { return answer }
    let begin = MonotonicClock.milliseconds
    guard count.add(1, ordering: .relaxed).newValue <= Self.most else {
      count.subtract(1, ordering: .relaxed)
      return expired(true)
    }
    defer { count.subtract(1, ordering: .relaxed) }
    while !isOver.load(ordering: .relaxed) {
      let waited = MonotonicClock.milliseconds - begin
      guard waited < Int64(seconds) * 1000 else { break }
      // What comes soon is found soon; each look asks the database.
      usleep(waited < 2000 ? 100_000 : 400_000)
      if let answer = try look() { return answer }
    }
    return expired(false)
  }

  /// Ends all waiting.
  func end() { isOver.store(true, ordering: .relaxed) }
}
