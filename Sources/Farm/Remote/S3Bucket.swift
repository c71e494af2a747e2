internal import Glibc
internal import Linux
package import Transfer

/// Objects below a place in S3, with keys relative to it. Calls block, and they are tried again within limits. It has one owner
/// and is used by one thread.
package final class S3Bucket {
  package struct Object: Hashable, Sendable {
    package var key: String
    package var byteCount: Int64
    /// The time of the last change as S3 writes it: "2026-01-31T12:00:00.000Z".
    package var changedAt: String
  }

  /// The size in bytes of the largest object that one request can put.
  package static let largestObject: Int64 = 5 << 30
  /// The most bytes that one page of a listing may have. A page has at most 1000 keys.
  private static let longestListing = 8 << 20
  /// The most pages of a listing, which is a million keys. Later keys are listed once earlier ones are removed.
  private static let mostPages = 1000

  package let location: S3Location
  private let account: S3Account
  let retries: Retries
  private let stallSeconds: Int
  let client: HTTPClient
  /// Whether the server knows conditions on writes. It counts as knowing them until it says otherwise.
  var knowsConditions = true
  /// Called at least once a second while a request is under way.
  var waiting: () -> Void = {}

  /// - Parameter stallSeconds: the number of seconds after which a stalled transfer is given up, for each try.
  package init(
    _ location: S3Location, _ account: S3Account, retries: Retries = Retries(), stallSeconds: Int = 30
  ) throws(TransferError) {
    (self.location, self.account, self.retries) = (location, account, retries)
    self.stallSeconds = stallSeconds
    client = try HTTPClient(stallSeconds: stallSeconds)
  }

  /// The same place over a connection of its own, for another thread. Nothing is called while it waits.
  func another() throws(TransferError) -> S3Bucket {
    let bucket = try S3Bucket(location, account, retries: retries, stallSeconds: stallSeconds)
    bucket.knowsConditions = knowsConditions
    return bucket
  }

  /// Puts the file at `path` under the key. An object that has the key already must be as long as the file: a key is never used
  /// for two contents.
  ///
  /// - Parameter progress: called with the number of bytes that have been sent.
  /// - Throws: `TransferError`; `changed` when another object has the key.
  package func put(
    _ path: String, as key: String, progress: @escaping (Int64) -> Void = { _ in }
  ) throws(TransferError) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw TransferError(.local, at: path, SystemWords.of(errno)) }
    defer { close(descriptor) }
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0 else {
      throw TransferError(.local, at: path, SystemWords.of(errno))
    }
    let byteCount = Int64(facts.st_size)
    guard byteCount <= Self.largestObject else {
      throw TransferError(.local, at: path, "\(byteCount) bytes are more than S3 takes at once: make shorter chunks")
    }
    try retries.run { () throws(TransferError) in
      var request = request(.put(descriptor: descriptor, byteCount: byteCount), key)
      request.sent = progress
      if knowsConditions { request.headers.append(("If-None-Match", "*")) }
      do throws(TransferError) {
        _ = try client.perform(request)
      } catch {
        switch error.status {
        case 412?:
          // An earlier try may have stored the object, and its response was lost.
          guard try self.byteCount(of: key) == byteCount else {
            throw TransferError(.changed, at: error.place, "another object has this key")
          }
        case 501? where knowsConditions:
          knowsConditions = false
          throw TransferError(.transient, at: error.place, error.reason)
        default: throw error
        }
      }
    }
  }

  /// Writes an object to a new file at `path`.
  ///
  /// - Parameter progress: called with the number of bytes that have arrived.
  /// - Throws: `TransferError`; `changed` when the object is not `byteCount` long.
  package func get(
    _ key: String, to path: String, byteCount: Int64, progress: (Int64) -> Void = { _ in }
  ) throws(TransferError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw TransferError(.local, at: path, SystemWords.of(errno)) }
    defer { close(descriptor) }
    let place = url(key)
    var (done, version): (Int64, String?) = (0, nil)
    try retries.run { () throws(TransferError) in
      guard done < byteCount else { return }
      var request = request(.get, key)
      if done > 0 { request.range = done..<byteCount }
      // The bytes that have arrived are of this version. If-Match takes an entity tag only, not a time.
      if let version, version.hasPrefix("\"") { request.headers.append(("If-Match", version)) }
      request.answered = { response throws(TransferError) in
        guard version == nil || version == response.version else {
          throw TransferError(.changed, at: place, "has changed while it was got")
        }
        version = response.version
      }
      var failure: Int32 = 0
      do throws(TransferError) {
        _ = try client.perform(request) { piece in
          guard done + Int64(piece.count) <= byteCount else { return false }
          guard Self.write(piece, to: descriptor, at: done) else {
            failure = errno
            return false
          }
          done += Int64(piece.count)
          progress(done)
          return true
        }
      } catch {
        if failure != 0 { throw TransferError(.local, at: path, SystemWords.of(failure)) }
        throw error
      }
    }
    guard done == byteCount else {
      throw TransferError(.changed, at: url(key), "\(done) bytes instead of \(byteCount)")
    }
  }

  /// The object's length; nil when there is no such object.
  package func byteCount(of key: String) throws(TransferError) -> Int64? { try head(of: key)?.totalByteCount }

  /// The answer that tells of an object; nil when there is no such object.
  func head(of key: String) throws(TransferError) -> HTTPResponse? {
    do throws(TransferError) {
      return try retries.run { () throws(TransferError) in try client.perform(request(.head, key)) }
    } catch {
      guard error.kind == .missing else { throw error }
      return nil
    }
  }

  /// Removes an object if there is one.
  package func remove(_ key: String) throws(TransferError) {
    do throws(TransferError) {
      _ = try retries.run { () throws(TransferError) in try client.perform(request(.delete, key)) }
    } catch {
      guard error.kind == .missing else { throw error }
    }
  }

  /// The objects below a folder whose name ends with a slash, or all objects when the name is empty.
  package func objects(below folder: String = "") throws(TransferError) -> [Object] {
    var objects: [Object] = []
    try list(folder, delimiter: "") { page in
      for entry in XMLText.all("Contents", in: page) {
        guard let key = XMLText.all("Key", in: entry).first.flatMap(PercentEncoding.decode),
          let byteCount = XMLText.all("Size", in: entry).first.flatMap({ Int64($0) }),
          let changedAt = XMLText.all("LastModified", in: entry).first
        else { continue }
        objects.append(Object(key: name(key), byteCount: byteCount, changedAt: String(changedAt)))
      }
    }
    return objects
  }

  /// The names of the topmost folders.
  package func folders() throws(TransferError) -> [String] {
    var folders: [String] = []
    try list("", delimiter: "/") { page in
      for entry in XMLText.all("CommonPrefixes", in: page) {
        guard let name = XMLText.all("Prefix", in: entry).first.flatMap(PercentEncoding.decode) else { continue }
        folders.append(String(self.name(name).dropLast()))
      }
    }
    return folders
  }

  private func list(_ folder: String, delimiter: String, _ take: (Substring) -> Void) throws(TransferError) {
    var token: String?
    for _ in 0..<Self.mostPages {
      // The parameters are in the order of their names, as the signature requires.
      var query = token.map { "continuation-token=\(PercentEncoding.encode($0))&" } ?? ""
      if !delimiter.isEmpty { query += "delimiter=\(PercentEncoding.encode(delimiter))&" }
      query += "encoding-type=url&list-type=2&prefix=\(PercentEncoding.encode(base + folder))"
      let page = try page(query)
      take(page[...])
      guard XMLText.first("IsTruncated", in: page) == "true", let next = XMLText.first("NextContinuationToken", in: page) else {
        return
      }
      token = next
    }
  }

  func page(_ query: String) throws(TransferError) -> String {
    try retries.run { () throws(TransferError) in
      var bytes: [UInt8] = []
      let request = request(.get, at: "\(account.endpoint)/\(location.bucket)?\(query)")
      _ = try client.perform(request) { piece in
        bytes += piece
        return bytes.count <= Self.longestListing
      }
      return String(decoding: bytes, as: UTF8.self)
    }
  }

  /// The beginning of all keys, with its slash; empty where there is none.
  var base: String { location.prefix.isEmpty ? "" : location.prefix + "/" }

  /// The key relative to the place, for a whole key that begins with it.
  private func name(_ key: String) -> String { String(decoding: key.utf8.dropFirst(base.utf8.count), as: UTF8.self) }

  private func url(_ key: String) -> String {
    "\(account.endpoint)/\(location.bucket)/\(PercentEncoding.encode(base + key, keeping: "/"))"
  }

  func request(_ method: HTTPRequest.Method, _ key: String) -> HTTPRequest { request(method, at: url(key)) }

  private func request(_ method: HTTPRequest.Method, at url: String) -> HTTPRequest {
    var request = HTTPRequest(method, url)
    (request.signature, request.waiting) = (account.signature, waiting)
    return request
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32, at offset: Int64) -> Bool {
    SystemCall.write(bytes, to: descriptor, at: offset) == 0
  }
}
