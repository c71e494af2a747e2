internal import CLinux
internal import Glibc

/// A user of this machine, as which processes of root's run that need none of its powers.
package struct Account: Hashable, Sendable {
  package let name: String
  package let user: UInt32
  package let group: UInt32

  package init(name: String, user: UInt32, group: UInt32) { (self.name, self.user, self.group) = (name, user, group) }

  /// - Parameter text: a name, or a number.
  /// - Returns: nil when this machine knows no such user.
  package init?(_ text: String) {
    // Not thread-safe, but the entry is copied at once and nothing else reads the password file meanwhile.
    guard let entry = unsafe getpwnam(text) ?? UInt32(text).flatMap({ unsafe getpwuid($0) }) else { return nil }
    unsafe self.init(
      name: String(cString: entry.pointee.pw_name), user: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
  }

  /// As programs are told it: the numbers of user and group.
  package var numbers: String { "\(user):\(group)" }

  /// - Parameter numbers: as above.
  /// - Returns: nil for anything else, and for root.
  package init?(numbers: String) {
    let parts = numbers.split(separator: ":", omittingEmptySubsequences: false).map { UInt32($0) }
    guard parts.count == 2, let user = parts[0], let group = parts[1], user != 0, group != 0 else { return nil }
    self.init(name: numbers, user: user, group: group)
  }

  /// The same user, in another group.
  package func inGroup(_ group: UInt32) -> Account { Account(name: name, user: user, group: group) }

  /// Makes this process, which is root's, this user's for good: with no other group and no capability. Before any thread is started, and
  /// before `endWithParent`, which it would undo.
  package func become() throws(SubprocessError) {
    guard spool_become(user, group) == 0 else { throw SubprocessError("setresuid", errno, "user \(name)") }
  }

  /// Whether this process may become this user: in a container, root's powers, and the users there are, may be fewer.
  package var isWithinReach: Bool {
    spool_may_become_others() != 0 && Self.maps("uid_map", user) && Self.maps("gid_map", group)
      && Self.lines("setgroups").first != "deny"
  }

  /// Whether a map of user_namespaces(7) has the number.
  private static func maps(_ file: String, _ number: UInt32) -> Bool {
    lines(file).contains { line in
      let fields = line.split(separator: " ").compactMap { UInt64($0) }
      return fields.count == 3 && (fields[0]..<fields[0] + fields[2]).contains(UInt64(number))
    }
  }

  private static func lines(_ file: String) -> [Substring] {
    let number = unsafe open("/proc/self/\(file)", O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return [] }
    // A few lines at most.
    let bytes = (try? Descriptor(owning: number).contents(limit: 1 << 14)) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }
}
