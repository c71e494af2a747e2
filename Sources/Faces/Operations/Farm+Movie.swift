internal import Formats
internal import Glibc
internal import Ledger
internal import Linux
internal import Media
internal import Messages
internal import Remote
internal import Subprocess

/// A job's movie, open to be read.
package struct OpenMovie {
  let file: Descriptor
  package var byteCount: Int64
  /// A name for this very content: another movie at the same path has another one.
  package var version: String
  /// The media type, by the name's ending.
  package var mediaType: String
  /// The file's name without its folder.
  package var name: String

  /// A descriptor of the file, which the caller closes; -1 when there are too many.
  package func duplicate() -> Int32 { fcntl(file.number, F_DUPFD_CLOEXEC, 0) }
}

extension Farm {
  /// Opens the movie of a job that is done.
  ///
  /// - Parameter roots: the folders below which movies may be read, after links are resolved.
  /// - Throws: a complaint of the class `noInput` when there is no such job, or its movie is not below one of the folders or is gone, and
  ///   of `differs` when the job is not done.
  package func movie(job id: String, below roots: [String]) throws(Complaint) -> OpenMovie {
    try complaining {
      guard let job = try ledger.status(job: id) else { throw Self.unknown(job: id) }
      guard job.state == .done else { throw Complaint(id, "has no movie: it is \(job.state.rawValue)", .differs) }
      guard FilePath.isAbsolute(job.output) else {
        throw Complaint(id, "its movie is in S3, from where this server fetches none: \(job.output)", .noInput)
      }
      guard !roots.isEmpty else { throw Complaint(id, "this server was given no folder of movies (--output-root)", .noInput) }
      let file = Descriptor(owning: try SourcePolicy(roots: roots).descriptor(of: job.output))
      var facts = stat()
      guard unsafe fstat(file.number, &facts) == 0 else { throw Complaint(job.output, SystemWords.of(errno), .noInput) }
      let name = FilePath.name(of: job.output)
      return OpenMovie(
        file: file, byteCount: Int64(facts.st_size),
        version: "\(facts.st_ino)-\(facts.st_size)-\(facts.st_mtim.tv_sec)-\(facts.st_mtim.tv_nsec)",
        mediaType: FileType.promised(by: name)?.mediaType ?? "application/octet-stream", name: name)
    }
  }

  /// The document of a job as it was submitted.
  ///
  /// - Throws: a complaint of the class `noInput` when there is no such job, and of `notPermitted` when the database's role may not read it.
  package func document(job id: String) throws(Complaint) -> [UInt8] {
    try complaining {
      guard let spec = try ledger.spec(job: id) else { throw Self.unknown(job: id) }
      return Array(spec.document.utf8)
    }
  }
}

extension FileType {
  fileprivate static func promised(by name: String) -> FileType? {
    guard let dot = name.lastIndex(of: ".") else { return nil }
    let ending = name[name.index(after: dot)...].lowercased()
    return allCases.first { !$0.isFolder && $0.endings.contains(ending) }
  }
}
