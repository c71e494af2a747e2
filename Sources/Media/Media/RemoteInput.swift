internal import CFFmpeg
internal import Glibc

/// A source that FFmpeg does not open itself: it is read in blocks through a `RemoteFile`. One owner, one thread.
@safe final class RemoteInput {
  /// Owned: freed in `deinit`. The context holds an unretained reference to this object, which lives longer.
  let pointer: UnsafeMutablePointer<AVIOContext>
  let version: RemoteVersion
  /// The error of a read that failed. FFmpeg knows only that a read failed, and may go on as if the source ended there.
  private(set) var failure: MediaError?
  private let file: RemoteFile
  private var offset: Int64 = 0
  /// The block that was read last.
  private var block: (number: Int64, bytes: [UInt8]) = (-1, [])

  /// - Throws: `MediaError` `outOfMemory`.
  init(_ file: RemoteFile, at place: String) throws(MediaError) {
    self.file = file
    version = file.version
    let capacity: Int32 = 1 << 15
    var buffer = unsafe av_malloc(Int(capacity))
    guard
      let pointer = unsafe avio_alloc_context(
        buffer, capacity, 0, nil,
        { unsafe RemoteInput.behind($0).read(into: UnsafeMutableRawBufferPointer(start: $1, count: Int($2))) }, nil,
        { unsafe RemoteInput.behind($0).seek(to: $1, $2) })
    else {
      unsafe av_freep(&buffer)
      throw MediaError(-ENOMEM, from: "avio_alloc_context", at: place)
    }
    unsafe self.pointer = pointer
    unsafe pointer.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
  }

  deinit {
    unsafe av_freep(&pointer.pointee.buffer)
    var pointer: UnsafeMutablePointer<AVIOContext>? = unsafe pointer
    unsafe avio_context_free(&pointer)
  }

  private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
    guard failure == nil else { return -EIO }
    guard offset < version.byteCount else { return spool_AVERROR_EOF }
    if let bytes = unsafe file.bytes {
      let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(Int(min(version.byteCount - offset, 1 << 30))))
      do throws(MediaError) { try unsafe bytes(offset, room) } catch {
        failure = error
        return -EIO
      }
      offset += Int64(room.count)
      return Int32(room.count)
    }
    let (number, start) = offset.quotientAndRemainder(dividingBy: Int64(RemoteMedia.blockSize))
    do throws(MediaError) {
      if block.number != number { block = (number, try file.block(number)) }
    } catch {
      failure = error
      return -EIO
    }
    let piece = block.bytes[Int(start)...].prefix(buffer.count)
    unsafe buffer.copyBytes(from: piece)
    offset += Int64(piece.count)
    return Int32(piece.count)
  }

  private func seek(to target: Int64, _ whence: Int32) -> Int64 {
    let whence = whence & ~AVSEEK_FORCE
    if whence == AVSEEK_SIZE { return version.byteCount }
    let origin = whence == SEEK_CUR ? offset : whence == SEEK_END ? version.byteCount : 0
    let (sum, overflows) = origin.addingReportingOverflow(target)
    guard !overflows, sum >= 0 else { return Int64(-EINVAL) }
    offset = sum
    return offset
  }

  /// - Precondition: `opaque` is the pointer that `init` stored. FFmpeg calls back only while the object lives.
  private static func behind(_ opaque: UnsafeMutableRawPointer?) -> RemoteInput {
    unsafe Unmanaged<RemoteInput>.fromOpaque(opaque!).takeUnretainedValue()
  }
}
