internal import Glibc
internal import Media
internal import Subprocess

/// What a courier and its attempt say to each other of media behind URLs, over a pair of sockets: which block of which source, and
/// what it holds or why it cannot be had. Both are of one program on one machine: numbers go as they are.
struct MediaLine {
  struct Request: Hashable {
    /// Among the sources of the job, in the order of their assets' names.
    var source: UInt32
    var block: UInt32
  }

  enum Reply: Hashable {
    case block([UInt8])
    case failure(MediaError.Kind, String)
  }

  /// The other side is gone, or talks nonsense.
  struct Broken: Error {}

  private let descriptor: Descriptor

  init(_ descriptor: Descriptor) { self.descriptor = descriptor }

  func send(_ request: Request) throws(Broken) {
    try write(Self.bytes(of: request.source) + Self.bytes(of: request.block))
  }

  /// Waits for it.
  func request() throws(Broken) -> Request {
    let bytes = try read(8)
    return Request(source: Self.number(bytes[..<4]), block: Self.number(bytes[4...]))
  }

  func send(_ reply: Reply) throws(Broken) {
    switch reply {
    case .block(let bytes): try write(Self.bytes(of: UInt32(bytes.count)) + Self.bytes(of: 0) + bytes)
    case .failure(let kind, let reason):
      let index = MediaError.Kind.allCases.firstIndex(of: kind) ?? 0
      let text = Array(reason.utf8.prefix(RemoteMedia.blockSize))
      try write(Self.bytes(of: UInt32(text.count)) + Self.bytes(of: UInt32(index + 1)) + text)
    }
  }

  /// Waits for it.
  func reply() throws(Broken) -> Reply {
    let head = try read(8)
    let (count, kind) = (Int(Self.number(head[..<4])), Int(Self.number(head[4...])))
    guard count <= RemoteMedia.blockSize, kind <= MediaError.Kind.allCases.count else { throw Broken() }
    let bytes = try read(count)
    guard kind > 0 else { return .block(bytes) }
    return .failure(MediaError.Kind.allCases[kind - 1], String(decoding: bytes, as: UTF8.self))
  }

  /// Whether the other side has asked, or hung up.
  var isWaiting: Bool {
    var entry = pollfd(fd: descriptor.number, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, 0) != 0
  }

  private func write(_ bytes: [UInt8]) throws(Broken) {
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.send(descriptor.number, $0.baseAddress! + done, $0.count - done, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 || errno == EINTR else { throw Broken() }
      done += max(count, 0)
    }
  }

  private func read(_ count: Int) throws(Broken) -> [UInt8] {
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, done in
      while done < count {
        let read = unsafe Glibc.read(descriptor.number, buffer.baseAddress! + done, count - done)
        guard read > 0 || (read < 0 && errno == EINTR) else { return }
        done += max(read, 0)
      }
    }
    guard bytes.count == count else { throw Broken() }
    return bytes
  }

  private static func bytes(of number: UInt32) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) } }

  private static func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } }
}
