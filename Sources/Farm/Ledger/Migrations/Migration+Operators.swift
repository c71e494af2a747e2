extension SchemaPlan.Migration {
  /// Restricts names to plain characters, and lets the leading coordinator log what happens to jobs, workers and the farm.
  static let operators = SchemaPlan.Migration(
    version: 18,
    sql: #"""
      create function spool.is_plain(value text) returns boolean language sql immutable as $$
        select value !~ '[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]'
      $$;
      comment on function spool.is_plain(text) is
        'Whether a text holds no control characters, and no marks of lines or of writing direction, which would steer a terminal that shows it.';
      create function pg_temp.plain(value text) returns text language sql immutable as $$
        select regexp_replace(value, '[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]', '?', 'g')
      $$;
      -- Names with characters that steer a terminal are replaced, because the new constraints would refuse them.
      insert into spool.submitter (name, weight, slots, spent, turn)
        select pg_temp.plain(name), weight, slots, spent, turn from spool.submitter where not spool.is_plain(name) on conflict (name) do nothing;
      update spool.job set
        submitter = pg_temp.plain(submitter), tags = array(select pg_temp.plain(tag) from unnest(tags) as tag)
        where not spool.is_plain(submitter || array_to_string(tags, ' '));
      delete from spool.submitter where not spool.is_plain(name);
      update spool.worker set host = pg_temp.plain(host), tags = array(select pg_temp.plain(tag) from unnest(tags) as tag)
        where not spool.is_plain(host || array_to_string(tags, ' '));
      delete from spool.worker where not spool.is_plain(name);
      update spool.leader set coordinator = pg_temp.plain(coordinator) where not spool.is_plain(coordinator);
      alter table spool.leader add constraint a_coordinator_has_a_plain_name check (spool.is_plain(coordinator));
      alter table spool.submitter add constraint a_submitter_has_a_plain_name check (spool.is_plain(name));
      alter table spool.worker add constraint a_worker_has_plain_names check (spool.is_plain(name || host || array_to_string(tags, ' ')));
      alter table spool.job add constraint a_job_has_plain_names check (spool.is_plain(submitter || array_to_string(tags, ' ')));
      drop function pg_temp.plain(text);
      create index job_ended on spool.job (ended_at) where ended_at is not null;
      create table spool.news (
        id bigint generated always as identity primary key,
        event text not null,
        facts text[] not null
      );
      comment on table spool.news is 'What the coordinator that leads is to write into its log, which takes it away: it is no history.';
      comment on column spool.news.facts is 'Names and values in turn; what is NULL is not told.';

      create function spool.tell(event text, variadic facts text[] default '{}') returns void language sql as $$
        insert into spool.news (event, facts) values ($1, $2)
      $$;
      comment on function spool.tell(text, text[]) is 'Has the coordinator that leads log an event.';
      create function spool.tell_of_job() returns trigger language plpgsql as $$
      declare
        began timestamptz := coalesce(new.started_at, new.ended_at);
      begin
        if new.state <> old.state and new.state in ('done', 'failed', 'cancelled') then
          perform spool.tell(
            'job_ended', 'job', new.id, 'state', new.state, 'seconds', round(extract(epoch from new.ended_at - began), 1)::text,
            'waited_seconds', round(extract(epoch from began - new.submitted_at), 1)::text, 'frames', new.frames_done || '/' || new.frame_count,
            'retries', new.retries::text, 'submitter', new.submitter,
            'failure', new.failure_class || ': ' || new.failure_place || ': ' || new.failure_reason);
        elsif new.state = 'queued' and old.state <> 'queued' then
          perform spool.tell('job_retried', 'job', new.id);
        elsif (new.paused_at is null) <> (old.paused_at is null) then
          perform spool.tell(case when new.paused_at is null then 'job_resumed' else 'job_paused' end, 'job', new.id);
        end if;
        return null;
      end $$;
      create function spool.tell_of_attempt() returns trigger language plpgsql as $$
      begin
        perform spool.tell(
          'expired', 'attempt', new.task || '/' || new.number, 'job', (select job from spool.task where id = new.task), 'worker', new.worker,
          'reason', new.failure_reason);
        return null;
      end $$;
      create function spool.tell_of_worker() returns trigger language plpgsql as $$
      begin
        if (new.drained_at is null) <> (old.drained_at is null) then
          perform spool.tell(case when new.drained_at is null then 'worker_undrained' else 'worker_drained' end, 'worker', new.name);
        end if;
        if (new.set_aside_at is null) <> (old.set_aside_at is null) then
          perform spool.tell(
            case when new.set_aside_at is null then 'worker_trusted' else 'worker_set_aside' end, 'worker', new.name,
            'canary_seconds', round(extract(epoch from new.canary_at - new.set_aside_at))::text);
        end if;
        return null;
      end $$;
      create function spool.tell_of_farm() returns trigger language plpgsql as $$
      begin
        perform spool.tell(case when new.drained_at is null then 'farm_undrained' else 'farm_drained' end);
        return null;
      end $$;
      create trigger a_job_is_told after update of state, paused_at on spool.job for each row
        when (old.state <> new.state or (old.paused_at is null) <> (new.paused_at is null)) execute function spool.tell_of_job();
      create trigger an_expiry_is_told after update of outcome on spool.attempt for each row
        when (old.outcome is null and new.outcome = 'expired') execute function spool.tell_of_attempt();
      create trigger a_worker_is_told after update of drained_at, set_aside_at on spool.worker for each row
        when ((old.drained_at is null) <> (new.drained_at is null) or (old.set_aside_at is null) <> (new.set_aside_at is null))
        execute function spool.tell_of_worker();
      create trigger a_drain_is_told after update of drained_at on spool.farm for each row
        when ((old.drained_at is null) <> (new.drained_at is null)) execute function spool.tell_of_farm();
      """#)
}
