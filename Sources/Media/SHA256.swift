internal import CFFmpeg
internal import Glibc

/// A SHA-256 fed piece by piece, computed by libavutil. One owner, one thread.
@safe final class SHA256 {
  /// Owned: allocated by `av_sha_alloc`, freed once in `deinit`.
  private let context: OpaquePointer

  /// - Throws: `MediaError` `outOfMemory`.
  init() throws(MediaError) {
    guard let context = unsafe av_sha_alloc() else { throw MediaError(-ENOMEM, from: "av_sha_alloc", at: "FFmpeg") }
    unsafe self.context = context
    unsafe av_sha_init(context, 256)
  }

  deinit { unsafe av_free(UnsafeMutableRawPointer(context)) }

  func update(_ bytes: UnsafeRawBufferPointer) {
    guard let base = bytes.baseAddress else { return }
    unsafe av_sha_update(context, base.assumingMemoryBound(to: UInt8.self), bytes.count)
  }

  /// The digest of all bytes so far, 64 lower-case hexadecimal digits. Nothing may be added afterwards.
  func finish() -> String {
    let digits = Array("0123456789abcdef".utf8)
    return unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { digest in
      // 32 bytes are what SHA-256 writes, and what was allocated.
      unsafe av_sha_final(context, digest.baseAddress)
      return unsafe String(decoding: digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
  }

  /// The digest of some bytes at once.
  static func digest(of bytes: UnsafeRawBufferPointer) throws(MediaError) -> String {
    let hash = try SHA256()
    unsafe hash.update(bytes)
    return hash.finish()
  }
}
