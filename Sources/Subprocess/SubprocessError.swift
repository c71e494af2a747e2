internal import Glibc

/// A system call on a process, pipe or signal failed.
package struct SubprocessError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The C function, such as "posix_spawn".
  package let call: String
  /// `errno`.
  package let code: Int32
  /// What it was done to: an executable, a file.
  package let subject: String

  package init(_ call: String, _ code: Int32, _ subject: String = "") {
    (self.call, self.code, self.subject) = (call, code, subject)
  }

  /// The system's text for the code.
  package var reason: String { unsafe String(cString: strerror(code)) }

  package var description: String { (subject.isEmpty ? "" : "\(subject): ") + "\(reason) (\(call))" }
}
