import Arguments
import Glibc
import Operations
import Subprocess
import Terminal

/// The user who reads media and runs the farm when the caller is root. Whoever takes over a process that reads media has only
/// that user's rights.
enum OrdinaryUser {
  static let help = """
    The user, by name or number, that runs root's farm and reads its media. Default: $SPOOL_USER, else nobody. Only root may \
    give it.
    """
  static let variable = Page.Variable(
    "SPOOL_USER", "The user, by name or number, that reads media when root is the caller. Default: nobody.")
  private static let standard = "nobody"
  /// The user of the database's server. Its files are not the farm's, so it cannot be the farm's user.
  private static let database = "postgres"

  /// - Parameter given: the user that an option names.
  /// - Returns: nil when the caller is not root, or is a root that cannot become any other user.
  /// - Throws: a `Complaint` about a user who does not exist or is not suitable.
  static func chosen(_ given: String? = nil) throws -> Account? {
    guard geteuid() == 0 else {
      guard given == nil else { throw Complaint("--user", "is for root alone, whose farm runs as another user", .usage) }
      return nil
    }
    let wished = unsafe getenv("SPOOL_USER").map { unsafe String(cString: $0) } ?? ""
    let named = given ?? (wished.isEmpty ? nil : wished)
    let (place, name) = (given == nil ? "SPOOL_USER" : "--user", named ?? standard)
    guard let account = Account(name) else {
      throw Complaint(place, "this machine has no user '\(name)', as whom media could be read", .usage)
    }
    guard account.user != 0, account.group != 0, account.name != database else {
      throw Complaint(
        place, "'\(name)' is no user for this: give one that is neither root's, nor of its group, nor the database's",
        .usage)
    }
    guard account.isWithinReach else {
      // In a container, root may be unable to become another user. Root then has no rights that it could give up.
      guard named == nil else { throw Complaint(place, "this root may not become the user '\(name)'", .notPermitted) }
      return nil
    }
    return account
  }
}

extension Format where Value == Account {
  /// The account that a process of root's is to run as.
  static let account = Format("UID:GID", expectation: "numbers of a user and a group that are not root's") {
    Account(numbers: $0)
  }
}

extension Format where Value == ResourceLimits {
  /// The limits that a process sets itself.
  static let limits = Format("LIMITS", expectation: "limits such as openFiles=1024") { ResourceLimits(word: $0) }
}
