-- The farm's whole state, in the schema "spool" of one PostgreSQL database (version 14 or later).
--
-- The coordinator applies this file to an empty database when it starts. To apply it by hand: psql --single-transaction -f schema.sql.
-- Read the views (job_status, chunk_status, worker_status, farm_status), and change things only through `spool`.
-- The roles at the end of this file say who may do what.
--
-- Columns stand in the order of their meaning: what the row is, what it belongs to, its state, what was asked, what happened, times, counts.
-- A number with a unit has it in its name (_seconds, _ms, _mib, _count, frames_done).
--
-- Locks are taken in the order leader, worker, job, task, attempt. A transaction that changes the state of a task first locks the row
-- of its job. Claims skip jobs and tasks that are locked. Only this server's clock (clock_timestamp) decides when a lease ends.

create schema spool;
comment on schema spool is 'Spool, the render farm: jobs, their tasks, the attempts at them, and the workers.';

create table spool.schema_version (
  version integer primary key check (version > 0),
  applied_at timestamptz not null default clock_timestamp()
);
comment on table spool.schema_version is 'The versions this schema has been brought to; the highest one holds.';
insert into spool.schema_version (version) values (34);

-- This function stands before the tables because their constraints call it. Rows that it once let pass are not checked again, so only a
-- migration may change it. It is written in PL/pgSQL, because the text of an SQL function is parsed again for each statement that checks a row.
create function spool.is_plain(value text) returns boolean language plpgsql immutable as $$
begin
  return value !~ '[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]';
end $$;
comment on function spool.is_plain(text) is
  'Whether a text holds no control characters, and no marks of lines or of writing direction, which would steer a terminal that shows it.';

create table spool.leader (
  term bigint primary key check (term >= 0),
  coordinator text not null constraint a_coordinator_has_a_plain_name check (spool.is_plain(coordinator)),
  epoch text not null,
  ageing_ms bigint not null default 3600000 check (ageing_ms >= 0),
  taken_at timestamptz not null default clock_timestamp(),
  renewed_at timestamptz not null default clock_timestamp(),
  lease_until timestamptz not null,
  summed_to timestamptz not null default '-infinity'
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 100);
comment on table spool.leader is 'One row: the coordinator that leads. Whoever writes for the farm''s work holds the row''s key, its term.';
comment on column spool.leader.term is 'The number of the term. It grows with each change of the leader; writes of an earlier term are refused.';
comment on column spool.leader.epoch is 'The coordinator''s start: a new text each time.';
comment on column spool.leader.ageing_ms is 'The time without work after which the leader raises a line by a level; 0: never.';
comment on column spool.leader.lease_until is 'The end of the lead, renewed every second. After it another coordinator may lead.';
comment on column spool.leader.summed_to is 'The time up to which attempts ended whose time is in the sums of spool.busy_time.';
create unique index leader_is_one on spool.leader ((true));
insert into spool.leader (term, coordinator, epoch, lease_until) values (0, 'nobody', '', '-infinity');

create table spool.farm (
  is_only boolean primary key default true check (is_only),
  drained_at timestamptz
);
comment on table spool.farm is 'The facts that hold for the whole farm, in one row.';
comment on column spool.farm.drained_at is 'The time since which nothing new is begun anywhere (spool drain); NULL while work is given out.';
insert into spool.farm default values;

create table spool.submitter (
  name text primary key constraint a_submitter_has_a_plain_name check (spool.is_plain(name)),
  weight integer not null default 1 check (weight between 1 and 1000),
  slots integer check (slots >= 0),
  spent double precision not null default 0 check (spent >= 0 and spent < 'infinity'),
  turn double precision not null default 0 check (turn >= 0 and turn < 'infinity')
) with (fillfactor = 50);
comment on table spool.submitter is 'Who submits, what share of the farm is theirs, and what they had of it.';
comment on column spool.submitter.weight is 'Their share, relative to others at the same priority.';
comment on column spool.submitter.slots is 'The most attempts that run at once for all their jobs; NULL: any number.';
comment on column spool.submitter.spent is 'The virtual time at which their next turn comes: estimated cost given to them, over their weight.';
comment on column spool.submitter.turn is 'The virtual time of their last turn; the farm''s is the highest of all.';
create index submitter_turn on spool.submitter (turn);

create table spool.line (
  submitter text not null references spool.submitter on delete cascade,
  priority integer not null,
  served_at timestamptz not null,
  primary key (submitter, priority)
) with (fillfactor = 50);
comment on table spool.line is 'The jobs of a submitter that have one priority: they go first in, first out.';
comment on column spool.line.served_at is
  'The time when a task of them was given out last, to a second; waiting raises the priority of all of them (docs/scheduling.md).';

create table spool.worker (
  name text primary key check (length(name) between 1 and 255),
  epoch text not null,
  host text not null,
  process_id integer not null,
  slots integer not null check (slots >= 0),
  lanes integer not null default 0 check (lanes >= 0),
  memory_mib integer not null default 0 check (memory_mib >= 0),
  tags text[] not null default '{}',
  output_roots text[],
  finds_segments boolean not null default false,
  registered_at timestamptz not null default clock_timestamp(),
  heartbeat_at timestamptz not null default clock_timestamp(),
  lease_until timestamptz not null,
  retired_at timestamptz,
  drained_at timestamptz,
  set_aside_at timestamptz,
  canary_at timestamptz,
  trusted_at timestamptz not null default clock_timestamp(),
  set_aside_count integer not null default 0 check (set_aside_count >= 0),
  constraint a_worker_set_aside_has_a_canary check ((set_aside_at is null) = (canary_at is null)),
  constraint a_worker_has_plain_names check (spool.is_plain(name || host || array_to_string(tags, ' ')))
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);
comment on table spool.worker is
  'One row for each worker name, with its newest process. A worker that is silent for weeks is forgotten, unless it is drained.';
comment on column spool.worker.epoch is 'The worker''s start: a new text each time. Messages of an older process are ignored.';
comment on column spool.worker.slots is 'Attempts that it runs at once.';
comment on column spool.worker.lanes is 'Muxes and publications that it runs at once beside those.';
comment on column spool.worker.memory_mib is 'Memory for each of its slots; 0: not said.';
comment on column spool.worker.tags is 'The tags that it says it has; jobs may need some of them.';
comment on column spool.worker.output_roots is
  'Folders and places in S3 that it may write movies below; NULL: all folders, or not said. A job whose movie no worker may write that has not '
  'left is held.';
comment on column spool.worker.finds_segments is
  'Whether its attempts keep their segments in the store, and whoever makes the same again finds them there.';
comment on column spool.worker.lease_until is 'The end of its lease, extended by each heartbeat. After it, the worker''s open attempts are given to others.';
comment on column spool.worker.retired_at is 'The time when this process said goodbye; NULL while it works or has merely fallen silent.';
comment on column spool.worker.drained_at is 'The time since which it is given nothing new (spool drain NAME), whatever process has its name.';
comment on column spool.worker.set_aside_at is 'The time since which it is not trusted, because it failed tasks that others did.';
comment on column spool.worker.canary_at is 'The time from which on it is given one task, whose outcome decides whether it is trusted again.';
comment on column spool.worker.trusted_at is 'Failures before this time are not held against it.';
comment on column spool.worker.set_aside_count is 'The times in a row that it was set aside. Each time the wait for the canary doubles.';

create table spool.job (
  id text primary key check (id ~ '^[a-z0-9]{1,32}$'),
  number bigint generated always as identity unique,
  submitter text not null,
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
  priority integer not null,
  output text not null check (output like '/%' or output like 's3://_%/_%'),
  copies text[] not null default '{}' check (cardinality(copies) <= 16 and array_position(copies, null) is null),
  tags text[] not null default '{}',
  memory_mib integer not null default 0 check (memory_mib >= 0),
  is_divisible boolean not null default true,
  work text not null default '',
  cost double precision not null default 0 check (cost >= 0 and cost < 'infinity'),
  frame_count bigint not null check (frame_count >= 0),
  chunk_count integer not null check (chunk_count >= 0),
  is_damaged boolean not null default false,
  failure_class text check (failure_class in ('content', 'worker', 'source', 'store', 'transient', 'bug')),
  failure_place text,
  failure_reason text,
  followed_to integer check (followed_to >= 0),
  cleared_task bigint,
  cleared_number integer check (cleared_number >= 0),
  submitted_at timestamptz not null default clock_timestamp(),
  paused_at timestamptz,
  served_at timestamptz not null default clock_timestamp(),
  wakes_at timestamptz,
  started_at timestamptz,
  ended_at timestamptz,
  frames_done bigint not null default 0,
  chunks_done integer not null default 0,
  parts_left integer not null check (parts_left >= 0),
  retry_count integer not null default 0 check (retry_count >= 0),
  constraint what_is_cleared_is_whole check (num_nulls(cleared_task, cleared_number) in (0, 2)),
  constraint frames_done_within_job check (frames_done between 0 and frame_count),
  constraint chunks_done_within_job check (chunks_done between 0 and chunk_count),
  constraint only_a_queued_job_has_not_started check (state not in ('running', 'done') or started_at is not null),
  constraint an_ended_job_has_its_time check ((state in ('done', 'failed', 'cancelled')) = (ended_at is not null)),
  constraint only_a_failed_job_has_a_failure check ((state = 'failed') = (failure_class is not null)),
  constraint a_failure_is_whole check (num_nulls(failure_class, failure_place, failure_reason) in (0, 3)),
  constraint a_job_has_plain_names check (spool.is_plain(submitter || array_to_string(tags, ' '))),
  constraint a_done_job_has_all_parts check (state <> 'done' or (parts_left = 0 and chunks_done = chunk_count))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);
comment on table spool.job is 'A movie to be rendered. queued -> running -> done | failed; cancelled from either of the first two; a retry queues it again, a done one whose copies failed.';
comment on column spool.job.number is 'The order of submission.';
comment on column spool.job.priority is 'The higher one goes first; waiting raises that of the line (docs/scheduling.md).';
comment on column spool.job.output is 'The absolute path of the movie, or its place in S3.';
comment on column spool.job.copies is 'Further places of the movie, of the same kinds. Its publication copies it there.';
comment on column spool.job.tags is 'Tags that a worker must have to be given its tasks: all of them.';
comment on column spool.job.memory_mib is 'Memory for each slot that a worker must have to be given its tasks.';
comment on column spool.job.is_divisible is 'Whether its chunks may be divided further while they run (submit --no-split).';
comment on column spool.job.work is 'The kind of work that its pictures are: the pace of such work is learned (spool.pace).';
comment on column spool.job.cost is 'The estimated cost of its pictures in the plan''s unit.';
comment on column spool.job.chunk_count is 'Its picture tasks.';
comment on column spool.job.is_damaged is 'Whether a result of it told of damaged media that were replaced; how much: spool.job_damage.';
comment on column spool.job.failure_class is
  'content: the edit or its media; worker: the machine; source: a medium that was there cannot be read; store: no room, or not reachable; transient: passing trouble; bug: ours.';
comment on column spool.job.followed_to is
  'The ordinal before which its tasks have followed its end or its retry. The coordinator that leads goes on with some at a time. '
  'NULL: all have followed.';
comment on column spool.job.cleared_number is
  'Files of attempts up to this number, at tasks up to cleared_task, may have been cleared away since the job is over. A retry makes '
  'everything anew, by later attempts. NULL: none have been.';
comment on column spool.job.paused_at is 'The time since which none of its tasks is begun; NULL while it is not paused.';
comment on column spool.job.served_at is 'The time when a task of it was given out last, about.';
comment on column spool.job.wakes_at is
  'The time before which none of its tasks can be given out, so claims need not look at it; infinity: not before another one is ready. '
  'NULL: one can be. A mux or a publication that is ready is given out nevertheless.';
comment on column spool.job.frames_done is 'Frames in finished chunks.';
comment on column spool.job.parts_left is 'Picture and sound tasks that are not done; the mux task is ready when there are none.';
comment on column spool.job.retry_count is 'The times that a task went back to ready.';
create index job_unfinished on spool.job (number) where state in ('queued', 'running');
create index job_queue on spool.job (submitter, tags, memory_mib, priority, number)
  where (state in ('queued', 'running') and paused_at is null and wakes_at is null) is true;
create index job_followed on spool.job (number) where followed_to is not null;
-- A movie has only one writer at a time. The index holds digests, because a path may be too long for an index entry.
create unique index job_writes on spool.job (md5(output)) where state in ('queued', 'running');
-- Jobs with further places are few. No two submissions of which one has some look for other writers at a time (lock_places).
create index job_copies on spool.job (number) where state in ('queued', 'running') and copies <> '{}';
create index job_ended on spool.job (ended_at) where ended_at is not null;
create index job_needs on spool.job (tags) where state in ('queued', 'running') and tags <> '{}';
create index job_asleep on spool.job (wakes_at) where state in ('queued', 'running') and wakes_at is not null;

create table spool.job_spec (
  job text primary key references spool.job on delete cascade,
  document text not null,
  facts json not null,
  fonts json,
  overwrites boolean not null,
  keeps_segments boolean not null
);
comment on table spool.job_spec is 'What a job renders, immutable. It is apart from job, whose rows change often.';
comment on column spool.job_spec.document is 'The edit, in canonical JSON, asset paths absolute.';
comment on column spool.job_spec.facts is 'The facts that probing found in each asset, by the asset''s id.';
comment on column spool.job_spec.fonts is 'The faces that its texts are drawn in, each file named by its digest; NULL where nobody said.';

create table spool.task (
  id bigint generated always as identity primary key,
  job text not null references spool.job on delete cascade,
  ordinal integer not null check (ordinal >= 0),
  precedence integer not null default 0 check (precedence <= 0),
  kind text not null check (kind in ('picture', 'sound', 'mux', 'publish')),
  split_from bigint,
  awaited bigint,
  state text not null check (state in ('waiting', 'ready', 'running', 'done', 'failed', 'cancelled')),
  first_frame bigint check (first_frame >= 0),
  frame_count bigint check (frame_count > 0),
  first_sample bigint check (first_sample >= 0),
  sample_count bigint check (sample_count > 0),
  cost double precision not null check (cost >= 0 and cost < 'infinity'),
  avoided_worker text,
  failure_class text check (failure_class in ('content', 'worker', 'source', 'store', 'transient', 'bug')),
  failure_place text,
  failure_reason text,
  ready_at timestamptz not null default clock_timestamp(),
  attempts integer not null default 0 check (attempts >= 0),
  forgiven integer not null default 0 check (forgiven between 0 and attempts),
  division_count integer not null default 0 check (division_count >= 0),
  unique (job, ordinal),
  constraint only_a_part_awaits_another check (awaited is null or kind in ('picture', 'sound')),
  constraint only_a_picture_is_divided check (kind = 'picture' or (division_count = 0 and split_from is null)),
  constraint only_a_picture_has_frames check ((kind = 'picture') = (first_frame is not null)),
  constraint frames_are_a_range check (num_nulls(first_frame, frame_count) in (0, 2)),
  constraint only_sound_has_samples check (kind = 'sound' or first_sample is null),
  constraint samples_are_a_range check (num_nulls(first_sample, sample_count) in (0, 2)),
  constraint a_failure_is_whole check (num_nulls(failure_class, failure_place, failure_reason) in (0, 3)),
  constraint a_failed_task_has_a_failure check (state <> 'failed' or failure_class is not null),
  constraint what_ran_has_an_attempt check (state not in ('running', 'done', 'failed') or attempts > 0)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05);
comment on table spool.task is
  'A unit of dispatch; a picture task is a chunk, and a sound task the whole sound or a part of it. '
  'waiting (for other tasks) -> ready -> running -> done; back to ready on retry.';
comment on column spool.task.ordinal is
  'Its place in the job, in which it is given out: sound, pictures in frame order, mux, publish; then what was split off. '
  'Order by first_frame, ordinal for the order of the movie.';
comment on column spool.task.precedence is
  'What goes before its ordinal: 0, or less since somebody waits to see or hear it (spool.want_part). The lower is given out first.';
comment on column spool.task.split_from is 'The chunk that it was split off while that one ran.';
comment on column spool.task.first_sample is 'The first sample of a part of the sound; NULL for the whole sound, and for all other tasks.';
comment on column spool.task.awaited is
  'The task of another job, which its job replaced, that made the same when it was submitted. It is waiting until no attempt at that task is open; '
  'then it finds the segment in the store, or makes it.';
comment on column spool.task.cost is 'The estimated cost in the plan''s unit.';
comment on column spool.task.avoided_worker is 'The worker that failed it last; another one is preferred.';
comment on column spool.task.failure_class is 'The class of the last failure, also while it is being retried.';
comment on column spool.task.ready_at is 'The time before which a ready task is not claimed (backoff).';
comment on column spool.task.attempts is
  'The number of the newest attempt. It only grows, so a number is never given twice. Where a retry begins after cleared attempts, it is '
  'more than the number of rows.';
comment on column spool.task.forgiven is 'Failures of attempts up to this number do not count: its job was retried after them.';
comment on column spool.task.division_count is 'The times that it, or the chunk that it was split off, was divided while it ran.';
create index task_ready on spool.task (job, precedence, ordinal) where state = 'ready';
create index task_running on spool.task (job) where state = 'running';
create index task_light on spool.task (job) where kind in ('mux', 'publish') and state in ('ready', 'running');
create index task_awaiting on spool.task (job) where awaited is not null;
create index task_awaited on spool.task (awaited) where awaited is not null and state = 'waiting';
create unique index task_frames on spool.task (job, first_frame) where kind = 'picture';
create unique index task_samples on spool.task (job, coalesce(first_sample, 0)) where kind = 'sound';
create unique index task_once on spool.task (job, kind) where kind in ('mux', 'publish');

create table spool.attempt (
  task bigint not null references spool.task on delete cascade,
  number integer not null check (number > 0),
  worker text not null,
  epoch text not null,
  is_speculative boolean not null default false,
  is_canary boolean not null default false,
  outcome text check (outcome in ('won', 'failed', 'expired', 'released', 'returned', 'superseded', 'cancelled', 'revoked')),
  patience interval not null default '1 minute' check (patience > '0'),
  proof json,
  failure_class text check (failure_class in ('content', 'worker', 'source', 'store', 'transient', 'bug')),
  failure_place text,
  failure_reason text,
  started_at timestamptz not null default clock_timestamp(),
  progress_at timestamptz not null default clock_timestamp(),
  progress_deadline timestamptz not null,
  ended_at timestamptz,
  units_done bigint not null default 0 check (units_done >= 0),
  units_total bigint not null default 0 check (units_total >= 0),
  primary key (task, number),
  constraint an_ended_attempt_has_its_time check ((outcome is null) = (ended_at is null)),
  constraint who_won_has_a_proof check (coalesce(outcome in ('won', 'revoked'), false) = (proof is not null)),
  constraint who_failed_has_a_failure check (
    coalesce(outcome in ('failed', 'expired', 'released', 'revoked'), false) = (failure_class is not null)),
  constraint a_failure_is_whole check (num_nulls(failure_class, failure_place, failure_reason) in (0, 3))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02);
comment on table spool.attempt is 'One try at a task by one worker process; (task, number) fences every write.';
comment on column spool.attempt.worker is 'The name of its worker, which may be forgotten since.';
comment on column spool.attempt.is_speculative is
  'Whether it was begun beside an open one that is slow: the first result wins. If the slow one ends without a result, this one goes on in its place.';
comment on column spool.attempt.is_canary is 'Whether a worker that was set aside is tried with it.';
comment on column spool.attempt.outcome is
  'NULL while open. won; failed: reported; expired: silence, no progress, or a new epoch of its worker; released: given back '
  'through no fault of the task; returned: given back before anything was made; superseded: another attempt won; cancelled: with its job, or with '
  'the last one that waited for it; revoked: won, but its file was lost.';
comment on column spool.attempt.patience is
  'The time for which it may show no progress. What was learned of such work decides it, and attempts at the task that were ended for that before.';
comment on column spool.attempt.proof is 'What it proved with its segment file: frames, sizes, digests.';
comment on column spool.attempt.progress_deadline is 'The end of its patience since units_done grew last. After it the attempt is ended.';
comment on column spool.attempt.units_done is 'Units (frames, sample blocks, packets) done, as last reported.';
comment on column spool.attempt.units_total is 'Units that it will do, as last reported; 0: not said.';
create unique index attempt_winner on spool.attempt (task) where outcome = 'won';
create unique index attempt_open_once on spool.attempt (task) where outcome is null and not is_speculative;
create unique index attempt_beside on spool.attempt (task) where outcome is null and is_speculative;
create index attempt_open on spool.attempt (worker) where outcome is null;
create index attempt_canary on spool.attempt (worker) where is_canary;
create index attempt_ended on spool.attempt (ended_at) where ended_at is not null;
create index attempt_blamed on spool.attempt (ended_at) where failure_class in ('content', 'worker', 'source', 'bug');

create table spool.pace (
  kind text not null check (kind in ('work', 'job', 'worker')),
  name text not null,
  pace double precision not null check (pace > 0 and pace < 'infinity'),
  learned_at timestamptz not null default clock_timestamp(),
  result_count integer not null check (result_count > 0),
  primary key (kind, name)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 1000);
comment on table spool.pace is
  'How fast work is done, learned from results: of a kind of work, of a job, and of a worker beside others. It may be emptied.';
comment on column spool.pace.pace is 'The seconds that a unit of planned cost takes; of a worker, how many times as long as others it takes.';
comment on column spool.pace.result_count is 'Results it was learned from.';

create table spool.history (
  entity text not null check (entity in ('job', 'task', 'attempt', 'worker', 'leader', 'farm')),
  job text,
  task bigint,
  number integer,
  worker text,
  before text,
  after text not null,
  reason text,
  at timestamptz not null default clock_timestamp()
) partition by range (at);
comment on table spool.history is 'Every change of a state, written by triggers; a partition for each month. Rows outlive what they tell of.';
comment on column spool.history.number is 'The number of the attempt; of a leader, its term.';
comment on column spool.history.worker is 'The worker; of a leader, the coordinator.';
comment on column spool.history.before is 'The state that was left; NULL when there was none.';
comment on column spool.history.reason is 'The reason of a failure, or of a task that was split off.';
create index history_job on spool.history (job, at) where job is not null;
create index history_task on spool.history (task, at) where task is not null;
create index history_worker on spool.history (worker, at) where entity = 'worker';
create index history_leader on spool.history (at) where entity = 'leader';
create index history_farm on spool.history (at) where entity = 'farm';
create table spool.history_other partition of spool.history default;
comment on table spool.history_other is 'History of months for which there was no partition yet.';

create table spool.slot_time (
  since timestamptz not null,
  part text not null check (part in (
    'busy', 'handing out', 'quota', 'no fitting worker', 'retrying', 'paused', 'drained', 'set aside', 'no leader', 'nothing queued')),
  microseconds bigint not null check (microseconds >= 0),
  counted_at timestamptz not null,
  primary key (since, part)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 100);
comment on table spool.slot_time is
  'What the slots of the farm did: a row for each part of ten minutes, which the coordinator that leads adds to every few seconds. History is kept as long.';
comment on column spool.slot_time.since is 'The beginning of the ten minutes.';
comment on column spool.slot_time.part is 'busy: attempts had the slots (what they did says the view farm_time); the others: why nothing ran in them.';
comment on column spool.slot_time.microseconds is 'The time, in microseconds of a slot.';
comment on column spool.slot_time.counted_at is 'The time of the last count.';

create table spool.busy_time (
  since timestamptz not null,
  part text not null check (part in (
    'opening', 'reading', 'compositing', 'encoding', 'committing', 'rendering', 'sound', 'joining', 'lost')),
  seconds double precision not null check (seconds > 0),
  primary key (since, part)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 100);
comment on table spool.busy_time is
  'What attempts did that have ended: the sums of spool.attempt_time, to which the coordinator that leads adds every few seconds. The view farm_time '
  'divides the busy slots by them. History is kept as long.';
comment on column spool.busy_time.since is 'The beginning of the ten minutes.';
comment on column spool.busy_time.seconds is 'The time of all attempts that ended up to spool.leader.summed_to.';

create table spool.hold (
  kind text not null check (kind in ('quota', 'needs')),
  name text not null,
  since timestamptz not null,
  until timestamptz not null,
  primary key (kind, name, since),
  constraint a_hold_ends_after_its_beginning check (until >= since)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 100);
comment on table spool.hold is
  'When tasks waited that nobody could be given: a row for each stretch of time, which the coordinator that leads prolongs every few seconds. The '
  'views job_time and chunk_time tell by them what jobs waited for. History is kept as long.';
comment on column spool.hold.kind is
  'quota: a submitter ran as much as his quota allows, and had more to run; needs: no worker took work that has what jobs need.';
comment on column spool.hold.name is 'The submitter; or the tags that the jobs need and the memory in MiB, with a space behind each tag.';

create table spool.news (
  id bigint generated always as identity primary key,
  event text not null,
  facts text[] not null
);
comment on table spool.news is 'Events that the coordinator that leads is to write into its log. It takes them away; the history is elsewhere.';
comment on column spool.news.facts is 'Names and values in turn; a value that is NULL is not told.';

create table spool.attempt_log (
  task bigint not null,
  number integer not null,
  kept_at timestamptz not null default clock_timestamp(),
  text text not null check (octet_length(text) <= 65536),
  byte_count bigint not null check (byte_count >= 0),
  primary key (task, number)
);
comment on table spool.attempt_log is
  'What the process of an attempt wrote to its standard error: warnings of decoders and encoders, and what a compositor prints. Rows of '
  'attempts that wrote nothing are missing.';
comment on column spool.attempt_log.text is 'The first 4 KiB and the last 12 KiB, with a line between them that says how much was left out.';
comment on column spool.attempt_log.byte_count is 'The bytes that it wrote in all.';
create index attempt_log_age on spool.attempt_log using brin (kept_at);

create table spool.audit (
  id bigint generated always as identity primary key,
  at timestamptz not null default clock_timestamp(),
  verb text not null check (verb in ('submit', 'cancel', 'pause', 'resume', 'prioritise', 'retry', 'drain', 'undrain', 'share', 'webhook', 'replay', 'steer')),
  role text not null,
  caller text,
  address text,
  peer text,
  program text not null,
  job text,
  worker text,
  submitter text,
  webhook text,
  before json,
  after json,
  refusal text,
  times integer not null default 1 check (times > 0)
);
comment on table spool.audit is
  'Who did what: a row for each verb of an operator or a submitter that was carried out, written in the same transaction, or refused. History '
  'is kept as long.';
comment on column spool.audit.verb is 'What was done, or was to be done; ''steer'' is a change of jobs that a console refused before it read which.';
comment on column spool.audit.refusal is 'Why it was refused, as the program said; NULL where it was carried out.';
comment on column spool.audit.times is 'How often it was refused within an hour; further refusals are counted here instead of written anew.';
comment on column spool.audit.role is 'The role of the database that did it. The database knows this; the caller and the peer are what the program said.';
comment on column spool.audit.caller is 'The name for whom the program acted: that of a token, or USER@HOST; NULL where it said none.';
comment on column spool.audit.address is 'The address from which the database was connected to; NULL for a socket on its own machine.';
comment on column spool.audit.peer is 'The address from which a console was asked; NULL where the program said none.';
comment on column spool.audit.program is 'The name that the session gave itself (application_name).';
comment on column spool.audit.worker is 'The worker that was drained, or not any more; NULL with those verbs means the whole farm.';
comment on column spool.audit.before is 'The facts of the job, the worker, the farm or the share before; NULL when there were none.';
create index audit_at on spool.audit using brin (at);
create index audit_job on spool.audit (job, id) where job is not null;
create index audit_refusal on spool.audit (role, id) where refusal is not null;

create table spool.webhook (
  name text primary key check (name ~ '^[a-z0-9][a-z0-9-]{0,62}$'),
  url text not null check (url ~ '^https?://[^[:space:]]+$' and octet_length(url) <= 2048),
  secret text not null check (secret like 'whsec\_%'),
  events text[] not null check (events <> '{}'
    and events <@ '{job.submitted,job.started,job.done,job.failed,job.cancelled,job.retried}'::text[]),
  submitter text,
  may_be_private boolean not null default false,
  made_at timestamptz not null default clock_timestamp()
);
comment on table spool.webhook is 'Where events of jobs are sent, by Standard Webhooks 1.0.';
comment on column spool.webhook.secret is 'The key of the signatures: whsec_ and base64. Only operators can read it.';
comment on column spool.webhook.submitter is 'Only jobs of that submitter; NULL: of all.';
comment on column spool.webhook.may_be_private is 'Whether its host may have an address in a private network, or on the console''s own machine.';

create table spool.delivery (
  id bigint generated always as identity primary key,
  webhook text not null references spool.webhook on delete cascade,
  message text not null,
  event text not null,
  job text not null,
  body text not null,
  made_at timestamptz not null default clock_timestamp(),
  due_at timestamptz default clock_timestamp(),
  tries integer not null default 0 check (tries >= 0),
  delivered_at timestamptz,
  status integer,
  failure text,
  constraint what_is_delivered_is_not_due check (delivered_at is null or due_at is null)
);
comment on table spool.delivery is
  'The outbox of the webhooks, and the log of what was sent. The transaction that changes a job writes its rows. A console sends them.';
comment on column spool.delivery.message is 'The id of the message, by which a receiver knows one that came twice. It stays when it is sent again.';
comment on column spool.delivery.due_at is 'The time of the next try; while one is under way, the time at which it counts as lost. NULL: delivered, or given up.';
comment on column spool.delivery.status is 'The HTTP status of the last answer; NULL when there was none.';
comment on column spool.delivery.failure is 'The reason why the last try failed; NULL after one that did not.';
create index delivery_due on spool.delivery (due_at) where due_at is not null;
create index delivery_order on spool.delivery (webhook, job, id) where due_at is not null;
create index delivery_age on spool.delivery using brin (made_at);

-- Functions: from this line on, the file holds functions, triggers, views and rights, but no data. A migration changes the tables. After the
-- last migration, all views are dropped and the file is run again from here to its end. So it is the only text of what stands here, and
-- everything here can be run again. A migration drops what is here no more, and a function whose arguments change.

create or replace function spool.require_term(mine bigint) returns void language plpgsql as $$
begin
  -- The key share lock keeps the term until the transaction ends: who takes the lead changes the key, and waits.
  perform from spool.leader where term = mine for key share;
  if not found then
    raise exception using errcode = 'SPT01', message = 'another coordinator leads: term ' || mine || ' is over';
  end if;
  -- While this transaction runs, no submission begins (submit_job). It does not wait for the lock, so nobody who holds it keeps a coordinator.
  perform pg_try_advisory_xact_lock_shared(1936748396, 2);
end $$;
comment on function spool.require_term(bigint) is 'Refuses the transaction of a coordinator that leads no longer.';

create or replace function spool.may_write(roots text[], output text) returns boolean language sql immutable as $$
  select roots is null and output like '/%' or exists (select from unnest(roots) r where starts_with(output, rtrim(r, '/') || '/'))
$$;
comment on function spool.may_write(text[], text) is 'Whether a worker with these output roots may write a movie there, as far as the path tells.';

create or replace function spool.may_write_all(roots text[], output text, copies text[]) returns boolean language sql immutable as $$
  select spool.may_write(roots, output) and not exists (select from unnest(copies) c where not spool.may_write(roots, c))
$$;
comment on function spool.may_write_all(text[], text, text[]) is 'Whether a worker with these output roots may write a movie in all its places.';

create or replace function spool.is_written(output text, copies text[]) returns boolean language sql stable security definer
  set search_path = pg_catalog, pg_temp as $$
  select exists (
    select from spool.worker w where w.retired_at is null and spool.may_write_all(w.output_roots, is_written.output, is_written.copies))
$$;
comment on function spool.is_written(text, text[]) is 'Whether a worker that has not left may write a movie in all its places.';

create or replace function spool.needs_of(tags text[], memory_mib integer) returns text language sql immutable as $$
  select coalesce(array_to_string(tags, ' ') || ' ', '') || memory_mib
$$;
comment on function spool.needs_of(text[], integer) is 'The name that the needs of a job have in spool.hold.';

create or replace function spool.length_of(times tstzmultirange) returns double precision language sql immutable as $$
  select coalesce(extract(epoch from sum(upper(t) - lower(t))), 0)::double precision from unnest(times) t
$$;
comment on function spool.length_of(tstzmultirange) is 'The seconds in a set of times.';

create or replace function spool.refuse() returns trigger language plpgsql as $$
begin
  raise exception using errcode = 'integrity_constraint_violation', message = tg_argv[0];
end $$;
comment on function spool.refuse() is 'Refuses the write that fired it. The trigger''s argument is the reason.';

-- Each frame of a movie is in exactly one chunk, however often chunks are divided.
create or replace function spool.require_frames_once(jobs text[]) returns void language plpgsql
  set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan as $$
declare
  broken text;
begin
  -- Each job is looked up by its own index entries, so nothing else in the tables is read, whatever the planner believes about them.
  select n.id into broken
  from unnest(jobs) as n(id)
  cross join lateral (select frame_count from spool.job where id = n.id limit 1) j
  cross join lateral (
    select sum(frame_count) as frames, bool_and(first_frame = following) as is_joined
    from (
      select first_frame, frame_count, coalesce(lag(first_frame + frame_count) over (order by first_frame), 0) as following
      from spool.task where job = n.id and kind = 'picture'
    ) chunk
  ) movie
  where not movie.is_joined or movie.frames <> j.frame_count limit 1;
  if broken is not null then
    raise exception using errcode = 'integrity_constraint_violation',
      message = 'the chunks of job ' || broken || ' do not hold each of its frames once';
  end if;
end $$;
comment on function spool.require_frames_once(text[]) is 'Refuses chunks of jobs that overlap, leave a gap, or are not all of the movie.';

create or replace function spool.check_new_frames() returns trigger language plpgsql as $$
begin
  perform spool.require_frames_once(array(select distinct job from new_rows where kind = 'picture'));
  return null;
end $$;

-- This check reads only the chunks around a division, because hundreds of chunks of one job may be divided together.
create or replace function spool.check_frames() returns trigger language plpgsql as $$
declare
  least_frame bigint := least(old.first_frame, new.first_frame);
  last_end bigint := greatest(old.first_frame + old.frame_count, new.first_frame + new.frame_count);
begin
  perform from (
    select min(first_frame) as first_frame, max(first_frame + frame_count) as end_frame, bool_and(first_frame = following) as is_joined
    from (
      select first_frame, frame_count, coalesce(lag(first_frame + frame_count) over (order by first_frame), first_frame) as following
      from spool.task
      where job = new.job and kind = 'picture' and first_frame <= last_end and first_frame >= coalesce((
        select max(first_frame) from spool.task where job = new.job and kind = 'picture' and first_frame < least_frame), 0)
    ) chunk
  ) around join spool.job j on j.id = new.job
  where is_joined and (first_frame < least_frame or first_frame = 0) and (end_frame > last_end or end_frame = j.frame_count);
  if not found then
    raise exception using errcode = 'integrity_constraint_violation',
      message = 'the chunks of job ' || new.job || ' do not hold each of its frames once';
  end if;
  return null;
end $$;

create or replace function spool.wake_jobs() returns trigger language plpgsql as $$
begin
  -- A mux or a publication that can be given out now is found by itself, so its job may sleep on.
  if not exists (select from new_rows where state = 'ready' and (kind in ('picture', 'sound') or ready_at > clock_timestamp())) then
    return null;
  end if;
  -- The plan begins with the batch, whatever the planner believes about the table. It looks up each row by key, and changes it at its place.
  update spool.job j set wakes_at = r.at
  from (
    select k.place, n.at
    from (select job, min(ready_at) as at from new_rows where state = 'ready' group by job) n
    cross join lateral (select ctid as place, wakes_at from spool.job where id = n.job limit 1) k
    where k.wakes_at > n.at
  ) r
  where j.ctid = r.place;
  return null;
end $$;
comment on function spool.wake_jobs() is 'Makes claims look again at the jobs of tasks that became ready, so nobody who makes a task ready need think of it.';

-- Adding or dropping a partition waits until nobody reads the history, and meanwhile everybody who changes a state waits too. So this
-- function gives up soon, and its next call does the rest. Until then, rows of months without a partition go to history_other.
create or replace function spool.keep_history(months integer) returns integer language plpgsql security definer
  set search_path = pg_catalog, pg_temp set lock_timeout = '500ms' as $$
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
      -- The partition is made apart first, because the month may have begun in the partition for the others.
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
  delete from spool.attempt_log where kept_at < oldest;
  delete from spool.audit where at < oldest;
  delete from spool.delivery where made_at < oldest and due_at is null;
  delete from spool.slot_time where since < oldest;
  delete from spool.busy_time where since < oldest;
  delete from spool.hold where until < oldest;
  -- The submitter who had the last turn tells the present time. A transaction that submits or retries holds its submitter's row. The second
  -- statement sees what was submitted meanwhile.
  idle := array(
    select name from spool.submitter s
    where weight = 1 and slots is null and turn < (select max(turn) from spool.submitter)
      and not exists (select from spool.job j where j.submitter = s.name and j.state in ('queued', 'running'))
    for update skip locked);
  delete from spool.submitter s
  where name = any(idle) and not exists (select from spool.job j where j.submitter = s.name and j.state in ('queued', 'running'));
  delete from spool.pace p
  where kind = 'job' and not exists (select from spool.job j where j.id = p.name and j.state in ('queued', 'running'))
    or kind = 'worker' and not exists (select from spool.worker w where w.name = p.name)
    or learned_at < oldest;
  return dropped;
end $$;
comment on function spool.keep_history(integer) is
  'Makes the partitions of this month and the next, and drops those that ended more than so many months ago. Logs of attempts, the audit '
  'and the log of webhooks lose rows of the same age. Forgets submitters whose jobs '
  'have ended, and what was learned of what is gone. Returns how many partitions it dropped. It has the rights of the schema''s owner.';

create or replace function spool.record_job() returns trigger language plpgsql as $$
declare
  before text;
begin
  if tg_op = 'UPDATE' then before := old.state || case when old.paused_at is null then '' else ' (paused)' end; end if;
  insert into spool.history (entity, job, before, after, reason)
  values ('job', new.id, before, new.state || case when new.paused_at is null then '' else ' (paused)' end, new.failure_reason);
  return null;
end $$;

-- Code that ends an attempt need not think of tasks that wait for it.
create or replace function spool.end_waits() returns trigger language plpgsql
  set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  update spool.task t set state = 'ready', ready_at = clock_timestamp()
  from (
    select n.ctid as place from spool.task n
    where n.awaited is not null and n.state = 'waiting'
      and not exists (select from spool.attempt a where a.task = n.awaited and num_nulls(a.outcome) = 1)
  ) w
  where t.ctid = w.place;
  return null;
end $$;
comment on function spool.end_waits() is 'Makes tasks ready that waited for attempts at tasks of other jobs, once none of those is open.';

-- This function always uses a hash join, whatever the session's settings, because it may get a thousand rows or a hundred thousand.
create or replace function spool.record_tasks() returns trigger language plpgsql set enable_hashjoin = on set enable_nestloop = off as $$
begin
  insert into spool.history (entity, job, task, before, after, reason)
  select 'task', n.job, n.id, o.state, n.state, case when n.state in ('ready', 'failed') then n.failure_reason end
  from new_rows n join old_rows o on o.id = n.id where o.state <> n.state;
  return null;
end $$;

create or replace function spool.record_new_attempts() returns trigger language plpgsql as $$
begin
  insert into spool.history (entity, task, number, worker, after, reason)
  select 'attempt', task, number, worker, coalesce(outcome, 'open'), failure_reason from new_rows;
  return null;
end $$;

create or replace function spool.record_attempts() returns trigger language plpgsql set enable_hashjoin = on set enable_nestloop = off as $$
begin
  insert into spool.history (entity, task, number, worker, before, after, reason)
  select 'attempt', n.task, n.number, n.worker, coalesce(o.outcome, 'open'), coalesce(n.outcome, 'open'), n.failure_reason
  from new_rows n join old_rows o on o.task = n.task and o.number = n.number where o.outcome is distinct from n.outcome;
  return null;
end $$;

create or replace function spool.worker_state(w spool.worker) returns text language sql immutable as $$
  select case when w.retired_at is not null then 'retired' else 'serving' end
    || case when w.drained_at is null then '' else ' (drained)' end
    || case when w.set_aside_at is null then '' else ' (set aside)' end
$$;
comment on function spool.worker_state(spool.worker) is 'The state of a worker, as history says it.';

create or replace function spool.record_worker() returns trigger language plpgsql as $$
declare
  before text;
begin
  if tg_op = 'UPDATE' then before := spool.worker_state(old); end if;
  insert into spool.history (entity, worker, before, after) values ('worker', new.name, before, spool.worker_state(new));
  return null;
end $$;

create or replace function spool.record_leader() returns trigger language plpgsql as $$
begin
  insert into spool.history (entity, number, worker, before, after) values ('leader', new.term, new.coordinator, old.coordinator, 'leads');
  return null;
end $$;

create or replace function spool.record_farm() returns trigger language plpgsql as $$
begin
  insert into spool.history (entity, before, after)
  values ('farm', case when old.drained_at is null then 'open' else 'drained' end, case when new.drained_at is null then 'open' else 'drained' end);
  return null;
end $$;

create or replace function spool.tell(event text, variadic facts text[] default '{}') returns void language sql as $$
  insert into spool.news (event, facts) values ($1, $2)
$$;
comment on function spool.tell(text, text[]) is 'Makes the coordinator that leads log an event.';

create or replace function spool.tell_of_job() returns trigger language plpgsql as $$
declare
  began timestamptz := coalesce(new.started_at, new.ended_at);
begin
  if new.state <> old.state and new.state in ('done', 'failed', 'cancelled') then
    perform spool.tell(
      'job_ended', 'job', new.id, 'state', new.state, 'seconds', round(extract(epoch from new.ended_at - began), 1)::text,
      'waited_seconds', round(extract(epoch from began - new.submitted_at), 1)::text, 'frames', new.frames_done || '/' || new.frame_count,
      'retries', new.retry_count::text, 'submitter', new.submitter,
      'failure', new.failure_class || ': ' || new.failure_place || ': ' || new.failure_reason);
  elsif new.state = 'queued' and old.state <> 'queued' then
    perform spool.tell('job_retried', 'job', new.id);
  elsif (new.paused_at is null) <> (old.paused_at is null) then
    perform spool.tell(case when new.paused_at is null then 'job_resumed' else 'job_paused' end, 'job', new.id);
  end if;
  return null;
end $$;

-- An event for the webhooks, in the transaction of the change. It runs with the owner's rights, because who changes a job may not read secrets.
create or replace function spool.announce_job() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  event text := case when tg_op = 'INSERT' then 'job.submitted' when new.state = 'running' then 'job.started'
    when new.state = 'queued' then 'job.retried' else 'job.' || new.state end;
  at text := to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
begin
  -- Most farms have none.
  if not exists (select from spool.webhook) then return null; end if;
  insert into spool.delivery (webhook, message, event, job, body)
  select w.name, 'msg_' || replace(gen_random_uuid()::text, '-', ''), event, new.id, json_build_object(
    'type', event, 'timestamp', at, 'data', json_build_object(
      'job', new.id, 'state', new.state, 'submitter', new.submitter, 'output', new.output,
      'copies', case when new.copies <> '{}' then (select s.copies from spool.job_status s where s.id = new.id) end, 'priority', new.priority,
      'frames', new.frame_count, 'framesDone', new.frames_done, 'retries', new.retry_count, 'isDamaged', new.is_damaged,
      'submittedAt', new.submitted_at, 'startedAt', new.started_at, 'endedAt', new.ended_at,
      'failure', case when new.failure_class is not null then json_build_object(
        'class', new.failure_class, 'place', new.failure_place, 'reason', new.failure_reason) end))::text
  from spool.webhook w
  where event = any(w.events) and (w.submitter is null or w.submitter = new.submitter);
  return null;
end $$;

create or replace function spool.tell_of_attempt() returns trigger language plpgsql as $$
begin
  perform spool.tell(
    'expired', 'attempt', new.task || '/' || new.number, 'job', (select job from spool.task where id = new.task), 'worker', new.worker,
    'reason', new.failure_reason);
  return null;
end $$;

create or replace function spool.tell_of_worker() returns trigger language plpgsql as $$
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

create or replace function spool.tell_of_farm() returns trigger language plpgsql as $$
begin
  perform spool.tell(case when new.drained_at is null then 'farm_undrained' else 'farm_drained' end);
  return null;
end $$;

create or replace function spool.since(moment timestamptz) returns text language sql stable as $$
  select 'since ' || to_char(moment at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS') || ' UTC'
$$;
comment on function spool.since(timestamptz) is 'A time as the sentences of the waiting reasons say it.';

-- Triggers refuse writes that break a rule, even if a program forgets to check it, and write down what happens. Their tables come in the
-- order in which locks are taken.

create or replace trigger a_drain_is_told after update of drained_at on spool.farm for each row
  when ((old.drained_at is null) <> (new.drained_at is null)) execute function spool.tell_of_farm();
create or replace trigger a_drain_is_recorded after update of drained_at on spool.farm for each row
  when (num_nulls(old.drained_at) <> num_nulls(new.drained_at)) execute function spool.record_farm();
create or replace trigger a_leader_changes after update of term on spool.leader for each row
  when (old.term <> new.term) execute function spool.record_leader();
create or replace trigger a_worker_comes after insert on spool.worker for each row execute function spool.record_worker();
create or replace trigger a_worker_changes after update of epoch, retired_at, drained_at, set_aside_at on spool.worker for each row
  when (
    old.epoch <> new.epoch or (old.retired_at is null) <> (new.retired_at is null)
    or (old.drained_at is null) <> (new.drained_at is null) or (old.set_aside_at is null) <> (new.set_aside_at is null))
  execute function spool.record_worker();
create or replace trigger a_worker_is_told after update of drained_at, set_aside_at on spool.worker for each row
  when ((old.drained_at is null) <> (new.drained_at is null) or (old.set_aside_at is null) <> (new.set_aside_at is null))
  execute function spool.tell_of_worker();
create or replace trigger an_ended_job_is_only_queued_again before update of state on spool.job for each row
  when (old.state in ('done', 'failed', 'cancelled') and new.state not in (old.state, 'queued'))
  execute function spool.refuse('a job that has ended stays ended, unless a retry queues it again');
create or replace trigger a_job_is_entered after insert on spool.job for each row execute function spool.record_job();
create or replace trigger a_job_changes after update of state, paused_at on spool.job for each row
  when (old.state <> new.state or (old.paused_at is null) <> (new.paused_at is null)) execute function spool.record_job();
create or replace trigger a_job_is_told after update of state, paused_at on spool.job for each row
  when (old.state <> new.state or (old.paused_at is null) <> (new.paused_at is null)) execute function spool.tell_of_job();
create or replace trigger a_submission_is_announced after insert on spool.job for each row execute function spool.announce_job();
create or replace trigger a_job_is_announced after update of state on spool.job for each row
  when (old.state <> new.state) execute function spool.announce_job();
create or replace trigger attempts_only_grow before update of attempts on spool.task for each row
  when (new.attempts < old.attempts)
  execute function spool.refuse('attempt numbers only grow');
create or replace trigger frames_begin after insert on spool.task referencing new table as new_rows
  for each statement execute function spool.check_new_frames();
create or replace trigger ready_tasks_come after insert on spool.task referencing new table as new_rows
  for each statement execute function spool.wake_jobs();
create or replace trigger tasks_become_ready after update on spool.task referencing new table as new_rows
  for each statement execute function spool.wake_jobs();
create or replace trigger tasks_change after update on spool.task referencing old table as old_rows new table as new_rows
  for each statement execute function spool.record_tasks();
create or replace trigger an_outcome_is_final before update of outcome on spool.attempt for each row
  when (old.outcome is not null and new.outcome is distinct from old.outcome
    and not (old.outcome = 'won' and coalesce(new.outcome, '') = 'revoked'))
  execute function spool.refuse('an attempt''s outcome is final');
create or replace trigger attempts_begin after insert on spool.attempt referencing new table as new_rows
  for each statement execute function spool.record_new_attempts();
create or replace trigger attempts_change after update on spool.attempt referencing old table as old_rows new table as new_rows
  for each statement execute function spool.record_attempts();
create or replace trigger waits_end after update of outcome or delete on spool.attempt
  for each statement execute function spool.end_waits();
create or replace trigger an_expiry_is_told after update of outcome on spool.attempt for each row
  when (old.outcome is null and new.outcome = 'expired') execute function spool.tell_of_attempt();
-- PostgreSQL cannot replace a constraint trigger, so this one is made where it is missing. A migration that changes it drops it.
do $$
begin
  if not exists (select from pg_trigger where tgrelid = 'spool.task'::regclass and tgname = 'frames_change') then
    create constraint trigger frames_change after update of first_frame, frame_count on spool.task deferrable initially deferred
      for each row execute function spool.check_frames();
  end if;
end $$;

-- A new farm has the partitions of this month and the next. Later the coordinator makes them, because it knows how long history is kept.
select spool.keep_history(12) where (select count(*) from pg_inherits where inhparent = 'spool.history'::regclass) = 1;

-- Views use the time at which their statement began, because it stays the same for the whole statement. With a clock that moves on
-- meanwhile, the planner could neither use an index for the order nor read only the first rows.

create view spool.job_status as
select
  j.id, j.number, j.submitter, j.state, j.priority, j.output, j.tags, j.memory_mib, j.frame_count, j.chunk_count,
  j.is_damaged, j.failure_class, j.failure_place, j.failure_reason, j.submitted_at, j.paused_at, j.started_at, j.ended_at,
  greatest(0, extract(epoch from coalesce(j.started_at, j.ended_at, statement_timestamp()) - j.submitted_at))::double precision
    as waited_seconds,
  case when j.started_at is not null then
    greatest(0, extract(epoch from coalesce(j.ended_at, statement_timestamp()) - j.started_at))::double precision end as elapsed_seconds,
  least(j.frames_done + coalesce(r.frames, 0), j.frame_count) as frames_done, j.chunks_done,
  case when j.copies <> '{}' then (
    select json_agg(json_build_object(
      'output', c.output, 'state', case when e.output is null then 'waiting' when e.error is null then 'done' else 'failed' end,
      'error', e.error) order by c.number)
    from unnest(j.copies) with ordinality as c(output, number)
    left join lateral (
      select f.output, f.error
      from spool.task t
      cross join lateral (select proof from spool.attempt where task = t.id and outcome in ('won') limit 1) w
      cross join lateral json_to_recordset(w.proof -> 'copies') as f(output text, error text)
      where t.job = j.id and t.kind = 'publish' and f.output = c.output limit 1) e on true
  ) end as copies, r.attempts as attempts_running, j.retry_count
-- The open attempts of a job are found through its running tasks, so that neither all tasks of the job nor all open attempts are read.
-- A task has at most two open attempts. The limit makes the planner look them up, whatever it believes about the table.
from spool.job j cross join lateral (
  select count(*) as attempts,
    sum(least(a.units_done, t.frame_count)) filter (where t.kind = 'picture' and not a.is_speculative) as frames
  from spool.task t
  cross join lateral (select units_done, is_speculative from spool.attempt where task = t.id and num_nulls(outcome) = 1 limit 2) a
  where t.job = j.id and t.state = 'running' and j.state in ('running', 'cancelled', 'failed')
) r;
comment on view spool.job_status is
  'One row a job. Order by number for the order of submission. waited_seconds: until it ran first; elapsed_seconds: since then, NULL '
  'before; frames_done includes what running attempts report; attempts_running: of a job that ended early, those whose results the job awaits that replaced '
  'it; copies: its further places, each with its state (waiting, done, failed) and the error of one that failed. '
  '`spool status` says how long it will take.';

create view spool.job_damage as
select
  j.id as job, c.asset,
  min((c."frameSpan" ->> 'first')::bigint) as first_frame, max((c."frameSpan" ->> 'end')::bigint) as end_frame,
  min((c."sampleSpan" ->> 'first')::bigint) as first_sample, max((c."sampleSpan" ->> 'end')::bigint) as end_sample,
  coalesce(sum(c.frames), 0)::bigint as frame_count, coalesce(sum(c.samples), 0)::bigint as sample_count
-- A job without damage is not looked at any further. For a damaged job, the winners are looked up one by one.
from spool.job j
cross join lateral (select id from spool.task where job = j.id and j.is_damaged and kind in ('picture', 'sound') offset 0) t
cross join lateral (select proof from spool.attempt where task = t.id and outcome in ('won') limit 1) w
cross join lateral json_to_recordset(w.proof -> 'concealed')
  as c(asset text, frames bigint, samples bigint, "frameSpan" json, "sampleSpan" json)
group by j.id, c.asset;
comment on view spool.job_damage is
  'One row for each asset of a job that is damaged and was replaced ("damage": "conceal"), as far as the job is done. frame_count frames of the '
  'movie show a stand-in, all of them from first_frame to before end_frame; sample_count samples are silence, from first_sample to before end_sample.';

create view spool.job_loudness as
select
  j.id as job, l.measured, l.gain, l.limiting, l.integrated, l."truePeak" as true_peak, l."measuredRange" as measured_range, l.range as range_lu
from spool.job j
cross join lateral (select id from spool.task where job = j.id and kind = 'sound' offset 0) t
cross join lateral (select proof from spool.attempt where task = t.id and outcome in ('won') limit 1) w
cross join lateral json_to_record(w.proof -> 'loudness') as l(
  measured double precision, gain double precision, limiting double precision, integrated double precision, "truePeak" double precision,
  "measuredRange" double precision, range double precision)
where w.proof -> 'loudness' is not null;
comment on view spool.job_loudness is
  'One row for each job whose sound is mixed and whose edit asks for a loudness ("loudness" of the export). measured: the mix, in LUFS (NULL: '
  'silent or too short); gain: of the whole sound, in dB; limiting: the most by which the limiter lowered a part, in dB; integrated: in LUFS, and '
  'true_peak in dBTP, of what is encoded.';

create view spool.job_reuse as
select j.id as job, r.chunk_count, r.frame_count
from spool.job j
cross join lateral (
  select count(*)::integer as chunk_count, coalesce(sum(t.frame_count), 0)::bigint as frame_count
  from (select id, frame_count from spool.task where job = j.id and kind = 'picture' offset 0) t
  cross join lateral (select proof from spool.attempt where task = t.id and outcome in ('won') limit 1) w
  where w.proof -> 'found' is not null
) r
where r.chunk_count > 0;
comment on view spool.job_reuse is
  'One row for each job of which some chunks were not rendered, because an earlier job had rendered the same: how many chunks, and their frames.';

create view spool.job_target as
select j.id as job, t.quantity, t.asked, t.reached
from spool.job j
cross join lateral (select id from spool.task where job = j.id and kind = 'mux' offset 0) m
cross join lateral (select proof from spool.attempt where task = m.id and outcome in ('won') limit 1) w
cross join lateral json_to_record(w.proof -> 'target') as t(quantity text, asked double precision, reached double precision)
where w.proof -> 'target' is not null;
comment on view spool.job_target is
  'One row for each job with a target of its bits ("bitRate" or "fileSize" of the picture), once its movie is muxed. quantity: bitRate, in bits a '
  'second of the picture, or fileSize, in bytes of the file; asked: what the edit states; reached: what the movie has.';

create view spool.chunk_status as
select
  t.job, t.id as task, t.ordinal, t.kind, t.split_from, t.state, t.first_frame, t.frame_count,
  a.worker, b.worker as worker_beside, a.patience, t.failure_class, t.failure_place, t.failure_reason,
  case when t.state = 'ready' and t.ready_at > statement_timestamp() then t.ready_at end as retried_at,
  a.started_at, a.progress_at, a.progress_deadline, a.ended_at,
  case t.state when 'done' then coalesce(t.frame_count, a.units_done, 0) else coalesce(a.units_done, 0) end as units_done,
  case t.state when 'done' then coalesce(t.frame_count, a.units_total, 0) else coalesce(a.units_total, t.frame_count, 0) end as units_total,
  t.attempts, t.first_sample, t.sample_count, a.proof -> 'milliseconds' as measured
-- The few attempts of a task are looked up, because the attempts of all jobs are many more than the tasks of one job.
from spool.task t
left join lateral (
  select * from spool.attempt o
  where o.task = t.id and t.state in ('running', 'done') and (o.outcome = 'won' or num_nulls(o.outcome) = 1 and not o.is_speculative) limit 1
) a on true
left join lateral (
  select worker from spool.attempt o where o.task = t.id and t.state = 'running' and num_nulls(o.outcome) = 1 and o.is_speculative limit 1
) b on true;
comment on view spool.chunk_status is
  'One row a task: the chunks (kind picture), and sound, mux and publish. Order by first_frame, ordinal for the order of the movie. '
  'split_from: the chunk whose rest it is; worker: who runs it, or who won; worker_beside: who runs it as well, because the former is slow; '
  'the failure is the last one; units: frames, sample blocks or packets; measured: the milliseconds of the parts of a chunk that is done.';

create view spool.attempt_status as
select
  t.job, a.task, t.ordinal, t.kind, t.first_frame, t.frame_count, a.number, a.worker, a.is_speculative, a.is_canary, a.outcome,
  a.failure_class, a.failure_place, a.failure_reason, a.started_at, a.ended_at, a.units_done, a.units_total, a.proof -> 'milliseconds' as measured
from spool.task t join spool.attempt a on a.task = t.id;
comment on view spool.attempt_status is
  'One row an attempt, with what its task is. frames as the task has them now: a chunk that was divided since had more. outcome: NULL while it runs; '
  'measured: the milliseconds of a chunk''s parts, as it measured them.';

create view spool.job_time as
select j.id as job, p.place, p.part, p.seconds
from spool.job j
cross join lateral (
  select tstzmultirange(tstzrange(j.submitted_at, greatest(j.submitted_at, coalesce(j.ended_at, statement_timestamp())))) as life
) l
-- The times in which attempts ran, by what they were for. An attempt counts while it runs, and afterwards when it won. One that was returned did
-- nothing. Few attempts fail, so the next one is looked up for these alone.
cross join lateral (
  select
    coalesce(range_agg(ran) filter (where kind = 'picture' and counts), '{}') as pictures,
    coalesce(range_agg(ran) filter (where kind = 'sound' and counts), '{}') as sound,
    coalesce(range_agg(ran) filter (where kind = 'mux' and counts), '{}') as mux,
    coalesce(range_agg(ran) filter (where kind = 'publish' and counts), '{}') as publish,
    coalesce(range_agg(ran) filter (where not counts), '{}') as lost,
    coalesce(range_agg(pause) filter (where failure_class = 'store'), '{}') as store,
    coalesce(range_agg(pause) filter (where failure_class <> 'store'), '{}') as retrying
  from (
    select t.kind, coalesce(a.outcome = 'won', true) as counts, a.failure_class,
      tstzrange(a.started_at, greatest(a.started_at, coalesce(a.ended_at, statement_timestamp()))) as ran,
      case when a.failure_class is not null then
        tstzrange(a.ended_at, greatest(a.ended_at, coalesce((
          select min(n.started_at) from spool.attempt n where n.task = a.task and n.number > a.number and n.outcome is distinct from 'returned'),
          statement_timestamp()))) end as pause
    from spool.task t join spool.attempt a on a.task = t.id where t.job = j.id and a.outcome is distinct from 'returned'
  ) tried
) a
-- The shares of the time of chunks that went to each of their parts, as the attempts that won measured it.
cross join lateral (
  select sum(opening) as opening, sum(reading) as reading, sum(compositing) as compositing, sum(encoding) as encoding,
    nullif(sum(greatest(lasted, opening + reading + compositing + encoding)), 0) as total
  from (
    select m.opening, m.reading, m.compositing, m.encoding, extract(epoch from a.ended_at - a.started_at)::double precision * 1000 as lasted
    from spool.task t join spool.attempt a on a.task = t.id and a.outcome = 'won'
    cross join lateral json_to_record(a.proof -> 'milliseconds')
      as m(opening double precision, reading double precision, compositing double precision, encoding double precision)
    where t.job = j.id and t.kind = 'picture' and m.opening is not null
  ) measured
) m
cross join lateral (
  select
    coalesce(range_agg(lasted) filter (where after in ('failed', 'cancelled')), '{}') as stopped,
    coalesce(range_agg(lasted) filter (where after like '%(paused)'), '{}') as paused
  from (
    select after, tstzrange(at, coalesce(lead(at) over (order by at), 'infinity')) as lasted
    from spool.history where job = j.id and entity = 'job'
  ) states
) h
cross join lateral (
  select coalesce(range_agg(lasted), '{}') as drained
  from (
    select after, tstzrange(at, coalesce(lead(at) over (order by at), 'infinity')) as lasted from spool.history where entity = 'farm'
  ) states where after = 'drained'
) d
cross join lateral (
  select coalesce(range_agg(lasted), '{}') as served
  from (
    select after, tstzrange(at, coalesce(lead(at) over (partition by worker order by at), 'infinity')) as lasted
    from spool.history where entity = 'worker'
  ) states where after = 'serving'
) w
cross join lateral (
  select coalesce(range_agg(span), '{}') as others, coalesce(range_agg(span) filter (where priority > j.priority), '{}') as prior
  from (
    select o.priority, tstzrange(o.started_at, greatest(o.started_at, coalesce(o.ended_at, statement_timestamp()))) as span
    from spool.job o
    where o.id <> j.id and o.started_at < coalesce(j.ended_at, statement_timestamp()) and (o.ended_at > j.submitted_at) is not false
  ) o
) b
-- The times in which the quota of its submitter was reached, and in which no worker had what it needs.
cross join lateral (
  select
    coalesce(range_agg(tstzrange(since, until)) filter (where kind = 'quota'), '{}') as quota,
    coalesce(range_agg(tstzrange(since, until)) filter (where kind = 'needs'), '{}') as unfit
  from spool.hold
  where (kind = 'quota' and name = j.submitter or kind = 'needs' and name = spool.needs_of(j.tags, j.memory_mib))
    and until > j.submitted_at and since < coalesce(j.ended_at, statement_timestamp())
) c
-- The times in which its tasks waited for attempts at tasks of a job that it replaced.
cross join lateral (
  select coalesce(range_agg(tstzrange(j.submitted_at, greatest(j.submitted_at, coalesce(f.at, statement_timestamp())))), '{}') as awaited
  from (select id from spool.task where job = j.id and awaited is not null offset 0) t
  cross join lateral (select min(at) as at from spool.history where task = t.id and before = 'waiting') f
) k
-- Each moment goes to the first part that has it.
cross join lateral (
  select
    l.life * a.pictures as pictures, l.life - a.pictures as no_picture, l.life - a.pictures - a.sound as no_sound,
    l.life - a.pictures - a.sound - a.mux as no_mux, l.life - a.pictures - a.sound - a.mux - a.publish as no_result
) r
cross join lateral (
  select r.no_result - a.lost - k.awaited as idle, r.no_result - a.lost - k.awaited - h.stopped - h.paused - d.drained as waiting
) i
cross join lateral (select i.waiting * w.served - a.store - a.retrying as served) s
cross join lateral (
  values
    (1, 'opening', case when m.total > 0 then spool.length_of(r.pictures) * m.opening / m.total end),
    (2, 'reading', case when m.total > 0 then spool.length_of(r.pictures) * m.reading / m.total end),
    (3, 'compositing', case when m.total > 0 then spool.length_of(r.pictures) * m.compositing / m.total end),
    (4, 'encoding', case when m.total > 0 then spool.length_of(r.pictures) * m.encoding / m.total end),
    (5, 'committing', case when m.total > 0 then
      spool.length_of(r.pictures) * greatest(0, 1 - (m.opening + m.reading + m.compositing + m.encoding) / m.total) end),
    (6, 'rendering', case when m.total is null then spool.length_of(r.pictures) end),
    (7, 'sound', spool.length_of(r.no_picture * a.sound)), (8, 'joining', spool.length_of(r.no_sound * a.mux)),
    (9, 'publishing', spool.length_of(r.no_mux * a.publish)), (10, 'lost', spool.length_of(r.no_result * a.lost)),
    (11, 'blocked', spool.length_of((r.no_result - a.lost) * k.awaited)),
    (12, 'stopped', spool.length_of(i.idle * h.stopped)), (13, 'paused', spool.length_of((i.idle - h.stopped) * h.paused)),
    (14, 'drained', spool.length_of((i.idle - h.stopped - h.paused) * d.drained)),
    (15, 'no worker', spool.length_of(i.waiting - w.served)),
    (16, 'store', spool.length_of(i.waiting * w.served * a.store)),
    (17, 'retrying', spool.length_of((i.waiting * w.served - a.store) * a.retrying)),
    (18, 'quota', spool.length_of(s.served * c.quota)), (19, 'no fitting worker', spool.length_of((s.served - c.quota) * c.unfit)),
    (20, 'priority', spool.length_of((s.served - c.quota - c.unfit) * b.prior)),
    (21, 'behind others', spool.length_of((s.served - c.quota - c.unfit - b.prior) * b.others)),
    (22, 'handing out', spool.length_of(s.served - c.quota - c.unfit - b.others))
) p (place, part, seconds)
where p.seconds > 0;
comment on view spool.job_time is
  'Where the time of a job went since its submission. One row a part, in the order of place; the seconds of all parts are those from submission to '
  'end, or to now. A moment in which several things happen belongs to the first of them. What each part is: docs/scheduling.md.';

create view spool.chunk_time as
select j.id as job, t.id as task, p.place, p.part, p.seconds
from spool.job j
cross join lateral (
  select j.submitted_at as begun, greatest(j.submitted_at, coalesce(j.ended_at, statement_timestamp())) as until
) l
-- What holds for all tasks of the job: when others of it ran, until when its parts and its mux were missing, and why it was given nothing.
cross join lateral (
  select
    coalesce(range_agg(ran), '{}') as own,
    case when bool_or(outcome is null) filter (where kind in ('picture', 'sound')) then 'infinity'
      else max(ended_at) filter (where outcome = 'won' and kind in ('picture', 'sound')) end as parts_end,
    case when bool_or(outcome is null) filter (where kind <> 'publish') then 'infinity'
      else max(ended_at) filter (where outcome = 'won' and kind <> 'publish') end as mux_end
  from (
    select t.kind, a.outcome, a.ended_at, tstzrange(a.started_at, greatest(a.started_at, coalesce(a.ended_at, statement_timestamp()))) as ran
    from spool.task t join spool.attempt a on a.task = t.id where t.job = j.id and a.outcome is distinct from 'returned'
  ) tried
) g
cross join lateral (
  select
    coalesce(range_agg(lasted) filter (where after in ('failed', 'cancelled')), '{}') as stopped,
    coalesce(range_agg(lasted) filter (where after like '%(paused)'), '{}') as paused
  from (
    select after, tstzrange(at, coalesce(lead(at) over (order by at), 'infinity')) as lasted
    from spool.history where job = j.id and entity = 'job'
  ) states
) h
cross join lateral (
  select coalesce(range_agg(lasted), '{}') as drained
  from (
    select after, tstzrange(at, coalesce(lead(at) over (order by at), 'infinity')) as lasted from spool.history where entity = 'farm'
  ) states where after = 'drained'
) d
cross join lateral (
  select coalesce(range_agg(lasted), '{}') as served
  from (
    select after, tstzrange(at, coalesce(lead(at) over (partition by worker order by at), 'infinity')) as lasted
    from spool.history where entity = 'worker'
  ) states where after = 'serving'
) w
cross join lateral (
  select coalesce(range_agg(span), '{}') as others, coalesce(range_agg(span) filter (where priority > j.priority), '{}') as prior
  from (
    select o.priority, tstzrange(o.started_at, greatest(o.started_at, coalesce(o.ended_at, statement_timestamp()))) as span
    from spool.job o
    where o.id <> j.id and o.started_at < l.until and (o.ended_at > j.submitted_at) is not false
  ) o
) b
cross join lateral (
  select
    coalesce(range_agg(tstzrange(since, until)) filter (where kind = 'quota'), '{}') as quota,
    coalesce(range_agg(tstzrange(since, until)) filter (where kind = 'needs'), '{}') as unfit
  from spool.hold
  where (kind = 'quota' and name = j.submitter or kind = 'needs' and name = spool.needs_of(j.tags, j.memory_mib))
    and until > j.submitted_at and since < l.until
) c
cross join lateral (select id, kind, awaited from spool.task where job = j.id) t
-- The attempts at the task, and what the one that won measured.
cross join lateral (
  select
    greatest(l.begun, least(l.until, max(ended_at) filter (where outcome = 'won'))) as until,
    coalesce(range_agg(tstzrange(started_at, greatest(started_at, coalesce(ended_at, statement_timestamp()))))
      filter (where coalesce(outcome, 'won') = 'won'), '{}') as counted,
    coalesce(range_agg(tstzrange(started_at, greatest(started_at, ended_at))) filter (where outcome <> 'won'), '{}') as lost,
    coalesce(range_agg(pause) filter (where outcome <> 'won' and failure_class = 'store'), '{}') as store,
    coalesce(range_agg(pause) filter (where outcome <> 'won'), '{}') as retrying,
    min(proof -> 'milliseconds' ->> 'opening') filter (where outcome = 'won' and t.kind = 'picture')::double precision as opening,
    min(proof -> 'milliseconds' ->> 'reading') filter (where outcome = 'won' and t.kind = 'picture')::double precision as reading,
    min(proof -> 'milliseconds' ->> 'compositing') filter (where outcome = 'won' and t.kind = 'picture')::double precision as compositing,
    min(proof -> 'milliseconds' ->> 'encoding') filter (where outcome = 'won' and t.kind = 'picture')::double precision as encoding,
    max(extract(epoch from ended_at - started_at)) filter (where outcome = 'won')::double precision * 1000 as lasted
  from (
    select o.started_at, o.ended_at, o.outcome, o.failure_class, o.proof, tstzrange(o.ended_at, greatest(o.ended_at, coalesce((
        select min(n.started_at) from spool.attempt n
        where n.task = t.id and n.started_at >= o.ended_at and n.outcome is distinct from 'returned'), 'infinity'))) as pause
    from spool.attempt o where o.task = t.id and o.outcome is distinct from 'returned'
  ) a
) a
cross join lateral (
  select tstzmultirange(tstzrange(l.begun, a.until)) as life, a.opening + a.reading + a.compositing + a.encoding as parts,
    nullif(greatest(a.lasted, a.opening + a.reading + a.compositing + a.encoding), 0) as total,
    tstzmultirange(case
      when t.awaited is not null then tstzrange(l.begun, greatest(l.begun, least(a.until, coalesce(
        (select min(at) from spool.history where task = t.id and before = 'waiting'), 'infinity'))))
      when t.kind in ('picture', 'sound') then 'empty'
      else tstzrange(l.begun, least(a.until, greatest(l.begun, coalesce(case t.kind when 'mux' then g.parts_end else g.mux_end end, 'infinity')))) end) as blocked
) r
cross join lateral (
  select spool.length_of(r.life * a.counted) as work, r.life - a.counted - a.lost as idle, r.life - a.counted - a.lost - r.blocked as free,
    r.life - a.counted - a.lost - r.blocked - h.stopped - h.paused - d.drained as waiting
) i
cross join lateral (select i.waiting * w.served - a.store - a.retrying - c.quota - c.unfit as served) s
cross join lateral (
  values
    (1, 'opening', i.work * a.opening / r.total), (2, 'reading', i.work * a.reading / r.total),
    (3, 'compositing', i.work * a.compositing / r.total), (4, 'encoding', i.work * a.encoding / r.total),
    (5, 'committing', i.work * (r.total - r.parts) / r.total),
    (6, case t.kind when 'picture' then 'rendering' when 'sound' then 'sound' when 'mux' then 'joining' else 'publishing' end,
      case when r.total is null or r.parts is null then i.work end),
    (7, 'lost', spool.length_of((r.life - a.counted) * a.lost)), (8, 'blocked', spool.length_of(i.idle * r.blocked)),
    (9, 'stopped', spool.length_of(i.free * h.stopped)), (10, 'paused', spool.length_of((i.free - h.stopped) * h.paused)),
    (11, 'drained', spool.length_of((i.free - h.stopped - h.paused) * d.drained)),
    (12, 'no worker', spool.length_of(i.waiting - w.served)), (13, 'store', spool.length_of(i.waiting * w.served * a.store)),
    (14, 'retrying', spool.length_of((i.waiting * w.served - a.store) * a.retrying)),
    (15, 'quota', spool.length_of((i.waiting * w.served - a.store - a.retrying) * c.quota)),
    (16, 'no fitting worker', spool.length_of((i.waiting * w.served - a.store - a.retrying - c.quota) * c.unfit)),
    (17, 'behind own', spool.length_of(s.served * g.own)), (18, 'priority', spool.length_of((s.served - g.own) * b.prior)),
    (19, 'behind others', spool.length_of((s.served - g.own - b.prior) * b.others)),
    (20, 'handing out', spool.length_of(s.served - g.own - b.others))
) p (place, part, seconds)
where p.seconds > 0;
comment on view spool.chunk_time is
  'The parts of the time from the submission of a task''s job to the task''s end, or to now: one row each, in seconds. Each moment belongs to one part, and '
  'they add up to the whole. It is for a task, or for the tasks of a job of some thousands.';

create view spool.attempt_time as
select a.task, a.number, a.outcome, a.ended_at, a.since, p.part, p.seconds
from (
  select a.task, a.number, a.outcome, a.ended_at, t.kind, b.since, a.outcome <> 'won' is true as is_lost, t.kind in ('mux', 'publish') as is_light,
    extract(epoch from least(coalesce(a.ended_at, statement_timestamp()), b.since + interval '10 minutes') - greatest(a.started_at, b.since))
      ::double precision as ran,
    m.opening, m.reading, m.compositing, m.encoding,
    case when m.opening + m.reading + m.compositing + m.encoding is not null then
      nullif(greatest(extract(epoch from a.ended_at - a.started_at)::double precision * 1000, m.opening + m.reading + m.compositing + m.encoding), 0)
      end as lasted
  from spool.attempt a
  -- The limit has each task looked up by its key, however many attempts the planner expects.
  cross join lateral (select t.kind from spool.task t where t.id = a.task limit 1) t
  left join lateral json_to_record(case when a.outcome = 'won' and t.kind = 'picture' then a.proof -> 'milliseconds' end)
    as m(opening double precision, reading double precision, compositing double precision, encoding double precision) on true
  cross join lateral generate_series(
    date_bin('10 minutes', a.started_at, timestamptz 'epoch'), coalesce(a.ended_at, statement_timestamp()), interval '10 minutes') as b(since)
  -- An attempt that was returned did nothing.
  where a.outcome is distinct from 'returned'
) a
cross join lateral (
  values
    ('opening', a.ran * a.opening / a.lasted), ('reading', a.ran * a.reading / a.lasted), ('compositing', a.ran * a.compositing / a.lasted),
    ('encoding', a.ran * a.encoding / a.lasted),
    ('committing', a.ran * (a.lasted - a.opening - a.reading - a.compositing - a.encoding) / a.lasted),
    ('rendering', case when a.lasted is null and not a.is_lost and a.kind = 'picture' then a.ran end),
    ('sound', case when not a.is_lost and a.kind = 'sound' then a.ran end), ('joining', case when a.is_light then a.ran end),
    ('lost', case when a.is_lost and not a.is_light then a.ran end)
) p (part, seconds)
where p.seconds > 0;
comment on view spool.attempt_time is
  'What an attempt did: a row for each ten minutes in which it ran, and each part of its time, in seconds. Ask for attempts by task, or by ended_at.';

create view spool.farm_time as
select s.since, p.place, p.part, p.seconds
from spool.slot_time s
-- What the attempts did that ran in these ten minutes: the sums of those that have ended, and the few that are in no sum yet. Both bounds of
-- ended_at are there for the planner, which expects a third of all attempts behind the first one alone.
left join (
  select since, sum(seconds) filter (where part <> 'joining') as total,
    sum(seconds) filter (where part = 'opening') as opening, sum(seconds) filter (where part = 'reading') as reading,
    sum(seconds) filter (where part = 'compositing') as compositing, sum(seconds) filter (where part = 'encoding') as encoding,
    sum(seconds) filter (where part = 'committing') as committing, sum(seconds) filter (where part = 'rendering') as rendering,
    sum(seconds) filter (where part = 'sound') as sound, sum(seconds) filter (where part = 'lost') as lost, bool_or(part = 'joining') as joins
  from (
    select since, part, seconds from spool.busy_time
    union all
    select since, part, seconds from spool.attempt_time
    where ended_at > (select summed_to from spool.leader) and ended_at < 'infinity'
    union all
    select since, part, seconds from spool.attempt_time where outcome is null
  ) ran group by since
) a on a.since = s.since and s.part = 'busy'
cross join lateral (
  select v.place, v.part, s.microseconds / 1e6::double precision * v.seconds / a.total as seconds
  from (
    values (1, 'opening', a.opening), (2, 'reading', a.reading), (3, 'compositing', a.compositing), (4, 'encoding', a.encoding),
      (5, 'committing', a.committing), (6, 'rendering', a.rendering), (7, 'sound', a.sound), (9, 'lost', a.lost)
  ) v (place, part, seconds) where a.total > 0
  union all
  select case when s.part <> 'busy' then 9 + array_position(
      '{handing out,quota,no fitting worker,retrying,paused,drained,set aside,no leader,nothing queued}'::text[], s.part) when a.joins then 8 else 6 end,
    case when s.part <> 'busy' then s.part when a.joins then 'joining' else 'rendering' end, s.microseconds / 1e6::double precision
  where a.total is null
) p
where p.seconds > 0;
comment on view spool.farm_time is
  'Where the time of the farm''s slots went: a row for each part of ten minutes, in seconds of a slot. The parts add up to the slots that there were. What '
  'ran is divided in the shares of the attempts that ran then: what attempts that won measured, what was lost, and joins that had slots.';

create view spool.worker_status as
select
  w.name, w.host, w.process_id,
  case
    when w.retired_at is not null then 'left'
    when w.lease_until <= statement_timestamp() then
      case when l.lease_until <= statement_timestamp() and w.lease_until >= l.renewed_at then 'unheard' else 'silent' end
    when w.drained_at is not null then 'drained'
    when w.set_aside_at is not null then 'set aside'
    when w.slots = 0 then 'stopping'
    else 'alive' end as state,
  w.retired_at is null and w.lease_until > statement_timestamp() as is_alive,
  w.slots, w.lanes, w.memory_mib, w.tags, w.output_roots,
  w.registered_at, w.retired_at, w.drained_at, w.set_aside_at, w.canary_at,
  greatest(0, extract(epoch from statement_timestamp() - w.heartbeat_at))::double precision as heartbeat_age_seconds,
  coalesce(r.running, 0) as attempts_running, coalesce(r.running, 0) - least(coalesce(lane.light, 0), w.lanes) as slots_busy,
  e.pace, coalesce(f.failures, 0) as failures_last_hour, c.jobs
from spool.worker w
cross join (select renewed_at, lease_until from spool.leader limit 1) l
left join (select worker, count(*) as running from spool.attempt where outcome is null group by worker) r on r.worker = w.name
left join (
  select a.worker, count(*) as light from spool.task t join spool.attempt a on a.task = t.id and num_nulls(a.outcome) = 1
  where t.kind in ('mux', 'publish') and t.state = 'running' group by a.worker
) lane on lane.worker = w.name
-- Each of these has one row for a worker, so who asks for none of their columns does not read them.
left join spool.pace e on e.kind = 'worker' and e.name = w.name and e.result_count >= 3
left join (
  select worker, count(*) as failures from spool.attempt
  where failure_class in ('content', 'worker', 'source', 'bug') and outcome in ('failed', 'expired') and ended_at > statement_timestamp() - interval '1 hour'
  group by worker
) f on f.worker = w.name
left join (
  select a.worker, array_agg(distinct t.job) as jobs
  from spool.attempt a cross join lateral (select job from spool.task where id = a.task limit 1) t where a.outcome is null group by a.worker
) c on c.worker = w.name;
comment on view spool.worker_status is
  'One row a worker. Only one whose state is alive is given work. unheard: it lived when a coordinator led last, and nobody hears it because '
  'none leads now; silent: the coordinator that led heard it no more. is_alive: its lease holds and it has not said goodbye. Of attempts_running, '
  'slots_busy take slots; the others, muxes and publications, take lanes. pace: how many times as long as others it takes, NULL while that is not '
  'known; failures_last_hour: attempts that failed on it and may be its fault; jobs: whose attempts it runs, NULL where it runs none.';

create view spool.coordinator_status as
with connected as (
  select substring(application_name from 19) as name, min(backend_start) as since
  from pg_stat_activity where datname = current_database() and application_name like 'spool coordinator %' group by 1
)
select coalesce(l.coordinator, c.name) as name,
  case when l.coordinator is null then 'follows' when not l.is_led then 'silent' else 'leads' end as state,
  case when l.coordinator is null then c.since else l.taken_at end as since,
  case when l.coordinator is not null then
    greatest(0, extract(epoch from statement_timestamp() - l.renewed_at))::double precision end as renewal_age_seconds
from connected c full join (
  select coordinator, taken_at, renewed_at, lease_until > statement_timestamp() as is_led from spool.leader where term > 0
-- A session's name has at most 63 bytes, and the first 18 of them are 'spool coordinator '.
) l on c.name = left(l.coordinator, 45)
where l.is_led or l.coordinator is null or c.name is null;
comment on view spool.coordinator_status is
  'One row for each coordinator that is connected to the database, and the one that led last. leads: in the present term; follows: it '
  'would lead if that one did not; silent: it led last, and nobody leads now.';

create view spool.farm_status as
select
  l.term, l.coordinator as leader, l.lease_until > statement_timestamp() as is_led, l.renewed_at as led_at,
  (select drained_at from spool.farm) as drained_at,
  greatest(0, extract(epoch from statement_timestamp() - r.since))::double precision as oldest_ready_seconds,
  (select count(*) from spool.job where state = 'queued') as jobs_queued,
  (select count(*) from spool.job where state = 'running') as jobs_running,
  r.tasks as tasks_ready,
  (select count(*) from spool.attempt where outcome is null) as attempts_running,
  (select count(*) from spool.worker_status where is_alive) as workers_alive,
  (select coalesce(sum(slots), 0) from spool.worker_status where is_alive) as slots
from spool.leader l cross join (
  select count(*) as tasks, min(ready_at) filter (where ready_at <= statement_timestamp()) as since from spool.task where state = 'ready'
) r;
comment on view spool.farm_status is
  'The farm in one row. is_led: whether the coordinator that leads lives; led_at: when it was heard last; oldest_ready_seconds grows when '
  'workers are missing.';

create view spool.submitter_status as
select s.name, s.weight, s.slots, s.spent, coalesce(o.jobs, 0) as jobs_unfinished, coalesce(r.running, 0) as attempts_running
from spool.submitter s
left join (
  select j.submitter, count(*) as running
  from spool.attempt a join spool.task t on t.id = a.task join spool.job j on j.id = t.job
  where a.outcome is null and t.kind in ('picture', 'sound') group by j.submitter
) r on r.submitter = s.name
left join (
  select submitter, count(*) as jobs from spool.job where state in ('queued', 'running') group by submitter
) o on o.submitter = s.name;
comment on view spool.submitter_status is
  'One row a submitter: share, quota, unfinished jobs and running attempts. Muxes and publications, which no quota counts, are not among those.';

create view spool.farm_demand as
select j.tags, ceil(sum(
    case when j.chunk_count > 0 then j.cost * (j.chunk_count - j.chunks_done) / j.chunk_count * coalesce(pj.pace, pw.pace, 1) else 0 end
    + case when j.parts_left > j.chunk_count - j.chunks_done then coalesce(
      (j.parts_left - (j.chunk_count - j.chunks_done))
      * (select avg(t.cost) from spool.task t where t.job = j.id and t.kind = 'sound') * coalesce(ps.pace, 1), 0) else 0 end
    -- Even a movie of which only the mux is left needs a worker for it.
    + 1))::bigint as waiting_worker_seconds
from spool.job j
left join spool.pace pj on pj.kind = 'job' and pj.name = j.id
left join spool.pace pw on pw.kind = 'work' and pw.name = j.work
left join spool.pace ps on ps.kind = 'work' and ps.name = 'sound'
where j.state in ('queued', 'running') and j.paused_at is null and (select drained_at from spool.farm) is null
group by j.tags;
comment on view spool.farm_demand is
  'The work that is left, in seconds of a slot of usual speed, as far as paces are learned; what runs is counted until it is done. One row for each set '
  'of tags that jobs need; none while the farm is drained. Paused jobs are left out. An autoscaler divides the sum by the seconds that a slot may take.';

create view spool.farm_measure as
with farm as materialized (
  select term, is_led, led_at, drained_at, oldest_ready_seconds, attempts_running from spool.farm_status limit 1
), workers as materialized (
  select state, is_alive, slots, slots_busy from spool.worker_status
), submitters as materialized (
  select name, jobs_unfinished, attempts_running from spool.submitter_status order by jobs_unfinished desc, name limit 20
), ready as materialized (
  select kind, count(*) as tasks, count(*) filter (where failure_class = 'store') as store from spool.task where state = 'ready' group by kind
)
select 'led' as measure, ''::text as label, ''::text as second_label, is_led::integer::double precision as value from farm
union all select 'term', '', '', term from farm
union all select 'leader_silence', '', '', greatest(0, extract(epoch from statement_timestamp() - led_at)) from farm where term > 0
union all select 'drained', '', '', (drained_at is not null)::integer from farm
union all select 'oldest_ready', '', '', coalesce(oldest_ready_seconds, 0) from farm
union all select 'attempts_running', '', '', attempts_running from farm
union all select 'deliveries', s.state, '', s.deliveries from (
  select count(*) as waiting, count(*) filter (where tries > 0 and failure is not null) as failing from spool.delivery where due_at is not null
) d cross join lateral (values ('waiting', d.waiting), ('failing', d.failing)) s (state, deliveries)
union all select 'demand', '', '', coalesce(sum(waiting_worker_seconds), 0) from spool.farm_demand
union all select 'jobs', s.state, '', s.jobs from (
  select count(*) filter (where state = 'queued' and paused_at is null) as queued, count(*) filter (where state = 'running' and paused_at is null) as running,
    count(*) filter (where paused_at is not null) as paused
  from spool.job where state in ('queued', 'running')
) j cross join lateral (values ('queued', j.queued), ('running', j.running), ('paused', j.paused)) s (state, jobs)
union all select 'jobs_ended', s.state, '', s.jobs from (
  select count(*) filter (where state = 'done') as done, count(*) filter (where state = 'failed') as failed, count(*) filter (where state = 'cancelled') as cancelled
  from spool.job where ended_at > statement_timestamp() - interval '1 hour'
) j cross join lateral (values ('done', j.done), ('failed', j.failed), ('cancelled', j.cancelled)) s (state, jobs)
-- Each state has an index of its own.
union all select 'tasks', k.kind, 'ready', coalesce(t.tasks, 0) from (values ('picture'), ('sound'), ('mux'), ('publish')) k (kind)
  left join ready t on t.kind = k.kind
union all select 'store_waits', '', '', coalesce(sum(store), 0) from ready
union all select 'tasks', k.kind, 'running', coalesce(t.tasks, 0) from (values ('picture'), ('sound'), ('mux'), ('publish')) k (kind)
  left join (select kind, count(*) as tasks from spool.task where state = 'running' group by kind) t on t.kind = k.kind
union all select 'failures', k.class, '', coalesce(a.attempts, 0) from (values ('content'), ('worker'), ('source'), ('bug')) k (class)
  left join (
    select failure_class, count(*) as attempts from spool.attempt
    where failure_class in ('content', 'worker', 'source', 'bug') and ended_at > statement_timestamp() - interval '1 hour' group by failure_class
  ) a on a.failure_class = k.class
union all select 'workers', s.state, '', count(w.state)
  from (values ('alive'), ('drained'), ('set aside'), ('silent'), ('stopping'), ('unheard')) s (state) left join workers w on w.state = s.state group by s.state
union all select 'slots', '', '', coalesce(sum(slots), 0) from workers where is_alive
union all select 'slots_busy', '', '', coalesce(sum(slots_busy), 0) from workers where is_alive
union all select 'submitter_jobs', name, '', jobs_unfinished from submitters
union all select 'submitter_attempts', name, '', attempts_running from submitters;
comment on view spool.farm_measure is
  'The farm in numbers, one row for each, as the console gives them to Prometheus (docs/metrics.md). jobs_ended and failures count the last hour; '
  'submitters are the twenty with the most unfinished jobs.';

-- Facts about the whole farm, or about all jobs with the same needs, are read once, however many tasks wait. The limit tells the planner
-- that the farm has one row, which the statistics never say.
create view spool.job_waiting_reason as
with live as materialized (
  select name, state, slots, slots_busy, tags, memory_mib, canary_at, output_roots from spool.worker_status where is_alive
), farm as materialized (
  select
    case
      when l.lease_until > statement_timestamp() then null
      when l.term = 0 then 'no coordinator leads, and none ever has: start one (spool coordinator)'
      else format('no coordinator leads: %s did, and has not been heard %s', l.coordinator, spool.since(l.renewed_at)) end as leaderless,
    case when f.drained_at is not null then
      format('the farm is drained %s: nothing is begun until spool undrain', spool.since(f.drained_at)) end as drained,
    case when not exists (select from live) then 'no worker is connected' end as workerless
  from (select term, coordinator, renewed_at, lease_until from spool.leader limit 1) l
  cross join (select drained_at from spool.farm limit 1) f
), able as materialized (
  select n.tags, n.memory_mib, n.words, n.lacking, count(*) filter (where is_able) as able,
    count(*) filter (where is_able and state = 'alive') as willing, sum(slots) filter (where is_able and state = 'alive') as slots,
    sum(greatest(slots - slots_busy, 0)) filter (where is_able and state = 'alive') as free,
    string_agg(name || ' (' || state || coalesce(', canary from ' || to_char(canary_at at time zone 'UTC', 'HH24:MI:SS UTC'), '') || ')',
      ', ' order by name) filter (where is_able and state <> 'alive') as unwilling
  from (
    select d.tags, d.memory_mib, string_agg(t.words, ', ' order by t.number) as words,
      string_agg(t.words, ' and ' order by t.number)
        filter (where t.tag like 'font=%' and not exists (select from live o where t.tag = any(o.tags))) as lacking
    from (select distinct tags, memory_mib from spool.job where state in ('queued', 'running')) d
    left join lateral (
      select tag, number, case when tag like 'font=%:%:%'
        then format('the font %s (digest %s)', replace(split_part(substr(tag, 6), ':', 1), '_', ' '), split_part(tag, ':', 3))
        else tag end as words
      from unnest(d.tags) with ordinality as u(tag, number)
    ) t on true
    group by d.tags, d.memory_mib
  ) n
  left join live l on true
  cross join lateral (select coalesce(n.tags <@ l.tags and n.memory_mib <= l.memory_mib, false) as is_able) c
  group by n.tags, n.memory_mib, n.words, n.lacking
), open as materialized (
  select a.worker, p.id as job, p.submitter, p.priority, count(*) as attempts, count(*) filter (where not a.is_speculative) as tasks
  from spool.attempt a
  cross join lateral (select job, kind from spool.task where id = a.task limit 1) o
  cross join lateral (select id, submitter, priority from spool.job where id = o.job limit 1) p
  where a.outcome is null and o.kind in ('picture', 'sound') group by a.worker, p.id, p.submitter, p.priority
), used as materialized (
  select submitter, sum(attempts) as attempts from open group by submitter
), own as materialized (
  select job, sum(attempts) as attempts, sum(tasks) as tasks from open group by job
), busy as materialized (
  -- The attempts on workers that meet the needs and take work.
  select d.tags, d.memory_mib, o.priority, sum(o.attempts) as attempts
  from able d join live l on l.state = 'alive' and d.tags <@ l.tags and d.memory_mib <= l.memory_mib join open o on o.worker = l.name
  group by d.tags, d.memory_mib, o.priority
), writable as materialized (
  -- Workers that may come back are included. As long as one of them may write a movie, the movie's chunks are given out.
  select coalesce(bool_or(output_roots is null), true) as are_any, array_agg(distinct rtrim(r, '/') || '/') as named
  from spool.worker left join lateral unnest(output_roots) r on true where retired_at is null
), unfinished as materialized (
  select j.id as job, j.tags, j.memory_mib, j.submitter, j.priority, j.number, h.is_held,
    case when s.slots is null then w.free else least(w.free, greatest(0, s.slots - coalesce(u.attempts, 0))) end as room,
    -- What cannot be given out is before nobody.
    case when j.paused_at is null and j.wakes_at is null and not h.is_held and w.willing > 0 and (s.slots > coalesce(u.attempts, 0)) is not false
      then greatest(0, j.parts_left - coalesce(o.tasks, 0) - e.tasks) else 0 end as parts
  from spool.job j
  cross join writable v
  join spool.submitter s on s.name = j.submitter
  join able w on w.tags = j.tags and w.memory_mib = j.memory_mib
  left join used u on u.submitter = j.submitter
  left join own o on o.job = j.id
  cross join lateral (select count(*) as tasks from spool.task t where t.job = j.id and t.awaited is not null and t.state = 'waiting') e
  cross join lateral (
    select not (v.are_any and j.output like '/%') and not coalesce(j.output ^@ any (v.named), false)
      or j.copies <> '{}' and exists (select from spool.worker where retired_at is null) and not spool.is_written(j.output, j.copies) as is_held offset 0
  ) h
  where j.state in ('queued', 'running')
), line as materialized (
  -- Jobs with the same needs go by priority, which waiting raises. Submitters take turns at one priority, so their jobs are in no order there.
  select tags, memory_mib, submitter, priority,
    sum(parts) over (partition by tags, memory_mib order by level desc) - sum(parts) over (partition by tags, memory_mib, level) as before
  from (
    select g.*, g.priority + coalesce(floor(greatest(0, extract(epoch from statement_timestamp() - greatest(e.served_at, f.served_at))) * 1000
      / nullif(l.ageing_ms, 0)), 0) as level
    from (select tags, memory_mib, submitter, priority, sum(parts) as parts from unfinished group by tags, memory_mib, submitter, priority) g
    join (
      select submitter, priority, coalesce(min(number) filter (where parts > 0), min(number)) as number from unfinished group by submitter, priority
    ) n on n.submitter = g.submitter and n.priority = g.priority
    cross join lateral (select served_at from spool.job where number = n.number limit 1) f
    left join spool.line e on e.submitter = g.submitter and e.priority = g.priority
    cross join (select ageing_ms from spool.leader limit 1) l
  ) lines
), queue as materialized (
  -- The jobs of a submitter with the same needs and priority go by their age.
  select u.job, u.room, u.is_held,
    l.before + sum(u.parts) over (partition by u.tags, u.memory_mib, u.submitter, u.priority order by u.number) - u.parts as before
  from unfinished u
  join line l on l.tags = u.tags and l.memory_mib = u.memory_mib and l.submitter = u.submitter and l.priority = u.priority
), roots as materialized (
  select coalesce(bool_or(output_roots is null), true) as are_any, array_agg(distinct r order by r) as named
  from live left join lateral unnest(output_roots) r on true
)
-- A clock that moves on keeps the planner from merging this view into another query, so it is computed for each job and not for each task.
select j.id as job,
  coalesce(f.leaderless, f.drained, f.workerless) as farm_reason,
  case when j.paused_at is not null then format('its job is paused %s (spool resume %s)', spool.since(j.paused_at), j.id) end as paused,
  o.kind as obstacle,
  case o.kind
    when 'needs' then coalesce(
      'it needs ' || w.lacking || ', which no connected worker has',
      'no connected worker has what its job needs: ' || concat_ws(', ', w.words, case when j.memory_mib > 0 then j.memory_mib || ' MiB of memory' end))
    when 'workers' then 'the workers that could take it are given nothing: ' || w.unwilling
    when 'share' then format('%s may run nothing: their quota is 0 (spool quota)', j.submitter)
    when 'quota' then format('%s runs %s of at most %s attempts (spool quota)', j.submitter, u.attempts, s.slots)
    when 'slots' then
      format('all %s slots that could take it are busy', w.slots) || coalesce(': ' || nullif(concat_ws(', ',
        case when k.prior > 0 then format('%s with work of higher priority', k.prior) end,
        case when k.own > 0 then format('%s with its own job', k.own) end,
        case when w.slots > k.prior + k.own then format('%s with other jobs', w.slots - k.prior - k.own) end), ''), '')
    when 'others' then format('behind %s of other jobs; %s', case q.before when 1 then 'a task' else q.before || ' tasks' end,
      case q.room when 1 then '1 slot is free' else q.room || ' slots are free' end)
  end as reason,
  case
    when f.leaderless is not null then 'nobody leads'
    when f.drained is not null then 'farm drained'
    when f.workerless is not null then 'no worker'
    -- The job has no task that is ready.
    when j.wakes_at = 'infinity' and not exists (
      select from spool.task t where t.job = j.id and t.kind in ('mux', 'publish') and t.state = 'ready') then
      case when exists (select from spool.task t where t.job = j.id and t.awaited is not null and t.state = 'waiting') then 'the replaced job' end
    when j.wakes_at > statement_timestamp() and j.wakes_at < 'infinity' then
      format('retry in %s s', ceil(extract(epoch from j.wakes_at - statement_timestamp())))
    when q.is_held then 'no worker may write it'
    when o.kind = 'needs' then 'needs ' || coalesce(
      regexp_replace(w.lacking, ' \(digest [0-9a-f]+\)', '', 'g'),
      concat_ws(', ', regexp_replace(w.words, ' \(digest [0-9a-f]+\)', '', 'g'), case when j.memory_mib > 0 then j.memory_mib || ' MiB' end))
    when o.kind = 'workers' then 'no worker is willing'
    when o.kind in ('quota', 'share') then 'over quota'
    when o.kind = 'slots' then 'slots are busy'
    when o.kind = 'others' then 'others go first'
  end as word,
  case when not (m.are_any and j.output like '/%') and not spool.may_write(m.named, j.output) then
    format('no connected worker may write %s: their output roots are %s (spool retry %s --output FILE)', j.output,
      coalesce(array_to_string(m.named, ', '), 'none'), j.id)
  when j.copies <> '{}' and exists (select from live)
    and not exists (select from live l where spool.may_write_all(l.output_roots, j.output, j.copies)) then
    format('no connected worker may write all of %s: the output roots of all together are %s (spool retry %s --output FILE)',
      array_to_string(j.output || j.copies, ', '), coalesce(array_to_string(m.named, ', '), 'any folder'), j.id) end as unwritable,
  q.is_held, q.room, q.before,
  clock_timestamp() as at
from spool.job j
cross join farm f
cross join roots m
join queue q on q.job = j.id
join spool.submitter s on s.name = j.submitter
join able w on w.tags = j.tags and w.memory_mib = j.memory_mib
left join used u on u.submitter = j.submitter
left join own n on n.job = j.id
cross join lateral (
  select case
    when w.able = 0 then 'needs'
    when w.willing = 0 then 'workers'
    when s.slots = 0 then 'share'
    when s.slots <= u.attempts then 'quota'
    when w.free = 0 then 'slots'
    when q.before >= q.room then 'others' end as kind
) o
-- What the slots do that could take it. An attempt beside its worker's slots is counted no further than those.
cross join lateral (
  select least(w.slots, p.prior) as prior, least(w.slots - least(w.slots, p.prior), coalesce(n.attempts, 0)) as own from (
    select coalesce(sum(b.attempts), 0) as prior from busy b where b.tags = j.tags and b.memory_mib = j.memory_mib and b.priority > j.priority) p
) k
where j.state in ('queued', 'running');
comment on view spool.job_waiting_reason is
  'One row for each job that has not ended, with what keeps its next task from being given out. farm_reason: what holds for the whole farm; '
  'paused: its pause; reason: what is in the way of the job itself, of the kind that obstacle names; word: the first of these in short; '
  'unwritable: why no connected worker may write its movie; is_held: whether nothing of it is given out, because no worker that has not left '
  'may write it; room: the slots that it may take now; before: the tasks of other jobs with the same needs that go before its own.';

create view spool.chunk_waiting_reason as
select j.id as job, t.id as task, t.ordinal, t.kind, t.state, t.first_frame, t.frame_count,
  case
    when r.farm_reason is not null then r.farm_reason
    when r.paused is not null then r.paused
    when t.state = 'waiting' and t.kind in ('picture', 'sound') then
      format('job %s, which was replaced, still makes the same: its result is awaited', (select f.job from spool.task f where f.id = t.awaited))
    when r.unwritable is not null and (r.is_held or t.kind in ('mux', 'publish')) then r.unwritable
    when t.state = 'waiting' and t.kind = 'mux' then
      format('%s of its job''s chunks and sound must be done before they are muxed', j.parts_left)
    when t.state = 'waiting' then 'the movie must be muxed before it is published'
    when t.ready_at > r.at and t.failure_class = 'store' then
      format('the store or the movie''s folder is full, or cannot be reached (%s: %s); tried again in %s s', t.failure_place,
        t.failure_reason, ceil(extract(epoch from t.ready_at - r.at)))
    when t.ready_at > r.at then
      format('attempt %s failed (%s: %s); tried again in %s s', t.attempts, t.failure_place, t.failure_reason,
        ceil(extract(epoch from t.ready_at - r.at)))
    when r.reason is not null and (t.kind in ('picture', 'sound') or r.obstacle in ('needs', 'workers', 'share')) then r.reason
    when t.kind in ('mux', 'publish') then 'about to be given out'
    when r.before + t.place > r.room then format('behind other tasks of the job%s; %s', case when r.before > 0 then ' and of others' end,
      case r.room when 1 then '1 slot is free' else r.room || ' slots are free' end)
    when t.avoided_worker is not null then format('%s failed it, and for some seconds another worker is waited for', t.avoided_worker)
    else 'about to be given out'
  end as reason,
  t.kind in ('mux', 'publish') and r.unwritable is not null as is_unwritable,
  case when r.farm_reason is null and r.paused is null and not r.is_held and (r.obstacle in ('needs', 'workers', 'share')) is not true
    then r.before + t.place - 1 end as before
from spool.job_waiting_reason r join spool.job j on j.id = r.job join (
  -- The places of parts among those of their job that can be given out. The index of ready tasks has this order.
  select id, job, ordinal, kind, state, first_frame, frame_count, ready_at, attempts, avoided_worker, failure_class, failure_place, failure_reason, awaited,
    case when kind in ('picture', 'sound') and ready_at <= statement_timestamp() then
      count(*) filter (where kind in ('picture', 'sound') and ready_at <= statement_timestamp())
        over (partition by job order by precedence, ordinal rows between unbounded preceding and current row) end as place
  from spool.task where state = 'ready'
  union all
  select id, job, ordinal, kind, state, first_frame, frame_count, ready_at, attempts, avoided_worker, failure_class, failure_place, failure_reason, awaited,
    null
  from spool.task where state = 'waiting' and kind in ('mux', 'publish')
  union all
  select id, job, ordinal, kind, state, first_frame, frame_count, ready_at, attempts, avoided_worker, failure_class, failure_place, failure_reason, awaited,
    null
  from spool.task where state = 'waiting' and awaited is not null
) t on t.job = r.job;
comment on view spool.chunk_waiting_reason is
  'One row for each task that waits. reason: the first thing in its way, in a sentence; is_unwritable: whether no connected worker may write '
  'its movie; before: the tasks that go before it, those of its own job and of others with the same needs, NULL where nothing is in order.';

create view spool.worker_waiting_reason as
select w.name as worker,
  case
    when w.state = 'left' then 'it has left, ' || spool.since(w.retired_at)
    when l.lease_until <= statement_timestamp() and w.state <> 'silent' then
      'no coordinator leads, so nobody hears it or gives out work'
    when w.state = 'silent' then format('it was heard last %s s ago: it has ended, or cannot reach the coordinator',
      round(w.heartbeat_age_seconds))
    when w.state = 'stopping' then format('it stops once its %s attempts are finished', w.attempts_running)
    when f.drained_at is not null then format('the farm is drained %s (spool undrain)', spool.since(f.drained_at))
    when w.state = 'drained' then format('it is drained %s (spool undrain %s)', spool.since(w.drained_at), w.name)
    when w.state = 'set aside' then
      'it failed tasks that others did, and is set aside ' || spool.since(w.set_aside_at) || '; '
      || case when w.attempts_running > 0 then 'the task that it is tried with runs'
           when w.canary_at > statement_timestamp() then
             format('it is tried with one task in %s s', ceil(extract(epoch from w.canary_at - statement_timestamp())))
           else 'it is tried with the next task' end
    when w.slots_busy >= w.slots then format('all of its %s slots are busy', w.slots)
    when not exists (select from spool.job j join spool.task t on t.job = j.id where j.state in ('queued', 'running') and t.state = 'ready')
      then 'no task is ready'
    when not exists (select from spool.job j where j.state in ('queued', 'running') and j.tags <@ w.tags and j.memory_mib <= w.memory_mib)
      then 'the unfinished jobs need what it lacks'
    when not exists (
      select from spool.job j join spool.task t on t.job = j.id
      where j.state in ('queued', 'running') and j.tags <@ w.tags and j.memory_mib <= w.memory_mib and t.state = 'ready')
      then 'no task is ready that it could take'
    else coalesce('the ready tasks that it could take wait for something else: ' || (
      select case when bool_and(r.reason is not null) then string_agg(distinct r.reason, '; ') end
      from (
        select case when exists (
              select from spool.task t where t.job = j.id and t.state = 'ready' and t.kind in ('mux', 'publish')) and r.paused is null and r.unwritable is null
            then null
            else coalesce(r.paused, case when r.is_held then r.unwritable end,
              case when j.wakes_at > statement_timestamp() and j.wakes_at < 'infinity' then 'what failed is tried again later' end,
              case when r.obstacle <> 'others' then r.reason end) end as reason
        from spool.job j join spool.job_waiting_reason r on r.job = j.id
        where j.tags <@ w.tags and j.memory_mib <= w.memory_mib and exists (select from spool.task t where t.job = j.id and t.state = 'ready')
        limit 1000) r), 'a task is about to be given to it')
  end as reason
from spool.worker_status w
cross join (select drained_at from spool.farm limit 1) f
cross join (select lease_until from spool.leader limit 1) l;
comment on view spool.worker_waiting_reason is 'One row a worker. reason: why it does not work, or not more, in a sentence.';

-- Roles say who may do what (docs/database.md). Everybody who connects is a member of some of these roles:
--
--   spool_viewer         reads the views, tasks, history and paces, but no document, because its URLs may be signed
--   spool_submitter      submits under its own role's name; cancels, pauses, resumes and retries its own jobs
--   spool_any_submitter  submits under any name and at any priority
--   spool_operator       cancels, pauses, resumes, retries and prioritises any job, drains, changes shares, reads documents
--   spool_coordinator    gives out the work by writing to the tables
--
-- The schema's owner, who migrates, may do everything that these roles may. Only the coordinator writes to the tables directly. All others
-- write through functions that have the owner's rights. Each of them asks who is connected (session_user), and does one thing.

create or replace function spool.roles() returns text[] language sql immutable set search_path = pg_catalog, pg_temp as $$
  select '{spool_viewer,spool_submitter,spool_any_submitter,spool_operator,spool_coordinator}'::text[]
$$;
comment on function spool.roles() is 'The names of the roles.';

-- This function is written in PL/pgSQL, because a session keeps no plan of an SQL function.
create or replace function spool.has_role(wanted text) returns boolean language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return exists (
    select from pg_roles r
    where (r.rolname = wanted or r.oid = (select nspowner from pg_namespace where nspname = 'spool'))
      and pg_has_role(session_user, r.oid, 'member'));
end $$;
comment on function spool.has_role(text) is 'Whether the session''s user is a member of the role, or of the schema''s owner.';

create or replace function spool.require_role(wanted text, deed text, submitter text default null) returns void language plpgsql stable
  set search_path = pg_catalog, pg_temp as $$
begin
  if spool.has_role(wanted) or submitter = session_user and spool.has_role('spool_submitter') then return; end if;
  raise exception using errcode = 'SPT02', message = format('%s takes the role %s%s, and %s has it not', deed, wanted,
    case when submitter is null then '' else ' (or spool_submitter, for jobs of one''s own)' end, session_user);
end $$;
comment on function spool.require_role(text, text, text) is
  'Refuses a deed to a session''s user who lacks the role. A submitter may do it to its own jobs, too.';

create or replace function spool.enter_submitter(submitter text) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  -- Other transactions may enter or forget the submitter at the same moment. One of these tries then finds the row, or inserts it.
  for try in 1..3 loop
    perform from spool.submitter s where s.name = enter_submitter.submitter for key share;
    if found then return; end if;
    insert into spool.submitter (name) values (enter_submitter.submitter) on conflict do nothing;
    if found then return; end if;
  end loop;
end $$;
comment on function spool.enter_submitter(text) is
  'Enters a submitter, and holds its row until the transaction ends, because submitters whose jobs have ended are forgotten now and then.';

create or replace function spool.writer_of(output text, beside text) returns text language sql stable set search_path = pg_catalog, pg_temp as $$
  select j.id from spool.job j
  where md5(j.output) = md5(writer_of.output) and j.state in ('queued', 'running') and j.output = writer_of.output and j.id <> writer_of.beside
$$;
comment on function spool.writer_of(text, text) is 'The job, other than the one named, that has not ended and is to write the output; NULL when there is none.';

create or replace function spool.lock_places(copies text[]) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if copies = '{}' then
    perform pg_advisory_xact_lock_shared(1936748396, 3);
  else
    perform pg_advisory_xact_lock(1936748396, 3);
  end if;
end $$;
comment on function spool.lock_places(text[]) is
  'Keeps others from entering further places of movies until the transaction ends; and all others from entering movies, if there are further places.';

create or replace function spool.writer_among(output text, copies text[], beside text, out place text, out writer text) language plpgsql stable
  set search_path = pg_catalog, pg_temp as $$
begin
  foreach place in array output || copies loop
    writer := spool.writer_of(place, beside);
    if writer is null then
      select j.id into writer from spool.job j
      where j.state in ('queued', 'running') and j.copies <> '{}' and place = any(j.copies) and j.id <> beside limit 1;
    end if;
    if writer is not null then return; end if;
  end loop;
  place := null;
end $$;
comment on function spool.writer_among(text, text[], text) is
  'A job, other than the one named, that has not ended and is to write one of these places, and the place; NULL when there is none. The caller has '
  'locked places.';

-- The next functions are written in PL/pgSQL, because a session keeps no plan of an SQL function.
create or replace function spool.plain(words text) returns text language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
begin
  return nullif(left(regexp_replace(words,
    '[\u0001-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]', '?', 'g'), 255), '');
end $$;
comment on function spool.plain(text) is 'The first 255 characters of a text, without unseen ones; NULL where nothing is left.';

create or replace function spool.said(setting text) returns text language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return spool.plain(current_setting(setting, true));
end $$;
comment on function spool.said(text) is 'What the session''s program said in a setting of its own, without unseen characters; NULL where it said nothing.';

create or replace function spool.note_deed(
  verb text, job text, worker text, submitter text, before json, after json, webhook text default null
) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  insert into spool.audit (verb, role, caller, address, peer, program, job, worker, submitter, webhook, before, after)
  values (
    note_deed.verb, session_user, spool.said('spool.caller'), host(inet_client_addr()), spool.said('spool.peer'),
    coalesce(spool.said('application_name'), ''), note_deed.job, note_deed.worker, note_deed.submitter, note_deed.webhook,
    note_deed.before, note_deed.after);
end $$;
comment on function spool.note_deed is 'Writes down who did what, in the transaction that does it.';

create or replace function spool.note_refusal(
  verb text, job text, worker text, submitter text, webhook text, jobs integer, reason text
) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  fresh spool.audit;
  known bigint;
begin
  -- Whoever has a role of the farm's may.
  if not exists (select from unnest(spool.roles()) as r(name) where spool.has_role(r.name)) then
    perform spool.require_role('spool_viewer', 'to write down a refusal');
  end if;
  fresh.verb := note_refusal.verb;
  fresh.caller := spool.said('spool.caller');
  fresh.peer := spool.said('spool.peer');
  fresh.job := spool.plain(note_refusal.job);
  fresh.worker := spool.plain(note_refusal.worker);
  fresh.submitter := spool.plain(note_refusal.submitter);
  fresh.webhook := spool.plain(note_refusal.webhook);
  fresh.refusal := coalesce(spool.plain(note_refusal.reason), 'refused');
  select a.id into known from spool.audit a
  where a.refusal is not null and a.role = session_user and a.at > clock_timestamp() - interval '1 hour' and a.verb = fresh.verb
    and (a.caller, a.peer, a.job, a.worker, a.submitter, a.webhook)
      is not distinct from (fresh.caller, fresh.peer, fresh.job, fresh.worker, fresh.submitter, fresh.webhook)
  order by a.id desc limit 1;
  if known is null then
    select case when count(*) >= 500 then max(r.id) end into known from (
      select a.id from spool.audit a
      where a.refusal is not null and a.role = session_user and a.at > clock_timestamp() - interval '1 hour' order by a.id desc limit 500
    ) r;
  end if;
  if known is not null then
    update spool.audit a set times = a.times + 1 where a.id = known;
    return;
  end if;
  insert into spool.audit (verb, role, caller, address, peer, program, job, worker, submitter, webhook, after, refusal)
  values (
    fresh.verb, session_user, fresh.caller, host(inet_client_addr()), fresh.peer, coalesce(spool.said('application_name'), ''), fresh.job,
    fresh.worker, fresh.submitter, fresh.webhook,
    case when note_refusal.jobs is not null then json_build_object('jobs', note_refusal.jobs) end, fresh.refusal);
end $$;
comment on function spool.note_refusal is
  'Writes down that something was refused to the session''s user. The same refusal within an hour is counted; so is every further one of a role '
  'with 500 rows within the hour, so that nobody fills the table.';

create or replace function spool.job_facts(job text) returns json language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return (
    select json_strip_nulls(json_build_object(
      'state', j.state, 'paused', j.paused_at is not null, 'priority', j.priority, 'output', j.output,
      'copies', case when j.copies <> '{}' then to_json(j.copies) end))
    from spool.job j where j.id = job_facts.job);
end $$;
comment on function spool.job_facts(text) is 'What operators and submitters can change about a job, for the audit.';

create or replace function spool.submit_job(
  job text, submitter text, priority integer, output text, frame_count bigint, tags text[], memory_mib integer, work text, is_divisible boolean,
  document text, facts json, overwrites boolean, keeps_segments boolean,
  kinds text[], first_frames bigint[], frame_counts bigint[], costs double precision[], fonts json default null,
  first_samples bigint[] default null, sample_counts bigint[] default null, copies text[] default '{}', replaced text default null,
  twins bigint[] default null, most integer default 500, out taken text, out writer text
) language plpgsql security definer
  -- A session makes the plans once. They look up rows by key, whatever the planner believes about the tables.
  set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
declare
  parts text[] := kinds[:cardinality(kinds) - 2];
  is_replaced boolean := false;
  awaited bigint[];
begin
  if not spool.has_role('spool_any_submitter') then
    perform spool.require_role('spool_submitter', 'to submit');
    if submitter <> session_user then
      perform spool.require_role('spool_any_submitter', format('to submit as %s', submitter));
    elsif priority > 0 then
      perform spool.require_role('spool_operator', 'a priority above 0');
    end if;
  end if;
  if parts is null or cardinality(parts) = 0 or kinds[cardinality(kinds) - 1:] <> '{mux,publish}' or not parts <@ '{picture,sound}'
    or cardinality(first_frames) <> cardinality(kinds) or cardinality(frame_counts) <> cardinality(kinds)
    or cardinality(costs) <> cardinality(kinds) or cardinality(first_samples) <> cardinality(kinds)
    or cardinality(sample_counts) <> cardinality(kinds) or cardinality(twins) <> cardinality(kinds)
  then
    raise exception using errcode = 'invalid_parameter_value', message = 'a job is pictures, sound or both, a mux and its publishing';
  end if;
  -- A submission begins when no coordinator's transaction runs (require_term). The lock goes with the block that is undone, also when the statement
  -- is ended in it.
  begin
    perform pg_advisory_xact_lock(1936748396, 2);
    raise exception using errcode = 'SPT03';
  exception when sqlstate 'SPT03' then null;
  end;
  if replaced is null then perform spool.lock_places(copies); else perform pg_advisory_xact_lock(1936748396, 3); end if;
  perform spool.enter_submitter(submitter);
  if replaced is not null and not exists (select from spool.job j where j.id = submit_job.job) then
    -- Nobody else enters movies now, so once the former job is cancelled, this one is certain to be entered.
    select a.place, a.writer into taken, writer from spool.writer_among(submit_job.output, submit_job.copies, submit_job.replaced) a;
    if writer is not null then return; end if;
    is_replaced := spool.end_replaced(replaced);
    if is_replaced then awaited := spool.twins_running(replaced, twins, frame_counts); end if;
  end if;
  -- The job that is in the way of this one may have ended before it is looked for. The insertion is then tried again.
  for try in 1..3 loop
    -- Of the movie's first place, the index says it.
    select a.place, a.writer into taken, writer from spool.writer_among(submit_job.output, submit_job.copies, submit_job.job) a
    where not exists (select from spool.job j where j.id = submit_job.job);
    if writer is not null then return; end if;
    insert into spool.job (
      id, submitter, priority, output, copies, frame_count, chunk_count, parts_left, tags, memory_mib, work, cost, is_divisible)
    select submit_job.job, submit_job.submitter, submit_job.priority, submit_job.output, submit_job.copies, submit_job.frame_count,
      count(*) filter (where p.kind = 'picture'), count(*), submit_job.tags, submit_job.memory_mib, submit_job.work,
      coalesce(sum(p.cost) filter (where p.kind = 'picture'), 0), submit_job.is_divisible
    from unnest(parts, costs[:cardinality(parts)]) p(kind, cost)
    on conflict do nothing;
    if found then
      insert into spool.job_spec (job, document, facts, overwrites, keeps_segments, fonts)
      values (
        submit_job.job, submit_job.document, submit_job.facts, submit_job.overwrites, submit_job.keeps_segments, submit_job.fonts);
      -- Pictures and sound are ready at once. The mux waits for them, and the publishing waits for the mux.
      -- A part that an attempt at its twin makes waits for that.
      insert into spool.task (job, ordinal, kind, state, first_frame, frame_count, first_sample, sample_count, cost, awaited)
      select submit_job.job, t.ordinal - 1, t.kind,
        case when t.kind in ('picture', 'sound') and t.awaited is null then 'ready' else 'waiting' end,
        t.first_frame, t.frame_count, t.first_sample, t.sample_count, t.cost, t.awaited
      from unnest(kinds, first_frames, frame_counts, first_samples, sample_counts, costs, awaited) with ordinality
        as t(kind, first_frame, frame_count, first_sample, sample_count, cost, awaited, ordinal)
      order by t.ordinal;
      perform spool.note_deed('submit', submit_job.job, null, submit_job.submitter, null, spool.job_facts(submit_job.job));
      if is_replaced then
        perform a.task from spool.cancel_attempts(replaced) a;
        perform spool.cancel_tasks(replaced, most);
        perform spool.tell('job_replaced', 'job', replaced, 'by', submit_job.job,
          'attempts_kept', (select count(distinct k) from unnest(awaited) k where k is not null)::text);
        -- Coordinators look through what runs, and have the other attempts killed.
        perform pg_notify('spool', '');
      end if;
      return;
    end if;
    perform from spool.job j where j.id = submit_job.job;
    if found then return; end if;
    taken := submit_job.output;
    writer := spool.writer_of(submit_job.output, submit_job.job);
    if writer is not null then return; end if;
  end loop;
  raise exception using errcode = 'serialization_failure', message = format('others write %s in turn', submit_job.output);
end $$;
comment on function spool.submit_job is
  'Enters a job with its specification and tasks; repeating it changes nothing. writer: another job that is to write one of its places, which is taken. '
  'replaced: a job that is cancelled in the same transaction, unless it has ended; twins: for each task, the task of that job that makes the same, or NULL. '
  'Attempts that are open at twins, and that keep their segments, go on, and the tasks wait for them.';

-- The next functions change a job's tasks when the job is cancelled, fails or is retried, some at a time if there are many. Their caller
-- has locked the job.

create or replace function spool.lock_kin(job text) returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform from spool.job j
  where j.id = any(array(
    select lock_kin.job
    union select f.job from spool.task w join spool.task f on f.id = w.awaited where w.job = lock_kin.job and w.awaited is not null and w.state = 'waiting'
    union select w.job from spool.task w join spool.task f on f.id = w.awaited where f.job = lock_kin.job and w.awaited is not null and w.state = 'waiting'))
  order by j.id for no key update;
end $$;
comment on function spool.lock_kin(text) is 'Locks a job, the jobs whose attempts it awaits, and those that await its attempts, in the order of their ids.';

create or replace function spool.end_replaced(job text) returns boolean language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  whose text;
  was json;
begin
  select j.submitter into whose from spool.job j where j.id = end_replaced.job;
  if not found then return false; end if;
  perform spool.require_role('spool_operator', 'to cancel a job of ' || whose, whose);
  perform spool.lock_kin(end_replaced.job);
  was := spool.job_facts(end_replaced.job);
  update spool.job j set state = 'cancelled', ended_at = clock_timestamp(), followed_to = 0
  where j.id = end_replaced.job and j.state in ('queued', 'running');
  if not found then return false; end if;
  perform spool.note_deed('cancel', end_replaced.job, null, whose, was, spool.job_facts(end_replaced.job));
  return true;
end $$;
comment on function spool.end_replaced(text) is
  'Marks a job that has not ended as cancelled, and leaves its attempts and tasks to the caller. False where it had ended, or is not there.';

create or replace function spool.twins_running(job text, twins bigint[], frame_counts bigint[]) returns bigint[] language plpgsql stable
  set search_path = pg_catalog, pg_temp set enable_seqscan = off set plan_cache_mode = force_generic_plan as $$
begin
  return array(
    select r.id
    from unnest(twins, frame_counts) with ordinality as n(twin, frame_count, place)
    left join lateral (
      select case f.state when 'running' then f.id when 'waiting' then f.awaited end as id
      from spool.task f where f.id = n.twin and f.job = twins_running.job limit 1
    ) f on true
    left join lateral (
      select t.id from spool.task t
      -- A chunk that was divided since makes something else.
      where t.id = f.id and t.state = 'running' and t.frame_count is not distinct from n.frame_count and exists (
        select from spool.attempt a join spool.worker w on w.name = a.worker and w.epoch = a.epoch
        where a.task = t.id and num_nulls(a.outcome) = 1 and w.finds_segments)
      limit 1
    ) r on true
    order by n.place);
end $$;
comment on function spool.twins_running(text, bigint[], bigint[]) is
  'For each of some tasks of a job, the task at which attempts are open that make it: itself, or the one that it waits for. NULL where there is none '
  'whose segment is found again, or where the chunk has another number of frames by now.';

create or replace function spool.cancel_attempts(job text) returns table (task bigint, number integer, worker text) language sql
  set search_path = pg_catalog, pg_temp set enable_seqscan = off as $$
  select spool.lock_kin(cancel_attempts.job);
  -- The plan begins with the open attempts, whatever the planner believes about the tables. It looks up their tasks by key, and changes these
  -- at their places. The attempts themselves are looked up by key once more: the coordinator notes their progress without locking the job,
  -- and that moves them to other places.
  with open as materialized (
    select o.task, o.number, t.place as task_place
    from (select a.task, a.number from spool.attempt a where a.outcome is null offset 0) o
    cross join lateral (select t.ctid as place, t.job from spool.task t where t.id = o.task limit 1) t
    -- The jobs that wait for the attempt: this one, and others that have not ended.
    left join lateral (
      select bool_or(w.job = cancel_attempts.job) as are_own, bool_or(w.is_live) as are_live
      from (
        select w.job, j.state in ('queued', 'running') as is_live
        from spool.task w cross join lateral (select n.state from spool.job n where n.id = w.job limit 1) j
        where w.awaited = o.task and w.awaited is not null and w.state = 'waiting' offset 0) w
    ) w on true
    where w.are_live is not true and (t.job = cancel_attempts.job
      or w.are_own and (select n.ended_at is not null from spool.job n where n.id = t.job))
  ), ended as (
    update spool.attempt a set outcome = 'cancelled', ended_at = clock_timestamp()
    from open o where a.task = o.task and a.number = o.number and num_nulls(a.outcome) = 1
    returning a.task, a.number, a.worker
  ), cancelled as (
    update spool.task t set state = 'cancelled' from (select distinct o.task_place as place from open o) o where t.ctid = o.place
  )
  select e.task, e.number, e.worker from ended e
$$;
comment on function spool.cancel_attempts(text) is
  'Ends the open attempts of a job that ended, but for those that a job awaits which replaced it; and those of jobs that it replaced, if nobody else awaits '
  'them. They are no more than the farm has slots.';

create or replace function spool.cancel_tasks(job text, most integer) returns void language sql set search_path = pg_catalog, pg_temp as $$
  with next as materialized (
    select t.ctid as place, t.ordinal from spool.task t
    where t.job = cancel_tasks.job and t.ordinal >= (select j.followed_to from spool.job j where j.id = cancel_tasks.job)
    order by t.ordinal limit cancel_tasks.most
  ), changed as (
    update spool.task t set state = 'cancelled' from next n where t.ctid = n.place and t.state in ('waiting', 'ready')
  )
  update spool.job j set followed_to = (select max(n.ordinal) + 1 from next n having count(*) = cancel_tasks.most)
  where j.id = cancel_tasks.job
$$;
comment on function spool.cancel_tasks(text, integer) is 'Cancels the next so many tasks of a job that ended.';

create or replace function spool.revive_tasks(job text, most integer) returns void language sql set search_path = pg_catalog, pg_temp as $$
  with revived as materialized (
    select j.parts_left, j.followed_to, j.cleared_number, j.cleared_task from spool.job j where j.id = revive_tasks.job
  ), next as materialized (
    select t.ctid as place, t.ordinal from spool.task t
    where t.job = revive_tasks.job and t.ordinal >= (select r.followed_to from revived r)
    order by t.ordinal limit revive_tasks.most
  ), changed as (
    update spool.task t set
      state = case
        when t.state = 'ready' and j.cleared_number is null or t.kind in ('picture', 'sound')
          or t.kind = 'mux' and j.parts_left = 0 then 'ready'
        when t.kind = 'publish' and exists (
          select from spool.task m
          where m.job = t.job and m.kind = 'mux' and m.state = 'done' and m.attempts > coalesce(j.cleared_number, 0)) then 'ready'
        else 'waiting' end,
      attempts = greatest(t.attempts, j.cleared_number), forgiven = greatest(t.attempts, j.cleared_number),
      ready_at = clock_timestamp(), avoided_worker = null
    from next n cross join revived j
    where t.ctid = n.place
      and (t.state in ('failed', 'cancelled', 'ready') or t.state = 'waiting' and j.cleared_number is not null
        or t.state = 'done' and t.attempts <= j.cleared_number and t.id <= j.cleared_task)
    returning t.id
  ), revoked as (
    update spool.attempt a set
      outcome = 'revoked', failure_class = 'transient', failure_place = a.proof ->> 'file',
      failure_reason = 'cleared away while its job was over'
    from (
      select w.place from changed c
      cross join lateral (select a.ctid as place from spool.attempt a where a.task = c.id and a.outcome = 'won' limit 1) w
    ) w
    where a.ctid = w.place
  )
  update spool.job j set
    followed_to = (select max(n.ordinal) + 1 from next n having count(*) = revive_tasks.most),
    cleared_task = case when (select count(*) from next) = revive_tasks.most then j.cleared_task end,
    cleared_number = case when (select count(*) from next) = revive_tasks.most then j.cleared_number end
  where j.id = revive_tasks.job
$$;
comment on function spool.revive_tasks(text, integer) is
  'Makes the next so many tasks of a retried job wait, or ready: the mux when nothing is missing before it, the publishing when the mux is '
  'done. What is done stays done, unless its files may have been cleared away. In that case its winners win no longer, and new attempts '
  'have higher numbers than the dead ones.';

create or replace function spool.republish(job text) returns void language sql set search_path = pg_catalog, pg_temp as $$
  with changed as (
    update spool.task t set state = 'ready', forgiven = t.attempts, ready_at = clock_timestamp(), avoided_worker = null
    where t.job = republish.job and t.kind = 'publish' and t.state = 'done'
    returning t.id
  )
  update spool.attempt a set
    outcome = 'revoked', failure_class = 'transient', failure_place = j.output, failure_reason = 'the movie is copied again'
  from changed c cross join spool.job j where a.task = c.id and a.outcome = 'won' and j.id = republish.job
$$;
comment on function spool.republish(text) is
  'Makes the publishing of a done job ready again. It finds the movie in its first place, and copies it to the further ones that lack it.';

create or replace function spool.cancel_job(job text, most integer) returns table (task bigint, number integer, worker text)
  language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  whose text;
  was json;
begin
  select j.submitter into whose from spool.job j where j.id = cancel_job.job;
  if not found then return; end if;
  perform spool.require_role('spool_operator', 'to cancel a job of ' || whose, whose);
  perform spool.lock_kin(cancel_job.job);
  was := spool.job_facts(cancel_job.job);
  return next;
  update spool.job j set state = 'cancelled', ended_at = clock_timestamp(), followed_to = 0
  where j.id = cancel_job.job and j.state in ('queued', 'running');
  if not found then return; end if;
  perform spool.note_deed('cancel', cancel_job.job, null, whose, was, spool.job_facts(cancel_job.job));
  return query select a.task, a.number, a.worker from spool.cancel_attempts(cancel_job.job) a;
  perform spool.cancel_tasks(cancel_job.job, cancel_job.most);
end $$;
comment on function spool.cancel_job(text, integer) is
  'Cancels a job that has not ended. Returns a row of NULLs, and then its attempts that were open; no row where there is no such job.';

create or replace function spool.change_job(
  job text, change text, priority integer, new_output text, most integer, new_copies text[], out is_changed boolean, out output text, out writer text
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  whose text;
  was json;
  is_redirected boolean;
  is_copied_again boolean;
  places text[];
begin
  -- No submission looks for other writers meanwhile.
  if change = 'retry' then perform pg_advisory_xact_lock(1936748396, 3); end if;
  select j.submitter, coalesce(change_job.new_output, j.output), case when change_job.new_output is null then j.copies else change_job.new_copies end
  into whose, change_job.output, places from spool.job j where j.id = change_job.job;
  if not found then return; end if;
  if change = 'prioritise' then
    perform spool.require_role('spool_operator', 'to change a priority');
  else
    perform spool.require_role('spool_operator', format('to %s a job of %s', change, whose), whose);
  end if;
  if change = 'retry' then perform spool.enter_submitter(whose); end if;
  perform from spool.job j where j.id = change_job.job for no key update;
  was := spool.job_facts(change_job.job);
  case change
  when 'pause' then
    update spool.job j set paused_at = coalesce(j.paused_at, clock_timestamp())
    where j.id = change_job.job and j.state in ('queued', 'running');
  when 'resume' then
    update spool.job j set paused_at = null, served_at = clock_timestamp()
    where j.id = change_job.job and j.state in ('queued', 'running');
  when 'prioritise' then
    update spool.job j set priority = change_job.priority where j.id = change_job.job and j.state in ('queued', 'running');
  when 'retry' then
    is_changed := exists (select from spool.job j where j.id = change_job.job and j.state in ('failed', 'cancelled'));
    -- A job may be sent to another file until its mux has begun.
    is_redirected := not is_changed and change_job.new_output is not null
      and exists (select from spool.job j where j.id = change_job.job and j.state in ('queued', 'running'))
      and exists (select from spool.task t where t.job = change_job.job and t.kind = 'mux' and t.state in ('waiting', 'ready'));
    -- A done job of which a further place failed is copied again.
    is_copied_again := not is_changed and change_job.new_output is null and exists (
      select from spool.job_status s cross join lateral json_to_recordset(s.copies) as c(state text)
      where s.id = change_job.job and s.state = 'done' and c.state = 'failed');
    if is_changed or is_redirected or is_copied_again then
      select coalesce(a.place, change_job.output), a.writer into change_job.output, writer
      from spool.writer_among(change_job.output, places, change_job.job) a;
    end if;
    if is_redirected then
      update spool.job j set output = change_job.output, copies = places where j.id = change_job.job and change_job.writer is null;
      is_changed := found;
      if is_changed then perform spool.note_deed(change, change_job.job, null, whose, was, spool.job_facts(change_job.job)); end if;
      return;
    end if;
    if is_copied_again then
      update spool.job j set state = 'queued', ended_at = null, paused_at = null, served_at = clock_timestamp()
      where j.id = change_job.job and change_job.writer is null;
      is_changed := found;
      if is_changed then
        perform spool.note_deed(change, change_job.job, null, whose, was, spool.job_facts(change_job.job));
        perform spool.republish(change_job.job);
      end if;
      return;
    end if;
    update spool.job j set
      state = 'queued', ended_at = null, failure_class = null, failure_place = null, failure_reason = null, paused_at = null,
      served_at = clock_timestamp(), followed_to = 0, output = change_job.output, copies = places,
      -- Nothing of the job counts as done if its files may have been cleared away.
      parts_left = case when j.cleared_number is null then j.parts_left else j.chunk_count + (
        select count(*) from spool.task t where t.job = j.id and t.kind = 'sound') end,
      chunks_done = case when j.cleared_number is null then j.chunks_done else 0 end,
      frames_done = case when j.cleared_number is null then j.frames_done else 0 end
    where j.id = change_job.job and j.state in ('failed', 'cancelled') and change_job.writer is null;
  end case;
  is_changed := found;
  if is_changed then perform spool.note_deed(change, change_job.job, null, whose, was, spool.job_facts(change_job.job)); end if;
  if is_changed and change = 'retry' then perform spool.revive_tasks(change_job.job, change_job.most); end if;
end $$;
comment on function spool.change_job is
  'Pauses, resumes, prioritises or retries a job. is_changed: whether it could be done; NULL where there is no such job. writer: the other job '
  'that is to write one of the places, which is then output.';

create or replace function spool.drain(worker text, is_drained boolean) returns boolean language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare
  was timestamptz;
begin
  perform spool.require_role('spool_operator', 'to drain, or to end that,');
  if drain.worker is null then
    select f.drained_at into was from spool.farm f for no key update;
    update spool.farm f set drained_at = case when drain.is_drained then coalesce(f.drained_at, clock_timestamp()) end;
  else
    select w.drained_at into was from spool.worker w where w.name = drain.worker for no key update;
    if not found then return false; end if;
    update spool.worker w set drained_at = case when drain.is_drained then coalesce(w.drained_at, clock_timestamp()) end
    where w.name = drain.worker;
  end if;
  perform spool.note_deed(
    case when drain.is_drained then 'drain' else 'undrain' end, null, drain.worker, null, json_build_object('drained', was is not null),
    json_build_object('drained', drain.is_drained));
  return true;
end $$;
comment on function spool.drain(text, boolean) is 'Drains a worker, or the farm where it is NULL; false where there is no such worker.';

create or replace function spool.change_share(submitter text, weight integer, changes_slots boolean, slots integer, enters_new boolean)
  returns boolean language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  was json;
begin
  perform spool.require_role('spool_operator', 'to change a share');
  if enters_new then perform spool.enter_submitter(submitter); end if;
  select json_build_object('weight', s.weight, 'slots', s.slots) into was
  from spool.submitter s where s.name = change_share.submitter for no key update;
  if not found then return false; end if;
  update spool.submitter s set
    weight = coalesce(change_share.weight, s.weight), slots = case when change_share.changes_slots then change_share.slots else s.slots end
  where s.name = change_share.submitter;
  perform spool.note_deed('share', null, null, change_share.submitter, was, (
    select json_build_object('weight', s.weight, 'slots', s.slots) from spool.submitter s where s.name = change_share.submitter));
  return true;
end $$;
comment on function spool.change_share is 'Changes a submitter''s share: its weight unless that is NULL, and its slots if changes_slots; false where there is no such submitter.';

create or replace function spool.webhook_facts(webhook text) returns json language plpgsql stable set search_path = pg_catalog, pg_temp as $$
begin
  return (
    select json_build_object('url', w.url, 'events', array_to_string(w.events, ' '), 'submitter', w.submitter, 'private', w.may_be_private)
    from spool.webhook w where w.name = webhook_facts.webhook);
end $$;
comment on function spool.webhook_facts(text) is 'What operators can change about a webhook, without its secret, for the audit.';

create or replace function spool.change_webhook(
  webhook text, url text, secret text, events text[], submitter text, may_be_private boolean
) returns void language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  was json;
begin
  perform spool.require_role('spool_operator', 'to change a webhook');
  was := spool.webhook_facts(change_webhook.webhook);
  insert into spool.webhook as w (name, url, secret, events, submitter, may_be_private)
  values (
    change_webhook.webhook, change_webhook.url,
    coalesce(change_webhook.secret, (select o.secret from spool.webhook o where o.name = change_webhook.webhook)),
    change_webhook.events, change_webhook.submitter, change_webhook.may_be_private)
  on conflict (name) do update set
    url = excluded.url, secret = excluded.secret, events = excluded.events, submitter = excluded.submitter,
    may_be_private = excluded.may_be_private;
  perform spool.note_deed('webhook', null, null, null, was, spool.webhook_facts(change_webhook.webhook), change_webhook.webhook);
end $$;
comment on function spool.change_webhook is 'Makes a webhook, or changes all of it but its secret where that is NULL.';

create or replace function spool.remove_webhook(webhook text) returns boolean language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare
  was json;
begin
  perform spool.require_role('spool_operator', 'to remove a webhook');
  was := spool.webhook_facts(remove_webhook.webhook);
  delete from spool.webhook w where w.name = remove_webhook.webhook;
  if not found then return false; end if;
  perform spool.note_deed('webhook', null, null, null, was, null, remove_webhook.webhook);
  return true;
end $$;
comment on function spool.remove_webhook(text) is 'Removes a webhook and its deliveries; false where there is none.';

create or replace function spool.webhooks() returns table (
  name text, url text, secret text, events text[], submitter text, may_be_private boolean, waiting bigint, failing bigint
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform spool.require_role('spool_operator', 'to see webhooks');
  return query
    select w.name, w.url, w.secret, w.events, w.submitter, w.may_be_private, d.waiting, d.failing
    from spool.webhook w
    cross join lateral (
      select count(*) as waiting, count(*) filter (where o.tries > 0) as failing
      from spool.delivery o where o.webhook = w.name and o.due_at is not null) d
    order by w.name;
end $$;
comment on function spool.webhooks() is 'All webhooks, with the deliveries that wait, and those of them that failed before.';

create or replace function spool.deliveries(webhook text, is_failed boolean, before bigint, most integer) returns table (
  id bigint, name text, message text, event text, job text, made_at timestamptz, due_at timestamptz, tries integer, delivered_at timestamptz,
  status integer, failure text
) language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform spool.require_role('spool_operator', 'to see deliveries');
  return query
    select d.id, d.webhook, d.message, d.event, d.job, d.made_at, d.due_at, d.tries, d.delivered_at, d.status, d.failure
    from spool.delivery d
    where (deliveries.webhook is null or d.webhook = deliveries.webhook) and (not is_failed or d.failure is not null)
      and (deliveries.before is null or d.id < deliveries.before)
    order by d.id desc limit most;
end $$;
comment on function spool.deliveries is 'The newest deliveries, of a webhook, and of those whose last try failed if is_failed.';

create or replace function spool.replay(delivery bigint) returns boolean language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare
  whose record;
begin
  perform spool.require_role('spool_operator', 'to send a delivery again');
  update spool.delivery d set due_at = clock_timestamp(), tries = 0, delivered_at = null
  where d.id = replay.delivery returning d.job, d.webhook, d.message into whose;
  if not found then return false; end if;
  perform spool.note_deed('replay', whose.job, null, null, null, json_build_object('message', whose.message), whose.webhook);
  return true;
end $$;
comment on function spool.replay(bigint) is 'Sends a delivery again; false where there is none.';

create or replace function spool.pause_after(tries integer) returns interval language sql immutable as $$
  select ('{5 seconds,30 seconds,5 minutes,30 minutes,2 hours,5 hours,10 hours,10 hours}'::interval[])[tries]
$$;
comment on function spool.pause_after(integer) is 'The pause after so many failed tries of a delivery; NULL: no more are made. All of them take 28 hours.';

create or replace function spool.take_delivery() returns table (
  id bigint, tries integer, url text, secret text, may_be_private boolean, message text, body text
) language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform spool.require_role('spool_operator', 'to deliver');
  return query
    with due as materialized (
      select d.id from spool.delivery d
      where d.due_at <= clock_timestamp() and not exists (
        select from spool.delivery e where e.webhook = d.webhook and e.job = d.job and e.due_at is not null and e.id < d.id)
      order by d.due_at limit 1 for update skip locked
    )
    update spool.delivery d set tries = d.tries + 1, due_at = clock_timestamp() + interval '1 minute'
    from due, spool.webhook w where d.id = due.id and w.name = d.webhook
    returning d.id, d.tries, w.url, w.secret, w.may_be_private, d.message, d.body;
end $$;
comment on function spool.take_delivery() is
  'Takes the next delivery for a try of at most a minute. Of one job and one webhook, the oldest comes first and the next not before it has ended.';

create or replace function spool.settle_delivery(delivery bigint, try integer, status integer, failure text) returns void language plpgsql
  security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform spool.require_role('spool_operator', 'to deliver');
  update spool.delivery d set
    status = settle_delivery.status, failure = left(settle_delivery.failure, 500),
    delivered_at = case when settle_delivery.failure is null then clock_timestamp() end,
    due_at = case when settle_delivery.failure is not null then
      clock_timestamp() + spool.pause_after(d.tries) * (0.9 + 0.2 * random()) end
  where d.id = settle_delivery.delivery and d.tries = settle_delivery.try and d.due_at is not null;
end $$;
comment on function spool.settle_delivery is 'Notes how a try of a delivery ended: failure is NULL when it was taken. A try that counts as lost by now changes nothing.';

create or replace function spool.specification(job text)
  returns table (document text, facts json, fonts json, output text, overwrites boolean, keeps_segments boolean, copies text[])
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  whose text;
begin
  select j.submitter into whose from spool.job j where j.id = specification.job;
  if not found then return; end if;
  perform spool.require_role('spool_operator', 'to read the document of a job of ' || whose, whose);
  return query
    select s.document, s.facts, s.fonts, j.output, s.overwrites, s.keeps_segments, j.copies
    from spool.job_spec s join spool.job j on j.id = s.job where s.job = specification.job;
end $$;
comment on function spool.specification(text) is 'The document of a job and all else that it was submitted with; no row where there is no such job.';

create or replace function spool.part_files(job text, kind text, first bigint, before bigint)
  returns table (task bigint, state text, first_frame bigint, frame_count bigint, number integer, proof json)
  language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  whose text;
begin
  select j.submitter into whose from spool.job j where j.id = part_files.job;
  if not found then return; end if;
  perform spool.require_role('spool_operator', 'to play a job of ' || whose, whose);
  if part_files.first is not null or part_files.kind = 'sound' then
    return query
      select t.id, t.state, t.first_frame, t.frame_count, w.number, w.proof
      from spool.task t
      left join lateral (
        select a.number, a.proof from spool.attempt a where a.task = t.id and a.outcome = 'won' and t.state = 'done' limit 1) w on true
      where t.job = part_files.job and t.kind = part_files.kind
        and (t.kind = 'sound' or t.first_frame >= part_files.first and t.first_frame < part_files.before)
      order by t.first_frame, t.first_sample;
  elsif exists (select from spool.job j where j.id = part_files.job and j.chunks_done > 0) then
    return query
      select t.id, t.state, t.first_frame, t.frame_count, w.number, w.proof
      from (select d.* from spool.task d where d.job = part_files.job and d.kind = 'picture' and d.state = 'done' limit 1) t
      cross join lateral (select a.number, a.proof from spool.attempt a where a.task = t.id and a.outcome = 'won' limit 1) w;
  end if;
end $$;
comment on function spool.part_files(text, text, bigint, bigint) is
  'The chunks of a job that begin at frame first or later and before another frame, in their order, or the sound or its parts; with what won, where it is '
  'done. Where first is NULL, any chunk that is done.';

create or replace function spool.want_part(job text, kind text, first bigint, most integer) returns integer language plpgsql security definer
  set search_path = pg_catalog, pg_temp as $$
declare
  whose text;
  foremost integer;
  hurried integer;
begin
  select j.submitter into whose from spool.job j where j.id = want_part.job;
  if not found then return null; end if;
  perform spool.require_role('spool_operator', 'to play a job of ' || whose, whose);
  perform from spool.job j where j.id = want_part.job and j.state in ('queued', 'running') for no key update;
  if not found then return 0; end if;
  -- Sound goes before pictures: a player asks for these one by one, and each would pass the sound without which none is shown.
  foremost := least(
    coalesce((select min(t.precedence) from spool.task t where t.job = want_part.job and t.state = 'ready' and t.kind = want_part.kind), 0),
    case want_part.kind when 'sound' then -1000000000 else 0 end);
  -- Whoever went to another place waits no longer for the sound of the one before: it goes behind the pictures of the last wish, which are
  -- four at most. The part that follows is needed next.
  update spool.task t
  set precedence = least(-1, 4 + coalesce(
    (select min(p.precedence) from spool.task p where p.job = want_part.job and p.state = 'ready' and p.kind = 'picture'), 0))
  where want_part.kind = 'sound' and t.job = want_part.job and t.state = 'ready' and t.kind = 'sound' and t.precedence < -1000000000
    and t.id not in (
      select c.id from spool.task c
      where c.job = want_part.job and c.kind = 'sound' and coalesce(c.first_sample, 0) >= want_part.first
      order by c.first_sample limit want_part.most + 1);
  with wanted as (
    select t.id, t.state, t.precedence, row_number() over (order by t.first_frame, t.first_sample) as place
    from (
      select c.* from spool.task c
      where c.job = want_part.job
        and c.kind = want_part.kind and coalesce(c.first_frame, c.first_sample, 0) >= want_part.first
      order by c.first_frame, c.first_sample limit want_part.most
    ) t
  ), ready as (
    select w.*, min(w.place) over () as next from wanted w where w.state = 'ready'
  )
  update spool.task t set precedence = foremost - want_part.most - 1 + r.place
  from ready r
  where t.id = r.id
    -- Whoever asks again for what goes first anyway changes nothing.
    and exists (
      select from ready n where n.precedence = 0 or n.place = n.next and n.precedence > foremost);
  get diagnostics hurried = row_count;
  return hurried;
end $$;
comment on function spool.want_part(text, text, bigint, integer) is
  'Has the next chunks of a job from frame first on, or the next parts of its sound from sample first on, given out before all else of the job. What '
  'waits in other jobs waits no longer for it. Returns how many were moved forward; NULL where there is no such job.';

create or replace function spool.grant_roles() returns text[] language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  role text;
  routine regprocedure;
  missing text[] := '{}';
begin
  foreach role in array spool.roles() loop
    begin
      if to_regrole(role) is null then execute format('create role %I', role); end if;
    exception when insufficient_privilege or duplicate_object or unique_violation then null;  -- Another database's migration may have made the role.
    end;
    if to_regrole(role) is null then
      missing := missing || role;
      continue;
    end if;
    execute format('grant usage on schema spool to %I', role);
    execute format(
      'grant select on spool.job_status, spool.job_damage, spool.job_loudness, spool.job_reuse, spool.job_target, spool.chunk_status, spool.worker_status, spool.farm_status, spool.farm_demand, spool.farm_measure, spool.submitter_status, spool.attempt_status, spool.job_time, spool.chunk_time, spool.attempt_time, spool.farm_time, '
      'spool.coordinator_status, spool.job_waiting_reason, spool.chunk_waiting_reason, spool.worker_waiting_reason, spool.task, spool.pace, spool.history, spool.attempt_log, spool.audit, spool.slot_time, spool.busy_time, spool.hold, spool.schema_version to %I', role);
    -- Lists and forecasts are made from the following columns.
    execute format(
      'grant select (id, number, submitter, state, priority, output, copies, tags, memory_mib, work, cost, frame_count, chunk_count, paused_at, served_at, '
      'wakes_at, ended_at, chunks_done, parts_left) on spool.job to %I', role);
    execute format('grant select (task, is_speculative, outcome, started_at, units_done, units_total) on spool.attempt to %I', role);
    execute format('grant select (name, weight, slots, spent, turn) on spool.submitter to %I', role);
    execute format('grant select (submitter, priority, served_at) on spool.line to %I', role);
    execute format('grant select (ageing_ms, lease_until) on spool.leader to %I', role);
    execute format('grant select (drained_at) on spool.farm to %I', role);
  end loop;
  -- Functions of extensions may lie in this schema, too. They stay as they are, because they are not Spool's.
  for routine in
    select oid from pg_proc where pronamespace = 'spool'::regnamespace and pg_has_role(proowner, 'member')
      and not exists (select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = pg_proc.oid and d.deptype = 'e')
  loop
    execute format('revoke execute on function %s from public', routine);
    continue when 'spool_coordinator' = any(missing);
    execute format('grant execute on function %s to spool_coordinator', routine);
  end loop;
  -- Everybody may call these functions. Those that need a role ask for it themselves, and their refusal names it.
  grant execute on function spool.has_role, spool.require_role, spool.since, spool.needs_of, spool.may_write, spool.may_write_all, spool.is_written, spool.length_of, spool.submit_job, spool.cancel_job, spool.change_job, spool.drain,
    spool.change_share, spool.specification, spool.part_files, spool.want_part, spool.change_webhook, spool.remove_webhook, spool.webhooks, spool.deliveries, spool.replay,
    spool.take_delivery, spool.settle_delivery, spool.note_refusal to public;
  if not 'spool_coordinator' = any(missing) then
    grant select on spool.farm, spool.job_spec to spool_coordinator;
    grant select, insert on spool.history to spool_coordinator;
    grant select, insert, update on spool.attempt_log, spool.slot_time, spool.busy_time, spool.hold to spool_coordinator;
    grant select, update on spool.leader, spool.job, spool.submitter to spool_coordinator;
    grant select, insert, update on spool.task, spool.attempt, spool.pace, spool.line to spool_coordinator;
    grant select, insert, update, delete on spool.worker to spool_coordinator;
    grant select, insert, delete on spool.news to spool_coordinator;
  end if;
  return missing;
end $$;
comment on function spool.grant_roles() is
  'Makes the roles that are missing, as far as the session''s user may make roles, and gives all their rights. Returns those still missing.';

select spool.grant_roles();
