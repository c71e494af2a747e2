internal import CMicroHTTPD
internal import Glibc

/// The address and port at which a server listens, such as `127.0.0.1:7410` or `[::1]:7410`.
package struct ListenAddress: Hashable, Sendable, CustomStringConvertible {
  package let host: String
  package let port: UInt16

  /// - Parameter text: a numeric address, or `localhost`, and a port; nil when it is not one.
  package init?(_ text: String) {
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    var host = String(text[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    if host == "localhost" { host = "127.0.0.1" }
    guard Self.isNumeric(host) else { return nil }
    (self.host, self.port) = (host, port)
  }

  package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

  /// Whether only programs of this machine reach the address.
  package var isLoopback: Bool { host == "::1" || host.hasPrefix("127.") }

  /// Whether the text is an IPv4 or IPv6 address in numbers, without brackets.
  package static func isNumeric(_ text: String) -> Bool {
    var (four, six) = (in_addr(), in6_addr())
    return unsafe inet_pton(AF_INET, text, &four) == 1 || inet_pton(AF_INET6, text, &six) == 1
  }

  /// A socket that listens there.
  /// - Returns: its descriptor, and its port, which the system chooses for port 0.
  func listen() throws(WebServerError) -> (socket: Int32, port: UInt16) {
    let family = host.contains(":") ? AF_INET6 : AF_INET
    let number = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { throw WebServerError(description, code: errno) }
    var one: Int32 = 1
    unsafe setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    guard bind(number) == 0, Glibc.listen(number, 1024) == 0 else {
      let code = errno
      close(number)
      throw WebServerError(description, code: code)
    }
    var (address, size) = (sockaddr_storage(), socklen_t(MemoryLayout<sockaddr_storage>.size))
    unsafe withUnsafeMutableBytes(of: &address) { bytes in
      _ = unsafe getsockname(number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), &size)
    }
    // The port stands at the same place in both kinds of address, in the network's order.
    let bound = unsafe withUnsafeBytes(of: address) { unsafe UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)) }
    return (number, bound)
  }

  private func bind(_ number: Int32) -> Int32 {
    if host.contains(":") {
      var address = sockaddr_in6()
      (address.sin6_family, address.sin6_port) = (sa_family_t(AF_INET6), port.bigEndian)
      unsafe inet_pton(AF_INET6, host, &address.sin6_addr)
      return unsafe withUnsafeBytes(of: address) { bytes in
        unsafe Glibc.bind(number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
      }
    }
    var address = sockaddr_in()
    (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
    unsafe inet_pton(AF_INET, host, &address.sin_addr)
    return unsafe withUnsafeBytes(of: address) { bytes in
      unsafe Glibc.bind(number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
  }
}
