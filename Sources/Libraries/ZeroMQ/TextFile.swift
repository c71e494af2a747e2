internal import Glibc
internal import Linux

/// Reading of small text files, and noticing when they change.
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

  /// The text of a file, and its version.
  ///
  /// - Parameters:
  ///   - limit: the most bytes; a longer file is refused.
  ///   - isSecret: whether to refuse a file that others can open. Its owner may, and if that is root, a group of this process.
  static func read(_ path: String, limit: Int, isSecret: Bool = false) throws(ZeroMQError) -> (text: String, version: Version) {
    let descriptor = Int32(try uninterrupted("open", path) { Int(unsafe open(path, O_RDONLY | O_CLOEXEC)) })
    defer { close(descriptor) }
    var facts = stat()
    guard unsafe fstat(descriptor, &facts) == 0 else { throw ZeroMQError("fstat", path) }
    guard facts.st_mode & S_IFMT != S_IFDIR else { throw ZeroMQError("open", path, code: EISDIR, reason: SystemWords.of(EISDIR)) }
    guard !isSecret || Self.isSecret(facts) else {
      let reason = "a secret key must be its owner's alone (chmod 600), or root's and for a group of ours to read (chmod 440)"
      throw ZeroMQError("open", path, code: EPERM, reason: reason)
    }
    guard facts.st_size <= limit else { throw ZeroMQError("read", path, code: EFBIG, reason: "more than \(limit) bytes") }
    var (bytes, buffer) = ([UInt8](), [UInt8](repeating: 0, count: 65536))
    while true {
      let count = try uninterrupted("read", path) {
        unsafe buffer.withUnsafeMutableBytes { unsafe Glibc.read(descriptor, $0.baseAddress, $0.count) }
      }
      bytes += buffer.prefix(count)
      guard bytes.count <= limit else { throw ZeroMQError("read", path, code: EFBIG, reason: "more than \(limit) bytes") }
      if count == 0 { return (String(decoding: bytes, as: UTF8.self), Version(facts)) }
    }
  }

  /// Whether a file is secret enough. Kubernetes gives secrets to pods of other users in the second form: the file is root's, and
  /// its group may read it. Only root can make such a file.
  private static func isSecret(_ facts: stat) -> Bool {
    if facts.st_mode & 0o077 == 0 { return true }
    return facts.st_uid == 0 && facts.st_mode & 0o037 == 0 && isOurs(facts.st_gid)
  }

  private static func isOurs(_ group: gid_t) -> Bool {
    var groups = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
    let count = unsafe getgroups(Int32(groups.count), &groups)
    return group == getegid() || groups.prefix(max(0, Int(count))).contains(group)
  }

  /// Repeats a call while signals interrupt it.
  ///
  /// - Returns: the result of the call.
  private static func uninterrupted(_ call: String, _ path: String, _ body: () -> Int) throws(ZeroMQError) -> Int {
    let result = SystemCall.uninterrupted(body)
    guard result >= 0 else { throw ZeroMQError(call, path) }
    return result
  }
}
