-- The time of the farm's slots is counted, by what each did (docs/decisions/0240-slots-are-counted.md).
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
create index attempt_began on spool.attempt using brin (started_at);
