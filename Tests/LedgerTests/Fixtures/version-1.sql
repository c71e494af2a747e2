-- The farm's whole state, in the schema "spool" of one PostgreSQL database (version 14 or later).
--
-- The coordinator applies this file to an empty database when it starts; by hand: psql --single-transaction -f schema.sql.
-- Read the views (job_status, chunk_status, worker_status, farm_status); write nothing by hand but through `spool`.
--
-- Locks are taken in the order worker, job, task, attempt. Whoever ends an attempt locks its job row first; claims lock
-- only ready tasks, and skip what is locked. Only this server's clock (clock_timestamp) decides a lease.

create schema spool;
comment on schema spool is 'Spool, the render farm: jobs, their tasks, the attempts at them, and the workers.';

create table spool.schema_version (
  version integer primary key check (version > 0),
  applied_at timestamptz not null default clock_timestamp()
);
comment on table spool.schema_version is 'The versions this schema has been brought to; the highest one holds.';
insert into spool.schema_version (version) values (1);

create table spool.worker (
  name text primary key check (length(name) between 1 and 255),
  epoch text not null,
  host text not null,
  process_id integer not null,
  slots integer not null check (slots >= 0),
  registered_at timestamptz not null default clock_timestamp(),
  heartbeat_at timestamptz not null default clock_timestamp(),
  lease_until timestamptz not null,
  retired_at timestamptz
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);
comment on table spool.worker is 'One row for each worker name ever seen, with its newest process.';
comment on column spool.worker.epoch is 'New at every start of the worker: what an older process says is ignored.';
comment on column spool.worker.slots is 'Attempts that it runs at once.';
comment on column spool.worker.lease_until is 'Extended by each heartbeat; when it passes, the worker''s open attempts are given to others.';
comment on column spool.worker.retired_at is 'When this process said goodbye; NULL while it works or has merely fallen silent.';

create table spool.job (
  id text primary key check (id ~ '^[a-z0-9]{1,32}$'),
  number bigint generated always as identity unique,
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
  submitter text not null,
  priority integer not null,
  output text not null check (output like '/%'),
  frame_count bigint not null check (frame_count >= 0),
  chunk_count integer not null check (chunk_count >= 0),
  frames_done bigint not null default 0,
  chunks_done integer not null default 0,
  parts_left integer not null check (parts_left >= 0),
  retries integer not null default 0 check (retries >= 0),
  submitted_at timestamptz not null default clock_timestamp(),
  started_at timestamptz,
  ended_at timestamptz,
  failure_class text check (failure_class in ('content', 'worker', 'transient', 'bug')),
  failure_place text,
  failure_reason text,
  constraint frames_done_within_job check (frames_done between 0 and frame_count),
  constraint chunks_done_within_job check (chunks_done between 0 and chunk_count),
  constraint only_a_queued_job_has_not_started check (state not in ('running', 'done') or started_at is not null),
  constraint an_ended_job_has_its_time check ((state in ('done', 'failed', 'cancelled')) = (ended_at is not null)),
  constraint only_a_failed_job_has_a_failure check ((state = 'failed') = (failure_class is not null)),
  constraint a_failure_is_whole check (num_nulls(failure_class, failure_place, failure_reason) in (0, 3)),
  constraint a_done_job_has_all_parts check (state <> 'done' or (parts_left = 0 and chunks_done = chunk_count))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
comment on table spool.job is 'A movie to be rendered. queued -> running -> done | failed; cancelled from either of the first two.';
comment on column spool.job.number is 'Order of submission.';
comment on column spool.job.priority is 'Higher goes first.';
comment on column spool.job.output is 'Absolute path of the movie.';
comment on column spool.job.chunk_count is 'Its picture tasks.';
comment on column spool.job.frames_done is 'Frames in finished chunks.';
comment on column spool.job.parts_left is 'Picture and sound tasks that are not done; the mux task is ready when there are none.';
comment on column spool.job.retries is 'How often a task went back to ready.';
comment on column spool.job.failure_class is
  'content: the edit or its media; worker: the machine; transient: passing trouble; bug: ours.';
create index job_unfinished on spool.job (number) where state in ('queued', 'running');

create table spool.job_spec (
  job text primary key references spool.job on delete cascade,
  document text not null,
  facts json not null,
  overwrites boolean not null,
  keeps_segments boolean not null
);
comment on table spool.job_spec is 'What a job renders, immutable; apart from job, whose rows change often.';
comment on column spool.job_spec.document is 'The edit, in canonical JSON, asset paths absolute.';
comment on column spool.job_spec.facts is 'What probing found in each asset, by the asset''s id.';

create table spool.task (
  id bigint generated always as identity primary key,
  job text not null references spool.job on delete cascade,
  ordinal integer not null check (ordinal >= 0),
  kind text not null check (kind in ('picture', 'sound', 'mux', 'publish')),
  state text not null check (state in ('waiting', 'ready', 'running', 'done', 'failed', 'cancelled')),
  first_frame bigint check (first_frame >= 0),
  frame_count bigint check (frame_count > 0),
  cost double precision not null check (cost >= 0 and cost < 'infinity'),
  priority integer not null,
  attempts integer not null default 0 check (attempts >= 0),
  ready_at timestamptz not null default clock_timestamp(),
  avoided_worker text,
  failure_class text check (failure_class in ('content', 'worker', 'transient', 'bug')),
  failure_place text,
  failure_reason text,
  unique (job, ordinal),
  constraint only_a_picture_has_frames check ((kind = 'picture') = (first_frame is not null)),
  constraint frames_are_a_range check (num_nulls(first_frame, frame_count) in (0, 2)),
  constraint a_failure_is_whole check (num_nulls(failure_class, failure_place, failure_reason) in (0, 3)),
  constraint a_failed_task_has_a_failure check (state <> 'failed' or failure_class is not null),
  constraint what_ran_has_an_attempt check (state not in ('running', 'done', 'failed') or attempts > 0)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
comment on table spool.task is
  'A unit of dispatch; a picture task is a chunk. waiting (for other tasks) -> ready -> running -> done; back to ready on retry.';
comment on column spool.task.ordinal is 'Place in the job: pictures in frame order, sound, mux, publish.';
comment on column spool.task.cost is 'Estimated cost in the plan''s unit.';
comment on column spool.task.priority is 'The job''s, repeated here for the index that claims read.';
comment on column spool.task.attempts is 'Attempts so far, and the number of the newest: it only grows, so a number is never given twice.';
comment on column spool.task.ready_at is 'A ready task is not claimed before this time (backoff).';
comment on column spool.task.avoided_worker is 'The worker that failed it last; another one is preferred.';
comment on column spool.task.failure_class is 'The last failure''s, also while it is being retried.';
create index task_ready on spool.task (priority desc, id) where state = 'ready';
create unique index task_once on spool.task (job, kind) where kind in ('sound', 'mux', 'publish');

create table spool.attempt (
  task bigint not null references spool.task on delete cascade,
  number integer not null check (number > 0),
  worker text not null references spool.worker,
  epoch text not null,
  started_at timestamptz not null default clock_timestamp(),
  progress_at timestamptz not null default clock_timestamp(),
  progress_deadline timestamptz not null,
  ended_at timestamptz,
  done bigint not null default 0 check (done >= 0),
  total bigint not null default 0 check (total >= 0),
  outcome text check (outcome in ('won', 'failed', 'expired', 'released', 'superseded', 'cancelled', 'revoked')),
  failure_class text check (failure_class in ('content', 'worker', 'transient', 'bug')),
  failure_place text,
  failure_reason text,
  proof json,
  primary key (task, number),
  constraint an_ended_attempt_has_its_time check ((outcome is null) = (ended_at is null)),
  constraint who_won_has_a_proof check (coalesce(outcome in ('won', 'revoked'), false) = (proof is not null)),
  constraint who_failed_has_a_failure check (
    coalesce(outcome in ('failed', 'expired', 'released', 'revoked'), false) = (failure_class is not null)),
  constraint a_failure_is_whole check (num_nulls(failure_class, failure_place, failure_reason) in (0, 3))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
comment on table spool.attempt is 'One try at a task by one worker process; (task, number) fences every write.';
comment on column spool.attempt.done is 'Units (frames, sample blocks, packets) done, as last reported.';
comment on column spool.attempt.progress_deadline is 'Extended whenever "done" grows; when it passes, the attempt is ended.';
comment on column spool.attempt.outcome is
  'NULL while open. won; failed: reported; expired: silence, no progress, or a new epoch of its worker; released: given back '
  'through no fault of the task; superseded: another attempt won; cancelled: with its job; revoked: won, but its file was lost.';
comment on column spool.attempt.proof is 'What it proved with its segment file: frames, sizes, digests.';
create unique index attempt_winner on spool.attempt (task) where outcome = 'won';
create index attempt_open on spool.attempt (worker) where outcome is null;

-- Fencing holds even against a program that forgets to ask.
create function spool.refuse() returns trigger language plpgsql as $$
begin
  raise exception using errcode = 'integrity_constraint_violation', message = tg_argv[0];
end $$;
comment on function spool.refuse() is 'Refuses the write that fired it, with the trigger''s argument as reason.';

create trigger an_outcome_is_final before update of outcome on spool.attempt for each row
  when (old.outcome is not null and new.outcome is distinct from old.outcome
    and not (old.outcome = 'won' and coalesce(new.outcome, '') = 'revoked'))
  execute function spool.refuse('an attempt''s outcome is final');
create trigger attempts_only_grow before update of attempts on spool.task for each row
  when (new.attempts < old.attempts)
  execute function spool.refuse('attempt numbers only grow');
create trigger an_ended_job_stays_ended before update of state on spool.job for each row
  when (old.state in ('done', 'failed', 'cancelled') and new.state <> old.state)
  execute function spool.refuse('a job that has ended stays ended');

create view spool.job_status as
select
  j.id, j.state, j.submitter, j.priority, j.output, j.frame_count,
  least(j.frames_done + coalesce(r.frames, 0), j.frame_count) as frames_done,
  j.chunk_count, j.chunks_done, coalesce(r.attempts, 0) as running_attempts, j.retries,
  j.failure_class, j.failure_place, j.failure_reason, j.submitted_at, j.started_at, j.ended_at,
  extract(epoch from coalesce(j.ended_at, clock_timestamp()) - j.submitted_at)::double precision as elapsed_seconds,
  j.number
from spool.job j
left join lateral (
  select count(*) as attempts, sum(least(a.done, t.frame_count)) filter (where t.kind = 'picture') as frames
  from spool.attempt a join spool.task t on t.id = a.task
  where a.outcome is null and t.job = j.id and j.state = 'running'
) r on true;
comment on view spool.job_status is
  'One row a job. frames_done includes what running attempts report; order by number for the order of submission.';

create view spool.chunk_status as
select
  t.job, t.id as task, t.ordinal, t.kind, t.state, t.first_frame, t.frame_count,
  case t.state when 'done' then coalesce(t.frame_count, a.done, 0) else coalesce(a.done, 0) end as done,
  case t.state when 'done' then coalesce(t.frame_count, a.total, 0) else coalesce(a.total, t.frame_count, 0) end as total,
  t.attempts, a.worker, a.started_at, a.ended_at, a.progress_deadline,
  case when t.state = 'ready' and t.ready_at > clock_timestamp() then t.ready_at end as retried_at,
  t.failure_class, t.failure_place, t.failure_reason
from spool.task t
left join spool.attempt a on a.task = t.id and a.number = t.attempts and (a.outcome is null or a.outcome = 'won');
comment on view spool.chunk_status is
  'One row a task: the chunks (kind picture), and sound, mux and publish. worker: who runs it, or who won; the failure is the last one.';

create view spool.worker_status as
select
  w.name, w.host, w.process_id, w.slots, coalesce(r.running, 0) as running,
  w.retired_at is null and w.lease_until > clock_timestamp() as is_alive,
  extract(epoch from clock_timestamp() - w.heartbeat_at)::double precision as seconds_since_heartbeat,
  w.registered_at, w.retired_at
from spool.worker w
left join (select worker, count(*) as running from spool.attempt where outcome is null group by worker) r on r.worker = w.name;
comment on view spool.worker_status is 'One row a worker; is_alive: its lease holds and it has not said goodbye.';

create view spool.farm_status as
select
  (select count(*) from spool.job where state = 'queued') as jobs_queued,
  (select count(*) from spool.job where state = 'running') as jobs_running,
  (select count(*) from spool.task where state = 'ready') as tasks_ready,
  (select count(*) from spool.attempt where outcome is null) as attempts_running,
  (select count(*) from spool.worker_status where is_alive) as workers_alive,
  (select coalesce(sum(slots), 0) from spool.worker_status where is_alive) as slots,
  (select extract(epoch from clock_timestamp() - min(ready_at))::double precision
     from spool.task where state = 'ready' and ready_at <= clock_timestamp()) as oldest_ready_seconds;
comment on view spool.farm_status is 'The farm in one row; oldest_ready_seconds grows when workers are missing.';

-- What a farm of that version has written: a job that is done, one that runs, one that failed, one that waits.
insert into spool.worker (name, epoch, host, process_id, slots, lease_until) values
  ('anna', 'e1', 'one', 11, 2, '2026-01-01'), ('ben', 'e2', 'two', 22, 4, clock_timestamp() + interval '1 hour');
insert into spool.job (id, state, submitter, priority, output, frame_count, chunk_count, frames_done, chunks_done, parts_left,
  retries, started_at, ended_at, failure_class, failure_place, failure_reason) values
  ('done1', 'done', 'ada', 0, '/out/1.mp4', 20, 2, 20, 2, 0, 1, clock_timestamp(), clock_timestamp(), null, null, null),
  ('running1', 'running', 'ada', 5, '/out/2.mp4', 20, 2, 10, 1, 1, 0, clock_timestamp(), null, null, null, null),
  ('failed1', 'failed', 'bob', 0, '/out/3.mp4', 10, 1, 0, 0, 1, 0, clock_timestamp(), clock_timestamp(), 'content', 'a.mp4', 'cut off'),
  ('queued1', 'queued', 'bob', 0, '/out/4.mp4', 10, 1, 0, 0, 1, 0, null, null, null, null, null);
insert into spool.job_spec select id, '{"spool":1}', '{}', false, false from spool.job;
insert into spool.task (job, ordinal, kind, state, first_frame, frame_count, cost, priority, attempts, failure_class, failure_place,
  failure_reason) values
  ('done1', 0, 'picture', 'done', 0, 10, 1, 0, 2, 'transient', 'worker anna', 'silent for 11 s'),
  ('done1', 1, 'picture', 'done', 10, 10, 1, 0, 1, null, null, null),
  ('done1', 2, 'mux', 'done', null, null, 0, 0, 1, null, null, null),
  ('done1', 3, 'publish', 'done', null, null, 0, 0, 1, null, null, null),
  ('running1', 0, 'picture', 'done', 0, 10, 1, 5, 1, null, null, null),
  ('running1', 1, 'picture', 'running', 10, 10, 1, 5, 1, null, null, null),
  ('running1', 2, 'mux', 'waiting', null, null, 0, 5, 0, null, null, null),
  ('running1', 3, 'publish', 'waiting', null, null, 0, 5, 0, null, null, null),
  ('failed1', 0, 'picture', 'failed', 0, 10, 1, 0, 1, 'content', 'a.mp4', 'cut off'),
  ('failed1', 1, 'mux', 'cancelled', null, null, 0, 0, 0, null, null, null),
  ('failed1', 2, 'publish', 'cancelled', null, null, 0, 0, 0, null, null, null),
  ('queued1', 0, 'picture', 'ready', 0, 10, 1, 0, 0, null, null, null),
  ('queued1', 1, 'mux', 'waiting', null, null, 0, 0, 0, null, null, null),
  ('queued1', 2, 'publish', 'waiting', null, null, 0, 0, 0, null, null, null);
insert into spool.attempt (task, number, worker, epoch, progress_deadline, ended_at, outcome, failure_class, failure_place,
  failure_reason, proof)
select t.id, 1, 'anna', 'e1', clock_timestamp(), clock_timestamp(), 'expired', 'transient', 'worker anna', 'silent for 11 s', null
  from spool.task t where t.attempts = 2;
insert into spool.attempt (task, number, worker, epoch, progress_deadline, ended_at, outcome, failure_class, failure_place,
  failure_reason, proof)
select t.id, t.attempts, 'ben', 'e2', clock_timestamp() + interval '1 hour',
  case when t.state in ('done', 'failed') then clock_timestamp() end,
  case t.state when 'done' then 'won' when 'failed' then 'failed' end,
  case when t.state = 'failed' then t.failure_class end, case when t.state = 'failed' then t.failure_place end,
  case when t.state = 'failed' then t.failure_reason end,
  case when t.state = 'done'
    then json_build_object('file', t.job || '/' || t.ordinal, 'byteCount', 1, 'byteDigest', md5(''),
      'frames', case when t.kind = 'picture' then json_build_object('first', t.first_frame, 'count', 10) end,
      'parameterSetDigest', md5(''), 'contentDigest', md5(''))
  end
from spool.task t where t.state in ('done', 'failed', 'running');
