internal import Formats
internal import FoundationEssentials
internal import Glibc
internal import Linux
internal import Remote
internal import Rendering
internal import Scenes
internal import Timeline
internal import Transfer

extension Destination {
  /// Refuses a movie beside which the files of its captions and still pictures have no place, or would replace one of the edit's own files.
  ///
  /// - Parameters:
  ///   - sources: the paths of the document, of its media and of its caption files.
  ///   - isPiped: whether the movie goes to standard output.
  func requireCaptions(
    of edit: ResolvedTimeline, overwrites: Bool, sources: some Sequence<String>, isPiped: Bool = false
  ) throws(Complaint) {
    let movie = object?.path ?? path
    let names = edit.sidecarNames(beside: movie)
    guard !names.isEmpty else { return }
    guard !isPiped else {
      throw Complaint(
        "-o", "captions and still pictures are written to files beside the movie, and standard output has no place for them",
        .usage)
    }
    if let name = edit.sidecarClash(beside: movie) {
      throw Complaint(name, "is the name of two files: name the file of the captions by \"sidecar\"", .usage)
    }
    if object != nil {
      if !overwrites { try requireKeys(names) }
      return
    }
    for name in names {
      let place = FilePath.folder(of: path) + "/" + name
      var facts = stat()
      guard unsafe lstat(place, &facts) == 0 else { continue }
      guard facts.st_mode & S_IFMT == S_IFREG else {
        throw Complaint(name, "is there already, and is no file that could be replaced", .cannotCreate)
      }
      for source in sources where Self.identity(of: source) == Self.identity(of: place) {
        throw Complaint(name, "is one of the edit's own files: name the file of the captions by \"sidecar\"", .cannotCreate)
      }
      guard overwrites else { throw Complaint(name, "exists already, beside the movie", .cannotCreate) }
    }
  }

  /// Refuses names that are taken in S3. Without credentials here nothing can be checked, which was told.
  private func requireKeys(_ names: [String]) throws(Complaint) {
    guard let object, S3Account.isGiven(ProcessInfo.processInfo.environment) else { return }
    let taken: [String]
    do throws(TransferError) { taken = try movie(at: object).takenKeys(of: names) } catch {
      throw Complaint(path, error.reason, Self.exit(of: error))
    }
    guard let key = taken.first else { return }
    throw Complaint("s3://\(object.host)/\(key)", "exists already", .cannotCreate)
  }
}
