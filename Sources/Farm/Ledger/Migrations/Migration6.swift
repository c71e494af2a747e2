extension SchemaPlan.Migration {
  /// Writes the history of tasks and attempts once for each statement instead of once for each row.
  static let statements = SchemaPlan.Migration(
    version: 6,
    sql: #"""
      drop trigger a_task_changes on spool.task;
      drop trigger an_attempt_begins on spool.attempt;
      drop trigger an_attempt_ends on spool.attempt;
      drop function spool.record_task();
      drop function spool.record_attempt();

      -- This function always uses a hash join, because it may get a thousand rows or a hundred thousand.
      create function spool.record_tasks() returns trigger language plpgsql set enable_hashjoin = on set enable_nestloop = off as $$
      begin
        insert into spool.history (entity, job, task, before, after, reason)
        select 'task', n.job, n.id, o.state, n.state, case when n.state in ('ready', 'failed') then n.failure_reason end
        from new_rows n join old_rows o on o.id = n.id where o.state <> n.state;
        return null;
      end $$;
      create function spool.record_new_attempts() returns trigger language plpgsql as $$
      begin
        insert into spool.history (entity, task, number, worker, after, reason)
        select 'attempt', task, number, worker, coalesce(outcome, 'open'), failure_reason from new_rows;
        return null;
      end $$;
      create function spool.record_attempts() returns trigger language plpgsql set enable_hashjoin = on set enable_nestloop = off as $$
      begin
        insert into spool.history (entity, task, number, worker, before, after, reason)
        select 'attempt', n.task, n.number, n.worker, coalesce(o.outcome, 'open'), coalesce(n.outcome, 'open'), n.failure_reason
        from new_rows n join old_rows o on o.task = n.task and o.number = n.number where o.outcome is distinct from n.outcome;
        return null;
      end $$;
      create trigger tasks_change after update on spool.task referencing old table as old_rows new table as new_rows
        for each statement execute function spool.record_tasks();
      create trigger attempts_begin after insert on spool.attempt referencing new table as new_rows
        for each statement execute function spool.record_new_attempts();
      create trigger attempts_change after update on spool.attempt referencing old table as old_rows new table as new_rows
        for each statement execute function spool.record_attempts();
      """#)
}
