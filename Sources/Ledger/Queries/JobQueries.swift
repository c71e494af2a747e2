internal import PostgreSQL

extension Statement {
  /// No row when the job is there already, or another one that has not ended is to have its output.
  static let insertJob = Statement(
    "insert_job",
    """
    insert into spool.job (id, submitter, priority, output, frame_count, chunk_count, parts_left, tags, memory, work, cost, is_divisible)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
    on conflict do nothing
    """)

  static let findJob = Statement("find_job", "select from spool.job where id = $1")

  static let readOutput = Statement("read_output", "select output from spool.job where id = $1")

  /// The job other than $2 that has not ended and is to have the output.
  static let readWriter = Statement(
    "read_writer",
    "select id from spool.job where md5(output) = md5($1::text) and state in ('queued', 'running') and output = $1 and id <> $2")

  static let insertSubmitter = Statement(
    "insert_submitter", "insert into spool.submitter (name) values ($1) on conflict (name) do nothing")

  static let holdSubmitter = Statement("hold_submitter", "select from spool.submitter where name = $1 for key share")

  static let insertSpec = Statement(
    "insert_spec",
    """
    insert into spool.job_spec (job, document, facts, overwrites, keeps_segments) values ($1, $2, $3, $4, $5)
    """)

  /// Pictures and sound are ready at once, when there are any; the mux is when there are none.
  static let insertTasks = Statement(
    "insert_tasks",
    """
    insert into spool.task (job, ordinal, kind, state, first_frame, frame_count, cost)
    select $1, t.ordinal - 1, t.kind,
      case when t.kind in ('picture', 'sound') then 'ready' else 'waiting' end, t.first_frame, t.frame_count, t.cost
    from unnest($2::text[], $3::bigint[], $4::bigint[], $5::double precision[])
      with ordinality as t(kind, first_frame, frame_count, cost, ordinal)
    order by t.ordinal
    """)

  /// Wakes coordinators. One word for all jobs: equal notifications of a transaction are sent once.
  static let notify = Statement("notify", "select pg_notify('spool', '')")

  static let readSpec = Statement(
    "read_spec",
    """
    select s.document, s.facts, s.overwrites, s.keeps_segments, j.output
    from spool.job_spec s join spool.job j on j.id = s.job where s.job = $1
    """)

  /// In the order of ids, as everybody who locks several.
  static let lockJobs = Statement(
    "lock_jobs", "select id, state from spool.job where id = any($1::text[]) order by id for no key update")

  static let cancelJob = Statement(
    "cancel_job",
    """
    update spool.job set state = 'cancelled', ended_at = clock_timestamp(), followed_to = 0
    where id = $1 and state in ('queued', 'running')
    """)

  static let failJob = Statement(
    "fail_job",
    """
    update spool.job
    set state = 'failed', ended_at = clock_timestamp(), followed_to = 0, failure_class = $2, failure_place = $3, failure_reason = $4
    where id = $1 and state in ('queued', 'running')
    """)

  /// Ends what runs of a job that ended, which is locked: no more than the farm has slots.
  static let cancelAttempts = Statement(
    "cancel_attempts",
    """
    with open as materialized (select task, number from spool.attempt where outcome is null),
    ended as (
      update spool.attempt a set outcome = 'cancelled', ended_at = clock_timestamp()
      from open o join spool.task t on t.id = o.task
      where t.job = $1 and a.task = o.task and a.number = o.number
      returning a.task, a.number, a.worker
    ), cancelled as (
      update spool.task set state = 'cancelled' where id in (select task from ended)
    )
    select task, number, worker from ended
    """)

  // MARK: Tasks that follow their job's end or retry, $2 at a time

  /// The first job whose tasks do, locked.
  static let lockFollowedJob = Statement(
    "lock_followed_job",
    "select id, state from spool.job where followed_to is not null order by number limit 1 for no key update skip locked")

  private static let next = """
    next as materialized (
      select t.id, t.ordinal from spool.task t
      where t.job = $1 and t.ordinal >= (select followed_to from spool.job where id = $1) order by t.ordinal limit $2
    )
    """
  private static let follow = """
    update spool.job set followed_to = (select max(ordinal) + 1 from next having count(*) = $2)
    """

  /// Of an ended job.
  static let cancelTasks = Statement(
    "cancel_tasks",
    """
    with \(next), changed as (
      update spool.task t set state = 'cancelled' from next n where t.id = n.id and t.state in ('waiting', 'ready')
    )
    \(follow) where id = $1
    """)

  /// Of a retried job. What is done stays done, unless its files may have been cleared away: then its winners win no longer, and all attempts
  /// come after those that are dead. The mux is ready when nothing is missing before it, the publishing when the mux is done.
  static let reviveTasks = Statement(
    "revive_tasks",
    """
    with \(next), changed as (
      update spool.task t set
        state = case
          when t.state = 'ready' and j.cleared_number is null or t.kind in ('picture', 'sound')
            or t.kind = 'mux' and j.parts_left = 0 then 'ready'
          when t.kind = 'publish' and exists (
            select from spool.task m
            where m.job = t.job and m.kind = 'mux' and m.state = 'done' and m.attempts > coalesce(j.cleared_number, 0)) then 'ready'
          else 'waiting' end,
        attempts = greatest(t.attempts, j.cleared_number), forgiven = greatest(t.attempts, j.cleared_number),
        ready_at = clock_timestamp(), avoided_worker = null
      from next n, spool.job j
      where t.id = n.id and j.id = t.job
        and (t.state in ('failed', 'cancelled', 'ready') or t.state = 'waiting' and j.cleared_number is not null
          or t.state = 'done' and t.attempts <= j.cleared_number and t.id <= j.cleared_task)
      returning t.id
    ), revoked as (
      update spool.attempt a set
        outcome = 'revoked', failure_class = 'transient', failure_place = a.proof ->> 'file',
        failure_reason = 'cleared away while its job was over'
      from changed c where a.task = c.id and a.outcome = 'won'
    )
    \(follow), cleared_task = case when (select count(*) from next) = $2 then cleared_task end,
      cleared_number = case when (select count(*) from next) = $2 then cleared_number end
    where id = $1
    """)

  /// Those of jobs $1 that may be retried and have been over for $2 milliseconds: which of their attempts are dead from now on.
  static let markDead = Statement(
    "mark_dead",
    """
    with over as (
      select j.id from spool.job j join spool.job_spec s on s.job = j.id
      where j.id = any($1::text[]) and j.state in ('failed', 'cancelled') and not s.keeps_segments
        and j.ended_at <= clock_timestamp() - $2::double precision * interval '1 millisecond'
      order by j.id for no key update of j
    )
    update spool.job j set cleared_task = d.task, cleared_number = d.number
    from over o cross join lateral (select max(id) as task, max(attempts) as number from spool.task where job = o.id) d
    where j.id = o.id
    """)

  /// All attempts of a job end with it, at the latest.
  static let jobsOver = Statement(
    "jobs_over",
    """
    select named.id, j.output, case when j.state <> 'done' then j.cleared_task end as cleared_task,
      case when j.state <> 'done' then j.cleared_number end as cleared_number
    from unnest($1::text[]) as named(id)
    left join spool.job j on j.id = named.id left join spool.job_spec s on s.job = j.id
    where j.id is null
      or ((j.state = 'done' or j.state in ('failed', 'cancelled') and j.cleared_number is not null) and not s.keeps_segments
        and j.ended_at <= clock_timestamp() - $2::double precision * interval '1 millisecond')
    """)

  // MARK: For people

  private static let jobColumns = """
    id, state, priority, paused_at is not null as is_paused, output, submitter, frame_count, frames_done, chunk_count, chunks_done, retries,
    failure_class, failure_place, failure_reason, elapsed_seconds, seconds_left,
    to_char(submitted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as submitted_at,
    to_char(paused_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as paused_at
    """

  static let readJob = Statement("read_job", "select \(jobColumns) from spool.job_status where id = $1")
  static let readJobs = Statement(
    "read_jobs", "select \(jobColumns) from spool.job_status order by number desc limit $1")
  static let readTasks = Statement(
    "read_tasks",
    """
    select task, kind, state, first_frame, frame_count, attempts, worker, worker_beside, split_from, done, failure_class, failure_place,
      failure_reason
    from spool.chunk_status where job = $1 order by first_frame, ordinal
    """)
  static let readWorkers = Statement(
    "read_workers",
    """
    select name, host, slots, running, is_alive, state, array_to_string(tags, ' ') as tags, memory, seconds_since_heartbeat,
      array_to_json(output_roots)::text as output_roots
    from spool.worker_status order by name
    """)
}
