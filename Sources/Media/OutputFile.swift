internal import CFFmpeg
internal import Glibc

/// A file being written by FFmpeg through our own `write(2)`, so that the system's reason for a failure is not lost.
///
/// Unless `finish` succeeds, nothing stays behind: `deinit` removes the file. One owner, one thread.
@safe final class OutputFile {
  /// How the bytes come.
  enum Access {
    /// Front to back only; their XXH3-128 is computed on the way.
    case sequential(FileHash)
    /// The writer goes back to fill in sizes and indices.
    case seeking
  }

  let path: String
  /// Where its folder is held open, and its name there.
  private let place: (folder: OutputFolder, name: String)?
  /// Bytes written so far, overwritten ones counted again.
  private(set) var writtenCount: Int64 = 0
  /// Asked before each write; false stops the writing, and `check` throws.
  var goesOn: () -> Bool = { true }
  /// Owned: freed in `deinit`. Holds an unretained reference to this object, which outlives it.
  private(set) var io: UnsafeMutablePointer<AVIOContext>
  private let access: Access
  private var descriptor: Int32
  private var failure: MediaError?

  /// Creates the file, or empties the one that stands there.
  ///
  /// - Parameter folder: that of the file, where it is held open: then what stands there is removed.
  /// - Throws: `MediaError` of kind `cannotWrite` or `noSpace`.
  init(_ path: String, _ access: Access, in folder: OutputFolder? = nil) throws(MediaError) {
    self.path = path
    self.access = access
    place = folder.map { ($0, Self.name(of: path)) }
    descriptor = -1
    // What FFmpeg hands over at once: large enough that system calls do not count.
    let capacity: Int32 = 1 << 18
    let seek: (@convention(c) (UnsafeMutableRawPointer?, Int64, Int32) -> Int64)? =
      if case .seeking = access { { unsafe OutputFile.behind($0).seek($1, $2) } } else { nil }
    var buffer = unsafe av_malloc(Int(capacity))
    guard
      let io = unsafe avio_alloc_context(
        buffer, capacity, 1, nil, nil, { unsafe OutputFile.behind($0).write(UnsafeRawBufferPointer(start: $1, count: Int($2))) },
        seek)
    else {
      unsafe av_freep(&buffer)
      throw MediaError(-ENOMEM, from: "avio_alloc_context", at: path)
    }
    unsafe self.io = io
    unsafe io.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    descriptor =
      unsafe place.map { $0.folder.create($0.name) }
      ?? Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o666)
    guard descriptor >= 0 else { throw MediaError(-errno, from: "open", at: path, while: .writing) }
  }

  deinit {
    unsafe av_freep(&io.pointee.buffer)
    var io: UnsafeMutablePointer<AVIOContext>? = unsafe io
    unsafe avio_context_free(&io)
    guard descriptor >= 0 else { return }
    var status = stat()
    // Unfinished. A device that was named as output is not ours to remove.
    if unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { remove() }
    close(descriptor)
  }

  /// Opens this very file again until it is finished, whatever its name has become.
  var openPath: String { "/proc/self/fd/\(descriptor)" }

  private func remove() {
    if let place { place.folder.remove(place.name) } else { unsafe unlink(path) }
  }

  /// The last part of a path. Slashes are bytes: followed by an accent they are no characters.
  static func name(of path: String) -> String {
    String(
      decoding: path.utf8.suffix(
        from: path.utf8.lastIndex(of: UInt8(ascii: "/")).map(path.utf8.index(after:)) ?? path.startIndex), as: UTF8.self)
  }

  /// Turns FFmpeg's answer into an error, preferring the system's own reason where a write failed.
  ///
  /// - Throws: `MediaError`; with FFmpeg's "immediate exit" code when `goesOn` said no.
  func check(_ code: Int32, _ call: String) throws(MediaError) {
    if let failure { throw failure }
    guard code >= 0 else { throw MediaError(code, from: call, at: path, while: .writing) }
  }

  /// Hands the last bytes to the disk, waits until they are there, and closes the file, which now stays.
  ///
  /// - Returns: the digest of a sequential file.
  /// - Throws: `MediaError` of kind `noSpace` or `cannotWrite`, or as `check`; the file is then removed by `deinit`.
  @discardableResult
  func finish() throws(MediaError) -> FileDigest? {
    unsafe avio_flush(io)
    try check(0, "avio_flush")
    guard fsync(descriptor) == 0 else { throw MediaError(-errno, from: "fsync", at: path, while: .writing) }
    let closing = descriptor
    descriptor = -1
    // Network file systems tell of a full disk only here; the descriptor is gone either way.
    guard close(closing) == 0 else {
      let code = errno
      remove()
      throw MediaError(-code, from: "close", at: path, while: .writing)
    }
    guard case .sequential(let hash) = access else { return nil }
    return FileDigest(byteCount: writtenCount, hash: hash.finish())
  }

  private func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    if failure == nil, !goesOn() { failure = MediaError(spool_AVERROR_EXIT, from: "write", at: path, while: .writing) }
    var done = 0
    while failure == nil, done < bytes.count {
      let count = unsafe Glibc.write(descriptor, bytes.baseAddress! + done, bytes.count - done)
      if count >= 0 {
        done += count
      } else if errno != EINTR {
        failure = MediaError(-errno, from: "write", at: path, while: .writing)
      }
    }
    // FFmpeg only needs to know that it failed; `check` tells why.
    guard failure == nil else { return spool_AVERROR_EXIT }
    if case .sequential(let hash) = access { unsafe hash.update(bytes) }
    writtenCount += Int64(bytes.count)
    return Int32(bytes.count)
  }

  private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    // AVSEEK_SIZE: FFmpeg asks how long the file is.
    if whence & AVSEEK_SIZE != 0 {
      var status = stat()
      return unsafe fstat(descriptor, &status) == 0 ? Int64(status.st_size) : -1
    }
    return Int64(lseek(descriptor, off_t(offset), whence & ~AVSEEK_FORCE))
  }

  /// - Precondition: `opaque` is the pointer stored by `init`; FFmpeg calls back only while the object lives.
  private static func behind(_ opaque: UnsafeMutableRawPointer?) -> OutputFile {
    unsafe Unmanaged<OutputFile>.fromOpaque(opaque!).takeUnretainedValue()
  }
}
