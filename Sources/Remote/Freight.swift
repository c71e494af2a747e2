/// Bytes on their way as units of an attempt's progress: one for each mebibyte, and one for every few seconds in which no other is
/// reached while the transfer goes on or is tried again. Those are signs of life: a server that is slow or away is given up by the bounds
/// of `HTTPClient` and `Retries`, as its own trouble, and not as an attempt that hangs (`PatiencePolicy`). Pure.
package struct Freight {
  /// A quarter of the least patience: on its way to the ledger a sign takes some seconds.
  package static let rest = Duration.seconds(5)
  /// No more is told than once in this.
  private static let pace = Duration.seconds(1)

  package private(set) var units: Int64 = 0
  /// Units that stand for no bytes.
  package private(set) var signs: Int64 = 0
  private var told: ContinuousClock.Instant

  package init(now: ContinuousClock.Instant) { told = now }

  /// - Parameter byteCount: moved so far; fewer than before when a transfer begins anew.
  /// - Returns: whether there are more units, which is to be told.
  package mutating func move(to byteCount: Int64, now: ContinuousClock.Instant) -> Bool {
    let passed = now - told
    guard passed >= Self.pace else { return false }
    let reached = (byteCount >> 20) + signs
    if reached <= units {
      guard passed >= Self.rest else { return false }
      signs += units + 1 - reached
    }
    units = (byteCount >> 20) + signs
    told = now
    return true
  }
}
