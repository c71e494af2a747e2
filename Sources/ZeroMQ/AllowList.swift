internal import Glibc

/// The public keys that may connect, from a file: one key a line, then the names of the workers that it is for, if it is not for
/// any; "rack3-*" is every name that begins so. A key without names is for every worker that no other line names. Empty lines
/// and lines that start with "# " say nothing.
package struct AllowList {
  /// Enough for 20,000 workers.
  private static let largestFile = 2 << 20

  private let path: String
  private var version: TextFile.Version
  private var lines: Lines

  package init(path: String) throws(ZeroMQError) {
    self.path = path
    (lines, version) = try Self.read(path)
  }

  package func allows(_ key: CurveKey) -> Bool { lines.names[key] != nil }

  /// Whether the key's owner may speak as this worker.
  package func allows(_ key: CurveKey, as worker: String) -> Bool {
    guard let own = lines.names[key] else { return false }
    return own.isEmpty ? !lines.allNames.contains(worker) : own.contains(worker)
  }

  /// Reads the file again when it was changed. On an error the keys stay as they were.
  /// - Returns: whether it had changed.
  package mutating func refresh() throws(ZeroMQError) -> Bool {
    guard try TextFile.version(path) != version else { return false }
    (lines, version) = try Self.read(path)
    return true
  }

  private struct Lines {
    var names: [CurveKey: Names] = [:]
    var allNames = Names()
  }

  private static func read(_ path: String) throws(ZeroMQError) -> (Lines, TextFile.Version) {
    let file = try TextFile.read(path, limit: largestFile)
    var lines = Lines()
    for (number, line) in file.text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.allSatisfy(\.isWhitespace) || line.hasPrefix("# ") { continue }
      let words = line.split(whereSeparator: \.isWhitespace)
      guard !line[line.startIndex].isWhitespace, let key = CurveKey(words[0]) else {
        throw ZeroMQError("CURVE", "\(path):\(number + 1)", code: EINVAL, reason: "not a public key of 40 Z85 characters")
      }
      for name in words.dropFirst() {
        lines.names[key, default: Names()].insert(name)
        lines.allNames.insert(name)
      }
      if words.count == 1 { lines.names[key] = lines.names[key] ?? Names() }
    }
    return (lines, file.version)
  }
}

/// Names of workers, some by their beginning.
private struct Names {
  private var whole: Set<String> = []
  private var beginnings: [String] = []

  var isEmpty: Bool { whole.isEmpty && beginnings.isEmpty }

  func contains(_ name: String) -> Bool { whole.contains(name) || beginnings.contains { name.hasPrefix($0) } }

  mutating func insert(_ text: Substring) {
    if text.last == "*" { beginnings.append(String(text.dropLast())) } else { whole.insert(String(text)) }
  }
}
