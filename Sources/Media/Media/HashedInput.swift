internal import CFFmpeg
internal import Glibc

/// A file that FFmpeg reads once, from front to back, while its XXH3-128 is computed. One owner, one thread.
@safe final class HashedInput {
  /// Owned: freed in `deinit`. The context holds an unretained reference to this object, which lives longer.
  let io: UnsafeMutablePointer<AVIOContext>
  private let file: InputFile
  private let hash: FileHash
  /// The number of bytes read so far.
  private(set) var byteCount: Int64 = 0
  private var failure: MediaError?

  /// - Throws: `MediaError` `unreadable`, `outOfMemory`.
  init(_ path: String) throws(MediaError) {
    file = try InputFile(path)
    hash = try FileHash()
    let capacity: Int32 = 1 << 18
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
    unsafe withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { rest in
      while unsafe read(into: rest) > 0 {}
    }
    if let failure { throw failure }
    return FileDigest(byteCount: byteCount, hash: hash.finish())
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
    guard failure == nil else { return spool_AVERROR_EXIT }
    do throws(MediaError) {
      let count = try unsafe file.read(into: buffer)
      guard count > 0 else { return spool_AVERROR_EOF }
      unsafe hash.update(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
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
