internal import Glibc

/// The list of public keys that may connect, read from a file. Each line has a key, then the names of the workers that it may
/// speak for. "rack3-*" stands for all names that begin with "rack3-". A key without names may speak for every worker that no
/// line names. Empty lines and lines that begin with "# " are ignored.
package struct AllowList {
  /// The largest file, in bytes: enough for 20,000 workers.
  private static let largestFile = 2 << 20
  /// The time for which a changed file must stay the same before it counts. `cp`, editors and `>` empty a file before they fill
  /// it.
  private static let rest = Duration.seconds(1)

  private let path: String
  private var version: TextFile.Version
  private var lines: Lines
  /// The newest version of the changed file, and the time since which it has been so.
  private var latest: (version: TextFile.Version, since: ContinuousClock.Instant)?

  package init(path: String) throws(ZeroMQError) {
    self.path = path
    (lines, version) = try Self.read(path)
  }

  package func allows(_ key: CurveKey) -> Bool { lines.names[key] != nil }

  /// Whether the owner of the key may speak as this worker.
  package func allows(_ key: CurveKey, as worker: String) -> Bool {
    guard let own = lines.names[key] else { return false }
    return own.isEmpty ? !lines.allNames.contains(worker) : own.contains(worker)
  }

  /// Reads the file again once it has changed and then stayed the same for a second.
  ///
  /// - Returns: whether a new list is in force.
  /// - Throws: when the file cannot be read, is empty, or ends in the middle of a line; at most once a second. The old keys stay
  /// in force. To let nobody connect, write a comment into the file.
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

  /// Reads and parses the file.
  ///
  /// - Parameter isChange: whether it replaces a list in use. Then an empty file, and one without a final line feed, are refused,
  /// because they may be half written.
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

/// A set of workers' names, some given by their beginnings.
private struct Names {
  private var whole: Set<String> = []
  private var beginnings: [String] = []

  var isEmpty: Bool { whole.isEmpty && beginnings.isEmpty }

  func contains(_ name: String) -> Bool { whole.contains(name) || beginnings.contains { name.hasPrefix($0) } }

  mutating func insert(_ text: Substring) {
    if text.last == "*" { beginnings.append(String(text.dropLast())) } else { whole.insert(String(text)) }
  }
}
