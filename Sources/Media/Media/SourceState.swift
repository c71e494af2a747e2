package import Formats
internal import Glibc

/// The state of a source's content. Two equal states mean the same bytes.
///
/// A file of up to `mostDigested` bytes is named by the digest of its content. A larger one is named by what the system says of
/// it: its file system, its number there, its size, and the times at which its content and its record changed last. The system sets the
/// last of these times at each change, and nobody can set it back. But it is not exact: a program that writes through memory may
/// change a file for half a minute without another time. So a large file counts only once nothing has changed it for `rest` seconds.
package struct SourceState: Hashable, Sendable {
  /// The size up to which a file's content is read.
  static let mostDigested = 16 << 20
  /// The seconds after which Linux has surely written changed pages, so that a later change would set the time anew.
  static let rest = 60

  /// The state in words of our own.
  package let description: String

  init(_ description: String) { self.description = description }
}

extension SourcePolicy {
  /// The state of the file at `path` now; nil where it cannot be told, because the file is large and was changed in the last minute.
  ///
  /// - Throws: `MediaError` `unreadable`, as for a file that is opened to be read.
  package func state(of path: String) throws(MediaError) -> SourceState? {
    if let file = handed[path] { return try file.state(path) }
    return try InputFile(path, at: resolve(path)).state
  }

  /// The state of the source behind a URL: the version that probing found, and that alone is read. Nil where the server names
  /// versions only by their time.
  package func state(of url: MediaURL) -> SourceState? {
    guard let version = knownVersions[url], version.tag.hasPrefix("\"") else { return nil }
    return SourceState("\(url) \(version.byteCount) \(version.tag)")
  }

  /// The state of a picture in a document, which never changes.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  package func state(of data: DataURL) throws(MediaError) -> SourceState {
    let hasher = try ContentHasher()
    unsafe data.bytes.withUnsafeBytes { unsafe hasher.update($0) }
    return SourceState("content \(data.bytes.count) \(hasher.digest)")
  }
}

extension InputFile {
  /// The file's state now; nil where it cannot be told.
  var state: SourceState? {
    get throws(MediaError) { try SourceState.of(descriptor, path) }
  }
}

extension HandedFile {
  /// The file's state now; nil where it cannot be told.
  fileprivate func state(_ path: String) throws(MediaError) -> SourceState? { try SourceState.of(descriptor, path) }
}

extension SourceState {
  /// - Parameter descriptor: an open file, whose offset does not move.
  fileprivate static func of(_ descriptor: Int32, _ path: String) throws(MediaError) -> SourceState? {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw MediaError(-errno, from: "fstat", at: path) }
    if status.st_size <= mostDigested { return SourceState(try digest(of: descriptor, byteCount: Int(status.st_size), path)) }
    let lastChange = max(status.st_ctim.tv_sec, status.st_mtim.tv_sec)
    guard time(nil) - lastChange > rest else { return nil }
    return SourceState(
      """
      file \(status.st_dev):\(status.st_ino) \(status.st_size) \(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) \
      \(status.st_ctim.tv_sec).\(status.st_ctim.tv_nsec)
      """)
  }

  private static func digest(of descriptor: Int32, byteCount: Int, _ path: String) throws(MediaError) -> String {
    let hasher = try ContentHasher()
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: min(max(byteCount, 1), 1 << 20), alignment: 64)
    defer { unsafe piece.deallocate() }
    var place = 0
    while true {
      let count = unsafe pread(descriptor, piece.baseAddress, piece.count, off_t(place))
      if count < 0 && errno == EINTR { continue }
      guard count >= 0 else { throw MediaError(-errno, from: "pread", at: path) }
      if count == 0 { return "content \(place) \(hasher.digest)" }
      unsafe hasher.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
      place += count
    }
  }
}
