internal import Glibc
internal import Linux

/// A regular file opened for reading, front to back. One owner, one thread.
@safe final class InputFile {
  let path: String
  let descriptor: Int32

  /// - Parameter resolved: the file's real place, where it differs from `path`. Errors name `path`.
  /// - Throws: `MediaError` of kind `unreadable`, also for a directory, a pipe or a device.
  convenience init(_ path: String, at resolved: String? = nil) throws(MediaError) {
    // O_NONBLOCK keeps the opening of a named pipe from hanging. For a regular file it has no effect.
    try self.init(path, owning: unsafe Glibc.open(resolved ?? path, O_RDONLY | O_CLOEXEC | O_NONBLOCK))
  }

  /// Opens the file `path` in a folder that is held open. A symbolic link is refused.
  ///
  /// - Throws: `MediaError` of kind `unreadable`, also for a directory, a pipe or a device.
  convenience init(_ path: String, in folder: OutputFolder) throws(MediaError) {
    try self.init(path, owning: folder.open(FilePath.name(of: path)))
  }

  /// - Parameter descriptor: the result of open(2), whose `errno` is still set where it failed.
  init(_ path: String, owning descriptor: Int32) throws(MediaError) {
    guard descriptor >= 0 else { throw MediaError(-errno, from: "open", at: path) }
    self.path = path
    self.descriptor = descriptor
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw MediaError(-errno, from: "fstat", at: path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw MediaError(.unreadable, at: path, "not a regular file")
    }
  }

  deinit { close(descriptor) }

  /// The identity of the open file; nil where the system does not tell it.
  var identity: OutputFolder.Identity? {
    var status = stat()
    return unsafe fstat(descriptor, &status) == 0 ? OutputFolder.Identity(status) : nil
  }

  /// Another descriptor of the file, with close-on-exec, which the caller owns.
  func duplicate() throws(MediaError) -> Int32 {
    let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 3)
    guard copy >= 0 else { throw MediaError(-errno, from: "fcntl", at: path) }
    return copy
  }

  /// A path that opens this very file again, whatever its name has become. It is valid as long as this object lives.
  var openPath: String { "/proc/self/fd/\(descriptor)" }

  /// The place where the kernel has the open file, without links.
  ///
  /// - Throws: `MediaError` of kind `unreadable`.
  var resolvedPath: String {
    get throws(MediaError) {
      var target = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = unsafe readlink(openPath, &target, target.count)
      guard count >= 0 else { throw MediaError(-errno, from: "readlink", at: path) }
      return String(decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
  }

  /// Reads the next bytes.
  ///
  /// - Returns: the number of bytes; 0 at the end.
  /// - Throws: `MediaError` of kind `unreadable`.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws(MediaError) -> Int {
    let count = SystemCall.uninterrupted { unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count) }
    guard count >= 0 else { throw MediaError(-errno, from: "read", at: path) }
    return count
  }
}
