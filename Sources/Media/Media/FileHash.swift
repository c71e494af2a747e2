/// Computes the XXH3-128 of a file's bytes, piece by piece. It detects damage at the speed of memory. SHA-256 in libavutil's C
/// would cost a tenth of a lossless render. One owner, one thread.
final class FileHash {
  private let hasher: ContentHasher

  /// - Throws: `MediaError` `outOfMemory`.
  init() throws(MediaError) { hasher = try ContentHasher() }

  func update(_ bytes: UnsafeRawBufferPointer) {
    unsafe hasher.update(bytes)
  }

  /// The digest of all bytes so far, as 32 lower-case hexadecimal digits.
  func finish() -> String { hasher.digest.description }

  /// The digest of `bytes`.
  static func digest(of bytes: UnsafeRawBufferPointer) throws(MediaError) -> String {
    let hash = try FileHash()
    unsafe hash.update(bytes)
    return hash.finish()
  }
}
