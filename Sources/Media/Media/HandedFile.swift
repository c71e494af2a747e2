internal import Glibc
internal import Linux

/// A file that another process opened, with rights that this process may lack, and handed over. It is read only by its
/// descriptor.
///
/// Readers share the descriptor, and none moves its offset: several may read at once.
package struct HandedFile: Sendable {
  /// The descriptor. Its owner closes it, after the last reader.
  let descriptor: Int32
  /// The file's size when it was handed over.
  private let byteCount: Int64

  /// - Parameter path: the file's path, for errors.
  /// - Throws: `MediaError` `unreadable`: not a regular file, or empty.
  package init(_ descriptor: Int32, at path: String) throws(MediaError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw MediaError(-errno, from: "fstat", at: path) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw MediaError(.unreadable, at: path, "is not a regular file") }
    guard status.st_size > 0 else { throw MediaError(.unreadable, at: path, "is empty") }
    (self.descriptor, byteCount) = (descriptor, Int64(status.st_size))
  }

  /// The file as FFmpeg reads it, in blocks. One thread at a time.
  func source(_ path: String) -> RemoteFile {
    let version = RemoteVersion(byteCount: byteCount, tag: "")
    return RemoteFile(version: version) { [descriptor] number throws(MediaError) in
      let wanted = version.byteCount(ofBlock: number)
      var (bytes, code): ([UInt8], Int32) = ([], 0)
      unsafe bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
        let start = off_t(number) * off_t(RemoteMedia.blockSize)
        (count, code) = SystemCall.read(wanted) {
          unsafe pread(descriptor, buffer.baseAddress! + $0, wanted - $0, start + off_t($0))
        }
      }
      guard code == 0 else { throw MediaError(-code, from: "pread", at: path) }
      guard bytes.count == wanted else { throw MediaError(.changed, at: path, "became shorter while it was read") }
      return bytes
    }
  }
}

extension SourcePolicy {
  /// Makes the files at `paths` be read by `descriptors`, of which there are as many, in the same order. A descriptor that is no
  /// file is left out, and its path is opened instead, where that is allowed.
  package mutating func hand(_ paths: [String], _ descriptors: [Int32]) {
    for (path, descriptor) in zip(paths, descriptors) { handed[path] = try? HandedFile(descriptor, at: path) }  // As said above.
  }

  /// Opens a file for a process that may not open it: exactly the file that the policy allows.
  ///
  /// - Returns: a descriptor with close-on-exec, which the caller owns.
  /// - Throws: `MediaError` `unreadable`, as for a file that this process opens to read it.
  package func descriptor(of path: String) throws(MediaError) -> Int32 {
    let resolved = try resolve(path)
    let file = try InputFile(path, at: resolved)
    guard try file.resolvedPath == resolved else { throw MediaError(.unreadable, at: path, "was moved while it was opened") }
    return try file.duplicate()
  }
}
