-- A migration for tests: it adds a column and a table, and fills the column from what is there.
alter table spool.job add column note text;
comment on column spool.job.note is 'A note for tests.';
update spool.job set note = 'priority ' || priority;

create table spool.note (first text);
comment on table spool.note is 'Notes for tests.';
