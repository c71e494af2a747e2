-- What attempts did is summed when they have ended (docs/decisions/0253-busy-time-is-summed.md). Attempts that ended before the first slots were
-- counted are in no sum.
alter table spool.leader add column summed_to timestamptz not null default '-infinity';
comment on column spool.leader.summed_to is 'The time up to which attempts ended whose time is in the sums of spool.busy_time.';
update spool.leader set summed_to = coalesce((select min(since) from spool.slot_time), clock_timestamp());
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
drop index spool.attempt_began;
create index attempt_ended on spool.attempt (ended_at) where ended_at is not null;
