internal import Glibc

/// How often a transfer is tried, and how long the pauses between tries are. The longest pause doubles each time, up to a bound.
/// Half of it is random, so that clients which failed together do not come back together.
package struct Retries: Hashable, Sendable {
  /// The number of tries, with the first one.
  package var tries = 6
  package var firstMilliseconds = 200
  package var longestMilliseconds = 5_000

  package init() {}

  /// Runs `body` until it succeeds, fails for a reason that will not pass, or has been tried `tries` times.
  ///
  /// - Parameter pause: waits for that many milliseconds.
  package func run<Result>(
    pause: (Int) -> Void = Self.sleep, _ body: () throws(TransferError) -> Result
  ) throws(TransferError) -> Result {
    for number in 1..<tries {
      do throws(TransferError) {
        return try body()
      } catch {
        guard error.kind == .transient else { throw error }
        let longest = min(longestMilliseconds, firstMilliseconds << (number - 1))
        pause(longest / 2 + Int.random(in: 0...longest / 2))
      }
    }
    return try body()
  }

  package static func sleep(_ milliseconds: Int) { usleep(UInt32(milliseconds) * 1000) }
}
