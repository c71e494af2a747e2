internal import CLinux
internal import Glibc

/// A resource of a process that can be limited (setrlimit).
package enum ResourceLimit: Sendable {
  /// The size in bytes of a core file, or of the address space.
  case coreFile, addressSpace
  /// The size in bytes of any file that the process writes. SIGXFSZ ends a process that would write more.
  case fileSize
  /// The number of files that are open at the same time.
  case openFiles

  fileprivate var number: Int32 {
    switch self {
    case .coreFile: Int32(RLIMIT_CORE.rawValue)
    case .fileSize: Int32(RLIMIT_FSIZE.rawValue)
    case .addressSpace: Int32(RLIMIT_AS.rawValue)
    case .openFiles: Int32(RLIMIT_NOFILE.rawValue)
    }
  }
}

extension ChildProcess {
  /// Sets both limits, soft and hard, of the process from now on (prlimit).
  ///
  /// - Precondition: `value` is not negative, and the process was not reaped.
  package func limit(_ limit: ResourceLimit, to value: Int) throws(SubprocessError) {
    guard spool_limit(processID, limit.number, UInt(value)) == 0 else { throw SubprocessError("prlimit", errno) }
  }

  /// Limits the process to `value` or to this process's own hard limit, whichever is lower. A process that is limited itself may
  /// not give its child more than it has.
  package func limit(_ limit: ResourceLimit, toAtMost value: Int) throws(SubprocessError) {
    try self.limit(limit, to: Int(min(limit.hardLimit(), UInt(value))))
  }
}

extension ResourceLimit {
  /// Limits this process to `value` or to its hard limit, whichever is lower, for good. A child that takes another user does so
  /// itself: afterwards its parent may not, when the parent is a root without CAP_SYS_RESOURCE, as in containers.
  ///
  /// - Precondition: `value` is not negative.
  package func limitThisProcess(toAtMost value: Int) throws(SubprocessError) {
    let lowered = min(try hardLimit(), UInt(value))
    var limit = rlimit(rlim_cur: lowered, rlim_max: lowered)
    guard unsafe setrlimit(__rlimit_resource_t(UInt32(number)), &limit) == 0 else { throw SubprocessError("setrlimit", errno) }
  }

  /// This process's hard limit.
  fileprivate func hardLimit() throws(SubprocessError) -> UInt {
    var own = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(UInt32(number)), &own) == 0 else { throw SubprocessError("getrlimit", errno) }
    return own.rlim_max
  }
}

/// Raises this process's limit of open files to `wanted`, or as far as its hard limit allows. Each peer of ZeroMQ takes a
/// descriptor, and the usual limit is 1024.
package func raiseOpenFileLimit(to wanted: Int = 65_536) throws(SubprocessError) {
  var limit = rlimit()
  guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
    throw SubprocessError("getrlimit", errno)
  }
  limit.rlim_cur = max(limit.rlim_cur, min(limit.rlim_max, UInt(wanted)))
  guard unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
    throw SubprocessError("setrlimit", errno)
  }
}
