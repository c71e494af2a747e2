internal import CCurl
internal import Glibc

/// An address that a name was resolved to.
struct NetworkAddress: Hashable {
  /// 4 or 16 bytes.
  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  /// Nil for neither IPv4 nor IPv6.
  init?(_ address: UnsafePointer<sockaddr>) {
    switch unsafe Int32(address.pointee.sa_family) {
    case AF_INET:
      bytes = unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
        unsafe withUnsafeBytes(of: address.pointee.sin_addr) { unsafe Array($0) }
      }
    case AF_INET6:
      // libcurl's copy is long enough for any address (`struct curl_sockaddr`).
      bytes = unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
        unsafe withUnsafeBytes(of: address.pointee.sin6_addr) { unsafe Array($0) }
      }
    default: return nil
    }
  }

  /// Whether it is this machine's, a private network's, or otherwise nobody's on the internet (RFC 6890).
  var isPrivate: Bool {
    guard bytes.count == 16 else { return Self.isPrivate(v4: bytes) }
    // IPv4 in IPv6: mapped, compatible, translated (64:ff9b::/96), 6to4.
    if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10...11] == [0xff, 0xff] || bytes[10...11] == [0, 0] {
      return Self.isPrivate(v4: Array(bytes[12...]))
    }
    if bytes[..<12] == [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0] { return Self.isPrivate(v4: Array(bytes[12...])) }
    if bytes[..<2] == [0x20, 0x02] { return Self.isPrivate(v4: Array(bytes[2..<6])) }
    // Only 2000::/3 is routed, and of it not what is for documentation, Teredo and the like (2001:0::/23, 2001:db8::/32).
    guard bytes[0] & 0xe0 == 0x20 else { return true }
    return bytes[..<2] == [0x20, 0x01] && (bytes[2] < 2 || bytes[2...3] == [0x0d, 0xb8])
  }

  private static func isPrivate(v4 bytes: [UInt8]) -> Bool {
    switch (bytes[0], bytes[1], bytes[2]) {
    case (0, _, _), (10, _, _), (127, _, _), (169, 254, _), (172, 16...31, _), (192, 168, _), (100, 64...127, _),
      (192, 0, 0), (192, 0, 2), (198, 18...19, _), (198, 51, 100), (203, 0, 113), (224..., _, _):
      true
    default: false
    }
  }
}
