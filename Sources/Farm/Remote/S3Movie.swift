package import Formats
internal import Glibc
internal import Linux
package import Media
package import Messages
internal import Subprocess
package import Transfer

/// The place of a movie in S3, where it appears whole or not at all. A movie in pieces and a sequence of pictures are folders of objects.
///
/// The movie is uploaded in parts, and becomes an object in one request when all of them are there. See
/// `docs/decisions/0205-a-movie-is-published-in-s3-by-its-courier.md`.
package struct S3Movie {
  /// A file that becomes an object.
  private struct Freight {
    let key: String
    let file: Descriptor
    let byteCount: Int64
    let mediaType: String
    /// The digest that the object says of its bytes.
    let digest: String
  }

  /// The header that says of which movie an object is: a publication that is done again knows what it finds.
  static let digestHeader = "x-amz-meta-spool-digest"
  /// The least bytes of a part, the last one apart. Parts of 5 MiB are allowed; fewer requests are faster.
  package static let leastPart: Int64 = 16 << 20

  package let url: MediaURL
  let bucket: S3Bucket
  private let leastPart: Int64

  /// - Parameter leastPart: the least bytes of a part.
  /// - Precondition: the URL is one of S3.
  package init(
    _ url: MediaURL, _ account: S3Account, retries: Retries = Retries(), stallSeconds: Int = 30,
    leastPart: Int64 = Self.leastPart
  ) throws(TransferError) {
    guard url.scheme == .s3, let location = S3Location("s3://\(url.host)") else { preconditionFailure("'\(url)' is not in S3") }
    (self.url, self.leastPart) = (url, leastPart)
    bucket = try S3Bucket(location, account, retries: retries, stallSeconds: stallSeconds)
  }

  /// The place of the movie over a connection of its own, for another thread.
  func another() throws(TransferError) -> S3Movie { S3Movie(url, try bucket.another(), leastPart: leastPart) }

  private init(_ url: MediaURL, _ bucket: S3Bucket, leastPart: Int64) {
    (self.url, self.bucket, self.leastPart) = (url, bucket, leastPart)
  }

  /// Has `waiting` called at least once a second while requests are under way.
  func watch(_ waiting: @escaping () -> Void) { bucket.waiting = waiting }

  /// The keys of files beside the movie that are taken.
  ///
  /// - Parameter names: the files' names, without the way to them.
  package func takenKeys(of names: [String]) throws(TransferError) -> [String] {
    var taken: [String] = []
    for name in names where try bucket.head(of: key(of: name)) != nil { taken.append(key(of: name)) }
    return taken
  }

  /// The key of a file beside the movie.
  func key(of name: String) -> String { String(url.path.dropLast(FilePath.name(of: url.path).count)) + name }

  /// An objection to a movie: what is here already and must be kept.
  package struct Objection: Hashable, Sendable {
    package let place: String
    package let words: String
  }

  /// Checks that an object can be written here: begins one, and drops it. Nobody sees it.
  ///
  /// - Parameter checksum: the method of the checksums that come beside the movie.
  /// - Returns: what is there already and must be kept; nil where nothing is.
  /// - Throws: `TransferError`; `missing` when there is no such bucket, `refused` when these credentials may not do it.
  package func objection(overwrites: Bool, _ checksum: ChecksumMethod?) throws(TransferError) -> Objection? {
    _ = try bucket.uploads(of: url.path)
    try bucket.abort(bucket.begin(url.path, []))
    for key in [url.path, checksum?.fileName(of: url.path)].compactMap(\.self) where !overwrites {
      if try bucket.head(of: key) != nil { return Objection(place: "s3://\(url.host)/\(key)", words: "exists already") }
    }
    return nil
  }

  /// Removes what attempts have uploaded of the movie and its checksums without completing it. Only one job is the writer of an output,
  /// so there are no others' uploads.
  package func dropUploads() throws(TransferError) {
    for key in [url.path] + ChecksumMethod.allCases.map({ $0.fileName(of: url.path) }) {
      for upload in try bucket.uploads(of: key) { try bucket.abort(upload) }
    }
  }

  /// Fetches the movie that is there into a file of this machine, which is made.
  ///
  /// - Throws: `TransferError`; `missing` when there is none.
  package func fetch(to path: String) throws(TransferError) {
    guard let byteCount = try bucket.head(of: url.path)?.totalByteCount else {
      throw TransferError(.missing, at: url.text, "is not there")
    }
    try bucket.get(url.path, to: path, byteCount: byteCount)
  }

  /// Whether the movie that a mux proved is here.
  func has(_ muxed: Winner<FileProof>) throws(TransferError) -> Bool {
    guard let found = try bucket.head(of: url.path) else { return false }
    return found.headers[Self.digestHeader] == muxed.proof.byteDigest && found.totalByteCount == muxed.proof.byteCount
  }

  /// Fetches a file beside the movie into a file of this machine, which is made.
  ///
  /// - Parameter name: the file's name, without the way to it.
  /// - Throws: `TransferError`; `missing` when there is none.
  func fetch(_ name: String, to path: String) throws(TransferError) {
    guard let byteCount = try bucket.head(of: key(of: name))?.totalByteCount else {
      throw TransferError(.missing, at: "s3://\(url.host)/\(key(of: name))", "is not there")
    }
    try bucket.get(key(of: name), to: path, byteCount: byteCount)
  }

  /// The small files that come beside a movie: captions and still pictures, and checksums.
  package struct Companions {
    let captions: [CompanionFile]
    /// The method of the checksums; nil where there are none.
    let checksum: ChecksumMethod?

    package init(_ captions: [CompanionFile] = [], checksum: ChecksumMethod? = nil) {
      (self.captions, self.checksum) = (captions, checksum)
    }

    /// The digest that the object of the checksums says. They depend on the movie and on the captions.
    func checksumDigest(_ muxed: Winner<FileProof>) throws -> String {
      ([muxed.proof.byteDigest] + (try captions.map { try $0.digest })).joined(separator: ".")
    }
  }

  /// Gives a movie its place, after checking that the file is the one that was proved.
  ///
  /// - Parameters:
  ///   - path: the movie's file on this machine.
  ///   - companions: the files that come beside it. Its checksums appear with it, or neither does. Captions follow.
  ///   - progress: called with the number of bytes that have been sent.
  /// - Throws: `Failure` that names the mux attempt as damaged when its file is gone or not what its proof says; of the class `content`
  ///   when an object is there that must be kept; `TransferError`.
  package func publish(
    _ path: String, of muxed: Winner<FileProof>, as type: FileType, overwrites: Bool, _ companions: Companions,
    progress: @escaping (Int64) -> Void
  ) throws {
    try dropUploads()
    // The movie becomes an object before the files beside it do, so all are looked for.
    let isMovieThere = try isThere(url.path, muxed.proof.byteDigest, byteCount: muxed.proof.byteCount, overwrites)
    let missing = try missing(companions.captions, overwrites)
    let sums = try companions.checksum.map { ($0, $0.fileName(of: url.path), try companions.checksumDigest(muxed)) }
    let areSumsThere = try sums.map { try isThere($0.1, $0.2, overwrites) } ?? true
    if !isMovieThere || !areSumsThere {
      let file = try opened(path, muxed)
      let movie = Freight(
        key: url.path, file: file, byteCount: muxed.proof.byteCount, mediaType: type.mediaType, digest: muxed.proof.byteDigest)
      var freight = isMovieThere ? [] : [movie]
      if let (method, key, digest) = sums, !areSumsThere {
        let text = try ChecksumFile(method, of: FilePath.name(of: url.path)).text(
          reading: FilePath.name(of: path), in: OutputFolder(FilePath.folder(of: path), for: path), others: companions.captions)
        freight.append(
          Freight(
            key: key, file: try Descriptor.memory(text), byteCount: Int64(text.count), mediaType: "text/plain", digest: digest))
      }
      try upload(freight, overwrites: overwrites, progress)
    }
    for object in missing { try put(object, overwrites: overwrites) }
  }

  /// A small object, and the digest that it says.
  struct SmallObject: Sendable {
    let key: String
    let bytes: [UInt8]
    let mediaType: String
    let digest: String
    var headers: [(name: String, value: String)] = []
  }

  /// The files beside the movie that are not there yet.
  ///
  /// - Throws: `Failure` when another object has the key of one and must be kept.
  func missing(_ files: [CompanionFile], _ overwrites: Bool) throws -> [SmallObject] {
    try files.compactMap { file in
      let (key, digest) = (key(of: file.name), try file.digest)
      return try isThere(key, digest, overwrites)
        ? nil : SmallObject(key: key, bytes: file.bytes, mediaType: file.mediaType, digest: digest)
    }
  }

  /// Puts an object in one request.
  ///
  /// - Throws: `Failure` when another object has the key and must be kept; `TransferError`.
  func put(_ object: SmallObject, overwrites: Bool) throws {
    let headers = [(name: "Content-Type", value: object.mediaType), (name: Self.digestHeader, value: object.digest)]
    do throws(TransferError) {
      try bucket.put(object.bytes, as: object.key, headers + object.headers, overwrites: overwrites)
    } catch {
      // The answer of an earlier try may have been lost.
      guard error.kind == .changed else { throw error }
      _ = try isThere(object.key, object.digest, false)
    }
  }

  /// Uploads all parts of all files, and only then makes objects of them, the movie first.
  private func upload(
    _ freight: [Freight], overwrites: Bool, _ progress: @escaping (Int64) -> Void
  ) throws {
    var begun: [(upload: S3Bucket.Upload, tags: [String], digest: String)] = []
    do {
      for item in freight {
        let upload = try bucket.begin(
          item.key, [("Content-Type", item.mediaType), (Self.digestHeader, item.digest)])
        begun.append((upload, [], item.digest))
        let size = S3Bucket.partSize(of: item.byteCount, atLeast: leastPart)
        for start in stride(from: 0, to: max(1, item.byteCount), by: Int(size)) {
          let bytes = start..<min(start + size, item.byteCount)
          let tag = try bucket.put(
            part: begun[begun.count - 1].tags.count + 1, of: upload, from: item.file.number, bytes,
            progress: { if item.key == url.path { progress(start + $0) } })
          begun[begun.count - 1].tags.append(tag)
        }
      }
      for (upload, tags, digest) in begun { try complete(upload, tags, digest: digest, overwrites: overwrites) }
    } catch {
      // What cannot be dropped now is dropped by the next attempt, or when the job's files are swept.
      for (upload, _, _) in begun { try? bucket.abort(upload) }
      throw error
    }
  }

  private func complete(
    _ upload: S3Bucket.Upload, _ tags: [String], digest: String, overwrites: Bool
  ) throws {
    do throws(TransferError) { try bucket.complete(upload, tags, overwrites: overwrites) } catch {
      // The answer of an earlier try may have been lost.
      switch error.kind {
      case .missing:
        guard try !isThere(upload.key, digest, true) else { return }
        throw Failure(.transient, at: "s3://\(url.host)/\(upload.key)", "its upload was ended by somebody else")
      case .changed: throw taken(upload.key)
      case .transient, .refused, .invalid, .unranged, .local: throw error
      }
    }
  }

  /// Whether the object is there as an earlier attempt has made it.
  ///
  /// - Throws: `Failure` when another object has the key and must be kept.
  func isThere(_ key: String, _ digest: String, byteCount: Int64? = nil, _ overwrites: Bool) throws -> Bool {
    guard let found = try bucket.head(of: key) else { return false }
    if found.headers[Self.digestHeader] == digest, byteCount == nil || found.totalByteCount == byteCount { return true }
    guard overwrites else { throw taken(key) }
    return false
  }

  func taken(_ key: String) -> Failure { Failure(.content, at: "s3://\(url.host)/\(key)", "exists already") }

  /// Opens the movie's file, which has the digest that the mux proved.
  @discardableResult
  func opened(_ path: String, _ muxed: Winner<FileProof>) throws -> Descriptor {
    let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
    guard number >= 0 else {
      guard errno == ENOENT else { throw TransferError(.local, at: path, SystemWords.of(errno)) }
      throw damaged(path, "is gone", muxed)
    }
    let file = Descriptor(owning: number)
    let digest = try FileDigest(ofMovie: "/proc/self/fd/\(number)") { _ in bucket.waiting() }
    guard digest == FileDigest(byteCount: muxed.proof.byteCount, hash: muxed.proof.byteDigest) else {
      throw damaged(path, "is another than was muxed", muxed)
    }
    return file
  }

  private func damaged(_ path: String, _ what: String, _ muxed: Winner<FileProof>) -> Failure {
    Failure(.worker, at: path, "the muxed movie \(what): it is muxed again", damaged: [muxed.key])
  }
}

extension CompanionFile {
  /// The type of the file, by which browsers know what it is.
  fileprivate var mediaType: String { name.hasSuffix(".jpg") ? "image/jpeg" : "text/vtt" }
}
