import Arguments
import Glibc
import Subprocess
import Terminal

/// As whom a command of root's has media read, and runs its farm: whoever takes over what reads them has that user's rights.
enum OrdinaryUser {
  static let help = """
    The user, by name or number, as whom root's farm runs and its media are read. Default: $SPOOL_USER, else nobody. For root alone.
    """
  static let variable = Page.Variable(
    "SPOOL_USER", "As whom media are read when root is the caller: a name or a number. Default: nobody.")
  private static let standard = "nobody"
  /// That of the database's server, whose files are not the farm's.
  private static let database = "postgres"

  /// - Parameter given: by an option.
  /// - Returns: nil where the caller is no root and needs none.
  /// - Throws: a `Complaint` about a user that there is not, or that is none for this.
  static func chosen(_ given: String? = nil) throws -> Account? {
    guard geteuid() == 0 else {
      guard given == nil else { throw Complaint("--user", "is for root alone, whose farm runs as another user", ExitCode.usage) }
      return nil
    }
    let wished = unsafe getenv("SPOOL_USER").map { unsafe String(cString: $0) } ?? ""
    let named = given ?? (wished.isEmpty ? nil : wished)
    let (place, name) = (given == nil ? "SPOOL_USER" : "--user", named ?? standard)
    guard let account = Account(name) else {
      throw Complaint(place, "this machine has no user '\(name)', as whom media could be read", ExitCode.usage)
    }
    guard account.user != 0, account.group != 0, account.name != database else {
      throw Complaint(
        place, "'\(name)' is no user for this: give one that is neither root's, nor of its group, nor the database's",
        ExitCode.usage)
    }
    guard account.isWithinReach else {
      // In a container whose root is nobody else, and can become nobody else, there is nothing to give up.
      guard named == nil else { throw Complaint(place, "this root may not become the user '\(name)'", ExitCode.notPermitted) }
      return nil
    }
    return account
  }
}

extension Format where Value == Account {
  /// As whom a process of root's is to run.
  static let account = Format("UID:GID", expectation: "numbers of a user and a group that are not root's") {
    Account(numbers: $0)
  }
}
