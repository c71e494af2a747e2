internal import CZeroMQ

/// A libzmq call failed, or a key is not one.
package struct ZeroMQError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The C function, such as "zmq_bind".
  package let call: String
  /// `zmq_errno()`.
  package let code: Int32
  /// What it was done to: an endpoint, a file.
  package let subject: String
  /// The library's text for the code.
  package let reason: String

  /// The error that the last call on this thread left.
  init(_ call: String, _ subject: String = "") {
    self.call = call
    self.subject = subject
    code = zmq_errno()
    reason = unsafe String(cString: zmq_strerror(code))
  }

  init(_ call: String, _ subject: String, code: Int32, reason: String) {
    (self.call, self.subject, self.code, self.reason) = (call, subject, code, reason)
  }

  /// A file that cannot be opened needs no name of a call.
  package var description: String {
    (subject.isEmpty ? "" : "\(subject): ") + (call == "open" ? reason : "\(reason) (\(call))")
  }
}
