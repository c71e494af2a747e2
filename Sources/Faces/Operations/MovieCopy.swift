internal import Document
internal import EditFiles
internal import Formats
internal import FoundationEssentials
internal import Glibc
internal import Linux
internal import Media
internal import Messages
internal import Remote
internal import Rendering
internal import Scenes
internal import Timeline
internal import Transfer

/// A further place of a movie, in which it appears whole or not at all, as in its first one. The command that rendered the movie writes it
/// there, from the first place.
struct MovieCopy {
  /// How a copy ended.
  typealias Outcome = CopiedMovie

  let destination: Destination
  private let document: Document
  private let overwrites: Bool

  /// Checks the further places of a request as its first one was checked.
  ///
  /// - Throws: a complaint about a place where a movie could not be written, or that is named twice.
  static func all(of request: RenderRequest, _ requested: RequestedEdit) throws(Complaint) -> [MovieCopy] {
    guard let first = request.copies.first else { return [] }
    let document = requested.file.document
    guard requested.destination.files == nil, document.faults != nil || !document.export.fileType.isFolder else {
      throw Complaint(first, "is a second place, but the movie is a folder, which has one", .usage)
    }
    guard requested.destination.object == nil else {
      throw Complaint(request.output, "is in S3: of several places, name a file of this machine first", .usage)
    }
    guard !request.isPiped else { throw Complaint(first, "is a second place beside standard output: name files", .usage) }
    var (copies, places) = ([MovieCopy](), Set([requested.destination.path]))
    for given in request.copies {
      let copy = try MovieCopy(to: given, document, overwrites: request.overwrites)
      guard places.insert(copy.destination.path).inserted else { throw Complaint(given, "is named twice", .usage) }
      try copy.destination.requireNone(of: requested.file.assets.map(\.path) + [request.document])
      copies.append(copy)
    }
    return copies
  }

  private init(to given: String, _ document: Document, overwrites: Bool) throws(Complaint) {
    guard given != "-" else { throw Complaint("-", "standard output is no place beside others: name files", .usage) }
    destination = try Destination(given, overwrites: overwrites, isMovie: true)
    (self.document, self.overwrites) = (document, overwrites)
    guard destination.files == nil else {
      throw Complaint(given, "is a folder: a movie that has several places is a file", .usage)
    }
    try destination.requireName(for: document)
    try destination.requireChecksum(for: document, overwrites: overwrites)
    _ = try destination.requireObject(for: document, overwrites: overwrites)
    try destination.requireCredentials(isOtherUser: false)
  }

  /// Copies the movie.
  ///
  /// - Parameters:
  ///   - movie: the path of the movie.
  ///   - edit: the edit that it was made of.
  ///   - job: the job's id, which is a part of the hidden file's name.
  ///   - goesOn: called now and then. What it throws ends the copying, and nothing is left.
  /// - Returns: how it ended; only an interruption is thrown.
  func make(of movie: String, _ edit: ResolvedTimeline, job: String, goesOn: () throws -> Void) throws -> Outcome {
    do {
      try copy(movie, edit, job: job, goesOn)
      return Outcome(output: destination.path, error: nil)
    } catch let complaint as Complaint where complaint.exit == .interrupted {
      throw complaint
    } catch {
      return Outcome(output: destination.path, error: Failure(classifying: error).reason)
    }
  }

  private func copy(_ movie: String, _ edit: ResolvedTimeline, job: String, _ goesOn: () throws -> Void) throws {
    let captions = try edit.sidecars(beside: destination.object?.path ?? destination.path)
    let key = AttemptKey(task: 0, attempt: 0)
    let digest = try FileDigest(ofMovie: movie)
    let made = Winner(
      key: key, proof: FileProof(path: movie, byteCount: digest.byteCount, byteDigest: digest.hash))
    if let object = destination.object {
      try goesOn()
      return try S3Movie(object, S3Account(environment: ProcessInfo.processInfo.environment)).publish(
        movie, of: made, as: document.export.fileType, overwrites: overwrites,
        .init(captions, checksum: document.export.checksum)
      ) { _ in }
    }
    let path = destination.path
    let source = try OutputFolder(FilePath.folder(of: movie), for: movie)
    let folder = try OutputFolder(FilePath.folder(of: path), for: path)
    let part = SegmentStore.partPath(output: path, job: job, key: key)
    try folder.copy(FilePath.name(of: movie), from: source, of: geteuid(), to: FilePath.name(of: part), goesOn: goesOn)
    do {
      try Publication(
        folder: folder, part: part, muxed: made, output: path, overwrites: overwrites,
        companions: .init(captions, checksum: document.export.checksum, job: job, key: key)
      ).publish { _ in }
    } catch {
      SegmentStore.removeParts(of: job, output: path)
      throw error
    }
  }
}
