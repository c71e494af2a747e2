extension SchemaPlan.Migration {
  /// Writes down every change of a state, in a partition for each month.
  static let history = SchemaPlan.Migration(
    version: 4,
    sql: #"""
      create table spool.history (
        at timestamptz not null default clock_timestamp(),
        entity text not null check (entity in ('job', 'task', 'attempt', 'worker', 'leader')),
        job text,
        task bigint,
        number integer,
        worker text,
        before text,
        after text not null,
        reason text
      ) partition by range (at);
      comment on table spool.history is 'Every change of a state, written by triggers; a partition for each month. Rows outlive what they tell of.';
      comment on column spool.history.number is 'Of the attempt; of a leader, its term.';
      comment on column spool.history.worker is 'The worker; of a leader, the coordinator.';
      comment on column spool.history.before is 'The state that was left; NULL when there was none.';
      comment on column spool.history.reason is 'Of a failure.';
      create index history_job on spool.history (job, at) where job is not null;
      create index history_task on spool.history (task, at) where task is not null;
      create index history_worker on spool.history (worker, at) where entity = 'worker';
      create table spool.history_other partition of spool.history default;
      comment on table spool.history_other is 'History of months for which there was no partition yet.';

      create function spool.keep_history(months integer) returns integer language plpgsql as $$
      declare
        this_month timestamptz := date_trunc('month', clock_timestamp() at time zone 'UTC') at time zone 'UTC';
        oldest timestamptz := this_month - make_interval(months => months);
        month timestamptz;
        part text;
        dropped integer := 0;
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
        return dropped;
      end $$;
      comment on function spool.keep_history(integer) is
        'Makes the partitions of this month and the next, and drops those that ended more than so many months ago; how many it dropped.';

      create function spool.record_job() returns trigger language plpgsql as $$
      declare
        before text;
      begin
        if tg_op = 'UPDATE' then before := old.state || case when old.paused_at is null then '' else ' (paused)' end; end if;
        insert into spool.history (entity, job, before, after, reason)
        values ('job', new.id, before, new.state || case when new.paused_at is null then '' else ' (paused)' end, new.failure_reason);
        return null;
      end $$;
      create function spool.record_task() returns trigger language plpgsql as $$
      begin
        insert into spool.history (entity, job, task, before, after, reason)
        values ('task', new.job, new.id, old.state, new.state, case when new.state in ('ready', 'failed') then new.failure_reason end);
        return null;
      end $$;
      create function spool.record_attempt() returns trigger language plpgsql as $$
      begin
        insert into spool.history (entity, task, number, worker, before, after, reason)
        values (
          'attempt', new.task, new.number, new.worker, case when tg_op = 'UPDATE' then coalesce(old.outcome, 'open') end,
          coalesce(new.outcome, 'open'), new.failure_reason);
        return null;
      end $$;
      create function spool.worker_state(w spool.worker) returns text language sql immutable as $$
        select case when w.retired_at is not null then 'retired' else 'serving' end
          || case when w.drained_at is null then '' else ' (drained)' end
          || case when w.set_aside_at is null then '' else ' (set aside)' end
      $$;
      create function spool.record_worker() returns trigger language plpgsql as $$
      declare
        before text;
      begin
        if tg_op = 'UPDATE' then before := spool.worker_state(old); end if;
        insert into spool.history (entity, worker, before, after) values ('worker', new.name, before, spool.worker_state(new));
        return null;
      end $$;
      create function spool.record_leader() returns trigger language plpgsql as $$
      begin
        insert into spool.history (entity, number, worker, before, after) values ('leader', new.term, new.coordinator, old.coordinator, 'leads');
        return null;
      end $$;
      comment on function spool.worker_state(spool.worker) is 'What history says of a worker.';

      create trigger a_job_is_entered after insert on spool.job for each row execute function spool.record_job();
      create trigger a_job_changes after update of state, paused_at on spool.job for each row
        when (old.state <> new.state or (old.paused_at is null) <> (new.paused_at is null)) execute function spool.record_job();
      create trigger a_task_changes after update of state on spool.task for each row
        when (old.state <> new.state) execute function spool.record_task();
      create trigger an_attempt_begins after insert on spool.attempt for each row execute function spool.record_attempt();
      create trigger an_attempt_ends after update of outcome on spool.attempt for each row
        when (old.outcome is distinct from new.outcome) execute function spool.record_attempt();
      create trigger a_worker_comes after insert on spool.worker for each row execute function spool.record_worker();
      create trigger a_worker_changes after update of epoch, retired_at, drained_at, set_aside_at on spool.worker for each row
        when (
          old.epoch <> new.epoch or (old.retired_at is null) <> (new.retired_at is null)
          or (old.drained_at is null) <> (new.drained_at is null) or (old.set_aside_at is null) <> (new.set_aside_at is null))
        execute function spool.record_worker();
      create trigger a_leader_changes after update of term on spool.leader for each row
        when (old.term <> new.term) execute function spool.record_leader();

      select spool.keep_history(12);
      """#)
}
