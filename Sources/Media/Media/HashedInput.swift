internal import CFFmpeg
internal import Glibc

/// A file that FFmpeg reads once, from front to back, while its XXH3-128 is computed; or one that is held in memory, where that is known. One
/// owner, one thread.
@safe final class HashedInput {
  /// Owned: freed in `deinit`. The context holds an unretained reference to this object, which lives longer.
  let io: UnsafeMutablePointer<AVIOContext>
  private let source: Source
  /// The number of bytes read so far.
  private(set) var byteCount: Int64 = 0
  private var failure: MediaError?

  private enum Source {
    case file(InputFile, FileHash)
    case held(HeldFile)
  }

  /// - Throws: `MediaError` `unreadable`, `outOfMemory`.
  convenience init(_ path: String) throws(MediaError) {
    try self.init(path, .file(InputFile(path), FileHash()))
  }

  /// - Parameter path: the name of the held file in errors.
  /// - Throws: `MediaError` `outOfMemory`.
  convenience init(_ path: String, holding file: HeldFile) throws(MediaError) {
    try self.init(path, .held(file))
  }

  private init(_ path: String, _ source: Source) throws(MediaError) {
    self.source = source
    // FFmpeg copies what is longer than its buffer straight to where it is wanted. Files are read in few calls.
    let capacity: Int32 = if case .held = source { 1 << 12 } else { 1 << 18 }
    var buffer = unsafe av_malloc(Int(capacity))
    guard
      let io = unsafe avio_alloc_context(
        buffer, capacity, 0, nil,
        { unsafe HashedInput.behind($0).read(into: UnsafeMutableRawBufferPointer(start: $1, count: Int($2))) }, nil, nil)
    else {
      unsafe av_freep(&buffer)
      throw MediaError(-ENOMEM, from: "avio_alloc_context", at: path)
    }
    unsafe self.io = io
    unsafe io.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit {
    unsafe av_freep(&io.pointee.buffer)
    var io: UnsafeMutablePointer<AVIOContext>? = unsafe io
    unsafe avio_context_free(&io)
  }

  /// Reads the bytes that FFmpeg left unread.
  ///
  /// - Returns: the size and digest of the whole file.
  /// - Throws: `MediaError` `unreadable`, also for a read that failed earlier.
  func finish() throws(MediaError) -> FileDigest {
    switch source {
    case .held(let file): return file.digest
    case .file(_, let hash):
      unsafe withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { rest in
        while unsafe read(into: rest) > 0 {}
      }
      if let failure { throw failure }
      return FileDigest(byteCount: byteCount, hash: hash.finish())
    }
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
    guard failure == nil else { return spool_AVERROR_EXIT }
    do throws(MediaError) {
      let count: Int
      switch source {
      case .held(let file): count = unsafe file.copy(from: Int(byteCount), into: buffer)
      case .file(let file, let hash):
        count = try unsafe file.read(into: buffer)
        unsafe hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      }
      guard count > 0 else { return spool_AVERROR_EOF }
      byteCount += Int64(count)
      return Int32(count)
    } catch {
      // FFmpeg only needs to know that the read failed; `finish` throws the reason.
      failure = error
      return spool_AVERROR_EXIT
    }
  }

  /// - Precondition: `opaque` is the pointer that `init` stored. FFmpeg calls back only while the object lives.
  private static func behind(_ opaque: UnsafeMutableRawPointer?) -> HashedInput {
    unsafe Unmanaged<HashedInput>.fromOpaque(opaque!).takeUnretainedValue()
  }
}
