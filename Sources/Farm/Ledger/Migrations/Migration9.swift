extension SchemaPlan.Migration {
  /// Lets claims find the jobs with tasks to give out by an index, in the order in which they go.
  static let queue = SchemaPlan.Migration(
    version: 9,
    sql: #"""
      alter table spool.farm add column founded_at timestamptz not null default clock_timestamp();
      comment on column spool.farm.founded_at is 'Minutes are counted from then (job.served_minute).';
      alter table spool.job
        add column served_minute bigint not null default 0,
        add column rank bigint not null generated always as (served_minute - priority) stored,
        add column wakes_at timestamptz;
      comment on column spool.job.served_minute is 'The farm''s minute of served_at.';
      comment on column spool.job.rank is 'Who goes first among the jobs of a submitter: the lowest, then the lowest number. A minute of waiting is worth a level of priority.';
      comment on column spool.job.wakes_at is
        'None of its tasks can be given out before then, so claims need not look at it; infinity: not before another one is ready. NULL: one can be.';
      create index job_queue on spool.job (submitter, tags, memory, rank, number)
        where state in ('queued', 'running') and paused_at is null and wakes_at is null;
      create index job_asleep on spool.job (wakes_at) where state in ('queued', 'running') and wakes_at is not null;
      create function spool.wake_jobs() returns trigger language plpgsql as $$
      begin
        update spool.job j set wakes_at = r.at
        from (select job, min(ready_at) as at from new_rows where state = 'ready' group by job) r
        where j.id = r.job and j.wakes_at > r.at;
        return null;
      end $$;
      comment on function spool.wake_jobs() is 'Has claims look again at the jobs of tasks that became ready: whoever makes a task ready need not think of it.';
      create trigger ready_tasks_come after insert on spool.task referencing new table as new_rows
        for each statement execute function spool.wake_jobs();
      create trigger tasks_become_ready after update on spool.task referencing new table as new_rows
        for each statement execute function spool.wake_jobs();
      """#)
}
