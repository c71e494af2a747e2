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
      (extract(epoch from c.ended_at - j.submitted_at) * 1000)::bigint as ended, m.opening, m.reading, m.compositing, m.encoding
    from (select submitted_at from spool.job_status where id = $1) j
    cross join lateral (select * from spool.chunk_status where job = $1 offset 0) c
    left join lateral json_to_record(c.measured) as m(opening bigint, reading bigint, compositing bigint, encoding bigint) on true
    order by c.first_frame, c.ordinal
    """)
  /// The times that the attempt which won task $1 measured.
  static let readMeasured = Statement(
    "read_measured",
    """
    select m.opening, m.reading, m.compositing, m.encoding
    from spool.attempt_status a
    cross join lateral json_to_record(a.measured) as m(opening bigint, reading bigint, compositing bigint, encoding bigint)
    where a.task = $1 and a.outcome = 'won'
    """)
  /// The spans of time, in microseconds since the submission of job $1, in which it was stopped or paused, the farm drained, a worker served,
  /// or another job in progress. They are those of the view job_time.
  static let readJobMoments = Statement(
    "read_job_moments",
    """
    with j as (
      select id, submitted_at, coalesce(submitted_at + (waited_seconds + elapsed_seconds) * interval '1 second', ended_at, statement_timestamp()) as until
      from spool.job_status where id = $1
    ), changes as (
      select entity, after, tstzrange(at, coalesce(lead(at) over (partition by entity, worker order by at), 'infinity')) as lasted
      from spool.history where entity = 'job' and job = $1 or entity in ('farm', 'worker')
    ), spans as (
      select case when after in ('failed', 'cancelled') then 'stopped' when after like '%(paused)' then 'paused' when after = 'drained' then 'drained'
        else 'served' end as part, lasted
      from changes where entity = 'job' and (after in ('failed', 'cancelled') or after like '%(paused)') or entity = 'farm' and after = 'drained'
        or entity = 'worker' and after = 'serving'
      union all
      select 'others', tstzrange(o.started_at, greatest(o.started_at, coalesce(o.ended_at, statement_timestamp())))
      from spool.job_status o, j where o.id <> j.id and o.started_at < j.until and (o.ended_at > j.submitted_at) is not false
    )
    select part, (extract(epoch from lower(s) - j.submitted_at) * 1000000)::bigint as began,
      (extract(epoch from upper(s) - j.submitted_at) * 1000000)::bigint as ended
    from j cross join (select part, range_agg(lasted) as all_spans from spans group by part) a
    cross join lateral unnest(a.all_spans * tstzmultirange(tstzrange(j.submitted_at, j.until))) s
    """)
}
