import Arguments
import FoundationEssentials
import Glibc
import Ledger
import LocalFarm
import Operations

/// The database that a verb works on: the option's, else the environment's, else that of the private farm that runs now.
enum Database {
  static let help = "The URL of the farm's PostgreSQL database, as libpq reads it."
  static let variable = Page.Variable("SPOOL_DATABASE", "The farm's database, unless --database names it.")
  static let description =
    "The farm is named by --database, or else by $SPOOL_DATABASE. Without both it is the one that 'spool render' is running now."

  /// The variables of verbs that ask a console where one is named, and the database otherwise.
  static let variables = [
    variable,
    Page.Variable("SPOOL_URL", "A console of the farm, such as https://farm.example:7410: it is asked instead of the database."),
    Page.Variable("SPOOL_TOKEN", "The token for the console."),
  ]

  /// The farm, by the console that $SPOOL_URL names unless the option names a database, else by its database.
  static func face(_ option: String?) throws(Complaint) -> any FarmFace {
    let environment = ProcessInfo.processInfo.environment
    guard option == nil, let url = environment["SPOOL_URL"], !url.isEmpty else { return farm(option) }
    return try RemoteFarm(url: url, token: environment["SPOOL_TOKEN"].flatMap { $0.isEmpty ? nil : $0 })
  }

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
    Farm(as: DeskCaller(name: Farm.userAndHost)) { () throws(Complaint) in try complaining { try url(option) } }
  }
}
