internal import Document
internal import Formats
internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Messages
internal import Remote
internal import Rendering
internal import Scenes
internal import Timeline

extension Destination {
  /// The further places of a movie, of which this is the first one, checked as that is.
  ///
  /// - Parameters:
  ///   - given: paths, and places in S3.
  ///   - sources: the paths of the edit's own files, which are not replaced.
  /// - Throws: a complaint about a place where a movie could not be written, or that is named twice.
  func copies(
    _ given: [String], of document: Document, overwrites: Bool, sources: [String]
  ) throws(Complaint) -> [Destination] {
    guard let first = given.first else { return [] }
    guard given.count <= CopiedMovie.most else {
      throw Complaint(first, "begins \(given.count) further places of the movie: at most \(CopiedMovie.most)", .usage)
    }
    guard files == nil, document.faults != nil || !document.export.fileType.isFolder else {
      throw Complaint(first, "is a second place, but the movie is a folder, which has one", .usage)
    }
    var (copies, places) = ([Destination](), Set([path]))
    for given in given {
      let copy = try Destination(copy: given, overwrites: overwrites)
      guard places.insert(copy.path).inserted else { throw Complaint(given, "is named twice", .usage) }
      try copy.requireName(for: document)
      try copy.requireChecksum(for: document, overwrites: overwrites)
      try copy.requireNone(of: sources)
      copies.append(copy)
    }
    return copies
  }

  private init(copy given: String, overwrites: Bool) throws(Complaint) {
    guard given != "-" else { throw Complaint("-", "standard output is no place beside others: name files", .usage) }
    self = try Destination(given, overwrites: overwrites, isMovie: true)
    guard files == nil else { throw Complaint(given, "is a folder: a movie that has several places is a file", .usage) }
  }

  /// Copies the movie from this place, which is a file, to its further ones. One that fails takes nothing from the others.
  ///
  /// - Parameters:
  ///   - edit: the edit that it was made of.
  ///   - job: the job's id, which is a part of the hidden files' names.
  ///   - goesOn: called now and then. What it throws ends the copying, and nothing is left in the place that was being written.
  /// - Returns: how each ended; only an interruption is thrown.
  func copy(
    to copies: [Destination], _ edit: ResolvedTimeline, job: String, overwrites: Bool, goesOn: () throws -> Void
  ) throws -> [CopiedMovie]? {
    guard !copies.isEmpty else { return nil }
    let made = Result {
      let digest = try FileDigest(ofMovie: path)
      return Winner(
        key: AttemptKey(task: 0, attempt: 0),
        proof: FileProof(path: path, byteCount: digest.byteCount, byteDigest: digest.hash))
    }
    return try copies.map { place in
      do {
        try MovieCopy(to: place.path, overwrites: overwrites, job: job) { url in
          try S3Movie(url, S3Account(environment: ProcessInfo.processInfo.environment))
        }.make(of: path, made.get(), owner: geteuid(), edit, goesOn: goesOn)
        return CopiedMovie(output: place.path)
      } catch let complaint as Complaint where complaint.exit == .interrupted {
        throw complaint
      } catch {
        return CopiedMovie(output: place.path, error: Failure(classifying: error).reason)
      }
    }
  }
}

extension [CopiedMovie] {
  /// A complaint about the places that the movie did not get to; nil where there are none.
  var complaint: Complaint? {
    let missing = filter { $0.error != nil }
    guard !missing.isEmpty else { return nil }
    return Complaint(
      told: missing.map { FaultRecord(path: $0.output, kind: ExitClass.cannotCreate.word, text: $0.error ?? "") }, .cannotCreate)
  }
}
