internal import FoundationEssentials
internal import Glibc
internal import Linux
package import Operations
internal import Synchronization
internal import WebServer

/// The tokens that callers prove themselves with. The file holds their SHA-256, not the tokens: lines of the form `ROLE NAME
/// DIGEST`, and comments that begin with `#`. It is read again when it changes.
package final class TokenFile: Sendable {
  private struct Entry: Sendable {
    let role: Role
    let name: String
    let digest: SecretDigest
  }

  private struct Version: Hashable {
    let inode: UInt, size: Int, seconds: Int, nanoseconds: Int
  }

  private let path: String
  private let kept: Mutex<(version: Version?, entries: [Entry])>

  /// The most bytes of the file.
  private static let limit = 1 << 20

  /// - Throws: a complaint about a file that cannot be read, or that others may write, or that has a line of another form.
  package init(path: String) throws(Complaint) {
    self.path = path
    let version = try Self.version(path)
    kept = Mutex((version, try Self.entries(path)))
  }

  /// The caller with that token; nil for a token that is not in the file. All digests are compared, so that the time tells nothing.
  func caller(token: String) throws(Complaint) -> Caller? {
    let digest = SecretDigest(of: token)
    var found: Caller?
    for entry in try current() where entry.digest.equals(digest) { found = Caller(name: entry.name, role: entry.role) }
    return found
  }

  /// The tokens of the file as it is now. A file that became unusable lets nobody in.
  private func current() throws(Complaint) -> [Entry] {
    let version = try Self.version(path)
    let known = kept.withLock { $0.version == version ? $0.entries : nil }
    if let known { return known }
    let entries = try Self.entries(path)
    kept.withLock { $0 = (version, entries) }
    return entries
  }

  private static func version(_ path: String) throws(Complaint) -> Version {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { throw Complaint(path, SystemWords.of(errno), .noInput) }
    guard facts.st_mode & 0o022 == 0 else {
      throw Complaint(path, "others may write it, and so let anybody in (chmod go-w)", .notPermitted)
    }
    return Version(
      inode: UInt(facts.st_ino), size: Int(facts.st_size), seconds: facts.st_mtim.tv_sec, nanoseconds: facts.st_mtim.tv_nsec)
  }

  private static func entries(_ path: String) throws(Complaint) -> [Entry] {
    let text: String
    do {
      let data = try Data(contentsOf: URL(filePath: path))
      guard data.count <= limit else { throw Complaint(path, "is larger than \(limit >> 20) MiB", .usage) }
      text = String(decoding: data, as: UTF8.self)
    } catch let complaint as Complaint { throw complaint } catch { throw Complaint(path, "cannot be read", .noInput) }
    var entries: [Entry] = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let words = line.split(whereSeparator: \.isWhitespace).map(String.init)
      guard let first = words.first, !first.hasPrefix("#") else { continue }
      guard words.count == 3, let role = Role(rawValue: first), role != .none, SubmitterName.isValid(words[1]),
        let digest = SecretDigest(hexadecimal: words[2])
      else {
        throw Complaint(
          "\(path):\(index + 1)", "is not of the form 'view|submit|operate NAME SHA256', with 64 hexadecimal digits", .usage)
      }
      entries.append(Entry(role: role, name: words[1], digest: digest))
    }
    return entries
  }
}
