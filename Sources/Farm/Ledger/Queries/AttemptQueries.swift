internal import PostgreSQL

extension Statement {
  /// A condition that an attempt, found by its key, is open. It avoids "outcome is null", the condition of the index of open
  /// attempts. The planner believes that there are few of those, and would read them all instead of looking up keys.
  static func isOpen(of attempt: String) -> String { "num_nulls(\(attempt).outcome) = 1" }

  // MARK: Orders

  static let attemptsOfWorkers = Statement(
    "attempts_of_workers",
    """
    select a.task, a.number, a.worker, a.epoch, t.job, t.kind, t.first_frame, t.frame_count, t.first_sample, t.sample_count, t.precedence,
      round(extract(epoch from a.patience) * 1000)::bigint as patience
    from unnest($1::text[], $2::text[]) as p(worker, epoch)
    cross join lateral (
      select task, number, worker, epoch, patience from spool.attempt
      where worker = p.worker and epoch = p.epoch and outcome is null offset 0) a
    cross join lateral (\(Lookup.task("a.task"))) t
    order by a.task, a.number
    """)

  /// The work of mux ($2 = 'mux') or publish tasks of jobs $1, as the JSON of a `Work`, with the winners that they build on. A
  /// mux's pictures are columns, since there may be a hundred thousand; each proof is parsed once. The sorted subquery keeps
  /// their order in all columns. A task that nobody has won gives NULL values, which no work has.
  static let writingWork = Statement(
    "writing_work",
    """
    select n.job, case $2
      when 'mux' then json_build_object('mux', json_build_object('pictures', p.pictures, 'sound', s.sound))
      else json_build_object('publish', json_build_object('muxed', m.muxed)) end as work
    from unnest($1::text[]) as n(job)
    left join lateral (
      select json_build_object(
        'tasks', coalesce(json_agg(task), '[]'), 'attempts', coalesce(json_agg(number), '[]'),
        'firstFrames', coalesce(json_agg(frames -> 'first'), '[]'), 'frameCounts', coalesce(json_agg(frames -> 'count'), '[]'),
        'files', coalesce(json_agg(file), '[]'), 'byteCounts', coalesce(json_agg("byteCount"), '[]'),
        'byteDigests', coalesce(json_agg("byteDigest"), '[]'),
        'parameterSetDigests', coalesce(json_agg("parameterSetDigest"), '[]'),
        'contentDigests', coalesce(json_agg("contentDigest"), '[]'), 'keys', coalesce(json_agg(key), '[]'),
        'renditions', json_agg(renditions) filter (where renditions is not null),
        'damaged', json_agg(json_build_object('picture', place, 'concealed', concealed)) filter (where concealed is not null),
        'measured', json_agg(json_build_object('picture', place, 'quality', quality)) filter (where quality is not null)
      ) as pictures
      from (
        select t.id as task, a.number, f.*, row_number() over (order by t.first_frame) - 1 as place
        from spool.task t
        \(winner)
        left join lateral json_to_record(a.proof) as f(
          frames json, file text, "byteCount" bigint, "byteDigest" text, "parameterSetDigest" text, "contentDigest" text,
          key text, renditions json, concealed json, quality json) on true
        where t.job = n.job and t.kind = 'picture' order by t.first_frame
      ) picture
    ) p on $2 = 'mux'
    left join lateral (
      select coalesce(
        json_agg(json_build_object('key', json_build_object('task', t.id, 'attempt', a.number), 'proof', a.proof) order by t.first_sample),
        '[]') as sound
      from spool.task t
      \(winner)
      where t.job = n.job and t.kind = 'sound'
    ) s on $2 = 'mux'
    left join lateral (
      select json_build_object('key', json_build_object('task', t.id, 'attempt', a.number), 'proof', a.proof) as muxed
      from spool.task t
      \(winner)
      where t.job = n.job and t.kind = 'mux'
    ) m on $2 = 'publish'
    """)

  /// The attempt `a` that won task `t`.
  private static var winner: String {
    "left join lateral (select number, proof from spool.attempt where task = t.id and outcome in ('won') limit 1) a on true"
  }

  // MARK: End

  /// Locks the jobs of tasks $1, and those whose tasks wait for attempts at them, in the order of their ids, as everybody does who
  /// locks several. Everybody who ends attempts begins with it.
  static let lockJobsOfTasks = Statement(
    "lock_jobs_of_tasks",
    """
    select j.id
    from (
      select distinct k.job from unnest($1::bigint[]) as n(task)
      cross join lateral (
        (select job from spool.task where id = n.task limit 1)
        union all
        (select job from spool.task where awaited = n.task and awaited is not null and state = 'waiting' offset 0)
      ) k order by k.job
    ) named
    cross join lateral (select id from spool.job where id = named.job limit 1 for no key update) j
    """)

  /// Makes attempts the winners of their tasks, with proofs $7, and counts what is done. The attempts are named by $1 to $4. They
  /// win if they are open, their proofs are of their tasks' kinds, and they made their chunks whole: $6 frames from frame $5 on,
  /// NULL for other tasks. Of two attempts at one task the first wins. Other attempts at these tasks end. A job whose publication
  /// won is done. A job that has ended stays so: it was replaced, and another one awaits the result.
  ///
  /// The rows are of three kinds: `won`, each with its place; `job`, each with its parts left; `beside`, each an attempt that
  /// ended.
  static let win = Statement(
    "win",
    """
    with first as materialized (
      select distinct on (s.task) s.task, s.proof, s.place, a.tid as attempt_tid, t.tid as task_tid, t.job, t.kind,
        coalesce(t.frame_count, 0) as frame_count,
        json_array_length(coalesce(s.proof::json -> 'concealed', '[]')) > 0 as is_damaged
      from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[], $7::text[]) with ordinality
        as s(task, number, worker, epoch, first_frame, frame_count, proof, place)
      cross join lateral (\(Lookup.attempt("s.task", "s.number"))) a
      cross join lateral (\(Lookup.task("s.task"))) t
      where a.worker = s.worker and a.epoch = s.epoch and a.outcome is null and t.state = 'running'
        and t.kind = s.proof::json ->> 'kind'
        and (t.kind <> 'picture' or t.first_frame = s.first_frame and t.frame_count = s.frame_count)
        and (t.kind <> 'sound' or t.first_sample is not distinct from (s.proof::json ->> 'firstSample')::bigint
          and (t.sample_count is null or t.sample_count = (s.proof::json ->> 'sampleCount')::bigint))
      order by s.task, s.place
    ), won as (
      update spool.attempt a set outcome = 'won', ended_at = clock_timestamp(), proof = f.proof::json
      from first f where a.ctid = f.attempt_tid
      returning f.place, f.job, f.kind
    ), beside as materialized (
      select f.task, o.number, o.worker, o.tid
      from first f cross join lateral (
        select ctid as tid, number, worker from spool.attempt
        where task = f.task and ctid <> f.attempt_tid and \(isOpen(of: "attempt")) limit 1) o
    ), superseded as (
      update spool.attempt a set outcome = 'superseded', ended_at = clock_timestamp() from beside b where a.ctid = b.tid
    ), finished as (
      update spool.task t set state = 'done' from first f where t.ctid = f.task_tid
    ), counted as (
      update spool.job j set
        state = case when j.ended_at is not null then j.state when d.is_published then 'done' else 'running' end,
        ended_at = case when d.is_published then clock_timestamp() else j.ended_at end,
        started_at = coalesce(started_at, clock_timestamp()),
        parts_left = parts_left - d.parts, chunks_done = chunks_done + d.chunks, frames_done = frames_done + d.frames,
        is_damaged = j.is_damaged or d.is_damaged
      from (
        select k.tid, count(*) filter (where kind in ('picture', 'sound')) as parts, count(*) filter (where kind = 'picture') as chunks,
          sum(frame_count) as frames, bool_or(kind = 'publish') as is_published, bool_or(is_damaged) as is_damaged
        from first f cross join lateral (\(Lookup.job("f.job"))) k group by k.tid
      ) d
      where j.ctid = d.tid
      returning j.id, j.parts_left
    )
    select 'won' as row, place, job, kind, null::integer as parts_left, null::bigint as task, null::integer as number, null as worker from won
    union all select 'job', null, id, null, parts_left, null, null, null from counted
    union all select 'beside', null, null, null, null, task, number, worker from beside
    """)

  /// The places of the attempts that have won, now or before.
  static let haveWon = Statement(
    "have_won",
    """
    select s.place
    from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[]) with ordinality as s(task, number, worker, epoch, place)
    cross join lateral (\(Lookup.attempt("s.task", "s.number"))) a
    where a.outcome = 'won' and a.worker = s.worker and a.epoch = s.epoch
    """)

  /// Subtracts $2 parts (pictures and sound), $3 chunks and $4 frames from what job $1 has done.
  static let uncount = Statement(
    "uncount",
    """
    update spool.job set parts_left = parts_left + $2, chunks_done = chunks_done - $3, frames_done = frames_done - $4 where id = $1
    """)

  /// Moves tasks of jobs $1, each of the kind in $2, from waiting to ready. The jobs must be locked.
  static let readyNext = Statement(
    "ready_next",
    """
    update spool.task t set state = 'ready', ready_at = clock_timestamp()
    from (
      select k.tid from unnest($1::text[], $2::text[]) as n(job, kind) cross join lateral (
        select ctid as tid from spool.task
        where job = n.job and kind = n.kind and kind in ('mux', 'publish') and state = 'waiting' limit 1) k
    ) r
    where t.ctid = r.tid
    """)

  static let fail = Statement(
    "fail",
    """
    update spool.attempt a set
      outcome = $5, ended_at = clock_timestamp(), failure_class = $6, failure_place = $7, failure_reason = $8
    from spool.task t
    where t.id = a.task and a.task = $1 and a.number = $2::bigint and a.worker = $3 and a.epoch = $4 and \(isOpen(of: "a"))
    returning a.task, a.number, a.worker, t.job, a.outcome, a.failure_class, a.failure_place, a.failure_reason, a.is_canary
    """)

  /// Ends an open attempt, named by $1 to $4, of which nothing was made.
  static let takeBack = Statement(
    "take_back",
    """
    update spool.attempt set outcome = 'returned', ended_at = clock_timestamp()
    where task = $1 and number = $2::bigint and worker = $3 and epoch = $4 and \(isOpen(of: "attempt"))
    """)

  /// Makes task $1 ready again at once, or cancels it where its job has ended. It keeps the failure that it had before.
  static let readyAgain = Statement(
    "ready_again",
    """
    update spool.task t set state = case when j.ended_at is null then 'ready' else 'cancelled' end, ready_at = clock_timestamp()
    from spool.job j where t.id = $1 and t.state = 'running' and j.id = t.job
    """)

  /// Takes the victory from those of the attempts ($5, $6) whose tasks the failing attempt's task needs directly. It does so only
  /// while the failing attempt ($1 to $4) is open.
  static let revoke = Statement(
    "revoke",
    """
    update spool.attempt a set
      outcome = 'revoked', failure_class = 'worker', failure_place = a.proof ->> 'file', failure_reason = $7
    from spool.task t, spool.task failed, spool.attempt mine, unnest($5::bigint[], $6::bigint[]) as d(task, number)
    where mine.task = $1 and mine.number = $2::bigint and mine.worker = $3 and mine.epoch = $4 and mine.outcome is null
      and failed.id = mine.task and t.job = failed.job and t.id = a.task
      and a.task = d.task and a.number = d.number and a.outcome = 'won'
      and (failed.kind = 'mux' and t.kind in ('picture', 'sound') or failed.kind = 'publish' and t.kind = 'mux')
    returning a.task, a.number, a.worker, t.job, a.outcome, a.failure_class, a.failure_place, a.failure_reason, a.is_canary,
      t.kind, coalesce(t.frame_count, 0) as frame_count
    """)

  static let waitAgain = Statement(
    "wait_again",
    """
    update spool.task set state = 'waiting', failure_class = $2, failure_place = $3, failure_reason = $4 where id = $1
    """)

  /// The tasks among $1 that have an open attempt. That attempt is not a second one any more.
  static let goOn = Statement(
    "go_on",
    "update spool.attempt set is_speculative = false where task = any($1::bigint[]) and outcome is null returning task")

  /// The failures of tasks $1 by class, for the retry policy. Released attempts do not count. A canary that blames the edit is
  /// counted as a failure of the worker.
  static let failureCounts = Statement(
    "failure_counts",
    """
    select task, failure_class, count(*) as count from (
      select a.task, case when a.failure_class = 'content' and a.is_canary then 'worker' else a.failure_class end as failure_class
      from unnest($1::bigint[]) as e(task) cross join lateral (\(Lookup.task("e.task"))) t
      cross join lateral (
        select task, outcome, failure_class, is_canary from spool.attempt where task = e.task and number > t.forgiven offset 0) a
      where a.outcome in ('failed', 'expired', 'revoked')
    ) failure group by task, failure_class
    """)

  /// Makes tasks $1 ready again, each after its milliseconds in $2. Those of a job that has ended are cancelled.
  static let retryTasks = Statement(
    "retry_tasks",
    """
    update spool.task t set
      state = case when r.is_live then 'ready' else 'cancelled' end, ready_at = clock_timestamp() + r.pause * interval '1 millisecond', avoided_worker = r.avoided,
      failure_class = r.class, failure_place = r.place, failure_reason = r.reason
    from (
      select n.*, k.tid, j.state in ('queued', 'running') as is_live
      from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[])
        as n(task, pause, avoided, class, place, reason)
      cross join lateral (\(Lookup.task("n.task"))) k cross join lateral (\(Lookup.job("k.job"))) j
    ) r
    where t.ctid = r.tid
    """)

  static let countRetries = Statement(
    "count_retries",
    """
    update spool.job j set retry_count = j.retry_count + r.count
    from (
      select n.count, k.tid from unnest($1::text[], $2::integer[]) as n(job, count) cross join lateral (\(Lookup.job("n.job"))) k
    ) r
    where j.ctid = r.tid and j.ended_at is null
    """)

  static let failTask = Statement(
    "fail_task",
    "update spool.task set state = 'failed', failure_class = $2, failure_place = $3, failure_reason = $4 where id = $1")
}
