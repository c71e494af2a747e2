internal import CZeroMQ
internal import Glibc
internal import Linux

/// A failed call of libzmq, or text that is not a key.
package struct ZeroMQError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The C function, such as "zmq_bind".
  package let call: String
  /// The error code, as `zmq_errno()` gives it.
  package let code: Int32
  /// The endpoint or the file that the call was about; may be empty.
  package let subject: String
  /// The code in words.
  package let reason: String

  /// The error of the last call on this thread.
  init(_ call: String, _ subject: String = "", code: Int32 = zmq_errno()) {
    self.call = call
    self.subject = subject
    self.code = code
    reason = Self.reason(code, of: call)
  }

  init(_ call: String, _ subject: String, code: Int32, reason: String) {
    (self.call, self.subject, self.code, self.reason) = (call, subject, code, reason)
  }

  package var description: String {
    let deed =
      switch call {
      case "zmq_bind": "cannot be listened at: "
      case "zmq_connect": "cannot be connected to: "
      // For a file the reason alone is enough.
      default: call.hasPrefix("zmq_") ? "cannot go on: " : ""
      }
    return (subject.isEmpty ? "ZeroMQ" : subject) + ": \(deed)\(reason)"
  }

  private static func reason(_ code: Int32, of call: String) -> String {
    switch code {
    case EINVAL where ["zmq_bind", "zmq_connect"].contains(call): "it is no endpoint, which is tcp://HOST:PORT or ipc://PATH"
    case EPROTONOSUPPORT: "it is no endpoint of a kind that is spoken here, which are tcp://HOST:PORT and ipc://PATH"
    case ENODEV where call == "zmq_bind": SystemWords.of(EADDRNOTAVAIL)
    case ENAMETOOLONG where call.hasPrefix("zmq_"): "its path is longer than a socket's may be, which is 107 bytes"
    // libzmq's own codes begin here, except those that the system has too.
    case Int32(ZMQ_HAUSNUMERO)...: "its connections cannot go on"
    default: SystemWords.of(code)
    }
  }
}
