internal import Messages
internal import PostgreSQL
internal import Scheduling

/// An attempt that has just ended without winning. Its row is locked, and its task is still to be settled.
struct EndedAttempt {
  var key: AttemptKey
  var worker: String
  var job: String
  /// Whether the attempt was given back and counts as no failure, because its task was not at fault.
  var isReleased: Bool
  var failure: Failure

  init(_ row: Rows.Row) throws(PostgreSQLError) {
    key = try AttemptKey(row)
    worker = try row.value("worker")
    job = try row.value("job")
    isReleased = try row.value("outcome", as: String.self) == "released"
    guard let failure = try Failure.optional(row) else {
      throw PostgreSQLError(.decoding, at: "failure_class", "is empty, which this version of spool does not read")
    }
    self.failure = failure.believed(fromCanary: try row.value("is_canary"))
  }
}
