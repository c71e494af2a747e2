internal import CMicroHTTPD

/// HMAC-SHA-256 (RFC 2104): the code with which a sender proves that a message is its own.
package enum MessageCode {
  package static func code(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: 32)
    let result = unsafe gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, key.count, message, message.count, &code)
    precondition(result == 0, "GnuTLS has no HMAC-SHA-256")
    return code
  }
}

/// SHA-256 of a secret. Two are compared in a time that does not depend on where they differ.
package struct SecretDigest: Sendable {
  private let bytes: [UInt8]

  /// The number of bytes of a digest.
  private static let size = 32

  package init(of text: String) {
    var digest = [UInt8](repeating: 0, count: Self.size)
    let secret = Array(text.utf8)
    let code = unsafe gnutls_hash_fast(GNUTLS_DIG_SHA256, secret, secret.count, &digest)
    precondition(code == 0, "GnuTLS has no SHA-256")
    bytes = digest
  }

  /// - Parameter hexadecimal: 64 hexadecimal digits; nil when it is anything else.
  package init?(hexadecimal: String) {
    let digits = hexadecimal.utf8.compactMap { UInt8(String(UnicodeScalar($0)), radix: 16) }
    guard digits.count == Self.size * 2, hexadecimal.utf8.count == digits.count else { return nil }
    bytes = stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  package func equals(_ other: SecretDigest) -> Bool { unsafe gnutls_memcmp(bytes, other.bytes, Self.size) == 0 }

  /// The digest as numbers from 0 to 255.
  package var values: [UInt8] { bytes }
}
