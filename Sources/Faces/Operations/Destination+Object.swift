internal import Document
internal import Formats
internal import FoundationEssentials
internal import Linux
internal import Messages
internal import Remote
internal import Timeline
internal import Transfer

extension Destination {
  /// A place in S3, as it is named: that of a movie, or that of the folder of a movie in pieces or pictures, whose playlist or pattern is named.
  static func object(_ given: String) throws(Complaint) -> (url: MediaURL, files: FolderFiles?) {
    let files = FolderFiles(of: FilePath.name(of: given))
    // The place for the number of a picture is no character that was encoded.
    let plain = if case .pictures = files { FilePath.folder(of: given) + "/0" } else { given }
    do throws(MediaURL.Fault) { _ = try MediaURL(plain) } catch { throw Complaint(given, error.reason, .usage) }
    guard let url = MediaURL(objectAt: files == nil ? given : FilePath.folder(of: given)) else {
      if files != nil {
        let name = FilePath.name(of: given)
        throw Complaint(given, "the movie needs a folder of its own: give a place such as s3://bucket/show/\(name)", .usage)
      }
      throw Complaint(given, "names a folder: end it in the movie's name, such as s3://bucket/movie.mp4", .usage)
    }
    guard given.utf8.count < 1024 else { throw Complaint(given, "is longer than a key in S3 may be", .usage) }
    return (url, files)
  }

  /// Checks a place in S3 by beginning an upload there, and dropping it. Without credentials here nothing can be checked: the workers have
  /// them.
  ///
  /// - Returns: what is told where nothing could be checked; nil otherwise, and for files.
  /// - Throws: a `Complaint` when a movie could not be written there, or is there already and is to be kept.
  func requireObject(for document: Document, overwrites: Bool) throws(Complaint) -> FaultRecord? {
    guard let object else { return nil }
    let movie: S3Movie
    do throws(TransferError) { movie = try self.movie(at: object) } catch {
      return FaultRecord(
        path: path, kind: "output",
        text: "there are no credentials for S3 here, so the place is not checked before a worker writes to it")
    }
    let checksum = document.faults == nil ? document.export.checksum : nil
    let objection: S3Movie.Objection?
    do throws(TransferError) {
      objection =
        if let files { try movie.objection(to: files, overwrites: overwrites, checksum) } else {
          try movie.objection(overwrites: overwrites, checksum)
        }
    } catch { throw Complaint(path, error.reason, Self.exit(of: error)) }
    guard let objection else { return nil }
    throw Complaint(objection.place, objection.words, .cannotCreate)
  }

  /// The movie at a place in S3, with the credentials of this process.
  ///
  /// - Throws: `TransferError` where there are none.
  func movie(at object: MediaURL) throws(TransferError) -> S3Movie {
    var retries = Retries()
    retries.tries = Self.tries
    let account = try S3Account(environment: ProcessInfo.processInfo.environment)
    return try S3Movie(object, account, retries: retries, stallSeconds: Self.patienceSeconds)
  }

  /// Refuses a place in S3 for which this machine's own farm has no credentials.
  ///
  /// - Parameter isOtherUser: whether that farm runs as another user, who cannot read the caller's files.
  func requireCredentials(isOtherUser: Bool) throws(Complaint) {
    guard object != nil else { return }
    let environment = ProcessInfo.processInfo.environment
    guard isOtherUser ? S3Account.isInVariables(environment) : S3Account.isGiven(environment) else {
      let place = isOtherUser ? "" : ", or have them in ~/.aws/credentials"
      throw Complaint(
        path, "there are no credentials for S3 here: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY\(place)", .notPermitted)
    }
  }

  /// Whoever asks waits for the answer, so it is tried less often than by an attempt.
  private static let tries = 3
  private static let patienceSeconds = 10

  static func exit(of error: TransferError) -> ExitClass {
    switch error.kind {
    case .transient: .unavailable
    case .refused: .notPermitted
    case .missing, .changed, .invalid, .unranged, .local: .cannotCreate
    }
  }
}
