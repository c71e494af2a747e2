package import Formats
package import Messages
package import Transfer

/// The places in S3 below which movies may be written, and the credentials for them.
package struct S3Outputs {
  /// The places, such as "s3://bucket/movies".
  private let roots: [String]
  private let environment: [String: String]

  /// - Parameters:
  ///   - roots: the places; where there is none, no movie goes to S3.
  ///   - environment: the variables from which the credentials are taken, as AWS's tools take them.
  package init(_ roots: [String], environment: [String: String]) {
    (self.roots, self.environment) = (roots, environment)
  }

  /// The place of a movie. Places from the wire are not trusted.
  ///
  /// - Parameters:
  ///   - tries: how often a request is tried.
  ///   - stallSeconds: the number of seconds after which a stalled transfer is given up.
  /// - Throws: `TransferError` `refused` when it lies outside of the places, or when there are no credentials.
  package func movie(at url: MediaURL, tries: Int = Retries().tries, stallSeconds: Int = 30) throws(TransferError) -> S3Movie {
    guard WorkerHello.mayWrite(url.text, below: roots) else {
      throw TransferError(
        .refused, at: url.text,
        "is not below a place that movies may be written to (--output-url): \(roots.joined(separator: ", "))")
    }
    var retries = Retries()
    retries.tries = tries
    return try S3Movie(url, S3Account(environment: environment), retries: retries, stallSeconds: stallSeconds)
  }

  /// Removes what ended jobs have uploaded of movies that never appeared.
  ///
  /// - Parameter tell: called with what could not be removed.
  /// - Returns: the jobs of which nothing more is to be removed in S3. The others are to be swept again: their movies lie elsewhere in
  ///   S3, which another worker reaches, or the server did not answer.
  package func clear(_ jobs: [OverJob], tell: (TransferError) -> Void) -> [OverJob] {
    jobs.filter { job in
      let cleared = job.places.compactMap { MediaURL(objectAt: $0) }.map { clear($0, of: job.id, tell) }
      return !cleared.contains(false)
    }
  }

  /// - Returns: whether nothing more is to be removed there.
  private func clear(_ url: MediaURL, of job: String, _ tell: (TransferError) -> Void) -> Bool {
    guard WorkerHello.mayWrite(url.text, below: roots) else { return false }
    do throws(TransferError) {
      // Somebody may wait for the end of a render. Another sweep tries again.
      let movie = try movie(at: url, tries: 2, stallSeconds: 5)
      try movie.dropUploads()
      try movie.dropFolder(of: job)
      return true
    } catch {
      tell(error)
      return error.kind != .transient
    }
  }
}
