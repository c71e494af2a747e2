/// The method of the checksums that stand in a file beside a movie. Its name is the ending of that file's name.
package enum ChecksumMethod: String, Hashable, Sendable, CaseIterable {
  case sha256, md5

  /// The name of the file beside a movie, or beside the folder that it is.
  package func fileName(of movie: String) -> String { "\(movie).\(rawValue)" }
}
