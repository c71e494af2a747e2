-- A migration for tests: it builds on the one before, and drops a constraint trigger, which the schema makes anew.
alter table spool.note add column author text not null;
drop trigger frames_change on spool.task;
