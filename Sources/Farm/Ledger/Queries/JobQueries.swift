internal import PostgreSQL

extension Statement {
  /// Submits a job. The row names the place that another job is to write, and that job; else it has NULLs.
  ///
  /// The statement first waits until nobody else writes a submission of size $23, at most $22 milliseconds. It is one statement
  /// and a transaction of its own, so that a turn takes no longer than the server's work. The first key of the lock is "spol" in
  /// ASCII; it only has to differ from other programs' numbers.
  ///
  /// $24 and $25 are the name and the address of the caller, for the audit. $26 is the job that this one replaces, $27 the tasks of it that make
  /// the same as this one's, and $28 the number of its tasks that are cancelled at once.
  ///
  /// It wakes coordinators on a channel of its own. This channel means that jobs were submitted and nothing else changed, so what
  /// runs need not be looked through.
  ///
  /// The commit does not wait for the disk. The server commits transactions that notify one after the other, so durable ones
  /// could not share a write to the disk. `markLog` makes this one durable afterwards.
  static let submitJob = Statement(
    "submit_job",
    """
    select (s.submitted).taken, (s.submitted).writer, pg_notify('spool_submitted', '')
    from (
      select spool.submit_job($1, $2, $3, $4, $5, $6::text[], $7, $8, $9, $10, $11::json, $12, $13, $14::text[], $15::bigint[],
        $16::bigint[], $17::double precision[], $18::json, $19::bigint[], $20::bigint[], $21::text[],
        $26, $27::bigint[], $28::integer) as submitted
      from (
        select set_config('synchronous_commit', 'off', true), set_config('lock_timeout', $22, true),
          set_config('spool.caller', coalesce($24, ''), true), set_config('spool.peer', coalesce($25, ''), true),
          pg_advisory_xact_lock(1936748396, $23::integer) offset 0
      ) turn offset 0
    ) s
    """)

  /// The name under which this session must submit; NULL when it may use any.
  static let ownSubmitter = Statement(
    "own_submitter", "select case when not spool.has_role('spool_any_submitter') then session_user::text end as name")

  static let readOutputs = Statement(
    "read_outputs",
    """
    select n.id as job, j.output, array_to_json(j.copies)::text as copies from unnest($1::text[]) as n(id)
    cross join lateral (select output, copies from spool.job where id = n.id limit 1) j
    """)

  /// Wakes coordinators. It is the same word for all jobs, because equal notifications of one transaction are sent once.
  static let notify = Statement("notify", "select pg_notify('spool', '')")

  /// Writes a message to the server's log of changes. Its durable commit makes everything durable that was committed before.
  static let markLog = Statement("mark_log", "select pg_logical_emit_message(true, 'spool', '')")

  static let readSpecification = Statement(
    "read_specification",
    """
    select document, facts, fonts, overwrites, keeps_segments, output, array_to_json(copies)::text as copies
    from spool.specification($1)
    """)

  static let readSpecs = Statement(
    "read_specs",
    """
    select n.id as job, s.document, s.facts, s.fonts, s.overwrites, s.keeps_segments, j.output, j.submitter, j.is_divisible,
      array_to_json(j.copies)::text as copies
    from unnest($1::text[]) as n(id)
    cross join lateral (select output, copies, submitter, is_divisible from spool.job where id = n.id limit 1) j
    cross join lateral (select document, facts, fonts, overwrites, keeps_segments from spool.job_spec where job = n.id limit 1) s
    """)

  /// Locks jobs $1 in the order of their ids, as everybody does who locks several.
  static let lockJobs = Statement(
    "lock_jobs",
    """
    select j.id, j.state from (select distinct id from unnest($1::text[]) as n(id) order by id) n
    cross join lateral (select id, state from spool.job where id = n.id limit 1 for no key update) j
    """)

  /// Cancels job $1. The first row has NULLs; then follow the attempts that were open. There is no row when there is no such job.
  static let cancelJob = Statement("cancel_job", "select task, number, worker from spool.cancel_job($1, $2)")

  static let failJob = Statement(
    "fail_job",
    """
    update spool.job
    set state = 'failed', ended_at = clock_timestamp(), followed_to = 0, failure_class = $2, failure_place = $3, failure_reason = $4
    where id = $1 and state in ('queued', 'running')
    """)

  /// Ends the open attempts of job $1, which has ended and is locked.
  static let cancelAttempts = Statement("cancel_attempts", "select task, number, worker from spool.cancel_attempts($1)")

  // MARK: Tasks that follow their job's end or retry, $2 at a time

  /// Locks and returns the first job whose tasks have to follow it.
  static let lockFollowedJob = Statement(
    "lock_followed_job",
    "select id, state from spool.job where followed_to is not null order by number limit 1 for no key update skip locked")

  /// Cancels more tasks of an ended job.
  static let cancelTasks = Statement("cancel_tasks", "select spool.cancel_tasks($1, $2)")

  /// Readies more tasks of a retried job.
  static let reviveTasks = Statement("revive_tasks", "select spool.revive_tasks($1, $2)")

  /// Whether no attempt of job n is open. A job that was replaced may have some, and these write files.
  private static let isLeft = "not exists (select from spool.task r where r.job = n.id and r.state = 'running')"

  /// Marks the attempts of jobs as dead: those of the jobs among $1 that may be retried and have been over for $2 milliseconds.
  static let markDead = Statement(
    "mark_dead",
    """
    with over as (
      select j.id from unnest($1::text[]) as n(id)
      cross join lateral (select id, state, ended_at from spool.job where id = n.id limit 1) j
      cross join lateral (select keeps_segments from spool.job_spec where job = n.id limit 1) s
      where j.state in ('failed', 'cancelled') and not s.keeps_segments and \(isLeft)
        and j.ended_at <= clock_timestamp() - $2::double precision * interval '1 millisecond'
    ), locked as materialized (
      select j.id from (select id from over order by id) o
      cross join lateral (
        select id from spool.job where id = o.id and state in ('failed', 'cancelled') limit 1 for no key update) j
    )
    update spool.job j set
      cleared_task = (select max(id) from spool.task where job = j.id),
      cleared_number = (select max(attempts) from spool.task where job = j.id)
    where j.id = any(array(select id from locked))
    """)

  /// The jobs among $1 whose files may go: unknown ones, and those that have been over for $2 milliseconds and do not keep
  /// segments, once none of their attempts is open.
  static let jobsOver = Statement(
    "jobs_over",
    """
    select n.id, j.output, array_to_json(j.copies)::text as copies, case when j.state <> 'done' then j.cleared_task end as cleared_task,
      case when j.state <> 'done' then j.cleared_number end as cleared_number
    from unnest($1::text[]) as n(id)
    left join lateral (
      select id, output, copies, state, ended_at, cleared_task, cleared_number from spool.job where id = n.id limit 1) j on true
    left join lateral (select keeps_segments from spool.job_spec where job = n.id limit 1) s on true
    where j.id is null
      or ((j.state = 'done' or j.state in ('failed', 'cancelled') and j.cleared_number is not null) and not s.keeps_segments and \(isLeft)
        and j.ended_at <= clock_timestamp() - $2::double precision * interval '1 millisecond')
    """)

  // MARK: For people

  private static let jobColumns = """
    s.id, s.state, s.priority, s.paused_at is not null as is_paused, s.output, s.submitter, s.frame_count, s.frames_done, s.chunk_count,
    s.chunks_done, s.attempts_running, s.retry_count, s.failure_class, s.failure_place, s.failure_reason, s.waited_seconds, s.elapsed_seconds,
    to_char(s.submitted_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as submitted_at,
    to_char(s.paused_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as paused_at, s.is_damaged,
    s.copies::text as copies
    """

  static let readJob = Statement(
    "read_job", "select \(jobColumns), null as waits_for from spool.job_status s where s.id = $1")
  static let readJobs = Statement(
    "read_jobs", "select \(jobColumns), null as waits_for from spool.job_status s order by s.number desc limit $1")

  private static let isShown = """
    ($2::text[] is null or case when j.paused_at is not null and j.ended_at is null then 'paused' else j.state end = any($2))
      and ($3::text is null or j.submitter = $3)
    """

  /// The first $1 jobs: running ones in their order, then waiting ones in theirs, then those that ended in the last $4 seconds,
  /// the newest first. They are restricted to states $2 and submitter $3 where these are not NULL. The reasons for waiting are
  /// found once for all of them.
  static let readBoard = Statement(
    "read_board",
    """
    with shown as materialized (
      select * from (
        (select j.id, 1 as part, row_number() over (order by j.number) as place from spool.job j
          where j.state = 'running' and j.paused_at is null and \(isShown) order by place limit $1)
        union all
        (select j.id, 2, row_number() over (order by j.paused_at is not null, j.priority desc, j.number) as place from spool.job j
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
  /// The damaged media that were replaced in job $1, one row for each asset.
  static let readDamage = Statement(
    "read_damage",
    "select asset, first_frame, end_frame, first_sample, end_sample, frame_count, sample_count from spool.job_damage where job = $1 order by asset"
  )
  static let readLoudness = Statement(
    "read_loudness",
    "select measured, gain, limiting, integrated, true_peak, measured_range, range_lu from spool.job_loudness where job = $1")
  static let readReuse = Statement("read_reuse", "select chunk_count, frame_count from spool.job_reuse where job = $1")
  static let readTarget = Statement("read_target", "select quantity, asked, reached from spool.job_target where job = $1")
  static let readTasks = Statement(
    "read_tasks",
    """
    select task, kind, state, first_frame, frame_count, first_sample, sample_count, attempts, worker, worker_beside, split_from,
      units_done, failure_class, failure_place, failure_reason
    from spool.chunk_status where job = $1 order by first_frame, ordinal
    """)
  /// The first $3 tasks of job $1, in the order of `readTasks`, behind the task $2. None where the job has no such task.
  static let readTaskPage = Statement(
    "read_task_page",
    """
    select t.task, t.kind, t.state, t.first_frame, t.frame_count, t.first_sample, t.sample_count, t.attempts, t.worker, t.worker_beside,
      t.split_from, t.units_done, t.failure_class, t.failure_place, t.failure_reason
    from spool.chunk_status t
    where t.job = $1 and ($2::bigint is null or (coalesce(t.first_frame, 9223372036854775807), t.ordinal) > (
      select coalesce(first_frame, 9223372036854775807), ordinal from spool.chunk_status where job = $1 and task = $2))
    order by t.first_frame, t.ordinal limit $3
    """)
  static let readAttempts = Statement(
    "read_attempts",
    """
    select a.task, a.ordinal, a.kind, a.first_frame, a.frame_count, a.number, a.worker, a.is_speculative, a.outcome, a.failure_class,
      a.failure_place, a.failure_reason, (extract(epoch from a.started_at - j.submitted_at) * 1000000)::bigint as began,
      (extract(epoch from a.ended_at - j.submitted_at) * 1000000)::bigint as ended,
      (extract(epoch from statement_timestamp() - j.submitted_at) * 1000000)::bigint as now
    from spool.attempt_status a join spool.job_status j on j.id = a.job where a.job = $1 order by a.started_at, a.task, a.number
    """)
  static let readJobTime = Statement(
    "read_job_time", "select part, seconds from spool.job_time where job = $1 order by place")
  static let readWorkers = Statement(
    "read_workers",
    """
    select name, host, slots, attempts_running, is_alive, state, array_to_string(tags, ' ') as tags, memory_mib, heartbeat_age_seconds,
      array_to_json(output_roots)::text as output_roots, pace, failures_last_hour, array_to_string(jobs, ' ') as jobs
    from spool.worker_status order by name
    """)
}
