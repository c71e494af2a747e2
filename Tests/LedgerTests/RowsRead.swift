import Glibc
import PostgreSQL

/// How many rows of the tables of jobs and tasks somebody reads, by whatever plan.
struct RowsRead {
  let url: String
  /// The name of the reader's sessions. What they did is counted when they end, at the latest.
  var sessions = "spool claims"

  /// - Parameter body: ends its sessions.
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
