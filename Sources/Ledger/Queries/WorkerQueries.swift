internal import PostgreSQL

extension Statement {
  /// The epoch that the worker's row holds, locked; claims hold a key share lock on it while they open attempts.
  static let lockWorker = Statement(
    "lock_worker", "select epoch from spool.worker where name = $1 for update")

  /// A new epoch replaces the old one whole; the same one only refreshes its lease, and stays retired if it was.
  static let registerWorker = Statement(
    "register_worker",
    """
    insert into spool.worker as w (name, epoch, host, process_id, slots, lease_until)
    values ($1, $2, $3, $4, $5, clock_timestamp() + $6 * interval '1 millisecond')
    on conflict (name) do update set
      epoch = excluded.epoch, host = excluded.host, process_id = excluded.process_id, slots = excluded.slots,
      heartbeat_at = clock_timestamp(), lease_until = excluded.lease_until,
      registered_at = case when w.epoch = excluded.epoch then w.registered_at else clock_timestamp() end,
      retired_at = case when w.epoch = excluded.epoch then w.retired_at end
    """)

  /// Extends the leases of workers ($1, epochs $2), notes progress of what they run ($3 to $8), and returns what they run in vain
  /// (all of it, if the epoch is not its row's).
  static let heartbeat = Statement(
    "heartbeat",
    """
    with reported as materialized (
      select * from unnest($3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[])
        as r(worker, epoch, task, number, done, total)
    ), alive as (
      update spool.worker w
      set heartbeat_at = clock_timestamp(), lease_until = clock_timestamp() + $9 * interval '1 millisecond'
      from unnest($1::text[], $2::text[]) as h(name, epoch)
      where w.name = h.name and w.epoch = h.epoch and w.retired_at is null
    ), advanced as (
      update spool.attempt a set
        done = r.done, total = greatest(r.total, r.done), progress_at = clock_timestamp(),
        progress_deadline = clock_timestamp() + $10 * interval '1 millisecond'
      from reported r
      where a.task = r.task and a.number = r.number and a.worker = r.worker and a.epoch = r.epoch and a.outcome is null
        and r.done > a.done
    )
    select r.worker, r.task, r.number from reported r where not exists (
      select from spool.attempt a
      where a.task = r.task and a.number = r.number and a.worker = r.worker and a.epoch = r.epoch and a.outcome is null)
    """)

  static let retireWorker = Statement(
    "retire_worker",
    """
    update spool.worker set retired_at = clock_timestamp(), lease_until = clock_timestamp()
    where name = $1 and epoch = $2 and retired_at is null
    """)

  /// The jobs of a worker's open attempts, other than those of epoch $2 when it is given.
  static let jobsOfWorker = Statement(
    "jobs_of_worker",
    """
    select distinct t.job from spool.attempt a join spool.task t on t.id = a.task
    where a.outcome is null and a.worker = $1 and a.epoch is distinct from $2
    """)

  /// Ends them. $3 is the outcome, $4 the reason.
  static let endWorkersAttempts = Statement(
    "end_workers_attempts",
    """
    update spool.attempt a set
      outcome = $3, ended_at = clock_timestamp(),
      failure_class = 'transient', failure_place = 'worker ' || a.worker, failure_reason = $4
    from spool.task t
    where t.id = a.task and a.outcome is null and a.worker = $1 and a.epoch is distinct from $2
    returning a.task, a.number, a.worker, t.job, a.outcome, a.failure_class, a.failure_place, a.failure_reason
    """)

  /// Open attempts whose lease is over, by job: no more than $1 attempts, so that a transaction stays small.
  static let overdueJobs = Statement(
    "overdue_jobs",
    """
    select distinct job from (
      select t.job from spool.attempt a
      join spool.task t on t.id = a.task join spool.worker w on w.name = a.worker
      where a.outcome is null and (a.progress_deadline < clock_timestamp() or w.lease_until < clock_timestamp())
      limit $1) overdue
    """)

  /// Asks again, now that the jobs are locked: a heartbeat or a result may have come in between.
  static let endOverdue = Statement(
    "end_overdue",
    """
    update spool.attempt a set
      outcome = 'expired', ended_at = clock_timestamp(), failure_place = 'worker ' || a.worker,
      failure_class = case when w.lease_until < clock_timestamp() then 'transient' else 'worker' end,
      failure_reason = case when w.lease_until < clock_timestamp()
        then 'silent for ' || round(extract(epoch from clock_timestamp() - w.heartbeat_at)) || ' s'
        else 'no progress for ' || round(extract(epoch from clock_timestamp() - a.progress_at)) || ' s' end
    from spool.task t, spool.worker w
    where t.id = a.task and w.name = a.worker and t.job = any($1::text[]) and a.outcome is null
      and (a.progress_deadline < clock_timestamp() or w.lease_until < clock_timestamp())
    returning a.task, a.number, a.worker, t.job, a.outcome, a.failure_class, a.failure_place, a.failure_reason
    """)
}
