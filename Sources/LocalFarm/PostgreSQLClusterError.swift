/// Why the private database cannot be had.
package struct PostgreSQLClusterError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The folder, file, program or account that it concerns.
  package var place: String
  package var reason: String

  package init(at place: String, _ reason: String) {
    (self.place, self.reason) = (place, reason)
  }

  /// Who waited for it waits no more.
  package static let interrupted = PostgreSQLClusterError(at: "the database", "its start was interrupted")

  package var description: String { "\(place): \(reason)" }
}
