/// How long an attempt may show no progress before it is ended. Pure; every ledger asks it.
///
/// What is known of such work says how long the whole attempt will take on its worker. Its frames are not equally dear, but hardly one
/// of them takes longer than all were expected to take together.
package struct PatiencePolicy: Hashable, Sendable {
  /// Milliseconds, where nothing is known: seeking in a long GOP or hashing a large file takes seconds, never a minute.
  package var usual = 60_000
  /// Milliseconds, however fast such work is: a disk or a share may stand still for some seconds. A courier that waits for a server
  /// shows life several times in it, until the server's own bounds end that.
  package var least = 20_000
  /// Milliseconds, however slow it is.
  package var most = 600_000
  /// How many times as long as the whole attempt is expected to take.
  package var factor = 3.0

  package init() {}

  /// - Parameters:
  ///   - expectedSeconds: that the whole attempt takes; nil where nothing is known.
  ///   - stalls: attempts at the same task that were ended for lack of progress. Each doubles the time, so that work that is
  ///     much slower than anybody knew is done in the end.
  package func milliseconds(expectedSeconds: Double?, stalls: Int = 0) -> Int {
    let first = expectedSeconds.map { max(least, Int(min($0 * factor * 1000, Double(most)))) } ?? usual
    // Twenty doublings exceed any sensible bound and stay far from overflow.
    return min(first << min(stalls, 20), max(first, most))
  }
}
