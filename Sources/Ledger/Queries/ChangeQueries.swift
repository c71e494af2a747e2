internal import PostgreSQL

// What operators and submitters change.
extension Statement {
  // MARK: Jobs

  /// $2: whether it is to be paused.
  static let pauseJob = Statement(
    "pause_job",
    """
    update spool.job set
      paused_at = case when $2::boolean then coalesce(paused_at, clock_timestamp()) end,
      served_at = case when $2::boolean then served_at else clock_timestamp() end,
      served_minute = case when $2::boolean then served_minute else \(minute(ageing: "$3")) end
    where id = $1 and state in ('queued', 'running')
    """)

  static let prioritiseJob = Statement(
    "prioritise_job", "update spool.job set priority = $2 where id = $1 and state in ('queued', 'running')")

  static let readEndedOutput = Statement(
    "read_ended_output", "select output from spool.job where id = $1 and state in ('failed', 'cancelled')")

  static let reviveJob = Statement(
    "revive_job",
    """
    update spool.job set
      state = 'queued', ended_at = null, failure_class = null, failure_place = null, failure_reason = null, paused_at = null,
      served_at = clock_timestamp(), served_minute = \(minute(ageing: "$2")), followed_to = 0
    where id = $1 and state in ('failed', 'cancelled')
    """)

  // MARK: Workers and submitters

  static let drainWorker = Statement(
    "drain_worker",
    """
    update spool.worker set drained_at = case when $2::boolean then coalesce(drained_at, clock_timestamp()) end where name = $1
    """)

  static let drainFarm = Statement(
    "drain_farm",
    "update spool.farm set drained_at = case when $1::boolean then coalesce(drained_at, clock_timestamp()) end")

  /// $3: whether $4 is to be the quota; NULL is none.
  static let changeShare = Statement(
    "change_share",
    """
    update spool.submitter set weight = coalesce($2, weight), slots = case when $3::boolean then $4::integer else slots end where name = $1
    """)

  static let readSubmitters = Statement(
    "read_submitters", "select name, weight, slots, running, jobs from spool.submitter_status order by name")

  // MARK: Why

  static let jobReasons = Statement(
    "job_reasons",
    """
    select kind, reason, count(*) as count, min(ordinal) as first from spool.chunk_waiting_reason where job = $1 and state = 'ready'
    group by kind, reason order by first
    """)
  static let farmReason = Statement("farm_reason", "select farm_reason from spool.job_waiting_reason where job = $1")
  /// Of the task that was tried most often, and is not given up.
  static let jobTrouble = Statement(
    "job_trouble",
    """
    select id as task, attempts - forgiven - (case state when 'running' then 1 else 0 end) as tries,
      failure_class, failure_place, failure_reason
    from spool.task
    where job = $1 and state in ('waiting', 'ready', 'running') and failure_class is not null
      and attempts - forgiven > case state when 'running' then 1 else 0 end
    order by tries desc, ordinal limit 1
    """)
  /// Of its job alone: what stands in the way of each job is found before its tasks are.
  static let taskReason = Statement(
    "task_reason",
    "select reason from spool.chunk_waiting_reason where job = (select job from spool.task where id = $1) and task = $1")
  static let workerReason = Statement("worker_reason", "select reason from spool.worker_waiting_reason where worker = $1")
  static let readTask = Statement(
    "read_task",
    """
    select job, task, kind, state, first_frame, frame_count, attempts, worker, worker_beside, split_from, done, failure_class, failure_place,
      failure_reason, extract(epoch from clock_timestamp() - progress_at)::double precision as silence,
      extract(epoch from patience)::double precision as patience
    from spool.chunk_status where task = $1
    """)
}
