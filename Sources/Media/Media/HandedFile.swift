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

  /// The file as FFmpeg reads it. One thread at a time.
  func source(_ path: String) -> RemoteFile {
    let version = RemoteVersion(byteCount: byteCount, tag: "")
    func fault(reading room: UnsafeMutableRawBufferPointer, from start: Int64) -> MediaError? {
      let (count, code) = SystemCall.read(room.count) {
        unsafe pread(descriptor, room.baseAddress! + $0, room.count - $0, off_t(start) + off_t($0))
      }
      if code != 0 { return MediaError(-code, from: "pread", at: path) }
      return count == room.count ? nil : MediaError(.changed, at: path, "became shorter while it was read")
    }
    var file = RemoteFile(version: version) { number throws(MediaError) in
      var bytes = [UInt8](repeating: 0, count: version.byteCount(ofBlock: number))
      let start = number * Int64(RemoteMedia.blockSize)
      if let fault = unsafe bytes.withUnsafeMutableBytes({ unsafe fault(reading: $0, from: start) }) { throw fault }
      return bytes
    }
    unsafe file.bytes = { start, room throws(MediaError) in
      if let fault = unsafe fault(reading: room, from: start) { throw fault }
    }
    return file
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
