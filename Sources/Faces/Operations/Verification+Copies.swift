internal import Formats
internal import FoundationEssentials
internal import Glibc
internal import Linux
internal import Media
internal import Messages
internal import Remote
internal import Rendering

extension Verification {
  /// The verification of a job's movie, with that of its further places: each has to have the same bytes.
  ///
  /// - Parameter others: absolute paths, and places in S3, which are read with the credentials of this process.
  func adding(_ others: [String], of movie: String) throws -> Verification {
    guard !others.isEmpty else { return self }
    let digest = try FileDigest(ofMovie: movie)
    var verification = self
    verification.copies = others.map { place in
      do {
        let isSame = try Self.digest(at: place) == digest
        return CopiedMovie(output: place, error: isSame ? nil : "is not the same movie")
      } catch {
        return CopiedMovie(output: place, error: "cannot be compared: \(Failure(classifying: error).reason)")
      }
    }
    for copy in verification.copies ?? [] {
      if let error = copy.error { verification.faults.append("its copy \(copy.output) \(error)") }
    }
    verification.ok = verification.faults.isEmpty
    return verification
  }

  private static func digest(at place: String) throws -> FileDigest {
    guard let url = MediaURL(objectAt: place) else { return try FileDigest(ofMovie: place) }
    let environment = ProcessInfo.processInfo.environment
    let path = "\(environment["TMPDIR"] ?? "/tmp")/spool-verify-\(getpid())-\(UInt64.random(in: 0 ... .max))"
    defer { unsafe unlink(path) }
    try S3Movie(url, S3Account(environment: environment)).fetch(to: path)
    return try FileDigest(ofMovie: path)
  }
}
