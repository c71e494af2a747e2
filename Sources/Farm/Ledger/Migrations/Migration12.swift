extension SchemaPlan.Migration {
  /// Lets the queries of operators read no more than they must, and the care of history wait for nobody.
  static let questions = SchemaPlan.Migration(
    version: 12,
    sql: #"""
      create index task_running on spool.task (job) where state = 'running';
      create index history_leader on spool.history (at) where entity = 'leader';
      create or replace function spool.keep_history(months integer) returns integer language plpgsql set lock_timeout = '500ms' as $$
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
          begin
            -- Apart first, since the month may have begun in the partition for the others.
            execute format('create table spool.%I (like spool.history including defaults including constraints)', part);
            execute format('comment on table spool.%I is %L', part, 'History of a month.');
            execute format(
              'with moved as (delete from spool.history_other where at >= %L and at < %L returning *) insert into spool.%I select * from moved',
              month, month + interval '1 month', part);
            execute format(
              'alter table spool.history attach partition spool.%I for values from (%L) to (%L)', part, month, month + interval '1 month');
          exception when lock_not_available then exit;
          end;
        end loop;
        for part in
          select relname from pg_inherits i join pg_class c on c.oid = i.inhrelid
          where i.inhparent = 'spool.history'::regclass and relname ~ '^history_\d{4}_\d{2}$'
            and relname < to_char(oldest at time zone 'UTC', '"history_"YYYY_MM')
        loop
          begin
            execute format('drop table spool.%I', part);
            dropped := dropped + 1;
          exception when lock_not_available then exit;
          end;
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
      """#)
}
