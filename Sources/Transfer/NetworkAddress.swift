internal import CCurl
internal import Glibc

/// An address that a name was resolved to.
package struct NetworkAddress: Hashable {
  /// 4 or 16 bytes.
  let bytes: [UInt8]

  package init(bytes: [UInt8]) { self.bytes = bytes }

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

  /// Nil for what is no address of IPv4 or IPv6 in its usual form; a scope ("%eth0") is left out.
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

  /// Whether a request may go there.
  package func isWithin(_ reach: Reach) -> Bool {
    switch reach {
    case .everywhere: true
    case .networks: !isLinkLocal
    case .internet: !isPrivate && !isLinkLocal
    }
  }

  /// Whether it is of the link (169.254/16, fe80::/10), or where clouds have theirs instead.
  var isLinkLocal: Bool {
    if let v4 = embedded { return v4[..<2] == [169, 254] || Self.ofClouds.contains(v4) }
    return bytes[0] == 0xfe && bytes[1] & 0xc0 == 0x80 || Self.ofClouds.contains(bytes)
  }

  /// Where clouds tell machines their secrets beside 169.254.169.254: Alibaba's, Azure's, Oracle's; Amazon's and Google's of IPv6.
  private static let ofClouds: Set<[UInt8]> = [
    [100, 100, 100, 200], [168, 63, 129, 16], [192, 0, 0, 192], [0xfd, 0, 0x0e, 0xc2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54],
    [0xfd, 0x20, 0, 0xce, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x02, 0x54],
  ]

  /// The address of IPv4 that it is, or is another form of: mapped, compatible, translated (64:ff9b::/96), 6to4.
  private var embedded: [UInt8]? {
    guard bytes.count == 16 else { return bytes }
    if bytes[..<10].allSatisfy({ $0 == 0 }), bytes[10...11] == [0xff, 0xff] || bytes[10...11] == [0, 0] {
      return Array(bytes[12...])
    }
    if bytes[..<12] == [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0] { return Array(bytes[12...]) }
    return bytes[..<2] == [0x20, 0x02] ? Array(bytes[2..<6]) : nil
  }

  /// Whether it is this machine's, a private network's, or otherwise nobody's on the internet (RFC 6890).
  var isPrivate: Bool {
    if let embedded { return Self.isPrivate(v4: embedded) }
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
