/// A further place of a movie.
package struct CopiedMovie: Hashable, Sendable, Codable {
  /// The absolute path of the movie there, or its place in S3.
  package var output: String
  /// The reason for which the movie did not get there; nil where it did, or has not been copied yet.
  package var error: String?

  package init(output: String, error: String? = nil) { (self.output, self.error) = (output, error) }

  /// The most further places of a movie.
  package static let most = 16
  /// The most characters of an error. A server may answer with any text.
  package static let longestError = 4096
}
