/// A further place of a movie.
package struct CopiedMovie: Hashable, Sendable, Codable {
  /// The absolute path of the movie there, or its place in S3.
  package var output: String
  /// The reason for which the movie did not get there; nil where it did, or has not been copied yet.
  package var error: String?
  /// The stage of the copying; nil in proofs, and where no farm keeps it.
  package var state: State?

  package enum State: String, Hashable, Sendable, Codable {
    /// The movie has not been copied there yet, or is to be copied again.
    case waiting
    /// The movie is there.
    case done
    /// The movie did not get there. A retry of the job copies it again.
    case failed
  }

  package init(output: String, error: String? = nil, state: State? = nil) {
    (self.output, self.error, self.state) = (output, error, state)
  }

  /// The most further places of a movie.
  package static let most = 16
  /// The most characters of an error. A server may answer with any text.
  package static let longestError = 4096
}
