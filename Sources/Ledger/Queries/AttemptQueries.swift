internal import PostgreSQL

extension Statement {
  // MARK: Orders

  static let attemptsOfWorker = Statement(
    "attempts_of_worker",
    """
    select a.task, a.number, a.worker, a.epoch, t.job, t.kind, t.first_frame, t.frame_count
    from spool.attempt a join spool.task t on t.id = a.task
    where a.worker = $1 and a.epoch = $2 and a.outcome is null
    order by a.task, a.number
    """)

  /// The winners among a job's tasks of the given kinds, and as proof NULL where there is none.
  static let winners = Statement(
    "winners",
    """
    select t.id as task, t.kind, a.number, a.proof
    from spool.task t left join spool.attempt a on a.task = t.id and a.outcome = 'won'
    where t.job = $1 and t.kind = any($2::text[]) order by t.ordinal
    """)

  // MARK: End

  /// The job of a task, locked: whoever ends an attempt begins with it.
  static let lockJobOfTask = Statement(
    "lock_job_of_task",
    "select j.id as job from spool.task t join spool.job j on j.id = t.job where t.id = $1 for no key update of j")

  static let win = Statement(
    "win",
    """
    update spool.attempt a set outcome = 'won', ended_at = clock_timestamp(), proof = $5
    from spool.task t
    where t.id = a.task and a.task = $1 and a.number = $2::bigint and a.worker = $3 and a.epoch = $4 and a.outcome is null
      and t.state = 'running'
    returning t.kind, coalesce(t.frame_count, 0) as frame_count
    """)

  static let hasWon = Statement(
    "has_won",
    """
    select from spool.attempt
    where task = $1 and number = $2::bigint and worker = $3 and epoch = $4 and outcome = 'won'
    """)

  static let finishTask = Statement("finish_task", "update spool.task set state = 'done' where id = $1")

  static let supersedeOthers = Statement(
    "supersede_others",
    "update spool.attempt set outcome = 'superseded', ended_at = clock_timestamp() where task = $1 and outcome is null")

  /// $2 parts (pictures and sound), $3 chunks and $4 frames more are done, or fewer when negative.
  static let countDone = Statement(
    "count_done",
    """
    update spool.job set
      state = 'running', started_at = coalesce(started_at, clock_timestamp()),
      parts_left = parts_left - $2, chunks_done = chunks_done + $3, frames_done = frames_done + $4
    where id = $1 returning parts_left
    """)

  static let finishJob = Statement(
    "finish_job", "update spool.job set state = 'done', ended_at = clock_timestamp() where id = $1")

  /// Moves the job's task of a kind from waiting to ready.
  static let readyKind = Statement(
    "ready_kind",
    """
    update spool.task set state = 'ready', ready_at = clock_timestamp() where job = $1 and kind = $2 and state = 'waiting'
    """)

  static let fail = Statement(
    "fail",
    """
    update spool.attempt a set
      outcome = $5, ended_at = clock_timestamp(), failure_class = $6, failure_place = $7, failure_reason = $8
    from spool.task t
    where t.id = a.task and a.task = $1 and a.number = $2::bigint and a.worker = $3 and a.epoch = $4 and a.outcome is null
    returning a.task, a.number, a.worker, t.job, a.outcome, a.failure_class, a.failure_place, a.failure_reason
    """)

  /// Takes the victory from those of the attempts ($5, $6) whose tasks the failing one's depends on directly, as long as the
  /// failing attempt ($1 to $4) is open.
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
    returning a.task, a.number, a.worker, t.job, a.outcome, a.failure_class, a.failure_place, a.failure_reason,
      t.kind, coalesce(t.frame_count, 0) as frame_count
    """)

  static let waitAgain = Statement(
    "wait_again",
    """
    update spool.task set state = 'waiting', failure_class = $2, failure_place = $3, failure_reason = $4 where id = $1
    """)

  /// What the retry policy weighs. Released attempts are no fault of their task.
  static let failureCounts = Statement(
    "failure_counts",
    """
    select failure_class, count(*) as count from spool.attempt
    where task = $1 and outcome in ('failed', 'expired', 'revoked')
      and number > (select forgiven from spool.task where id = $1)
    group by failure_class
    """)

  /// Back to ready, $2 milliseconds from now, unless another attempt at it is still open.
  static let retryTask = Statement(
    "retry_task",
    """
    update spool.task t set
      state = 'ready', ready_at = clock_timestamp() + $2 * interval '1 millisecond', avoided_worker = $3,
      failure_class = $4, failure_place = $5, failure_reason = $6
    where id = $1 and not exists (select from spool.attempt a where a.task = t.id and a.outcome is null)
    """)

  static let countRetry = Statement("count_retry", "update spool.job set retries = retries + 1 where id = $1")

  static let failTask = Statement(
    "fail_task",
    "update spool.task set state = 'failed', failure_class = $2, failure_place = $3, failure_reason = $4 where id = $1")
}
