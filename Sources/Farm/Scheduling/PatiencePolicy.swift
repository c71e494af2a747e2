/// The time that an attempt may go without progress before it is ended. Pure; every ledger uses it.
///
/// The time depends on what is known of such work: how long the whole attempt should take on its worker. Frames differ in cost,
/// but hardly any single frame takes longer than all frames were expected to take together.
package struct PatiencePolicy: Hashable, Sendable {
  /// The patience where nothing is known, in milliseconds. Seeking in a long GOP or hashing a large file takes seconds, never a
  /// minute.
  package var usual = 60_000
  /// The least patience, in milliseconds, however fast such work is. A disk or a share may stand still for some seconds. A
  /// courier that waits for a server reports progress several times in it, until its own time limits end the wait.
  package var least = 20_000
  /// The most patience, in milliseconds, however slow such work is.
  package var most = 600_000
  /// The patience as a multiple of the time that the whole attempt is expected to take.
  package var factor = 3.0

  package init() {}

  /// - Parameters:
  ///   - expectedSeconds: the seconds that the whole attempt should take; nil where nothing is known.
  ///   - stalls: the number of attempts at the same task that were ended for lack of progress. Each doubles the time, so
  ///     that work that is much slower than anybody knew gets done in the end.
  package func milliseconds(expectedSeconds: Double?, stalls: Int = 0) -> Int {
    let first = expectedSeconds.map { max(least, Int(min($0 * factor * 1000, Double(most)))) } ?? usual
    // Twenty doublings exceed any sensible bound and are far from overflow.
    return min(first << min(stalls, 20), max(first, most))
  }
}
