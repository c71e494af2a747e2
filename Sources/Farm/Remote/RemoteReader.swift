internal import Formats
internal import Media
internal import Transfer

/// Reads one source behind a URL in blocks. Calls block, and they are tried again within limits. It has one owner and is used by
/// one thread.
final class RemoteReader {
  /// The most redirects that are followed for one request.
  private static let mostRedirections = 5

  private let url: MediaURL
  private let library: MediaLibrary
  private let client: HTTPClient
  private let progress: (Int) -> Void
  private var known: RemoteVersion?

  /// - Parameter progress: called with the number of bytes as they arrive, and with 0 at least once a second while they are
  ///   awaited.
  init(
    _ url: MediaURL, _ library: MediaLibrary, _ known: RemoteVersion?, progress: @escaping (Int) -> Void = { _ in }
  ) throws(TransferError) {
    (self.url, self.library, self.known, self.progress) = (url, library, known, progress)
    // A block in the cache is read under the same rules, so the URL is checked here.
    _ = try library.request(for: url)
    // The cache is prepared no earlier, because a process that reads nothing behind URLs needs none. It is prepared before
    // anything is fetched that could then not be kept.
    try library.cache.prepare()
    client = try HTTPClient(stallSeconds: library.stallSeconds)
  }

  /// The version of the source. The server is asked where it is not known yet.
  func version() throws(TransferError) -> RemoteVersion {
    if known == nil { _ = try fetch(0) }
    guard let known else { preconditionFailure("a block that was fetched is of some version") }
    return known
  }

  /// - Throws: `TransferError`; `changed` when the server has another version than the known one.
  func block(_ number: Int64) throws(TransferError) -> [UInt8] {
    if let bytes = kept(number) { return bytes }
    return try fetch(number)
  }

  /// Has the cache keep a block that may be asked for next, if the source has it. One try only.
  func prefetch(_ number: Int64) {
    guard let known, known.byteCount(ofBlock: number) > 0, kept(number) == nil else { return }
    // A failure here does not matter: the block is asked for again when it is needed, and the failure is reported then.
    _ = try? fetchRange(number)
  }

  private func kept(_ number: Int64) -> [UInt8]? {
    known.flatMap { library.cache.bytes(of: BlockCache.Key(url: url.text, version: $0, number: number)) }
  }

  private func keep(_ block: [UInt8], _ number: Int64) -> Bool {
    guard let known else { return false }
    return library.cache.keep(block, of: BlockCache.Key(url: url.text, version: known, number: number))
  }

  private func fetch(_ number: Int64) throws(TransferError) -> [UInt8] {
    do throws(TransferError) {
      return try library.retries.run { () throws(TransferError) in try fetchRange(number) }
    } catch {
      guard error.kind == .unranged else { throw error }
      let patience = library.longestSilence
      return try library.cache.alone(patience: patience, waiting: { progress(0) }) { () throws(TransferError) in
        // Another process may have fetched the block meanwhile.
        if let bytes = kept(number) { return bytes }
        return try library.retries.run { () throws(TransferError) in try fetchWhole(number) }
      }
    }
  }

  /// Fetches one block by itself. It is returned even when the cache has no room for it.
  private func fetchRange(_ number: Int64) throws(TransferError) -> [UInt8] {
    let start = number * Int64(RemoteMedia.blockSize)
    var bytes: [UInt8] = []
    do throws(TransferError) {
      try perform(range: start..<start + Int64(RemoteMedia.blockSize)) { piece in
        bytes += piece
        return bytes.count <= RemoteMedia.blockSize
      }
    } catch {
      guard bytes.count <= RemoteMedia.blockSize else {
        throw TransferError(.invalid, at: error.place, "the server sends more than it is asked for")
      }
      // Status 416 says that the source has no byte at this place.
      guard error.status == 416 else { throw error }
      throw known == nil ? TransferError(.invalid, at: error.place, "is empty") : changed
    }
    guard let known, bytes.count == known.byteCount(ofBlock: number) else {
      throw TransferError(.transient, at: url.description, "\(bytes.count) bytes of a block arrived")
    }
    _ = keep(bytes, number)
    return bytes
  }

  /// Fetches the whole source and keeps each of its blocks.
  private func fetchWhole(_ number: Int64) throws(TransferError) -> [UInt8] {
    var (wanted, block, next, isKept): ([UInt8]?, [UInt8], Int64, Bool) = (nil, [], 0, true)
    func finishBlock() {
      isKept = isKept && keep(block, next)
      if next == number { wanted = block }
      (block, next) = ([], next + 1)
    }
    do throws(TransferError) {
      try perform(range: nil) { piece in
        var piece = piece[...]
        while !piece.isEmpty, isKept {
          let part = piece.prefix(RemoteMedia.blockSize - block.count)
          block += part
          piece = piece.dropFirst(part.count)
          if block.count == RemoteMedia.blockSize { finishBlock() }
        }
        return isKept
      }
      if !block.isEmpty { finishBlock() }
    } catch {
      guard !isKept else { throw error }
    }
    guard isKept else { throw TransferError(.local, at: library.cache.folder, "no room for '\(url)', which is fetched whole") }
    guard let wanted, let known, wanted.count == known.byteCount(ofBlock: number) else {
      throw TransferError(.transient, at: url.description, "less of it arrived than there is")
    }
    return wanted
  }

  /// Asks for a range, or for everything, of the known version. Where none is known, the response's version becomes the known
  /// one. Redirects are followed to URLs that are allowed.
  private func perform(range: Range<Int64>?, take: ([UInt8]) -> Bool) throws(TransferError) {
    var target = url
    for _ in 0...Self.mostRedirections {
      var request = try library.request(for: target)
      request.range = range
      request.waiting = { [progress] in progress(0) }
      request.answered = { [unowned self] response throws(TransferError) in try accept(response, range) }
      let response = try client.perform(request) { [progress] piece in
        progress(piece.count)
        return take(piece)
      }
      guard 300..<400 ~= response.status else {
        // A response without a body was not accepted by `answered`.
        return known == nil ? try accept(response, range) : ()
      }
      target = try self.target(of: response, from: target)
    }
    throw TransferError(.invalid, at: url.description, "is redirected more than \(Self.mostRedirections) times")
  }

  private func accept(_ response: HTTPResponse, _ range: Range<Int64>?) throws(TransferError) {
    func refuse(_ reason: String) -> TransferError { TransferError(.invalid, at: url.description, reason) }
    guard let byteCount = response.totalByteCount else { throw refuse("the server does not say how long it is") }
    guard byteCount > 0 else { throw refuse("is empty") }
    guard let tag = response.version else {
      throw refuse("the server does not say which version it is (neither ETag nor Last-Modified): it could change unnoticed")
    }
    let found = RemoteVersion(byteCount: byteCount, tag: tag)
    guard known == nil || known == found else { throw changed }
    known = found
    if response.status == 206 {
      guard response.rangeStart == range?.lowerBound else { throw refuse("the server answers with another range") }
    } else if byteCount > library.cache.limit / 2 {
      throw refuse(
        "the server does not answer requests for ranges, and its \(byteCount >> 20) MiB are more than half of the cache (--media-cache-size)"
      )
    }
  }

  private var changed: TransferError { TransferError(.changed, at: url.description, "has changed since it was probed") }

  private func target(of response: HTTPResponse, from url: MediaURL) throws(TransferError) -> MediaURL {
    guard let location = response.headers["location"], url.scheme != .s3 else {
      let hint = url.scheme == .s3 ? ": is AWS_REGION the bucket's?" : ""
      throw TransferError(.invalid, at: url.description, "HTTP status \(response.status)\(hint)")
    }
    let authority = url.text.prefix { $0 != "?" }.split(separator: "/", maxSplits: 2, omittingEmptySubsequences: true)[1]
    let base = "\(url.scheme):\(location.hasPrefix("//") ? "" : "//\(authority)")"
    do throws(MediaURL.Fault) {
      let target = try MediaURL(location.hasPrefix("/") ? base + location : location)
      if target.scheme == .https || target.scheme == url.scheme { return target }
    } catch {
      throw TransferError(.invalid, at: url.description, "its redirection \(error.reason)")
    }
    throw TransferError(.invalid, at: url.description, "is redirected from https to another scheme")
  }
}
