internal import Glibc

/// The public keys that may connect, from a file: one key a line, then a space and a name if wanted. Empty lines and lines that
/// start with "# " say nothing.
package struct AllowList {
  /// Enough for 20,000 workers.
  private static let largestFile = 2 << 20

  private let path: String
  private var version: TextFile.Version
  private var keys: Set<CurveKey>

  package init(path: String) throws(ZeroMQError) {
    self.path = path
    (keys, version) = try Self.read(path)
  }

  package func allows(_ key: CurveKey) -> Bool { keys.contains(key) }

  /// Reads the file again when it was changed. On an error the keys stay as they were.
  /// - Returns: whether it had changed.
  package mutating func refresh() throws(ZeroMQError) -> Bool {
    guard try TextFile.version(path) != version else { return false }
    (keys, version) = try Self.read(path)
    return true
  }

  private static func read(_ path: String) throws(ZeroMQError) -> (Set<CurveKey>, TextFile.Version) {
    let file = try TextFile.read(path, limit: largestFile)
    var keys: Set<CurveKey> = []
    for (number, line) in file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.allSatisfy(\.isWhitespace) || line.hasPrefix("# ") { continue }
      guard let key = CurveKey(line.prefix { !$0.isWhitespace }) else {
        throw ZeroMQError("CURVE", "\(path):\(number + 1)", code: EINVAL, reason: "not a public key of 40 Z85 characters")
      }
      keys.insert(key)
    }
    return (keys, file.version)
  }
}
