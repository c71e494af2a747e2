internal import PostgreSQL

// What a job went through.
extension Statement {
  /// The last $2 changes of job $1, its tasks and attempts.
  static let readJobHistory = Statement(
    "read_job_history",
    """
    select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, entity, task, number, worker, before, after, reason
    from spool.history where job = $1 order by at desc, task desc, number desc limit $2
    """)
  /// The tasks of job $1 with the milliseconds from its submission to the beginning and the end of the attempt that runs or won.
  static let readSpans = Statement(
    "read_spans",
    """
    select c.task, c.kind, c.state, c.first_frame, c.frame_count, c.worker, c.attempts,
      (extract(epoch from c.started_at - j.submitted_at) * 1000)::bigint as began,
      (extract(epoch from c.ended_at - j.submitted_at) * 1000)::bigint as ended
    from (select submitted_at from spool.job_status where id = $1) j
    cross join lateral (select * from spool.chunk_status where job = $1 offset 0) c order by c.first_frame, c.ordinal
    """)
}
