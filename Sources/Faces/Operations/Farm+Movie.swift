internal import Formats
internal import Glibc
internal import Ledger
internal import Linux
internal import Media
internal import Messages
internal import Remote
internal import Subprocess

/// A file that a job has written, open to be read.
package struct OpenArtefact {
  let file: Descriptor
  package let byteCount: Int64
  /// A name for this very content: another file at the same path has another one.
  package let version: String
  package let mediaType: String
  /// The file's name without its folder.
  package let name: String

  /// - Throws: a complaint when the system does not tell what the file is.
  init(_ file: Descriptor, at path: String, mediaType: String) throws(Complaint) {
    var facts = stat()
    guard unsafe fstat(file.number, &facts) == 0 else { throw Complaint(path, SystemWords.of(errno), .noInput) }
    (self.file, self.mediaType, name) = (file, mediaType, FilePath.name(of: path))
    (byteCount, version) = (Int64(facts.st_size), Self.version(facts))
  }

  static func version(_ facts: stat) -> String {
    "\(facts.st_ino)-\(facts.st_size)-\(facts.st_mtim.tv_sec)-\(facts.st_mtim.tv_nsec)"
  }

  /// A descriptor of the file, which the caller closes; -1 when there are too many.
  package func duplicate() -> Int32 { fcntl(file.number, F_DUPFD_CLOEXEC, 0) }
}

extension Farm {
  /// Opens the movie of a job that is done.
  ///
  /// - Parameter roots: the folders below which movies may be read, after links are resolved.
  /// - Throws: a complaint of the class `noInput` when there is no such job, or its movie is not below one of the folders or is gone, and
  ///   of `differs` when the job is not done.
  package func movie(job id: String, below roots: [String]) throws(Complaint) -> OpenArtefact {
    try complaining {
      let output = try published(job: id, below: roots)
      let file = Descriptor(owning: try SourcePolicy(roots: roots).descriptor(of: output))
      return try OpenArtefact(file, at: output, mediaType: FileType.mediaType(promisedBy: FilePath.name(of: output)))
    }
  }

  /// The absolute path of the movie, or of its folder, of a job that is done.
  ///
  /// - Throws: as `movie`, but for what is wrong with the file itself.
  package func published(job id: String, below roots: [String]) throws(Complaint) -> String {
    try complaining {
      guard let job = try ledger.status(job: id) else { throw Self.unknown(job: id) }
      guard job.state == .done else { throw Complaint(id, "has no movie: it is \(job.state.rawValue)", .differs) }
      guard FilePath.isAbsolute(job.output) else {
        throw Complaint(id, "its movie is in S3, from where this server fetches none: \(job.output)", .noInput)
      }
      guard !roots.isEmpty else { throw Complaint(id, "this server was given no folder of movies (--output-root)", .noInput) }
      return job.output
    }
  }

  /// The names of the files that a job writes, whether they are there or not.
  ///
  /// - Throws: a complaint of the class `noInput` when there is no such job, and of `notPermitted` when the database's role may not read it.
  package func artefactNames(job id: String) throws(Complaint) -> ArtefactNames {
    try complaining {
      guard let spec = try ledger.spec(job: id) else { throw Self.unknown(job: id) }
      return try ArtefactNames(of: spec)
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
  /// The media type of the file that a name promises, by its ending.
  static func mediaType(promisedBy name: String) -> String {
    let ending = name.lastIndex(of: ".").map { name[name.index(after: $0)...].lowercased() }
    return allCases.first { type in !type.isFolder && ending.map(type.endings.contains) == true }?.mediaType
      ?? "application/octet-stream"
  }
}
