-- A movie may have further places, to which its publication copies it (docs/decisions/0214-a-job-has-several-places.md).
alter table spool.job
  add column copies text[] not null default '{}' check (cardinality(copies) <= 16 and array_position(copies, null) is null);
comment on column spool.job.copies is 'Further places of the movie, of the same kinds. Its publication copies it there.';
create index job_copies on spool.job (number) where state in ('queued', 'running') and copies <> '{}';

-- They take and give the further places. An earlier migration may have dropped the first.
drop function if exists spool.submit_job(
  text, text, integer, text, bigint, text[], integer, text, boolean, text, json, boolean, boolean, text[], bigint[], bigint[],
  double precision[], json, bigint[], bigint[]);
drop function spool.change_job(text, text, integer, text, integer);
drop function spool.specification(text);
