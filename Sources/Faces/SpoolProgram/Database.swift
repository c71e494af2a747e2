import Arguments
import FoundationEssentials
import Glibc
import LocalFarm
import Operations

/// The database that a verb works on: the option's, else the environment's, else that of the private farm that runs now.
enum Database {
  static let help = "The URL of the farm's PostgreSQL database, as libpq reads it."
  static let variable = Page.Variable("SPOOL_DATABASE", "The farm's database, unless --database names it.")
  static let description =
    "The farm is named by --database, or else by $SPOOL_DATABASE. Without both it is the one that 'spool render' is running now."

  static let forbidden = Page.ExitCode(
    ExitCode.notPermitted, "the database's role may not do that; the error says which role it takes")

  static func url(_ option: String?) throws -> String {
    let environment = ProcessInfo.processInfo.environment
    if let url = option ?? environment["SPOOL_DATABASE"], !url.isEmpty { return url }
    if let path = DataDirectory.standard(environment: environment, isRoot: geteuid() == 0),
      let holder = try FarmLock.runningFarm(of: path)
    {
      return holder.database
    }
    throw Complaint("--database", "required, since $SPOOL_DATABASE is not set and no private farm runs", .usage)
  }

  /// The farm, for the operations. Its database is looked for when an operation first needs it.
  static func farm(_ option: String?) -> Farm {
    Farm { () throws(Complaint) in try complaining { try url(option) } }
  }
}
