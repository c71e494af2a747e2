/// Turns the bytes of a transfer into units of an attempt's progress: one unit for each MiB. When the transfer goes on or is
/// tried again but reaches no new MiB for some seconds, one extra unit counts as a sign of life. So a slow server does not make
/// the attempt look hung (`PatiencePolicy`): the limits of `HTTPClient` and `Retries` end the transfer instead. This type does no
/// I/O.
package struct Freight {
  /// The time without a new MiB after which a sign of life is counted. It is a quarter of the least patience, because a sign
  /// takes some seconds to reach the ledger.
  package static let rest = Duration.seconds(5)
  /// The shortest time between two reports.
  private static let interval = Duration.seconds(1)

  package private(set) var units: Int64 = 0
  /// The units that count signs of life and not bytes.
  package private(set) var signs: Int64 = 0
  private var told: ContinuousClock.Instant

  package init(now: ContinuousClock.Instant) { told = now }

  /// - Parameter byteCount: the bytes moved so far. It may be lower than before when a transfer starts anew.
  /// - Returns: whether there are new units to report.
  package mutating func move(to byteCount: Int64, now: ContinuousClock.Instant) -> Bool {
    let passed = now - told
    guard passed >= Self.interval else { return false }
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
