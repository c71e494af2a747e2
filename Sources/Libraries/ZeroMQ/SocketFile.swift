internal import Glibc
internal import Linux

/// The socket file of an `ipc://` endpoint. libzmq removes whatever is at the path before it binds. So a file would be lost, and
/// a program that listens there would lose its peers without a word.
enum SocketFile {
  /// Checks that nothing is in the way of an endpoint.
  ///
  /// - Throws: `ZeroMQError` when somebody listens there, or another kind of file is there.
  static func requireFree(_ endpoint: String) throws(ZeroMQError) {
    let scheme = "ipc://"
    guard endpoint.hasPrefix(scheme) else { return }
    // libzmq chooses a name for "*", and a path that begins with "@" has no file. Neither is found here.
    let path = String(endpoint.dropFirst(scheme.count))
    var facts = stat()
    guard unsafe lstat(path, &facts) == 0 else { return }
    guard facts.st_mode & S_IFMT == S_IFSOCK else {
      throw ZeroMQError("zmq_bind", endpoint, code: EEXIST, reason: "a file that is no socket stands there")
    }
    guard try isListening(at: path, endpoint) else { return }
    throw ZeroMQError("zmq_bind", endpoint, code: EADDRINUSE, reason: SystemWords.of(EADDRINUSE))
  }

  /// Whether somebody accepts a connection. The socket of a killed program refuses it.
  private static func isListening(at path: String, _ endpoint: String) throws(ZeroMQError) -> Bool {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    // A path that is too long is refused by zmq_bind.
    guard path.utf8.count < MemoryLayout.size(ofValue: address.sun_path) else { return false }
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path.utf8) }
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw ZeroMQError("socket", endpoint) }
    defer { close(descriptor) }
    return unsafe withUnsafePointer(to: address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }
}
