internal import Messages

/// The number of tasks that a claim asks each line of jobs for, as a multiple of the line's equal share of the free slots. A line is the
/// jobs of one submitter with the same needs and priority.
///
/// Whoever asks for too few must ask again, and that costs as much as the first question. Whoever asks for many reads more rows. One claim
/// mostly meets the lines of the one before, so it begins with the depth that would have been enough there.
package struct ClaimDepth: Hashable, Sendable {
  private static let first = 2
  private static let factor = 8

  package private(set) var multiple = Self.first

  package init() {}

  /// Asks for more, because some line has more tasks to give than it was asked for.
  package mutating func deepen() { multiple *= Self.factor }

  /// Chooses the depth for the next claim.
  ///
  /// - Parameters:
  ///   - shares: the tasks that this claim gives out.
  ///   - jobs: the jobs that it was told of.
  ///   - slots: the free slots.
  package mutating func settle(_ shares: [FairShare.Share], of jobs: [FairShare.Job], slots: Int) {
    let given = Dictionary(shares.map { ($0.job, $0.count) }, uniquingKeysWith: +)
    let lines = Dictionary(grouping: jobs.filter { !$0.isLight }) {
      Line(submitter: $0.submitter, needs: $0.needs, priority: $0.priority)
    }
    let longest = lines.values.map { $0.reduce(0) { $0 + (given[$1.id] ?? 0) } }.max() ?? 0
    // The ledger asks for one more than the multiple of the equal share, and never for more than there are slots.
    let last = multiple
    multiple = Self.first
    while multiple < last, longest > multiple * slots / max(1, lines.count) { multiple *= Self.factor }
  }

  private struct Line: Hashable {
    var submitter: String
    var needs: Capabilities
    var priority: Int
  }
}
