internal import PostgreSQL

extension Statement {
  /// Those of the offering workers that may take work, and how much: one task, where the worker was set aside and its canary is
  /// due. The lock keeps their epoch until the attempts are open.
  static let lockOffers = Statement(
    "lock_offers",
    """
    select w.name, w.memory, array_to_string(w.tags, ' ') as tags, w.set_aside_at is not null as is_canary
    from spool.worker w join unnest($1::text[], $2::text[]) as o(name, epoch) using (name, epoch)
    where w.retired_at is null and w.lease_until > clock_timestamp() and w.drained_at is null
      and (w.set_aside_at is null or w.canary_at <= clock_timestamp()
        and not exists (select from spool.attempt a where a.worker = w.name and a.outcome is null))
      and not exists (select from spool.farm where drained_at is not null)
    order by w.name
    for key share of w
    """)

  /// Whether task t of job j may be given out now, where $2 are the offering workers and $3 the milliseconds for which a retry
  /// waits for another worker than the one that failed it, as long as another one could take it.
  private static let isClaimable = """
    t.job = j.id and t.state = 'ready' and t.ready_at <= clock_timestamp() and (
      t.avoided_worker is null
      or t.ready_at + $3 * interval '1 millisecond' <= clock_timestamp()
      or exists (
        select from spool.worker w
        where w.name = any($2::text[]) and w.name <> t.avoided_worker and j.tags <@ w.tags and j.memory <= w.memory)
      or not exists (
        select from spool.worker w
        where w.name <> t.avoided_worker and w.slots > 0 and w.retired_at is null and w.lease_until > clock_timestamp()
          and w.drained_at is null and w.set_aside_at is null and j.tags <@ w.tags and j.memory <= w.memory))
    """

  /// The jobs that could use one of $1 slots, no more of one submitter than there are slots; costs as such
  /// work was seen to take, to the nearest power of two (`Paces.plannedSlowness`). $4 are the milliseconds of waiting
  /// that raise a priority by one.
  static let waitingJobs = Statement(
    "waiting_jobs",
    """
    with waiting as (
      select j.id, j.submitter, j.number, r.ready, r.cost, case r.kind when 'picture' then j.work else r.kind end as work, j.memory, array_to_string(j.tags, ' ') as tags, p.priority,
        row_number() over (partition by j.submitter order by p.priority desc, j.number) as place
      from spool.job j
      cross join lateral (
        select count(*) as ready, min(cost) filter (where place = 1) as cost, min(kind) filter (where place = 1) as kind
        from (
          select t.cost, t.kind, row_number() over (order by t.ordinal) as place
          from spool.task t where \(isClaimable) order by t.ordinal limit $1) t
      ) r
      cross join lateral (
        select j.priority + floor(extract(epoch from clock_timestamp() - j.served_at) * 1000 / $4)::bigint as priority
      ) p
      where j.state in ('queued', 'running') and j.paused_at is null and r.ready > 0
        and (j.tags = '{}' and j.memory = 0 or exists (
          select from spool.worker w where w.name = any($2::text[]) and j.tags <@ w.tags and j.memory <= w.memory))
    ), quota as materialized (
      select s.name, greatest(0, s.slots - (
        select count(*) from spool.attempt a join spool.task t on t.id = a.task join spool.job j on j.id = t.job
        where a.outcome is null and j.submitter = s.name)) as slots_left
      from spool.submitter s where s.slots is not null and s.name in (select submitter from waiting)
    )
    select w.id, w.submitter, w.number, w.ready, w.cost * coalesce(least(64, greatest(1 / 64.0, power(2, round(ln(p.pace) / ln(2::double precision))))), 1) as cost, w.memory, w.tags, w.priority,
      s.weight, s.spent, s.turn, q.slots_left
    from waiting w join spool.submitter s on s.name = w.submitter left join quota q on q.name = w.submitter
    left join spool.pace p on p.kind = 'work' and p.name = w.work and p.samples >= 3
    where w.place <= $1
    order by w.number
    """)

  static let readTurn = Statement("read_turn", "select coalesce(max(turn), 0) as turn from spool.submitter")

  /// Ready tasks of jobs $4, locked: $5 of each at most. $1 is not read, so that the condition is the one above.
  static let candidates = Statement(
    "candidates",
    """
    select t.id, t.avoided_worker, s.place
    from unnest($4::text[], $5::bigint[]) with ordinality as s(job, count, place)
    join spool.job j on j.id = s.job
    cross join lateral (
      select t.id, t.ordinal, t.avoided_worker from spool.task t where \(isClaimable)
      order by t.ordinal limit least(s.count, $1::bigint)
      for update skip locked
    ) t
    order by s.place, t.ordinal
    """)

  /// On tasks that were locked as ready in the same transaction.
  static let openAttempts = Statement(
    "open_attempts",
    """
    with chosen as (
      select * from unnest($1::bigint[], $2::text[], $3::text[], $4::boolean[]) with ordinality
        as c(task, worker, epoch, is_canary, place)
    ), opened as (
      update spool.task t set state = 'running', attempts = t.attempts + 1, avoided_worker = null
      from chosen c
      where t.id = c.task
      returning t.id, t.attempts, t.job, t.kind, t.first_frame, t.frame_count, c.worker, c.epoch, c.is_canary, c.place
    ), attempt as (
      insert into spool.attempt (task, number, worker, epoch, is_canary, progress_deadline)
      select id, attempts, worker, epoch, is_canary, clock_timestamp() + $5 * interval '1 millisecond' from opened
    )
    select id as task, attempts as number, worker, epoch, job, kind, first_frame, frame_count from opened order by place
    """)

  /// Never waits for a job's row, since it holds tasks: who has it locked is a claim like this one, a cancellation, or an end
  /// that marks the job itself.
  static let startJobs = Statement(
    "start_jobs",
    """
    update spool.job set
      state = 'running', started_at = coalesce(started_at, clock_timestamp()), served_at = clock_timestamp()
    where id in (
      select id from spool.job where id = any($1::text[]) and state in ('queued', 'running') for no key update skip locked)
    """)

  static let charge = Statement(
    "charge",
    """
    update spool.submitter s set spent = c.spent, turn = c.turn
    from unnest($1::text[], $2::double precision[], $3::double precision[]) as c(name, spent, turn) where s.name = c.name
    """)
}
