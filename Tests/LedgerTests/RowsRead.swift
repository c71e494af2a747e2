import Glibc
import PostgreSQL

/// A count of the rows that a session reads from the tables of jobs and tasks, whatever its plans are.
struct RowsRead {
  let url: String
  /// The application name of the sessions that are counted. The server counts what they did when they end, at the latest.
  var sessions = "spool claims"

  /// The number of rows that `body` reads.
  ///
  /// - Parameter body: reads rows, and ends its sessions.
  func by(_ body: () throws -> Void) throws -> Int {
    let connection = try Connection(url: url, applicationName: "test")
    func sum() throws -> Int {
      let query = """
        select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::bigint as n from pg_stat_user_tables
        where schemaname = 'spool' and relname in ('job', 'task')
        """
      return try connection.query(Statement("rows_read", query)).map { try $0.value("n", as: Int.self) }[0]
    }
    func waitAlone() throws {
      let others =
        "select count(*) as n from pg_stat_activity where application_name = '\(sessions)' and datname = current_database()"
      while try connection.query(Statement("others", others)).map({ try $0.value("n", as: Int.self) }) != [0] { usleep(1000) }
    }
    try waitAlone()
    let before = try sum()
    try body()
    try waitAlone()
    return try sum() - before
  }
}
