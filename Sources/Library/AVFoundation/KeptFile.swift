internal import Synchronization

/// The file of a medium, held open from the moment at which the medium is first read. So an edit can still be exported when the file was removed
/// after it was inserted, as programs do with their intermediate movies.
// Nothing is read by way of the handle: each copy opens the file anew.
final class KeptFile: @unchecked Sendable {
  /// The most files that are held open at once. A medium beyond them must keep its name until its export is over.
  private static let most = 256
  private static let count = Atomic<Int>(0)
  /// The bytes that are copied at once.
  private static let piece = 1 << 20

  let place: String
  private let handle: FileHandle

  /// - Returns: nil for what is no file of this machine, and where too many are held.
  init?(_ url: URL) {
    guard url.isFileURL, Self.count.add(1, ordering: .relaxed).newValue <= Self.most,
      // A file that cannot be opened is told of by whoever needs it.
      let handle = try? FileHandle(forReadingFrom: url)
    else {
      if url.isFileURL { Self.count.subtract(1, ordering: .relaxed) }
      return nil
    }
    (place, self.handle) = (url.mediaPlace, handle)
  }

  deinit { Self.count.subtract(1, ordering: .relaxed) }

  /// Whether nothing has the file's name any more.
  var isGone: Bool { !FileManager.default.fileExists(atPath: place) }

  /// Writes all of the file into a new one.
  ///
  /// - Throws: an error of Foundation's.
  func copy(to path: String) throws {
    // The name under /proc leads to the file, whatever has become of its own.
    let source = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/fd/\(handle.fileDescriptor)"))
    // Where it cannot be made, opening it says why.
    _ = FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o644])
    let target = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    while let bytes = try source.read(upToCount: Self.piece), !bytes.isEmpty { try target.write(contentsOf: bytes) }
    try target.close()
  }
}
