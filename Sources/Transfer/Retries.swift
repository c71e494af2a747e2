internal import Glibc

/// How often a transfer is tried, and how long it waits in between: twice as long each time, up to a bound, and half of that at
/// random, so that those who failed together do not come back together.
package struct Retries: Hashable, Sendable {
  /// With the first.
  package var tries = 6
  package var firstMilliseconds = 200
  package var longestMilliseconds = 5_000

  package init() {}

  /// Runs `body` until it succeeds or fails for other than passing reasons.
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
