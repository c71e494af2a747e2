internal import CXXHash

/// The XXH3-128 of some bytes. Equal bytes have equal digests on every machine. It gives no protection against forgery.
package struct ContentDigest: Hashable, Sendable, CustomStringConvertible {
  package let high: UInt64
  package let low: UInt64

  package init(of bytes: UnsafeRawBufferPointer) {
    self.init(unsafe XXH3_128bits(bytes.baseAddress, bytes.count))
  }

  fileprivate init(_ hash: XXH128_hash_t) {
    (high, low) = (hash.high64, hash.low64)
  }

  /// The digest as 32 lower-case hexadecimal digits, as `xxh128sum` prints it.
  package var description: String { Self.hexadecimal(high) + Self.hexadecimal(low) }

  private static func hexadecimal(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// Computes a `ContentDigest` of bytes that come in pieces. The division into pieces does not matter.
@safe package struct ContentHasher: ~Copyable {
  private let state: OpaquePointer

  /// - Throws: `MediaError` `outOfMemory`.
  package init() throws(MediaError) {
    guard let state = unsafe XXH3_createState() else {
      throw MediaError(.outOfMemory, at: "digest", "there is not enough memory for its state")
    }
    unsafe self.state = state
    reset()
  }

  deinit { _ = unsafe XXH3_freeState(state) }

  /// Forgets everything added so far.
  package func reset() { _ = unsafe XXH3_128bits_reset(state) }

  /// Adds `bytes`, which are read before the call returns.
  package func update(_ bytes: UnsafeRawBufferPointer) {
    // This fails only for a null state.
    _ = unsafe XXH3_128bits_update(state, bytes.baseAddress, bytes.count)
  }

  /// Adds the bytes of another digest, in its canonical (big-endian) form.
  package func update(_ digest: ContentDigest) {
    unsafe withUnsafeBytes(of: (digest.high.bigEndian, digest.low.bigEndian)) { unsafe update($0) }
  }

  /// The digest of everything added so far. More may be added after it.
  package var digest: ContentDigest { ContentDigest(unsafe XXH3_128bits_digest(state)) }
}
