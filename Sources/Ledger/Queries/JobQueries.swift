internal import PostgreSQL

extension Statement {
  /// No row when the job is there already, or another one that has not ended is to have its output.
  static let insertJob = Statement(
    "insert_job",
    """
    insert into spool.job (id, submitter, priority, output, frame_count, chunk_count, parts_left, tags, memory, work, cost, is_divisible,
      served_minute)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, \(minute(ageing: "$13")))
    on conflict do nothing
    """)

  static let findJob = Statement("find_job", "select from spool.job where id = $1")

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
    update spool.job set followed_to = (select max(ordinal) + 1 from next having count(*) = $2) where id = $1
    """

  /// Of an ended job.
  static let cancelTasks = Statement(
    "cancel_tasks",
    """
    with \(next), changed as (
      update spool.task t set state = 'cancelled' from next n where t.id = n.id and t.state in ('waiting', 'ready')
    )
    \(follow)
    """)

  /// Of a retried job. What is done stays done. The mux is ready when nothing is missing before it, the publishing when the mux is done.
  static let reviveTasks = Statement(
    "revive_tasks",
    """
    with \(next), changed as (
      update spool.task t set
        state = case
          when t.state = 'ready' or t.kind in ('picture', 'sound') or t.kind = 'mux' and j.parts_left = 0 then 'ready'
          when t.kind = 'publish' and exists (select from spool.task m where m.job = t.job and m.kind = 'mux' and m.state = 'done')
            then 'ready'
          else 'waiting' end,
        ready_at = clock_timestamp(), forgiven = t.attempts, avoided_worker = null
      from next n, spool.job j
      where t.id = n.id and j.id = t.job and t.state in ('failed', 'cancelled', 'ready')
    )
    \(follow)
    """)

  /// All attempts of a job end with it, at the latest.
  static let jobsOver = Statement(
    "jobs_over",
    """
    select named.id, j.output from unnest($1::text[]) as named(id)
    left join spool.job j on j.id = named.id left join spool.job_spec s on s.job = j.id
    where j.id is null
      or (j.state in ('done', 'failed', 'cancelled') and not s.keeps_segments
        and j.ended_at <= clock_timestamp() - $2::double precision * interval '1 millisecond')
    """)

  // MARK: For people

  private static let jobColumns = """
    s.id, s.state, s.priority, s.paused_at is not null as is_paused, s.output, s.submitter, s.frame_count, s.frames_done, s.chunk_count,
    s.chunks_done, s.running_attempts, s.retries, s.failure_class, s.failure_place, s.failure_reason, s.waited_seconds, s.elapsed_seconds,
    to_char(s.submitted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as submitted_at,
    to_char(s.paused_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as paused_at
    """

  static let readJob = Statement(
    "read_job", "select \(jobColumns), null as waits_for from spool.job_status s where s.id = $1")
  static let readJobs = Statement(
    "read_jobs", "select \(jobColumns), null as waits_for from spool.job_status s order by s.number desc limit $1")

  private static let isShown = """
    ($2::text[] is null or case when j.paused_at is not null and j.ended_at is null then 'paused' else j.state end = any($2))
      and ($3::text is null or j.submitter = $3)
    """

  /// The first $1 jobs: those that run, in their order, then those that wait, in theirs, then those that ended, the newest first, and in the
  /// last $4 seconds; of states $2 and of submitter $3, where these are not NULL. What each waits for is found once for all of them.
  static let readBoard = Statement(
    "read_board",
    """
    with shown as materialized (
      select * from (
        (select j.id, 1 as part, row_number() over (order by j.number) as place from spool.job j
          where j.state = 'running' and j.paused_at is null and \(isShown) order by place limit $1)
        union all
        (select j.id, 2, row_number() over (order by j.paused_at is not null, j.rank, j.number) as place from spool.job j
          where (j.state = 'queued' or j.state = 'running' and j.paused_at is not null) and \(isShown) order by place limit $1)
        union all
        (select e.id, 3, row_number() over (order by e.ended_at desc) as place from (
          select j.id, j.ended_at from spool.job j
          where j.ended_at is not null and \(isShown)
            and ($4::double precision is null or j.ended_at > statement_timestamp() - $4 * interval '1 second')
          order by j.ended_at desc limit $1) e)
      ) part order by part, place limit $1
    ), reason as materialized (
      select job, word from spool.job_waiting_reason where job = any(array(select id from shown where part < 3))
    )
    select \(jobColumns), r.word as waits_for
    from shown n cross join lateral (select * from spool.job_status s where s.id = n.id) s left join reason r on r.job = s.id
    order by n.part, n.place
    """)
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
    select name, host, slots, running, is_alive, state, array_to_string(tags, ' ') as tags, memory, seconds_since_heartbeat
    from spool.worker_status order by name
    """)
}
