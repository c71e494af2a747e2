internal import Glibc
internal import SystemWords

/// Why a private farm cannot be had.
package enum LocalFarmError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A directory cannot be made or used; the path and `errno`.
  case directory(String, Int32)
  /// A directory or a file is not the caller's alone; the path and why.
  case distrusted(String, String)
  /// There is less room in a directory than its new database takes; both in MiB.
  case noRoom(String, free: Int, needed: Int)
  /// A file of the farm cannot be used; the path and `errno`.
  case file(String, Int32)
  /// The farm's database cannot be had.
  case database(PostgreSQLClusterError)
  /// A process of the farm keeps ending: its name, how it ended last, where its log is.
  case keepsEnding(String, String, log: String)
  /// A process of the farm cannot be started.
  case cannotStart(String, String)

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
