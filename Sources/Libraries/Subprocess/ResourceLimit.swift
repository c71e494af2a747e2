internal import Glibc

/// A resource of a process that can be limited (setrlimit).
enum ResourceLimit: Sendable {
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

extension ResourceLimit {
  /// Limits this process to `value` or to its hard limit, whichever is lower, for good.
  ///
  /// - Precondition: `value` is not negative.
  fileprivate func limitThisProcess(toAtMost value: Int) throws(SubprocessError) {
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

/// The limits that a child process sets itself before it does anything else. Its parent hands them over as an argument. The parent
/// cannot set them from outside: the child runs at once, and may be at work, or at its end, before its parent gets to it. A root
/// without CAP_SYS_RESOURCE, as in containers, also may not limit a child that has become another user.
package struct ResourceLimits: Hashable, Sendable {
  /// The number of files that are open at the same time; nil leaves the limit as it is.
  package var openFiles: Int?
  /// The bytes of any file that is written; nil leaves the limit as it is.
  package var fileBytes: Int?
  /// The bytes of the address space; nil leaves the limit as it is.
  package var addressSpace: Int?

  package init(openFiles: Int? = nil, fileBytes: Int? = nil, addressSpace: Int? = nil) {
    (self.openFiles, self.fileBytes, self.addressSpace) = (openFiles, fileBytes, addressSpace)
  }

  /// The limits as one word, such as "openFiles=1024,fileBytes=1048576". It is empty where nothing is limited.
  package var word: String {
    Self.names.compactMap { name, path in self[keyPath: path].map { "\(name)=\($0)" } }.joined(separator: ",")
  }

  /// - Parameter word: the limits as `word` gives them.
  /// - Returns: nil for any other text.
  package init?(word: String) {
    for part in word.split(separator: ",", omittingEmptySubsequences: false) where !word.isEmpty {
      let sides = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard sides.count == 2, let path = Self.names.first(where: { $0.0 == sides[0] })?.1, self[keyPath: path] == nil,
        let value = Int(sides[1]), value >= 0
      else { return nil }
      self[keyPath: path] = value
    }
  }

  private static var names: [(String, WritableKeyPath<Self, Int?>)] {
    [("openFiles", \.openFiles), ("fileBytes", \.fileBytes), ("addressSpace", \.addressSpace)]
  }

  /// Limits this process for good, each to the given value or to its hard limit, whichever is lower. It writes no core file
  /// afterwards.
  package func limitThisProcess() throws(SubprocessError) {
    try ResourceLimit.coreFile.limitThisProcess(toAtMost: 0)
    if let openFiles { try ResourceLimit.openFiles.limitThisProcess(toAtMost: openFiles) }
    if let fileBytes { try ResourceLimit.fileSize.limitThisProcess(toAtMost: fileBytes) }
    if let addressSpace { try ResourceLimit.addressSpace.limitThisProcess(toAtMost: addressSpace) }
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
