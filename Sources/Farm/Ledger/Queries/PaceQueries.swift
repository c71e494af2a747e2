internal import PostgreSQL

extension Statement {
  /// Open attempts older than $1 seconds of unfinished jobs, that no second attempt was put beside, the oldest $2, and the attempts that their
  /// submitters' quotas leave. A job with $3 chunks is not divided further.
  static let runningAttempts = Statement(
    "running_attempts",
    """
    with running as materialized (
      select a.task, a.number, a.worker, t.job, t.kind, t.cost, a.units_done, a.units_total, j.work, j.submitter, j.memory_mib,
        array_to_string(j.tags, ' ') as tags,
        extract(epoch from clock_timestamp() - a.started_at)::double precision as elapsed,
        extract(epoch from clock_timestamp() - a.progress_at)::double precision as silence,
        t.first_frame, t.frame_count, t.division_count, j.is_divisible and j.chunk_count < $3 as is_divisible,
        \(stalls(of: "a.task", before: "a.number", forgiven: "t.forgiven")) as stalls
      from (
        select * from spool.attempt
        where outcome is null and not is_speculative and started_at < clock_timestamp() - $1 * interval '1 second' offset 0) a
      cross join lateral (\(Lookup.task("a.task"))) t cross join lateral (\(Lookup.job("t.job"))) j
      where t.attempts = a.number and t.kind in ('picture', 'sound') and j.paused_at is null and j.state in ('queued', 'running')
      order by a.started_at limit $2
    ), \(quota(of: "running"))
    select r.*, q.slots_left from running r left join quota q on q.name = r.submitter
    """)

  static let countSpeculative = Statement(
    "count_speculative", "select count(*) as count from spool.attempt where outcome is null and is_speculative")

  /// Opens second attempts at tasks $1 beside attempts $2, for workers $3 of epochs $4. It skips attempts that are not the newest
  /// of their tasks any more, or not open.
  static let openBeside = Statement(
    "open_beside",
    """
    with opened as (
      update spool.task t set attempts = t.attempts + 1
      from (
        select n.*, k.tid
        from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[]) with ordinality
          as n(task, number, worker, epoch, patience, place)
        cross join lateral (\(Lookup.task("n.task"))) k
      ) c
      where t.ctid = c.tid and t.state = 'running' and t.attempts = c.number
        and exists (select from spool.attempt a where a.task = t.id and a.number = c.number and a.outcome is null)
      returning t.id, t.attempts, t.job, t.kind, t.first_frame, t.frame_count, t.first_sample, t.sample_count, t.precedence, c.worker,
        c.epoch, c.patience, c.place
    ), attempt as (
      insert into spool.attempt (task, number, worker, epoch, is_speculative, patience, progress_deadline)
      select id, attempts, worker, epoch, true, patience * interval '1 millisecond',
        clock_timestamp() + patience * interval '1 millisecond' from opened
    )
    select id as task, attempts as number, worker, epoch, job, kind, first_frame, frame_count, first_sample, sample_count, precedence, patience
    from opened order by place
    """)

  /// The attempts among $1, $2 that won, with their planned costs, in the order of their ends. Each counts as taking at least $3
  /// milliseconds.
  static let finishedAttempts = Statement(
    "finished_attempts",
    """
    select t.kind, j.work, t.job, a.worker, t.cost,
      greatest(extract(epoch from a.ended_at - a.started_at), $3::double precision / 1000)::double precision as seconds
    from unnest($1::bigint[], $2::bigint[]) as k(task, number)
    cross join lateral (\(Lookup.attempt("k.task", "k.number"))) a
    cross join lateral (\(Lookup.task("k.task"))) t cross join lateral (\(Lookup.job("t.job"))) j
    where a.outcome = 'won' and t.cost > 0 order by a.ended_at, k.task
    """)

  static let readPaces = Statement(
    "read_paces",
    """
    select s.kind, s.name, p.pace, p.result_count
    from unnest($1::text[], $2::text[]) as s(kind, name)
    cross join lateral (select pace, result_count from spool.pace where kind = s.kind and name = s.name limit 1) p
    """)

  /// The paces that kinds of pictures usually have: the median of each codec, and that of all of them in the row without a codec.
  /// A learned pace counts from $2 results on.
  static let usualPaces = """
    usual as materialized (
      select split_part(name, ' ', 1) as codec, percentile_cont(0.5) within group (order by pace) as pace
      from spool.pace where kind = 'work' and strpos(name, ' ') > 0 and result_count >= $2
      group by grouping sets ((split_part(name, ' ', 1)), ())
    )
    """

  /// The pace of kind $1 of work, from $2 results on; where nothing is known of it, the usual one.
  static let expectedPace = Statement(
    "expected_pace",
    """
    with \(usualPaces)
    select coalesce(
      (select pace from spool.pace where kind = 'work' and name = $1 and result_count >= $2),
      case when strpos($1, ' ') > 0 then coalesce(
        (select pace from usual where codec = split_part($1, ' ', 1)), (select pace from usual where codec is null)) end, 1
    )::double precision as pace
    """)

  static let writePaces = Statement(
    "write_paces",
    """
    insert into spool.pace (kind, name, pace, result_count) select * from unnest($1::text[], $2::text[], $3::double precision[], $4::bigint[])
    on conflict (kind, name) do update set pace = excluded.pace, result_count = excluded.result_count, learned_at = clock_timestamp()
    """)
}
