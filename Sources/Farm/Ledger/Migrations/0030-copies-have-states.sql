-- Functions, triggers and views change: further places of a movie have states, and are copied to again
-- (docs/decisions/0232-copies-are-tried-again.md); the loudness of a job has its range
-- (docs/decisions/0231-a-range-is-narrowed-before-its-loudness.md).
comment on table spool.job is 'A movie to be rendered. queued -> running -> done | failed; cancelled from either of the first two; a retry queues it again, a done one whose copies failed.';
