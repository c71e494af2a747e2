/// The reason why the private database cannot be made or started.
package struct PostgreSQLClusterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The folder, file, program or account at fault.
  package var place: String
  package var reason: String
  /// Whether the place is not used because it is not the caller's alone.
  package var isDistrust: Bool

  package init(at place: String, _ reason: String, isDistrust: Bool = false) {
    (self.place, self.reason, self.isDistrust) = (place, reason, isDistrust)
  }

  /// The start was interrupted because nobody waits for it any more.
  package static let interrupted = PostgreSQLClusterError(at: "the database", "its start was interrupted")

  package var description: String { "\(place): \(reason)" }
}
