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
  /// The tasks of job $1 as a JSON object with an array for each property, in the order of the movie. Kinds and states are their places in $2 and
  /// $3, times are milliseconds from the submission, of the attempt that runs or won. What is not known is -1.
  static let readChunkColumns = Statement(
    "read_chunk_columns",
    """
    with chunk as materialized (
      select c.task, array_position($2::text[], c.kind) - 1 as kind, array_position($3::text[], c.state) - 1 as state, c.first_frame, c.frame_count,
        c.ordinal, c.worker, c.attempts, (extract(epoch from c.started_at - j.submitted_at) * 1000)::bigint as began,
        (extract(epoch from c.ended_at - j.submitted_at) * 1000)::bigint as ended, m.opening, m.reading, m.compositing, m.encoding
      from (select submitted_at from spool.job_status where id = $1) j
      cross join lateral (select * from spool.chunk_status where job = $1 offset 0) c
      left join lateral json_to_record(c.measured) as m(opening bigint, reading bigint, compositing bigint, encoding bigint) on true
    ), worker as materialized (
      select worker, row_number() over (order by worker) - 1 as place from (select distinct worker from chunk where worker is not null) named
    )
    select concat(
      '{"workers":', (select coalesce(array_to_json(array_agg(worker order by place)), '[]') from worker),
      ',"kinds":', to_json($2::text[]), ',"states":', to_json($3::text[]),
      ',"task":', array_to_json(array_agg(task)), ',"kind":', array_to_json(array_agg(kind)),
      ',"state":', array_to_json(array_agg(state)), ',"first":', array_to_json(array_agg(coalesce(first_frame, -1))),
      ',"frames":', array_to_json(array_agg(coalesce(frame_count, 0))), ',"worker":', array_to_json(array_agg(coalesce(place, -1))),
      ',"attempts":', array_to_json(array_agg(attempts)), ',"began":', array_to_json(array_agg(coalesce(began, -1))),
      ',"ended":', array_to_json(array_agg(coalesce(ended, -1))), ',"opening":', array_to_json(array_agg(coalesce(opening, -1))),
      ',"reading":', array_to_json(array_agg(coalesce(reading, -1))), ',"compositing":', array_to_json(array_agg(coalesce(compositing, -1))),
      ',"encoding":', array_to_json(array_agg(coalesce(encoding, -1))),
      '}'
    ) as columns
    from (
      select c.*, w.place from chunk c left join worker w on w.worker = c.worker order by c.first_frame, c.ordinal
    ) ordered having count(*) > 0
    """)
  /// The numbers of chunks of job $1 in each state, in cells in the order of the movie: $2 cells, or as many as there are chunks.
  static let readChunkCells = Statement(
    "read_chunk_cells",
    """
    select cell, state, count(*) as chunks
    from (
      select state, (row_number() over (order by first_frame) - 1) * least($2::bigint, count(*) over ()) / count(*) over () as cell
      from spool.task where job = $1 and kind = 'picture'
    ) placed
    group by cell, state
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
  /// The spans of time, in microseconds since the submission of job $1, in which it was stopped or paused, the farm drained, a worker served, the
  /// quota reached, no worker had what it needs, or another job in progress; and those in which each of its tasks waited for what a job that it
  /// replaced had begun. They are those of the view job_time.
  static let readJobMoments = Statement(
    "read_job_moments",
    """
    with j as (
      select id, submitter, priority, spool.needs_of(tags, memory_mib) as needs, submitted_at,
        coalesce(submitted_at + (waited_seconds + elapsed_seconds) * interval '1 second', ended_at, statement_timestamp()) as until
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
      select case h.kind when 'needs' then 'unfit' else h.kind end, tstzrange(h.since, h.until)
      from spool.hold h, j
      where (h.kind = 'quota' and h.name = j.submitter or h.kind = 'needs' and h.name = j.needs) and h.until > j.submitted_at and h.since < j.until
      union all
      select p.part, tstzrange(o.started_at, greatest(o.started_at, coalesce(o.ended_at, statement_timestamp())))
      from j cross join spool.job_status o
      cross join lateral (select 'others' as part union all select 'prior' where o.priority > j.priority) p
      where o.id <> j.id and o.started_at < j.until and (o.ended_at > j.submitted_at) is not false
    )
    select part, null::bigint as task, (extract(epoch from lower(s) - j.submitted_at) * 1000000)::bigint as began,
      (extract(epoch from upper(s) - j.submitted_at) * 1000000)::bigint as ended
    from j cross join (select part, range_agg(lasted) as all_spans from spans group by part) a
    cross join lateral unnest(a.all_spans * tstzmultirange(tstzrange(j.submitted_at, j.until))) s
    union all
    select 'awaiting', t.id, 0, (extract(epoch from greatest(j.submitted_at, least(j.until, coalesce(f.at, j.until))) - j.submitted_at) * 1000000)::bigint
    from j join spool.task t on t.job = j.id and t.awaited is not null
    cross join lateral (select min(at) as at from spool.history where task = t.id and before = 'waiting') f
    """)
}
