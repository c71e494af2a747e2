internal import Glibc
internal import Linux

/// A failed system call on a process, pipe, file or signal.
package struct SubprocessError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the C function, such as "posix_spawn".
  package let call: String
  /// The value of `errno`.
  package let code: Int32
  /// The object of the call, such as a program or a file; empty when it has no name.
  package let subject: String

  package init(_ call: String, _ code: Int32, _ subject: String = "") {
    (self.call, self.code, self.subject) = (call, code, subject)
  }

  /// The system's words for the code.
  package var reason: String { SystemWords.of(code) }

  package var description: String {
    let (place, deed) =
      Self.deeds[call] ?? Self.deeds.first { call.hasPrefix($0.key + "_") }?.value ?? ("the system", "refuses a request")
    return "\(subject.isEmpty ? place : subject): \(deed): \(reason)"
  }

  /// Words for each call, or for all calls whose names begin so: a name for the object where it has none, and what failed.
  private static let deeds = [
    "posix_spawn": ("a process", "cannot be started"), "open": ("a file", "cannot be opened"),
    "mkdir": ("a folder", "cannot be made"),
    "read": ("a pipe", "cannot be read"), "pread": ("a file in memory", "cannot be read"),
    "write": ("a file", "cannot be written"), "pwrite": ("a file in memory", "cannot be written"),
    "ftruncate": ("a file in memory", "cannot be made"), "memfd_create": ("a file in memory", "cannot be made"),
    "fcntl": ("a pipe", "cannot be set up"), "pipe2": ("a pipe", "cannot be made"), "socketpair": ("a pipe", "cannot be made"),
    "poll": ("processes and pipes", "cannot be waited for"), "wait4": ("a process", "its end cannot be learned"),
    "pidfd_open": ("a process", "cannot be watched"), "signalfd": ("signals", "cannot be waited for"),
    "pthread_create": ("a thread", "cannot be started"), "prlimit": ("the limits of a process", "cannot be set"),
    "getrlimit": ("the limits of this process", "cannot be read"), "setrlimit": ("the limits of this process", "cannot be set"),
    "landlock": ("the containment of files", "cannot be put on"),
    "seccomp": ("the containment of system calls", "cannot be put on"),
    "capset": ("root's rights", "cannot be given up"),
    "prctl": ("this process", "cannot be tied to what started it, or be contained"),
  ]
}
