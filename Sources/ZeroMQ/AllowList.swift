internal import Glibc

/// The public keys that may connect, from a file: one key a line, then the names of the workers that it is for, if it is not for
/// any; "rack3-*" is every name that begins so. A key without names is for every worker that no other line names. Empty lines
/// and lines that start with "# " say nothing.
package struct AllowList {
  /// Enough for 20,000 workers.
  private static let largestFile = 2 << 20
  /// How long a changed file rests before it counts: `cp`, editors and `>` empty a file before they fill it.
  private static let rest = Duration.seconds(1)

  private let path: String
  private var version: TextFile.Version
  private var lines: Lines
  /// What the file has become, and since when.
  private var latest: (version: TextFile.Version, since: ContinuousClock.Instant)?

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

  /// Reads the file again once it was changed and has rested for a second.
  ///
  /// - Returns: whether the list is another one.
  /// - Throws: when the file cannot be read, is empty (who wants nobody to connect says so in a comment) or ends within a line, at
  ///   most once a second. The keys stay as they were.
  package mutating func refresh(now: ContinuousClock.Instant = .now) throws(ZeroMQError) -> Bool {
    let found = try TextFile.version(path)
    guard found != version else {
      latest = nil
      return false
    }
    guard let latest, latest.version == found else {
      self.latest = (found, now)
      return false
    }
    guard now - latest.since >= Self.rest else { return false }
    self.latest = (found, now)
    let new = try Self.read(path, isChange: true)
    guard new.1 == found else { return false }
    (lines, version) = new
    return true
  }

  private struct Lines {
    var names: [CurveKey: Names] = [:]
    var allNames = Names()
  }

  /// - Parameter isChange: of a list in use, which half a file must not replace.
  private static func read(_ path: String, isChange: Bool = false) throws(ZeroMQError) -> (Lines, TextFile.Version) {
    let file = try TextFile.read(path, limit: largestFile)
    guard !isChange || file.text.utf8.last == UInt8(ascii: "\n") else {
      let reason = file.text.isEmpty ? "is empty: to list nobody, write a line '# nobody'" : "its last line has no end"
      throw ZeroMQError("CURVE", path, code: EINVAL, reason: reason)
    }
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
