/// The lookup of a row by its key, as the body of a lateral subquery in a named statement.
///
/// A coordinator's statements name hundreds of rows, and their plans last as long as the session. The planner may begin a join at
/// either end. If it believes that a table is empty, it compares each row of a batch with each row of the table. It cannot merge
/// a subquery of one row into the join, so the batch comes first, and the key's index is the only way to the row. Each lookup
/// returns the row's place in the table (`tid`), by which the same statement changes the row. A row that somebody else changed
/// meanwhile is not found at its place. So its job is locked before, or the next try changes it.
enum Lookup {
  static func job(_ id: String) -> String {
    """
    select ctid as tid, id, submitter, priority, tags, memory_mib, work, state, paused_at, is_divisible, chunk_count, followed_to, cleared_number
    from spool.job where id = \(id) limit 1
    """
  }

  static func task(_ id: String) -> String {
    """
    select ctid as tid, job, ordinal, precedence, kind, state, first_frame, frame_count, first_sample, sample_count, cost, attempts, forgiven, division_count, split_from
    from spool.task where id = \(id) limit 1
    """
  }

  static func attempt(_ task: String, _ number: String) -> String {
    """
    select ctid as tid, worker, epoch, outcome, units_done, is_speculative, started_at, ended_at
    from spool.attempt where task = \(task) and number = \(number) limit 1
    """
  }

  static func worker(_ name: String) -> String {
    "select ctid as tid, epoch, retired_at, lease_until from spool.worker where name = \(name) limit 1"
  }
}
