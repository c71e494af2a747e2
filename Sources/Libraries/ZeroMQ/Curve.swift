internal import CZeroMQ
internal import Glibc
internal import Linux

/// A key of CURVE: 32 bytes, written as 40 characters of Z85.
package struct CurveKey: Hashable, Sendable, CustomStringConvertible {
  package let bytes: [UInt8]

  /// The key in `text`; nil when it is not 40 characters of Z85.
  package init?(_ text: some StringProtocol) {
    guard text.utf8.count == 40 else { return nil }
    var decoded = [UInt8](repeating: 0, count: 32)
    guard unsafe zmq_z85_decode(&decoded, String(text)) != nil else { return nil }
    bytes = decoded
  }

  /// - Throws: when `text` is not 40 characters of Z85.
  package init(checking text: String) throws(ZeroMQError) {
    guard let key = CurveKey(text) else {
      throw ZeroMQError("CURVE", "'\(text.prefix(60))'", code: EINVAL, reason: "not a key of 40 Z85 characters")
    }
    self = key
  }

  /// - Precondition: 32 bytes.
  init(bytes: [UInt8]) {
    precondition(bytes.count == 32)
    self.bytes = bytes
  }

  package var description: String {
    var text = [CChar](repeating: 0, count: 41)
    unsafe zmq_z85_encode(&text, bytes, bytes.count)
    return String(text.dropLast())
  }
}

/// A secret key and its public key.
///
/// The file has one line, the secret key. It must belong to the user who reads it, and nobody else may open it. Or it belongs to
/// root, and a group of this process may read it.
package struct CurveKeyPair: Sendable {
  package let `public`: CurveKey
  package let secret: CurveKey

  /// A new random pair (zmq_curve_keypair).
  package static func generate() throws(ZeroMQError) -> CurveKeyPair {
    var (publicText, secretText) = ([CChar](repeating: 0, count: 41), [CChar](repeating: 0, count: 41))
    guard unsafe zmq_curve_keypair(&publicText, &secretText) == 0 else { throw ZeroMQError("zmq_curve_keypair") }
    return try CurveKeyPair(secretText: String(secretText.dropLast()), from: "zmq_curve_keypair")
  }

  /// Reads a pair from a file.
  ///
  /// - Throws: when the file cannot be read, is readable by others, or holds no key.
  package init(secretKeyFile path: String) throws(ZeroMQError) {
    let text = try TextFile.read(path, limit: 4096, isSecret: true).text
    try self.init(secretText: text.trimmedLine, from: path)
  }

  /// Writes the secret key to a new file with mode 0600. The file must not exist.
  package func write(secretKeyFile path: String) throws(ZeroMQError) {
    let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw ZeroMQError("open", path) }
    defer { close(descriptor) }
    var code = SystemCall.write(Array("\(secret)\n".utf8), to: descriptor)
    if code == 0, fsync(descriptor) != 0 { code = errno }
    guard code == 0 else { throw ZeroMQError("write", path, code: code) }
  }

  private init(secretText: String, from subject: String) throws(ZeroMQError) {
    var publicText = [CChar](repeating: 0, count: 41)
    guard let secret = CurveKey(secretText), unsafe zmq_curve_public(&publicText, secretText) == 0,
      let known = CurveKey(String(publicText.dropLast()))
    else { throw ZeroMQError("CURVE", subject, code: EINVAL, reason: "not a secret key of 40 Z85 characters") }
    (self.public, self.secret) = (known, secret)
  }
}

extension String {
  /// A string of all the C characters. Bytes that are not UTF-8 are replaced.
  init(_ characters: some Sequence<CChar>) { self.init(decoding: characters.map(UInt8.init(bitPattern:)), as: UTF8.self) }

  fileprivate var trimmedLine: String { String(prefix { !$0.isNewline }) }
}
