/// A row looked up by its key: the body of a lateral subquery in a named statement.
///
/// A coordinator's statements name hundreds of rows, and their plans are kept for as long as the session lasts, whatever the tables were
/// when they were made. The planner may begin a join at either end and, believing a table to be empty, compares each row of a batch with
/// each. Nothing is pulled out of a subquery of one row, so the batch comes first and the key's index is the only way to the row.
/// What is looked up has its place in the table (`tid`), by which the same statement changes it: no index leads the other way round.
/// A row that somebody else changed meanwhile is not found at its place, so its job is locked before, or the next try changes it.
enum Lookup {
  static func job(_ id: String) -> String {
    """
    select ctid as tid, id, submitter, priority, tags, memory, work, state, paused_at, is_divisible, chunk_count, followed_to, cleared_number
    from spool.job where id = \(id) limit 1
    """
  }

  static func task(_ id: String) -> String {
    """
    select ctid as tid, job, ordinal, kind, state, first_frame, frame_count, cost, attempts, forgiven, divisions, split_from
    from spool.task where id = \(id) limit 1
    """
  }

  static func attempt(_ task: String, _ number: String) -> String {
    """
    select ctid as tid, worker, epoch, outcome, done, is_speculative, started_at, ended_at
    from spool.attempt where task = \(task) and number = \(number) limit 1
    """
  }

  static func worker(_ name: String) -> String {
    "select ctid as tid, epoch, retired_at, lease_until from spool.worker where name = \(name) limit 1"
  }
}
