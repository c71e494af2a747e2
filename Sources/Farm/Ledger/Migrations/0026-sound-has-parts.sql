-- A job may have several sound tasks, each with its samples (docs/decisions/0200-long-sound-is-made-in-parts.md).
alter table spool.task
  add column first_sample bigint check (first_sample >= 0),
  add column sample_count bigint check (sample_count > 0),
  add constraint only_sound_has_samples check (kind = 'sound' or first_sample is null),
  add constraint samples_are_a_range check (num_nulls(first_sample, sample_count) in (0, 2));
comment on column spool.task.first_sample is 'The first sample of a part of the sound; NULL for the whole sound, and for all other tasks.';
comment on table spool.task is
  'A unit of dispatch; a picture task is a chunk, and a sound task the whole sound or a part of it. '
  'waiting (for other tasks) -> ready -> running -> done; back to ready on retry.';

drop index spool.task_once;
create unique index task_samples on spool.task (job, coalesce(first_sample, 0)) where kind = 'sound';
create unique index task_once on spool.task (job, kind) where kind in ('mux', 'publish');

-- It takes the samples of parts of sound.
drop function spool.submit_job(
  text, text, integer, text, bigint, text[], integer, text, boolean, text, json, boolean, boolean, text[], bigint[], bigint[], double precision[], json);
