extension SchemaPlan.Migration {
  /// Adds shares and quotas of submitters, needs and capabilities, pauses, drains, retries of jobs, and workers that are set
  /// aside.
  static let shares = SchemaPlan.Migration(
    version: 3,
    sql: """
      create table spool.farm (
        is_only boolean primary key default true check (is_only),
        drained_at timestamptz
      );
      comment on table spool.farm is 'What holds for the whole farm, in one row.';
      insert into spool.farm default values;
      create table spool.submitter (
        name text primary key,
        weight integer not null default 1 check (weight between 1 and 1000),
        slots integer check (slots >= 0),
        spent double precision not null default 0 check (spent >= 0 and spent < 'infinity'),
        turn double precision not null default 0 check (turn >= 0 and turn < 'infinity')
      ) with (fillfactor = 50);
      comment on table spool.submitter is 'Who submits, what share of the farm is theirs, and what they had of it.';
      create index submitter_turn on spool.submitter (turn);
      insert into spool.submitter (name) select distinct submitter from spool.job;
      alter table spool.worker
        add column tags text[] not null default '{}',
        add column memory integer not null default 0 check (memory >= 0),
        add column drained_at timestamptz,
        add column set_aside_at timestamptz,
        add column canary_at timestamptz,
        add column set_asides integer not null default 0 check (set_asides >= 0),
        add column trusted_at timestamptz not null default clock_timestamp(),
        add constraint a_worker_set_aside_has_a_canary check ((set_aside_at is null) = (canary_at is null));
      alter table spool.job
        add column paused_at timestamptz,
        add column tags text[] not null default '{}',
        add column memory integer not null default 0 check (memory >= 0),
        add column served_at timestamptz not null default clock_timestamp();
      drop index spool.task_ready;
      alter table spool.task
        drop column priority,
        add column forgiven integer not null default 0 check (forgiven between 0 and attempts);
      create index task_ready on spool.task (job, ordinal) where state = 'ready';
      alter table spool.attempt add column is_canary boolean not null default false;
      create index attempt_canary on spool.attempt (worker) where is_canary;
      create index attempt_blamed on spool.attempt (ended_at) where failure_class in ('worker', 'bug');
      drop trigger an_ended_job_stays_ended on spool.job;
      create trigger an_ended_job_is_only_queued_again before update of state on spool.job for each row
        when (old.state = 'done' and new.state <> 'done' or old.state in ('failed', 'cancelled') and new.state not in (old.state, 'queued'))
        execute function spool.refuse('a job that has ended stays ended, unless a retry queues it again');
      comment on column spool.farm.drained_at is 'Since then nothing new is begun anywhere (spool drain); NULL while work is given out.';
      comment on column spool.submitter.weight is 'Share relative to others at the same priority.';
      comment on column spool.submitter.slots is 'Attempts that may run at once for all their jobs; NULL: any number.';
      comment on column spool.submitter.spent is 'Virtual time at which their next turn comes: estimated cost given to them, over their weight.';
      comment on column spool.submitter.turn is 'Virtual time of their last turn; the farm''s is the highest of all.';
      comment on column spool.worker.tags is 'What it says it has; jobs may need some of them.';
      comment on column spool.worker.memory is 'MiB for each of its slots; 0: not said.';
      comment on column spool.worker.drained_at is 'Since then it is given nothing new (spool drain NAME), whatever process has its name.';
      comment on column spool.worker.set_aside_at is 'Since then it is not trusted, for failing tasks that others did.';
      comment on column spool.worker.canary_at is 'From then on it is given one task, whose outcome decides whether it is trusted again.';
      comment on column spool.worker.set_asides is 'How often in a row it was set aside: each time the wait for the canary doubles.';
      comment on column spool.worker.trusted_at is 'Failures before this time are not held against it.';
      comment on table spool.job is 'A movie to be rendered. queued -> running -> done | failed; cancelled from either of the first two; a retry queues it again.';
      comment on column spool.job.priority is 'Higher goes first; waiting raises it (docs/scheduling.md).';
      comment on column spool.job.paused_at is 'Since then none of its tasks is begun; NULL while it is not paused.';
      comment on column spool.job.tags is 'Only workers that have all of them are given its tasks.';
      comment on column spool.job.memory is 'Only workers with so many MiB for each slot are given its tasks.';
      comment on column spool.job.served_at is 'When a task of it was given out last, about.';
      comment on column spool.task.forgiven is 'Failures of attempts up to this number do not count: its job was retried after them.';
      comment on column spool.attempt.is_canary is 'Whether a worker that was set aside is tried with it.';
      """)
}
