import Glibc
import Testing

/// A peer that speaks ZeroMQ's protocol (ZMTP 3.0, mechanism NULL) by hand, so that it can say what libzmq would not.
final class RawPeer {
  private let descriptor: Int32

  /// A message of one short frame; the frame's length is one byte.
  static let message = frame([0x78])
  /// A message of the farm's protocol in a version that the coordinator does not speak. The coordinator answers it.
  static let question = frame(Array("spool/0".utf8), flags: 1) + frame(Array("{}".utf8))
  /// The command PING with a time to live of six seconds.
  static let ping = frame([4] + Array("PING".utf8) + [0, 60], flags: 4)

  /// Connects to a socket file and says its name.
  /// - Parameter routingID: the name by which the ROUTER addresses it.
  init(_ routingID: String, at path: String) throws {
    descriptor = try Self.connection(path)
    let mechanism = Array("NULL".utf8) + [UInt8](repeating: 0, count: 16)
    try send([0xff] + [UInt8](repeating: 0, count: 8) + [0x7f, 3, 0] + mechanism + [UInt8](repeating: 0, count: 32))
    try expect(bytes: 64)
    let socketType = Self.property("Socket-Type", "DEALER")
    try send(Self.frame([5] + Array("READY".utf8) + socketType + Self.property("Identity", routingID), flags: 4))
    // The answer is the other end's READY, whose second byte is its length.
    try expect(bytes: Int(try expect(bytes: 2)[1]))
  }

  deinit { close(descriptor) }

  /// Sends all bytes, or as many as the other end takes within two seconds.
  func send(_ bytes: [UInt8]) throws {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  /// Waits for an answer and reads all of it. Unread bytes would make the connection end in another way.
  func awaitAnswer() throws {
    var buffer = [UInt8](repeating: 0, count: 4096)
    try #require(unsafe recv(descriptor, &buffer, buffer.count, 0) > 0, "the other end says nothing")
  }

  @discardableResult private func expect(bytes: Int) throws -> [UInt8] {
    var received: [UInt8] = []
    while received.count < bytes {
      var buffer = [UInt8](repeating: 0, count: bytes - received.count)
      let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
      try #require(count > 0, "the other end says nothing")
      received += buffer.prefix(count)
    }
    return received
  }

  /// A frame of the protocol.
  ///
  /// - Parameter flags: 1 if another frame of the message follows, 4 for a command.
  private static func frame(_ body: [UInt8], flags: UInt8 = 0) -> [UInt8] { [flags, UInt8(body.count)] + body }

  private static func property(_ name: String, _ value: String) -> [UInt8] {
    [UInt8(name.utf8.count)] + Array(name.utf8) + [0, 0, 0, UInt8(value.utf8.count)] + Array(value.utf8)
  }

  private static func connection(_ path: String) throws -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    try #require(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    try #require(descriptor >= 0)
    var patience = timeval(tv_sec: 10, tv_usec: 0)
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    patience.tv_sec = 2
    unsafe setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let result = unsafe withUnsafePointer(to: address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
    try #require(result == 0)
    return descriptor
  }
}
