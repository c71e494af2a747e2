internal import Messages
internal import PostgreSQL
internal import Scheduling

extension PostgreSQLLedger {
  /// The last changes of a job, its tasks and attempts, the newest first.
  ///
  /// - Parameter limit: the most entries.
  package func history(job: String, limit: Int) throws(LedgerError) -> [HistoryEntry] {
    try read { session throws(LedgerError) in
      try session.all(.readJobHistory, [.text(job), .integer(limit)]) { row throws(PostgreSQLError) in
        HistoryEntry(
          at: try row.value("at"), entity: try row.value("entity"), task: try row.optional("task"),
          number: try row.optional("number"), worker: try row.optional("worker"), before: try row.optional("before"),
          after: try row.value("after"), reason: try row.optional("reason"))
      }
    }
  }

  /// The places and times of a job's tasks, in the order of the movie.
  package func spans(job: String) throws(LedgerError) -> [TaskSpan] {
    try read { session throws(LedgerError) in
      try session.all(.readSpans, [.text(job)]) { row throws(PostgreSQLError) in
        TaskSpan(
          task: try row.value("task"), kind: try row.case("kind"), state: try row.case("state"),
          frames: try FrameRange.optional(row), worker: try row.optional("worker"), attempts: try row.value("attempts"),
          began: try row.optional("began"), ended: try row.optional("ended"))
      }
    }
  }
}
