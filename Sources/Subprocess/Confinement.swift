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

  /// What a confined process does: the system calls that it may make follow from it.
  package enum Role: Hashable, Sendable {
    /// Reads media, and writes to descriptors that it was given.
    case examines
    /// Writes a segment, too.
    case renders
    /// Joins segments and gives movies their names.
    case joins
  }

  package var role: Role
  /// Files and folders, with all below them, to be read; one that does not exist has nothing to read.
  package var readable: [String]
  /// Folders, with all below them, to be read, written and removed.
  package var writable: [String]

  package init(_ role: Role, readable: [String], writable: [String]) {
    (self.role, self.readable, self.writable) = (role, readable, writable)
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
    // Root's power over files that are others' is left, for what may be reached; all others are not (capabilities(7)).
    try check(spool_keep_capabilities(role.capabilities), "capset")
    if available.contains(.processes) { try check(spool_filter_system_calls(role.number), "seccomp") }
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

extension Confinement.Role {
  fileprivate var number: Int32 {
    switch self {
    case .examines: Int32(SPOOL_EXAMINES)
    case .renders: Int32(SPOOL_RENDERS)
    case .joins: Int32(SPOOL_JOINS)
    }
  }

  /// Those of root's that it keeps, as bits: CAP_DAC_OVERRIDE is 1, CAP_DAC_READ_SEARCH 2, CAP_FOWNER 3.
  fileprivate var capabilities: UInt64 {
    switch self {
    case .examines: 1 << 2
    case .renders: 1 << 1 | 1 << 2
    case .joins: 1 << 1 | 1 << 2 | 1 << 3
    }
  }
}
