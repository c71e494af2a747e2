import Arguments
import Glibc
import Ledger
import Linux
import Scheduling
import Subprocess
import Terminal

struct MigrateVerb: Verb {
  static let page = Page(
    "migrate", "make the database's schema, or bring it up to date",
    description: [
      """
      For a farm whose coordinators do not own the schema. Run it with the role that owns the schema, or with one that may make \
      a schema in an empty database. If that role may make roles, the farm's roles (spool_viewer, spool_submitter, \
      spool_any_submitter, spool_operator, spool_coordinator) are made as well. They are given their rights again in any case.
      """,
      """
      Stop coordinators of the older version first; workers and what they run may go on. A schema that is up to date stays as it \
      is. If the migration is killed in the middle, it has changed nothing.
      """,
    ],
    examples: [
      .init(
        "spool migrate --database 'postgresql://spool_owner@db.example/farm?sslmode=verify-full'", "Before the first coordinator."
      )
    ],
    environment: [Database.variable],
    exitCodes: [
      .init(ExitCode.ok, "the schema is up to date"), .init(ExitCode.usage, "usage error"),
      .init(ExitCode.unavailable, "the database cannot be reached, is newer, or is another program's"), Database.forbidden,
    ])

  @Option("database", .text("URL"), Database.help) var database: String?

  func run() throws {
    let ledger = PostgreSQLLedger(url: try Database.url(database), role: "migrate")
    try ledger.migratePatiently()
    let missing = try ledger.grantRoles()
    if !missing.isEmpty { writeLog(Note("lacks_roles", ["roles": missing]).description) }
    try StandardStream.output.line("the schema is of version \(SchemaPlan.current.version)")
  }
}

extension PostgreSQLLedger {
  /// The seconds to wait for a database that starts at the same time. After that, the supervisor of this process decides.
  private static let databaseWaitSeconds = 60.0

  /// Migrates the schema as soon as the database can be reached.
  func migratePatiently() throws {
    let start = MonotonicClock.seconds
    var isAway = false
    while true {
      do {
        try migrate { writeLog($0.description) }
        if isAway { writeLog(Note("ledger_back").description) }
        return
      } catch LedgerError.unavailable(let reason) {
        let waited = MonotonicClock.seconds - start
        guard waited < Self.databaseWaitSeconds else { throw LedgerError.unavailable(reason) }
        if !isAway { writeLog(Note("ledger_away", ["reason": reason]).description) }
        isAway = true
        // The pause is a tenth of the time waited so far, up to one second. So a database that starts soon is noticed soon, and
        // one that does not is not flooded with requests.
        usleep(UInt32(min(1_000_000, 10_000 + waited * 100_000)))
      }
    }
  }

  /// Waits until somebody else has made the schema, or brought it up to date. Until then the database may be missing, and so may this role.
  func awaitSchema() throws {
    let start = MonotonicClock.seconds
    while true {
      do throws(LedgerError) {
        if try isUpToDate() { return }
      } catch {
        guard MonotonicClock.seconds - start < Self.databaseWaitSeconds else { throw error }
      }
      guard MonotonicClock.seconds - start < Self.databaseWaitSeconds else {
        throw LedgerError.unavailable("nobody has brought the schema up to date")
      }
      usleep(10_000)
    }
  }
}
