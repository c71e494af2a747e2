internal import Glibc

extension Command {
  /// Environment variables that any child process may see. They say where programs, fonts and libraries are, and hold no secrets.
  private static let harmless = [
    "PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "LD_LIBRARY_PATH", "FONTCONFIG_FILE", "FONTCONFIG_PATH",
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_DATA_DIRS",
  ]

  /// The harmless variables of this process's environment, with their values.
  ///
  /// - Parameter others: names of further variables that this child may see.
  package static func harmlessEnvironment(passingOn others: [String] = []) -> [String: String] {
    var environment: [String: String] = [:]
    for name in harmless + others {
      if let value = unsafe getenv(name) { environment[name] = unsafe String(cString: value) }
    }
    return environment
  }
}
