-- The function cancel_attempts changed: it ends attempts whose progress is just being noted.
-- Parts of a sound are wanted from a sample on. It was the whole sound that was wanted.
drop function spool.want_part(text, bigint, integer);
