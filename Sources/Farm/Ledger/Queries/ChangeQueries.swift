internal import PostgreSQL

// Changes that operators and submitters make.
extension Statement {
  /// Changes job $1 as $2 says: $3 is the priority, $4 a retry's new output or NULL, $5 the most tasks at once,
  /// $6 the further places beside a new output. `is_changed` is
  /// NULL when there is no such job.
  static let changeJob = Statement(
    "change_job", "select is_changed, output, writer from spool.change_job($1, $2, $3, $4, $5, $6::text[])")

  /// Drains worker $1, or the whole farm when $1 is NULL, or ends that, as $2 says.
  static let drain = Statement("drain", "select spool.drain($1, $2) as is_found")

  /// Changes the share of submitter $1: $2 is the weight, NULL to keep it. $3 says whether $4 becomes the quota, where NULL means
  /// none. $5 says whether an unknown submitter is entered.
  static let changeShare = Statement("change_share", "select spool.change_share($1, $2, $3, $4, $5) as is_found")

  /// Forgets submitter $1 if its share is what everybody begins with and its jobs have ended.
  static let forgetSubmitter = Statement(
    "forget_submitter",
    """
    delete from spool.submitter s where name = $1 and weight = 1 and slots is null
      and not exists (select from spool.job j where j.submitter = s.name and j.state in ('queued', 'running'))
    """)

  static let readSubmitters = Statement(
    "read_submitters", "select name, weight, slots, jobs_unfinished, attempts_running from spool.submitter_status order by name")

  // MARK: Why

  static let jobReasons = Statement(
    "job_reasons",
    """
    select kind, reason, count(*) as count, min(ordinal) as first from spool.chunk_waiting_reason
    where job = $1 and (state = 'ready' or state = 'waiting' and kind in ('picture', 'sound') or kind = 'mux' and is_unwritable)
    group by kind, reason order by first
    """)
  /// The reason why the whole farm gives out nothing, and the number of tasks of other jobs that go before those of job $1.
  static let jobStanding = Statement(
    "job_standing", "select farm_reason, before::bigint as before from spool.job_waiting_reason where job = $1")
  /// The trouble of the task of job $1 that was tried most often and is not given up.
  static let jobTrouble = Statement(
    "job_trouble",
    """
    select t.id as task, n.tries, t.failure_class, t.failure_place, t.failure_reason
    from spool.task t
    cross join lateral (
      select t.attempts - t.forgiven - case t.state when 'running' then 1 else 0 end
        - (select count(*) from spool.attempt_status a where a.task = t.id and a.number > t.forgiven and a.outcome = 'returned') as tries
    ) n
    where t.job = $1 and t.state in ('waiting', 'ready', 'running') and t.failure_class is not null and n.tries > 0
    order by n.tries desc, t.ordinal limit 1
    """)
  /// The reason why task $1 waits, and how many tasks go before it. It asks for the task's job only, because the view finds the reasons of each
  /// job before those of its tasks.
  static let taskReason = Statement(
    "task_reason",
    "select reason, before::bigint as before from spool.chunk_waiting_reason where job = (select job from spool.task where id = $1) and task = $1"
  )
  static let workerReason = Statement("worker_reason", "select reason from spool.worker_waiting_reason where worker = $1")
  static let readTask = Statement(
    "read_task",
    """
    select job, task, kind, state, first_frame, frame_count, first_sample, sample_count, attempts, worker, worker_beside, split_from,
      units_done, failure_class, failure_place, failure_reason, extract(epoch from clock_timestamp() - progress_at)::double precision as silence,
      extract(epoch from patience)::double precision as patience,
      (select w.job from spool.task w where w.awaited = $1 and w.awaited is not null and w.state = 'waiting' order by w.id limit 1) as awaited_by
    from spool.chunk_status where task = $1
    """)
}
