-- An attempt that was given back before anything was made is no lost work (docs/decisions/0243-what-was-not-begun-is-not-lost.md), and what keeps
-- tasks from being given out is noted while it lasts (docs/decisions/0244-holds-are-noted.md).
alter table spool.attempt drop constraint attempt_outcome_check,
  add constraint attempt_outcome_check
    check (outcome in ('won', 'failed', 'expired', 'released', 'returned', 'superseded', 'cancelled', 'revoked'));
comment on column spool.attempt.outcome is
  'NULL while open. won; failed: reported; expired: silence, no progress, or a new epoch of its worker; released: given back '
  'through no fault of the task; returned: given back before anything was made; superseded: another attempt won; cancelled: with its job; '
  'revoked: won, but its file was lost.';
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
