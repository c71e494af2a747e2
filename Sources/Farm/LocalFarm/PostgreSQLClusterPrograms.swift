internal import FoundationEssentials

/// The installed programs of a PostgreSQL server of one major version.
package struct PostgreSQLClusterPrograms {
  /// The folder that holds `initdb` and `postgres`.
  package let directory: String

  package init(directory: String) { self.directory = directory }

  package var initdb: String { "\(directory)/initdb" }
  package var postgres: String { "\(directory)/postgres" }

  /// Debian's folder with one folder for each major version, which are not in PATH. On other systems PATH has the programs.
  private static let versionsDirectory = "/usr/lib/postgresql"

  /// - Parameters:
  ///   - version: the major version that made the data; nil takes the newest.
  ///   - path: the value of PATH.
  package static func find(version: String?, path: String) throws(PostgreSQLClusterError) -> PostgreSQLClusterPrograms {
    // Only Debian and its relatives have this folder.
    let installed = (try? FileManager.default.contentsOfDirectory(atPath: versionsDirectory)) ?? []
    let versions = installed.filter { Int($0) != nil && $0 == version ?? $0 }.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }
    let candidates = versions.map { "\(versionsDirectory)/\($0)/bin" } + path.split(separator: ":").map(String.init)
    let found = candidates.lazy.map(PostgreSQLClusterPrograms.init(directory:)).first {
      FileManager.default.isExecutableFile(atPath: $0.initdb) && FileManager.default.isExecutableFile(atPath: $0.postgres)
    }
    guard let found else {
      let wanted = version.map { "PostgreSQL \($0), which made the data," } ?? "PostgreSQL"
      throw PostgreSQLClusterError(
        at: "postgres", "\(wanted) is not installed: neither \(versionsDirectory)/*/bin nor PATH has initdb and postgres")
    }
    return found
  }
}
