internal import PostgreSQL
internal import Scheduling

extension Statement {
  /// Locks and returns the workers among $1 that have another epoch than $2. Claims hold a key share lock on them while they open
  /// attempts.
  static let lockWorkers = Statement(
    "lock_workers",
    """
    select w.name, w.epoch
    from (select name, epoch from unnest($1::text[], $2::text[]) as n(name, epoch) order by name) n
    cross join lateral (
      select name, epoch from spool.worker where name = n.name and epoch <> n.epoch limit 1 for update) w
    """)

  /// Registers workers. A new epoch replaces the row; the same epoch refreshes it and its lease, and stays retired if it was.
  static let registerWorkers = Statement(
    "register_workers",
    """
    insert into spool.worker as w (name, epoch, host, process_id, slots, lanes, memory_mib, tags, output_roots, finds_segments, lease_until)
    select name, epoch, host, process_id, slots, lanes, memory_mib, string_to_array(tags, ' '),
      (select array_agg(root) from json_array_elements_text(nullif(roots, '')::json) as r(root)), finds_segments,
      clock_timestamp() + $8 * interval '1 millisecond'
    from unnest($1::text[], $2::text[], $3::text[], $4::integer[], $5::integer[], $6::text[], $7::integer[], $9::integer[], $10::text[],
      $11::boolean[]) as n(name, epoch, host, process_id, slots, tags, memory_mib, lanes, roots, finds_segments)
    order by name
    on conflict (name) do update set
      epoch = excluded.epoch, host = excluded.host, process_id = excluded.process_id, slots = excluded.slots,
      lanes = excluded.lanes, memory_mib = excluded.memory_mib, tags = excluded.tags, output_roots = excluded.output_roots,
      heartbeat_at = clock_timestamp(), lease_until = excluded.lease_until,
      registered_at = case when w.epoch = excluded.epoch then w.registered_at else clock_timestamp() end,
      retired_at = case when w.epoch = excluded.epoch then w.retired_at end,
      -- A worker that stops looks for none any more, but its attempts still keep theirs.
      finds_segments = excluded.finds_segments or w.epoch = excluded.epoch and w.finds_segments
    """)

  /// Extends the leases of workers ($1, epochs $2), notes the progress of their attempts ($3 to $8), and returns the attempts
  /// that are not open for them any more (all of them if the epoch is not the worker's current one). A worker that is being
  /// changed at the same moment may miss this refresh; the next heartbeat makes up for it.
  static let heartbeat = Statement(
    "heartbeat",
    """
    with reported as materialized (
      select * from unnest($3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
        as r(worker, epoch, task, number, units_done, units_total)
    ), alive as (
      update spool.worker w
      set heartbeat_at = clock_timestamp(), lease_until = clock_timestamp() + $9 * interval '1 millisecond'
      from (
        select n.epoch, k.tid from unnest($1::text[], $2::text[]) as n(name, epoch) cross join lateral (\(Lookup.worker("n.name"))) k
      ) h
      where w.ctid = h.tid and w.epoch = h.epoch and w.retired_at is null
    ), known as materialized (
      select r.*, a.tid
      from reported r
      cross join lateral (\(Lookup.attempt("r.task", "r.number"))) a
      where a.worker = r.worker and a.epoch = r.epoch and a.outcome is null
    ), advanced as (
      update spool.attempt a set
        units_done = k.units_done, units_total = greatest(k.units_total, k.units_done), progress_at = clock_timestamp(),
        progress_deadline = clock_timestamp() + a.patience
      from known k
      where a.ctid = k.tid and k.units_done > a.units_done
    )
    select r.worker, r.task, r.number from reported r
    left join lateral (\(Lookup.attempt("r.task", "r.number"))) a on true
    where (a.worker = r.worker and a.epoch = r.epoch and a.outcome is null) is not true
    """)

  static let retireWorkers = Statement(
    "retire_workers",
    """
    update spool.worker w set retired_at = clock_timestamp(), lease_until = clock_timestamp()
    from unnest($1::text[], $2::text[]) as p(name, epoch)
    where w.name = p.name and w.epoch = p.epoch and w.retired_at is null
    returning w.name, w.epoch
    """)

  static let endLeases = Statement(
    "end_leases",
    """
    update spool.worker w set lease_until = least(w.lease_until, clock_timestamp())
    from unnest($1::text[], $2::text[]) as p(name, epoch)
    where w.name = p.name and w.epoch = p.epoch and w.retired_at is null
    returning w.name, w.epoch
    """)

  /// The jobs of the workers' open attempts, and those whose tasks wait for these.
  static let jobsOfWorkers = Statement(
    "jobs_of_workers",
    """
    select distinct t.job
    from unnest($1::text[], $2::text[]) as p(worker, epoch)
    cross join lateral (
      select task from spool.attempt where worker = p.worker and epoch = p.epoch and outcome is null offset 0) a
    cross join lateral (
      (select job from spool.task where id = a.task limit 1)
      union all
      (select job from spool.task where awaited = a.task and awaited is not null and state = 'waiting' offset 0)
    ) t
    """)

  /// Ends the open attempts of workers $1 of epochs $2, with outcome $3 and reason $4.
  static let endWorkersAttempts = Statement(
    "end_workers_attempts",
    """
    update spool.attempt a set
      outcome = $3, ended_at = clock_timestamp(),
      failure_class = 'transient', failure_place = 'worker ' || a.worker, failure_reason = $4
    from (
      select o.tid, t.job
      from unnest($1::text[], $2::text[]) as p(worker, epoch)
      cross join lateral (
        select ctid as tid, task from spool.attempt where worker = p.worker and epoch = p.epoch and outcome is null offset 0) o
      cross join lateral (\(Lookup.task("o.task"))) t
    ) t
    where a.ctid = t.tid and a.outcome is null
    returning a.task, a.number, a.worker, t.job, a.outcome, a.failure_class, a.failure_place, a.failure_reason, a.is_canary
    """)

  /// The attempts among $1, $2, $3 that are not open any more.
  static let closedAmong = Statement(
    "closed_among",
    """
    select h.* from unnest($1::text[], $2::bigint[], $3::bigint[]) as h(worker, task, number)
    left join lateral (\(Lookup.attempt("h.task", "h.number"))) a on true
    where (a.worker = h.worker and a.outcome is null) is not true
    order by h.task, h.number
    """)

  /// Sets aside the workers that failed at least $2 tasks in the last $1 milliseconds which others then did. Their canaries are
  /// due in $3 milliseconds. A failure counts only with evidence: between an earlier failure of the worker and the begin of this
  /// one, another worker had begun, and later won, the task that failed earlier. That begin may lie at most $4 milliseconds and
  /// twice the length of this failure back (`TrustPolicy`). The time at which the statement began bounds what is read: an index is not searched
  /// for a clock that moves on. Failures and begins are sorted once and passed in the order of time: thousands of failures that were compared with each
  /// other would take a second, each second.
  static let setAside = Statement(
    "set_aside",
    """
    with failure as materialized (
      select a.worker, a.task, a.started_at, a.ended_at, o.started_at as done_from
      from (
        select worker, task, started_at, ended_at from spool.attempt
        where failure_class in ('content', 'worker', 'source', 'bug') and outcome in ('failed', 'expired')
          and ended_at > statement_timestamp() - $1 * interval '1 millisecond' offset 0) a
      cross join lateral (select set_aside_at, trusted_at from spool.worker where name = a.worker limit 1) w
      cross join lateral (select worker, started_at from spool.attempt where task = a.task and outcome = 'won' limit 1) o
      where w.set_aside_at is null and a.ended_at > w.trusted_at and o.worker <> a.worker
    ), event as (
      select worker, task, started_at as happened_at, false as is_evidence,
        started_at - $4 * interval '1 millisecond' - 2 * (ended_at - started_at) as since
      from failure
      union all
      select worker, task, done_from, true, null from failure where done_from >= ended_at
    ), passed as (
      select worker, task, is_evidence, since, max(happened_at) filter (where is_evidence) over (
        partition by worker order by happened_at, is_evidence desc rows between unbounded preceding and current row) as done_from
      from event
    ), blamed as (
      select worker from passed where not is_evidence and done_from >= since
      group by worker having count(distinct task) >= $2
    )
    update spool.worker set
      set_aside_at = clock_timestamp(), canary_at = clock_timestamp() + $3 * interval '1 millisecond', set_aside_count = 1
    where name in (select worker from blamed) and set_aside_at is null
    returning name
    """)

  /// Judges canaries. A worker whose canary succeeded is trusted again. A worker whose canary failed waits twice as long for the
  /// next one, from $1 up to $2 milliseconds. A failure of the store says nothing about the worker; neither does one of the edit,
  /// unless another worker did the task.
  static let judgeCanaries = Statement(
    "judge_canaries",
    """
    with trial as (
      select w.name, bool_or(a.outcome = 'won') as has_passed
      from spool.worker w join spool.attempt a on a.worker = w.name and a.is_canary and a.started_at >= w.canary_at
      where w.set_aside_at is not null
        and (a.outcome = 'won' or a.outcome in ('failed', 'expired') and (a.failure_class not in ('content', 'store')
          or a.failure_class = 'content' and exists (
            select from spool.attempt o where o.task = a.task and o.outcome = 'won' and o.worker <> a.worker)))
      group by w.name
    )
    update spool.worker w set
      set_aside_at = case when has_passed then null else w.set_aside_at end,
      canary_at = case when has_passed then null
        else clock_timestamp() + least($1 * 2 ^ least(w.set_aside_count, \(TrustPolicy.mostDoublings)), $2) * interval '1 millisecond' end,
      set_aside_count = case when has_passed then 0 else w.set_aside_count + 1 end,
      trusted_at = case when has_passed then clock_timestamp() else w.trusted_at end
    from trial t where t.name = w.name and w.set_aside_at is not null
    returning w.name, has_passed
    """)

  /// Open attempts whose worker's lease or whose progress deadline has passed; at most $1, so that a transaction stays small.
  static let overdue = Statement(
    "overdue",
    """
    select a.task, a.number
    from (select task, number, worker, progress_deadline from spool.attempt where outcome is null offset 0) a
    cross join lateral (\(Lookup.worker("a.worker"))) w
    where a.progress_deadline < clock_timestamp() or w.lease_until < clock_timestamp()
    limit $1
    """)

  /// Ends the overdue attempts among $1, $2. It checks them again now that their jobs are locked, because a heartbeat or a result
  /// may have come in between.
  static let endOverdue = Statement(
    "end_overdue",
    """
    update spool.attempt a set
      outcome = 'expired', ended_at = clock_timestamp(), failure_place = 'worker ' || a.worker,
      failure_class = case when w.lease_until < clock_timestamp() then 'transient' else 'worker' end,
      failure_reason = case when w.lease_until < clock_timestamp()
        then 'silent for ' || round(extract(epoch from clock_timestamp() - w.heartbeat_at)) || ' s'
        else 'no progress for ' || round(extract(epoch from clock_timestamp() - a.progress_at)) || ' s' end
    from (
      select k.tid, t.job, w.name, w.lease_until, w.heartbeat_at
      from unnest($1::bigint[], $2::bigint[]) as o(task, number)
      cross join lateral (\(Lookup.attempt("o.task", "o.number"))) k
      cross join lateral (\(Lookup.task("o.task"))) t
      cross join lateral (select name, lease_until, heartbeat_at from spool.worker where name = k.worker limit 1) w
    ) w
    where a.ctid = w.tid and a.outcome is null
      and (a.progress_deadline < clock_timestamp() or w.lease_until < clock_timestamp())
    returning a.task, a.number, a.worker, w.job, a.outcome, a.failure_class, a.failure_place, a.failure_reason, a.is_canary
    """)
}
