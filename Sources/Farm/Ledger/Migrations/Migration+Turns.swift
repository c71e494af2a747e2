extension SchemaPlan.Migration {
  /// Adds lines of jobs that go first in, first out; lanes and output roots for light tasks; the failure class of sources that
  /// are away; and the note of which files of a job may have been cleared away.
  static let turns = SchemaPlan.Migration(
    version: 17,
    sql: """
      create table spool.line (
        submitter text not null references spool.submitter on delete cascade,
        priority integer not null,
        served_at timestamptz not null,
        primary key (submitter, priority)
      ) with (fillfactor = 50);
      comment on table spool.line is 'The jobs of a submitter that have one priority: they go first in, first out.';
      comment on column spool.line.served_at is 'When a task of them was given out last, to a second; waiting raises the priority of all of them (docs/scheduling.md).';
      alter table spool.worker
        add column lanes integer not null default 0 check (lanes >= 0),
        add column output_roots text[];
      comment on column spool.worker.lanes is 'Joins and publications that it runs at once beside those.';
      comment on column spool.worker.output_roots is 'Folders that it may write movies below; NULL: anywhere, or not said.';
      create function spool.may_write(roots text[], output text) returns boolean language sql immutable as $$
        select roots is null or exists (select from unnest(roots) r where starts_with(output, rtrim(r, '/') || '/'))
      $$;
      comment on function spool.may_write(text[], text) is 'Whether a worker with these output roots may write a movie there, as far as the path tells.';
      drop index spool.job_queue;
      alter table spool.job
        drop column rank,
        drop column served_minute,
        add column cleared_task bigint,
        add column cleared_number integer check (cleared_number >= 0),
        add constraint what_is_cleared_is_whole check (num_nulls(cleared_task, cleared_number) in (0, 2)),
        drop constraint job_failure_class_check,
        add constraint job_failure_class_check check (failure_class in ('content', 'worker', 'source', 'store', 'transient', 'bug'));
      alter table spool.task
        drop constraint task_failure_class_check,
        add constraint task_failure_class_check check (failure_class in ('content', 'worker', 'source', 'store', 'transient', 'bug'));
      alter table spool.attempt
        drop constraint attempt_failure_class_check,
        add constraint attempt_failure_class_check check (failure_class in ('content', 'worker', 'source', 'store', 'transient', 'bug'));
      alter table spool.farm drop column founded_at;
      comment on column spool.job.priority is 'Higher goes first; waiting raises that of the line (docs/scheduling.md).';
      comment on column spool.job.cleared_number is
        'Its files may have been cleared away since it is over: those of attempts up to this number, at tasks up to cleared_task. A retry makes '
        'everything anew, by later attempts. NULL: none have.';
      comment on column spool.job.failure_class is
        'content: the edit or its media; worker: the machine; source: a medium that was there cannot be read; store: no room, or not reachable; transient: passing trouble; bug: ours.';
      comment on column spool.task.ordinal is 'Place in the job, in which it is given out: sound, pictures in frame order, mux, publish; then what was split off. '
        'Order by first_frame, ordinal for the order of the movie.';
      comment on column spool.task.attempts is
        'The number of the newest attempt: it only grows, so a number is never given twice. Where a retry begins after cleared ones, it is more than '
        'the attempts.';
      create index job_queue on spool.job (submitter, tags, memory, priority, number)
        where state in ('queued', 'running') and paused_at is null and wakes_at is null;
      create index task_light on spool.task (job) where kind in ('mux', 'publish') and state in ('ready', 'running');
      drop index spool.attempt_blamed;
      create index attempt_blamed on spool.attempt (ended_at) where failure_class in ('content', 'worker', 'source', 'bug');
      """)
}
