internal import Glibc
internal import Linux

/// The reason why a private farm cannot run.
package enum LocalFarmError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A folder cannot be made or used: its path and `errno`.
  case directory(String, Int32)
  /// A folder or file does not belong to the caller alone: its path and the reason.
  case distrusted(String, String)
  /// A folder's disk has less room than a new database takes: the path, and both sizes in MiB.
  case noRoom(String, free: Int, needed: Int)
  /// A file of the farm cannot be used: its path and `errno`.
  case file(String, Int32)
  /// The farm's database cannot be made or started.
  case database(PostgreSQLClusterError)
  /// A process of the farm keeps ending: its name, how it ended last, and the path of its log.
  case keepsEnding(String, String, log: String)
  /// A process of the farm cannot be started: its name and the reason.
  case cannotStart(String, String)

  /// Makes the error of a farm whose database cannot be made or started. A place that is not the caller's alone is told as such.
  init(_ error: PostgreSQLClusterError) {
    self = error.isDistrust ? .distrusted(error.place, error.reason) : .database(error)
  }

  package var description: String {
    switch self {
    case .directory(let path, let code), .file(let path, let code): "\(path): \(SystemWords.of(code))"
    case .distrusted(let path, let reason): "\(path): \(reason)"
    case .noRoom(let path, let free, let needed): "\(path): the disk has \(free) MiB left, and a new farm needs \(needed)"
    case .database(let error): error.description
    case .keepsEnding(let name, let status, let log): "\(name): keeps ending (\(status)); its log is \(log)"
    case .cannotStart(let name, let reason): "\(name): cannot start: \(reason)"
    }
  }
}
