package import Messages
package import Rendering

extension SweepOrder {
  /// Clears a segment store as this order says.
  ///
  /// - Parameter outputRoots: the folders below which movies may be written, and what their attempts left is removed.
  /// - Returns: the jobs that have files in the store, at most as many as a message holds, when the order names no jobs. Their
  ///   order is random, so that each run tells of others when there are more.
  package func perform(on store: any SweptStore, outputRoots: [String]) throws(Complaint) -> [String] {
    try complaining {
      guard over.isEmpty else {
        try store.clear(over, outputRoots: outputRoots)
        return []
      }
      return Array(try store.jobs().shuffled().prefix(OverJob.mostAtOnce))
    }
  }
}
