import Arguments
import FoundationEssentials
import Glibc
import Ledger
import LocalFarm

/// Which database a verb works on: the option, else the environment's, else that of the private farm that runs now.
enum Database {
  static let help = "The farm's PostgreSQL database, as libpq reads it."
  static let variable = Page.Variable("SPOOL_DATABASE", "The farm's database, unless --database says.")
  static let description =
    "The farm is that of --database, else of $SPOOL_DATABASE, else the one that 'spool render' is running now."

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
    throw Complaint("--database", "required, since $SPOOL_DATABASE is not set and no private farm runs", ExitCode.usage)
  }

  /// A busy machine, or a server that is started anew, costs a moment and no error: what verbs ask for may be asked for twice.
  static func open(_ option: String?) throws -> PostgreSQLLedger {
    PostgreSQLLedger(url: try url(option), patience: .seconds(10))
  }
}
