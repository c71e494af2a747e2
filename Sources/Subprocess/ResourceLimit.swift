internal import CLinux
internal import Glibc

/// What a process may take (setrlimit).
package enum ResourceLimit: Sendable {
  /// Bytes.
  case coreFile, addressSpace
  /// Bytes of any file that it writes; SIGXFSZ ends a process that would write more.
  case fileSize
  /// Open at once.
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
  /// Limits the process, from now on (prlimit).
  ///
  /// - Precondition: `value` is not negative, and the process was not reaped.
  package func limit(_ limit: ResourceLimit, to value: Int) throws(SubprocessError) {
    guard spool_limit(processID, limit.number, UInt(value)) == 0 else { throw SubprocessError("prlimit", errno) }
  }

  /// The same for a child of a process that is limited itself, and may not raise what it has: the lower limit of both.
  package func limit(_ limit: ResourceLimit, toAtMost value: Int) throws(SubprocessError) {
    var own = rlimit()
    guard unsafe getrlimit(__rlimit_resource_t(UInt32(limit.number)), &own) == 0 else {
      throw SubprocessError("getrlimit", errno)
    }
    try self.limit(limit, to: Int(min(own.rlim_max, UInt(value))))
  }
}

/// Lets this process have as many files open as it may, up to `wanted`: a peer of ZeroMQ is one, and 1024 are usual.
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
