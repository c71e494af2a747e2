/// The reason why the private database cannot be made or started.
package struct PostgreSQLClusterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The folder, file, program or account at fault.
  package var place: String
  package var reason: String

  package init(at place: String, _ reason: String) {
    (self.place, self.reason) = (place, reason)
  }

  /// The start was interrupted because nobody waits for it any more.
  package static let interrupted = PostgreSQLClusterError(at: "the database", "its start was interrupted")

  package var description: String { "\(place): \(reason)" }
}
