internal import Glibc

extension Command {
  /// What any program may know of this process's environment: where programs, fonts and libraries are, nothing secret.
  private static let harmless = [
    "PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH",
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS",
  ]

  /// - Parameter others: variables that this one may know besides.
  package static func harmlessEnvironment(passingOn others: [String] = []) -> [String: String] {
    var environment: [String: String] = [:]
    for name in harmless + others {
      if let value = unsafe getenv(name) { environment[name] = unsafe String(cString: value) }
    }
    return environment
  }
}
