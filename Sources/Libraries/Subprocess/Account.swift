internal import CLinux
internal import Glibc

/// A user account of this machine. When root starts Spool, the processes that do not need root's rights run as such a user.
package struct Account: Hashable, Sendable {
  package let name: String
  package let user: UInt32
  package let group: UInt32

  package init(name: String, user: UInt32, group: UInt32) { (self.name, self.user, self.group) = (name, user, group) }

  /// Looks the user up in this machine's password file.
  ///
  /// - Parameter text: a user's name or number.
  /// - Returns: nil when this machine knows no such user.
  package init?(_ text: String) {
    // getpwnam is not thread-safe. The entry is copied at once, and nothing else here reads the password file at the same time.
    guard let entry = unsafe getpwnam(text) ?? UInt32(text).flatMap({ unsafe getpwuid($0) }) else { return nil }
    unsafe self.init(
      name: String(cString: entry.pointee.pw_name), user: entry.pointee.pw_uid, group: entry.pointee.pw_gid)
  }

  /// The account as it is handed to child processes: the numbers of the user and the group, such as "1000:1000".
  package var numbers: String { "\(user):\(group)" }

  /// - Parameter numbers: the numbers of a user and a group, as `numbers` gives them.
  /// - Returns: nil for any other text, and when one of the numbers is root's (0).
  package init?(numbers: String) {
    let parts = numbers.split(separator: ":", omittingEmptySubsequences: false).map { UInt32($0) }
    guard parts.count == 2, let user = parts[0], let group = parts[1], user != 0, group != 0 else { return nil }
    self.init(name: numbers, user: user, group: group)
  }

  /// The same user with another group.
  package func inGroup(_ group: UInt32) -> Account { Account(name: name, user: user, group: group) }

  /// Turns this process, which must be root's, into this user's for good. The process keeps no other group and no capability.
  /// Call it before any thread is started, and before `endWithParent`: it clears the signal that `endWithParent` asks for.
  package func become() throws(SubprocessError) {
    guard spool_become(user, group) == 0 else { throw SubprocessError("setresuid", errno, "user \(name)") }
  }

  /// Whether this process may become this user. In a container, root can lack the capabilities for it, and some users can be
  /// missing.
  package var isWithinReach: Bool {
    spool_may_become_others() != 0 && Self.maps("uid_map", user) && Self.maps("gid_map", group)
      && Self.lines("setgroups").first != "deny"
  }

  /// Whether a map of user IDs or group IDs (user_namespaces(7)) contains the number.
  private static func maps(_ file: String, _ number: UInt32) -> Bool {
    lines(file).contains { line in
      let fields = line.split(separator: " ").compactMap { UInt64($0) }
      return fields.count == 3 && (fields[0]..<fields[0] + fields[2]).contains(UInt64(number))
    }
  }

  private static func lines(_ file: String) -> [Substring] {
    let number = unsafe open("/proc/self/\(file)", O_RDONLY | O_CLOEXEC)
    guard number >= 0 else { return [] }
    // These files have a few lines at most. A file that cannot be read counts as empty: without a map the account is out of
    // reach.
    let bytes = (try? Descriptor(owning: number).contents(limit: 1 << 14)) ?? []
    return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
  }
}
