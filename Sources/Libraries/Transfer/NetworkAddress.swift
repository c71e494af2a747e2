internal import CCurl
internal import Glibc

/// An IP address to which a host's name was resolved.
package struct NetworkAddress: Hashable {
  /// The address in network byte order: 4 bytes for IPv4, 16 bytes for IPv6.
  let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

  /// Returns nil for an address that is neither IPv4 nor IPv6.
  init?(_ address: UnsafePointer<sockaddr>) {
    switch unsafe Int32(address.pointee.sa_family) {
    case AF_INET:
      bytes = unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { address in
        unsafe withUnsafeBytes(of: address.pointee.sin_addr) { unsafe Array($0) }
      }
    case AF_INET6:
      // libcurl's buffer is long enough for any address (`struct curl_sockaddr`).
      bytes = unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { address in
        unsafe withUnsafeBytes(of: address.pointee.sin6_addr) { unsafe Array($0) }
      }
    default: return nil
    }
  }

  /// Reads an IPv4 or IPv6 address in its usual text form; nil for any other text. A scope such as "%eth0" is ignored.
  package init?(text: String) {
    let bare = String(text.prefix { $0 != "%" })
    var bytes = [UInt8](repeating: 0, count: 16)
    if unsafe inet_pton(AF_INET, bare, &bytes) == 1 {
      self.bytes = Array(bytes[..<4])
    } else if unsafe inet_pton(AF_INET6, bare, &bytes) == 1 {
      self.bytes = bytes
    } else {
      return nil
    }
  }

  /// Whether a request that is limited to this reach may connect to the address.
  package func isWithin(_ reach: Reach) -> Bool {
    switch reach {
    case .everywhere: true
    case .networks: !isLinkLocal
    case .internet: !isPrivate && !isLinkLocal
    }
  }

  /// Whether the address is link-local (169.254.0.0/16, fe80::/10), or one that a cloud uses for the same purpose.
  var isLinkLocal: Bool {
    if let v4 = embedded { return Self.isLinkLocal(v4: v4) }
    if localTranslations.contains(where: Self.isLinkLocal) { return true }
    return bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80 || Self.ofClouds.contains(bytes)
  }

  /// The addresses, besides 169.254.169.254, where clouds give machines their secrets: Alibaba's, Azure's and Oracle's, and the
  /// IPv6 addresses of Amazon and Google.
  private static let ofClouds: Set<[UInt8]> = [
    [100, 100, 100, 200], [168, 63, 129, 16], [192, 0, 0, 192], [0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54],
    [0xfd, 0x20, 0, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54],
  ]

  private static func isLinkLocal(v4 bytes: [UInt8]) -> Bool { bytes[..<2] == [169, 254] || ofClouds.contains(bytes) }

  /// The IPv4 addresses that this address may contain when it has the prefix for a network's own translation, 64:ff9b:1::/48 (RFC
  /// 8215). The network chooses how long its prefix is, 48 to 96 bits, and that decides where the IPv4 address stands (RFC 6052,
  /// section 2.2).
  private var localTranslations: [[UInt8]] {
    guard bytes.count == 16, bytes[..<6] == [0, 0x64, 0xff, 0x9b, 0, 1] else { return [] }
    return [[6, 7, 9, 10], [7, 9, 10, 11], [9, 10, 11, 12], [12, 13, 14, 15]].map { places in places.map { bytes[$0] } }
  }

  /// The IPv4 address that this address is or contains: IPv4-mapped, IPv4-compatible, translated (64:ff9b::/96) or 6to4.
  private var embedded: [UInt8]? {
    guard bytes.count == 16 else { return bytes }
    if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10...11] == [0xff, 0xff] || bytes[10...11] == [0, 0] {
      return Array(bytes[12...])
    }
    if bytes[..<12] == [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0] { return Array(bytes[12...]) }
    return bytes[..<2] == [0x20, 0x02] ? Array(bytes[2..<6]) : nil
  }

  /// Whether the address is this machine's, a private network's, or otherwise not on the public internet (RFC 6890).
  var isPrivate: Bool {
    if let embedded { return Self.isPrivate(v4: embedded) }
    // Only 2000::/3 is routed. 2001::/23 (Teredo and other protocols) and 2001:db8::/32 (documentation) in it are not.
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
