internal import Glibc

/// A small text file, and what tells whether it was changed.
enum TextFile {
  struct Version: Hashable {
    let device: UInt, inode: UInt, size: Int, seconds: Int, nanoseconds: Int

    init(_ facts: stat) {
      (device, inode, size) = (UInt(facts.st_dev), UInt(facts.st_ino), Int(facts.st_size))
      (seconds, nanoseconds) = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
    }
  }

  static func version(_ path: String) throws(ZeroMQError) -> Version {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { throw ZeroMQError("stat", path) }
    return Version(facts)
  }

  /// - Parameter isSecret: refuse a file that others than its owner can open.
  static func read(_ path: String, limit: Int, isSecret: Bool = false) throws(ZeroMQError) -> (text: String, version: Version) {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw ZeroMQError("open", path) }
    defer { close(descriptor) }
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0 else { throw ZeroMQError("fstat", path) }
    guard !isSecret || facts.st_mode & 0o077 == 0 else {
      throw ZeroMQError("open", path, code: EPERM, reason: "a secret key must be its owner's alone (chmod 600)")
    }
    guard facts.st_size <= limit else { throw ZeroMQError("read", path, code: EFBIG, reason: "more than \(limit) bytes") }
    var bytes: [UInt8] = []
    while true {
      var failure: ZeroMQError?
      let piece = unsafe [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
        let result = unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        if result < 0 { failure = ZeroMQError("read", path) }
        count = max(result, 0)
      }
      if let failure { throw failure }
      bytes += piece
      guard bytes.count <= limit else { throw ZeroMQError("read", path, code: EFBIG, reason: "more than \(limit) bytes") }
      if piece.isEmpty { return (String(decoding: bytes, as: UTF8.self), Version(facts)) }
    }
  }
}
