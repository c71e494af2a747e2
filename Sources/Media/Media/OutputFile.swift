internal import CFFmpeg
internal import Glibc
internal import Linux

/// A file that FFmpeg writes through this class's own calls of `write(2)`, so that the system's reason for a failure is kept.
///
/// Unless `finish` succeeds, no file stays: `deinit` removes it. One owner, one thread.
@safe final class OutputFile {
  /// The order in which the bytes are written.
  enum Access {
    /// Bytes come from front to back only. Their XXH3-128 is computed on the way.
    case sequential(FileHash)
    /// The writer goes back to fill in sizes and indices.
    case seeking
    /// The same, and the digest of a movie is computed on the way.
    case hashed(BlockHash)
  }

  let path: String
  /// The folder that is held open, and the file's name in it; nil where the file is opened by its path.
  private let place: (folder: OutputFolder, name: String)?
  /// The number of bytes written so far. Bytes that were overwritten count again.
  private(set) var writtenCount: Int64 = 0
  /// The place in the file at which the next bytes are written.
  private var position: Int64 = 0
  /// Whether bytes are handed to the disk while others are still to come, so that few are left for `finish`.
  var handsOver = false
  private var handedCount: Int64 = 0
  /// The bytes that are handed over at once: as many as a slow disk takes in a second.
  private static let handedTogether: Int64 = 64 << 20
  /// Asked before each write. When it returns false, writing stops, and `check` throws.
  var goesOn: () -> Bool = { true }
  /// Owned: freed in `deinit`. The context holds an unretained reference to this object, which lives longer.
  private(set) var io: UnsafeMutablePointer<AVIOContext>
  private let access: Access
  private var descriptor: Int32
  /// Writes a movie around the system's cache; nil where its bytes go through it.
  private var direct: DirectOutput?
  /// Whether another process made the file. Then it stays, and its descriptor stays open.
  private let isHanded: Bool
  private var failure: MediaError?

  /// Creates the file. An existing one is emptied; in a folder that is held open it is removed first.
  ///
  /// - Parameter folder: the file's folder, where it is held open.
  /// - Throws: `MediaError` of kind `cannotWrite`, `noSpace` or `outOfMemory`.
  convenience init(_ path: String, _ access: Access, in folder: OutputFolder? = nil) throws(MediaError) {
    let place = folder.map { ($0, FilePath.name(of: path)) }
    try self.init(path, access: access, place: place) {
      unsafe place.map { $0.0.create($0.1) }
        ?? Glibc.open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o666)
    }
  }

  /// Writes to an empty file that another process made and handed over.
  ///
  /// - Parameter path: the name of it in errors.
  /// - Throws: `MediaError` of kind `outOfMemory`.
  convenience init(handed descriptor: Int32, at path: String) throws(MediaError) {
    try self.init(path, access: .seeking, place: nil, isHanded: true) { descriptor }
  }

  private init(
    _ path: String, access: Access, place: (folder: OutputFolder, name: String)?, isHanded: Bool = false, open: () -> Int32
  ) throws(MediaError) {
    (self.path, self.access, self.place, self.isHanded) = (path, access, place, isHanded)
    descriptor = -1
    // The size of FFmpeg's buffer: large enough for the cost of system calls not to matter.
    let capacity: Int32 = 1 << 18
    let seek: (@convention(c) (UnsafeMutableRawPointer?, Int64, Int32) -> Int64)? =
      if case .sequential = access { nil } else { { unsafe OutputFile.behind($0).seek($1, $2) } }
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
    descriptor = open()
    guard descriptor >= 0 else { throw MediaError(-errno, from: "open", at: path, while: .writing) }
    if case .hashed(let hash) = access {
      direct = DirectOutput(descriptor, hash)
      // Packets are copied once, into its blocks, and not into FFmpeg's buffer before.
      if direct != nil { unsafe io.pointee.direct = 1 }
    }
  }

  deinit {
    unsafe av_freep(&io.pointee.buffer)
    var io: UnsafeMutablePointer<AVIOContext>? = unsafe io
    unsafe avio_context_free(&io)
    guard descriptor >= 0, !isHanded else { return }
    var status = stat()
    // The file is unfinished. A device that was named as output is not removed.
    if unsafe fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG { remove() }
    close(descriptor)
  }

  /// A path that opens this very file again, whatever its name has become. It is valid until the file is finished.
  var openPath: String { "/proc/self/fd/\(descriptor)" }

  private func remove() {
    if let place { place.folder.remove(place.name) } else { unsafe unlink(path) }
  }

  /// Turns FFmpeg's result into an error. Where a write failed, the system's own reason is taken.
  ///
  /// - Throws: `MediaError`; with FFmpeg's code for "immediate exit" when `goesOn` returned false.
  func check(_ code: Int32, _ call: String) throws(MediaError) {
    if let failure { throw failure }
    guard code >= 0 else { throw MediaError(code, from: call, at: path, while: .writing) }
  }

  /// Writes what is still in the buffer.
  ///
  /// - Throws: errors as `check`.
  func flush() throws(MediaError) {
    unsafe avio_flush(io)
    flushDirect()
    try check(0, "avio_flush")
  }

  /// Hands the last bytes to the disk, waits until they are there, and closes the file, which now stays.
  ///
  /// - Returns: the digest of a sequential file, or of a movie; nil for a file that is only sought in.
  /// - Throws: `MediaError` of kind `noSpace` or `cannotWrite`, or errors as `check`. The file is then removed.
  @discardableResult
  func finish() throws(MediaError) -> FileDigest? {
    try flush()
    let digest = try digest()
    guard fsync(descriptor) == 0 else { throw MediaError(-errno, from: "fsync", at: path, while: .writing) }
    let closing = descriptor
    (descriptor, direct) = (-1, nil)
    // Network file systems report a full disk only here. The descriptor is closed even on failure.
    guard close(closing) == 0 else {
      let code = errno
      remove()
      throw MediaError(-code, from: "close", at: path, while: .writing)
    }
    return digest
  }

  /// Finishes the file of a movie.
  ///
  /// - Throws: errors as `finish`.
  func finishMovie() throws(MediaError) -> FileDigest {
    guard let digest = try finish() else { preconditionFailure("a movie's file has a digest") }
    return digest
  }

  /// The hash of a movie's file; nil of others.
  var hash: BlockHash? { if case .hashed(let hash) = access { hash } else { nil } }

  /// The file as the system knows it, open for writing.
  var number: Int32 { descriptor }

  private func digest() throws(MediaError) -> FileDigest? {
    switch access {
    case .sequential(let hash): return FileDigest(byteCount: writtenCount, hash: hash.finish())
    case .seeking: return nil
    case .hashed(let hash):
      let file = try InputFile(path, owning: unsafe open(openPath, O_RDONLY | O_CLOEXEC))
      guard let byteCount = file.identity?.byteCount else { throw MediaError(-errno, from: "fstat", at: path, while: .writing) }
      return try hash.finish(byteCount: byteCount, file)
    }
  }

  /// The first bytes of what was written, or those from `start` on, `count` at most.
  ///
  /// - Throws: `MediaError` of kind `cannotWrite` and others.
  func head(_ count: Int, from start: Int64 = 0) throws(MediaError) -> [UInt8] {
    try flush()
    // A confined process may not open a file that it was handed; that one can be read as it is.
    let reading = isHanded ? descriptor : unsafe open(openPath, O_RDONLY | O_CLOEXEC)
    guard reading >= 0 else { throw MediaError(-errno, from: "open", at: path, while: .writing) }
    defer { if !isHanded { close(reading) } }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = unsafe bytes.withUnsafeMutableBytes { bytes in
      SystemCall.read(count) { unsafe pread(reading, bytes.baseAddress! + $0, count - $0, off_t(start) + off_t($0)) }
    }
    guard read.code == 0 else { throw MediaError(-read.code, from: "pread", at: path, while: .writing) }
    return Array(bytes.prefix(read.count))
  }

  /// Writes over the first bytes of what was written.
  ///
  /// - Throws: `MediaError` of kind `noSpace`, `cannotWrite` and others.
  func replaceHead(by bytes: [UInt8]) throws(MediaError) { try replace(at: 0, by: bytes) }

  /// Writes over bytes that were written and flushed.
  ///
  /// - Throws: errors as `replaceHead`.
  func replace(at place: Int64, by bytes: [UInt8]) throws(MediaError) {
    flushDirect()
    let code = SystemCall.write(bytes, to: descriptor, at: place)
    guard code == 0 else { throw MediaError(-code, from: "pwrite", at: path, while: .writing) }
    if case .hashed(let hash) = access { unsafe bytes.withUnsafeBytes { unsafe hash.write($0, at: place) } }
  }

  private func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
    if failure == nil, !goesOn() { failure = MediaError(spool_AVERROR_EXIT, from: "write", at: path, while: .writing) }
    if failure == nil {
      let code =
        unsafe direct?.write(bytes, at: position)
        ?? SystemCall.write(bytes.count) { unsafe Glibc.write(descriptor, bytes.baseAddress! + $0, bytes.count - $0) }
      if code != 0 { failure = MediaError(-code, from: "write", at: path, while: .writing) }
    }
    // FFmpeg only needs to know that the write failed; `check` throws the reason.
    guard failure == nil else { return spool_AVERROR_EXIT }
    switch access {
    case .sequential(let hash): unsafe hash.update(bytes)
    case .seeking: break
    case .hashed(let hash): if direct == nil { unsafe hash.write(bytes, at: position) }
    }
    position += Int64(bytes.count)
    writtenCount += Int64(bytes.count)
    if handsOver, direct == nil, writtenCount - handedCount >= Self.handedTogether { handOver() }
    return Int32(bytes.count)
  }

  /// Waits until what was written is on the disk. The system tells a failure of that once, so it is kept.
  private func handOver() {
    handedCount = writtenCount
    if fdatasync(descriptor) != 0 { failure = MediaError(-errno, from: "fdatasync", at: path, while: .writing) }
  }

  /// Writes what goes around the cache and is still collected. A failure is kept for `check`.
  private func flushDirect() {
    let code = direct?.flush() ?? 0
    if code != 0, failure == nil { failure = MediaError(-code, from: "write", at: path, while: .writing) }
  }

  private func seek(_ offset: Int64, _ whence: Int32) -> Int64 {
    // The file's size counts what is still collected, and whoever reads it by another descriptor finds it whole.
    flushDirect()
    // By AVSEEK_SIZE FFmpeg asks for the file's size.
    if whence & AVSEEK_SIZE != 0 {
      var status = stat()
      return unsafe fstat(descriptor, &status) == 0 ? Int64(status.st_size) : -1
    }
    let place = Int64(lseek(descriptor, off_t(offset), whence & ~AVSEEK_FORCE))
    if place >= 0 { position = place }
    return place
  }

  /// - Precondition: `opaque` is the pointer that `init` stored. FFmpeg calls back only while the object lives.
  private static func behind(_ opaque: UnsafeMutableRawPointer?) -> OutputFile {
    unsafe Unmanaged<OutputFile>.fromOpaque(opaque!).takeUnretainedValue()
  }
}
