internal import CLinux
internal import Glibc

/// What a process gives up for good before it reads what strangers wrote: files beyond those named, the network, other processes.
package struct Confinement: Sendable {
  /// What the kernel can be asked to keep a process from.
  package enum Part: String, Hashable, Sendable, CaseIterable {
    /// All files but those allowed (Landlock).
    case files
    /// Sockets (seccomp).
    case network
    /// Starting, signalling, reading and tracing others (seccomp).
    case processes
  }

  /// Files and folders, with all below them, to be read; one that does not exist has nothing to read.
  package var readable: [String]
  /// Folders, with all below them, to be read, written and removed.
  package var writable: [String]

  package init(readable: [String], writable: [String]) {
    (self.readable, self.writable) = (readable, writable)
  }

  /// What this kernel offers, in the order of the cases.
  package static var available: [Part] {
    (spool_landlock_version() > 0 ? [.files] : []) + (spool_can_filter_system_calls() != 0 ? [.network, .processes] : [])
  }

  /// Gives up what the kernel offers, from now on and for all threads to come: call it while there is one.
  ///
  /// - Throws: when something offered cannot be had; the process may be half confined then.
  package func enforce() throws(SubprocessError) {
    // Nothing that runs later gains rights; both of the following ask for it.
    try check(spool_no_new_privileges(), "prctl")
    let available = Self.available
    if available.contains(.files) { try enforceFiles() }
    if available.contains(.processes) { try check(spool_filter_system_calls(), "seccomp") }
  }

  private func enforceFiles() throws(SubprocessError) {
    let number = spool_landlock_create()
    guard number >= 0 else { throw SubprocessError("landlock_create_ruleset", errno) }
    let rules = Descriptor(owning: number)
    for path in Self.ofEveryProcess + readable { try allow(path, writing: false, rules) }
    for path in ["/dev/null"] + writable { try allow(path, writing: true, rules) }
    try check(spool_landlock_enforce(rules.number), "landlock_restrict_self")
  }

  /// What the C library and the libraries above it read on their way.
  private static let ofEveryProcess = [
    "/usr", "/lib", "/lib64", "/etc/ld.so.cache", "/etc/localtime", "/dev/urandom", "/proc/self", "/proc/cpuinfo",
    "/proc/meminfo", "/sys/devices/system",
  ]

  private func allow(_ path: String, writing: Bool, _ rules: Descriptor) throws(SubprocessError) {
    guard unsafe spool_landlock_allow(rules.number, path, writing ? 1 : 0) != 0 else { return }
    guard errno == ENOENT || errno == ENOTDIR || errno == EACCES else { throw SubprocessError("landlock_add_rule", errno, path) }
  }

  private func check(_ result: Int32, _ call: String) throws(SubprocessError) {
    guard result == 0 else { throw SubprocessError(call, result > 0 ? EBUSY : errno) }
  }
}
