internal import Glibc
internal import Linux
internal import Media
internal import Subprocess

/// The protocol, over a pair of sockets, between a courier and its attempt for media behind URLs. The attempt asks for a block of
/// a source, and the courier sends the block or the reason why it cannot. A command that probes media and the process that reads
/// them speak it too; that process first asks for versions. Both ends belong to one program on one machine. Numbers are
/// little-endian.
struct MediaLine {
  struct Request: Hashable {
    /// The index of the source among the job's sources, which are in the order of their assets' names.
    var source: UInt32
    /// The number of the block; nil asks for the source's version.
    var block: UInt32?
  }

  enum Reply: Hashable {
    case block([UInt8])
    case version(RemoteVersion)
    case failure(MediaError.Kind, String)
  }

  /// The other side has closed its end, or sends something that is not in the protocol.
  struct Broken: Error {}

  /// The block number that asks for a version. No source has so many blocks.
  private static let wholeSource = UInt32.max
  /// The number that marks a reply as a version. 0 marks a block, and the numbers between mark failures.
  private static var versionReply: Int { MediaError.Kind.allCases.count + 1 }

  private let descriptor: Descriptor

  init(_ descriptor: Descriptor) { self.descriptor = descriptor }

  func send(_ request: Request) throws(Broken) {
    try write(Self.bytes(of: request.source) + Self.bytes(of: request.block ?? Self.wholeSource))
  }

  /// Waits for the next request.
  func request() throws(Broken) -> Request {
    let bytes = try read(8)
    let block = Self.number(bytes[4...])
    return Request(source: Self.number(bytes[..<4]), block: block == Self.wholeSource ? nil : block)
  }

  func send(_ reply: Reply) throws(Broken) {
    switch reply {
    case .block(let bytes): try write(Self.bytes(of: UInt32(bytes.count)) + Self.bytes(of: 0) + bytes)
    case .version(let version):
      let size = UInt64(bitPattern: version.byteCount)
      let bytes = Self.bytes(of: UInt32(truncatingIfNeeded: size)) + Self.bytes(of: UInt32(size >> 32)) + Array(version.tag.utf8)
      try write(Self.bytes(of: UInt32(bytes.count)) + Self.bytes(of: UInt32(Self.versionReply)) + bytes)
    case .failure(let kind, let reason):
      let index = MediaError.Kind.allCases.firstIndex(of: kind) ?? 0
      let text = Array(reason.utf8.prefix(RemoteMedia.blockSize))
      try write(Self.bytes(of: UInt32(text.count)) + Self.bytes(of: UInt32(index + 1)) + text)
    }
  }

  /// Waits for the reply.
  func reply() throws(Broken) -> Reply {
    let head = try read(8)
    let (count, kind) = (Int(Self.number(head[..<4])), Int(Self.number(head[4...])))
    guard count <= RemoteMedia.blockSize, kind <= Self.versionReply else { throw Broken() }
    let bytes = try read(count)
    guard kind > 0 else { return .block(bytes) }
    guard kind < Self.versionReply else {
      guard count >= 8 else { throw Broken() }
      let size = UInt64(Self.number(bytes[4..<8])) << 32 | UInt64(Self.number(bytes[..<4]))
      return .version(RemoteVersion(byteCount: Int64(bitPattern: size), tag: String(decoding: bytes[8...], as: UTF8.self)))
    }
    return .failure(MediaError.Kind.allCases[kind - 1], String(decoding: bytes, as: UTF8.self))
  }

  /// Whether the other side has sent a request or closed its end.
  var isWaiting: Bool { Readiness.canRead(descriptor.number) }

  private func write(_ bytes: [UInt8]) throws(Broken) {
    let code = unsafe bytes.withUnsafeBytes { bytes in
      SystemCall.write(bytes.count) {
        unsafe Glibc.send(descriptor.number, bytes.baseAddress! + $0, bytes.count - $0, Int32(MSG_NOSIGNAL))
      }
    }
    guard code == 0 else { throw Broken() }
  }

  private func read(_ count: Int) throws(Broken) -> [UInt8] {
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      done = SystemCall.read(count) { unsafe Glibc.read(descriptor.number, buffer.baseAddress! + $0, count - $0) }.count
    }
    guard bytes.count == count else { throw Broken() }
    return bytes
  }

  private static func bytes(of number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
}
