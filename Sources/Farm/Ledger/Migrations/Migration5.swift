extension SchemaPlan.Migration {
  /// Adds second attempts beside slow ones, learned paces, and a failure class for stores.
  static let stragglers = SchemaPlan.Migration(
    version: 5,
    sql: #"""
      alter table spool.attempt add column is_speculative boolean not null default false;
      alter table spool.job add column work text not null default '';
      create unique index attempt_open_once on spool.attempt (task) where outcome is null and not is_speculative;
      create unique index attempt_beside on spool.attempt (task) where outcome is null and is_speculative;
      drop index spool.attempt_blamed;
      create index attempt_blamed on spool.attempt (ended_at) where failure_class in ('content', 'worker', 'bug');
      alter table spool.job drop constraint job_failure_class_check,
        add constraint job_failure_class_check check (failure_class in ('content', 'worker', 'store', 'transient', 'bug'));
      alter table spool.task drop constraint task_failure_class_check,
        add constraint task_failure_class_check check (failure_class in ('content', 'worker', 'store', 'transient', 'bug'));
      alter table spool.attempt drop constraint attempt_failure_class_check,
        add constraint attempt_failure_class_check check (failure_class in ('content', 'worker', 'store', 'transient', 'bug'));
      comment on column spool.job.work is 'What kind of work its pictures are: the pace of such work is learned (spool.pace).';
      comment on column spool.job.failure_class is
        'content: the edit or its media; worker: the machine; store: no room, or not reachable; transient: passing trouble; bug: ours.';
      comment on column spool.attempt.is_speculative is
        'Whether it was begun beside an open one that is slow: the first result wins. When that one ends without, it goes on in its place.';

      create table spool.pace (
        kind text not null check (kind in ('work', 'job', 'worker')),
        name text not null,
        pace double precision not null check (pace > 0 and pace < 'infinity'),
        samples integer not null check (samples > 0),
        learned_at timestamptz not null default clock_timestamp(),
        primary key (kind, name)
      ) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);
      comment on table spool.pace is
        'How fast work is done, learned from results: of a kind of work, of a job, and of a worker beside others. It may be emptied.';
      comment on column spool.pace.pace is 'Seconds that a unit of planned cost takes; of a worker, how many times as long as others it takes.';
      comment on column spool.pace.samples is 'Results it was learned from.';

      create or replace function spool.keep_history(months integer) returns integer language plpgsql as $$
      declare
        this_month timestamptz := date_trunc('month', clock_timestamp() at time zone 'UTC') at time zone 'UTC';
        oldest timestamptz := this_month - make_interval(months => months);
        month timestamptz;
        part text;
        dropped integer := 0;
        idle text[];
      begin
        foreach month in array array[this_month, this_month + interval '1 month'] loop
          part := to_char(month at time zone 'UTC', '"history_"YYYY_MM');
          continue when to_regclass('spool.' || part) is not null;
          -- Apart first, since the month may have begun in the partition for the others.
          execute format('create table spool.%I (like spool.history including defaults including constraints)', part);
          execute format('comment on table spool.%I is %L', part, 'History of a month.');
          execute format(
            'with moved as (delete from spool.history_other where at >= %L and at < %L returning *) insert into spool.%I select * from moved',
            month, month + interval '1 month', part);
          execute format(
            'alter table spool.history attach partition spool.%I for values from (%L) to (%L)', part, month, month + interval '1 month');
        end loop;
        for part in
          select relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = 'spool.history'::regclass and relname ~ '^history_\d{4}_\d{2}$'
            and relname < to_char(oldest at time zone 'UTC', '"history_"YYYY_MM')
        loop
          execute format('drop table spool.%I', part);
          dropped := dropped + 1;
        end loop;
        delete from spool.history_other where at < oldest;
        -- Whoever had the last turn tells the present. Who submits holds its row; what was submitted meanwhile is seen by the second statement.
        idle := array(
          select name from spool.submitter s
          where weight = 1 and slots is null and turn < (select max(turn) from spool.submitter)
            and not exists (select from spool.job j where j.submitter = s.name)
          for update skip locked);
        delete from spool.submitter s where name = any(idle) and not exists (select from spool.job j where j.submitter = s.name);
        delete from spool.pace p
        where kind = 'job' and not exists (select from spool.job j where j.id = p.name and j.state in ('queued', 'running'))
          or kind = 'worker' and not exists (select from spool.worker w where w.name = p.name)
          or learned_at < oldest;
        return dropped;
      end $$;
      comment on function spool.keep_history(integer) is
        'Makes the partitions of this month and the next, drops those that ended more than so many months ago, and forgets submitters '
        'without jobs and what was learned of what is gone; how many partitions it dropped.';
      """#)
}
