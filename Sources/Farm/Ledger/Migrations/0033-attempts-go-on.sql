-- A chunk that runs goes on when its job is replaced by one that has the same chunk (docs/decisions/0229-what-runs-goes-on.md).
alter table spool.worker add column finds_segments boolean not null default false;
comment on column spool.worker.finds_segments is
  'Whether its attempts keep their segments in the store, and whoever makes the same again finds them there.';
alter table spool.task add column awaited bigint,
  add constraint only_a_part_awaits_another check (awaited is null or kind in ('picture', 'sound'));
comment on column spool.task.awaited is
  'The task of another job, which its job replaced, that made the same when it was submitted. It is waiting until no attempt at that task is open; '
  'then it finds the segment in the store, or makes it.';
create index task_awaiting on spool.task (job) where awaited is not null;
create index task_awaited on spool.task (awaited) where awaited is not null and state = 'waiting';
comment on column spool.attempt.outcome is
  'NULL while open. won; failed: reported; expired: silence, no progress, or a new epoch of its worker; released: given back '
  'through no fault of the task; returned: given back before anything was made; superseded: another attempt won; cancelled: with its job, or with '
  'the last one that waited for it; revoked: won, but its file was lost.';
drop function if exists spool.submit_job(
  text, text, integer, text, bigint, text[], integer, text, boolean, text, json, boolean, boolean, text[], bigint[], bigint[], double precision[], json,
  bigint[], bigint[], text[]);
