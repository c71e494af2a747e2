internal import CLinux
internal import Glibc

/// The rights that a process keeps before it reads data from strangers. It gives up all other rights for good: other files, the
/// network and other processes. `docs/decisions/0067-attempts-confine-themselves.md` has the reasons.
package struct Confinement: Sendable {
  /// A kind of access that the kernel can take away from a process.
  package enum Part: String, Hashable, Sendable, CaseIterable {
    /// All files except the allowed ones (Landlock).
    case files
    /// Sockets (seccomp).
    case network
    /// Starting, signalling, reading and tracing other processes (seccomp).
    case processes
  }

  /// The kind of work that a confined process does. Its role decides which system calls it may make.
  package enum Role: Hashable, Sendable {
    /// The process reads media and writes to descriptors that it was given.
    case examines
    /// The process also writes a segment.
    case renders
    /// The process muxes segments and gives movies their names.
    case muxes
  }

  package var role: Role
  /// Files and folders that the process may read, with everything below them. A path that does not exist, or that this process
  /// cannot reach, is skipped.
  package var readable: [String]
  /// Folders in which the process may read, write and remove, with everything below them.
  package var writable: [String]

  package init(_ role: Role, readable: [String], writable: [String]) {
    (self.role, self.readable, self.writable) = (role, readable, writable)
  }

  /// The parts that this kernel offers, in the order of the cases.
  package static var available: [Part] {
    (spool_landlock_version() > 0 ? [.files] : []) + (spool_can_filter_system_calls() != 0 ? [.network, .processes] : [])
  }

  /// Gives up the parts that the kernel offers, for this thread and all threads that it starts later. Call it while the process
  /// has one thread.
  ///
  /// - Throws: `SubprocessError` when a part that the kernel offers cannot be taken away. The process may then be partly
  ///   confined.
  package func enforce() throws(SubprocessError) {
    // No program that this process starts later gains rights. Landlock and seccomp both require this.
    try check(spool_no_new_privileges(), "prctl")
    let available = Self.available
    if available.contains(.files) { try enforceFiles() }
    // A process of root keeps the capabilities over other users' files that its role needs. It gives up all others
    // (capabilities(7)).
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

  /// Files that the C library and the libraries above it read in any process.
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
    case .muxes: Int32(SPOOL_MUXES)
    }
  }

  /// The capabilities that the role keeps when the process is root's, as bits: CAP_DAC_OVERRIDE is bit 1, CAP_DAC_READ_SEARCH bit
  /// 2, CAP_FOWNER bit 3.
  fileprivate var capabilities: UInt64 {
    switch self {
    case .examines: 1 << 2
    case .renders: 1 << 1 | 1 << 2
    case .muxes: 1 << 1 | 1 << 2 | 1 << 3
    }
  }
}
