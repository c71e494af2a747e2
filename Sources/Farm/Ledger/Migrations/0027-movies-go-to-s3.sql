-- A movie may go to a place in S3 (docs/decisions/0205-a-movie-is-published-in-s3-by-its-courier.md).
alter table spool.job drop constraint job_output_check,
  add constraint job_output_check check (output like '/%' or output like 's3://_%/_%');
comment on column spool.job.output is 'The absolute path of the movie, or its place in S3.';
comment on column spool.worker.output_roots is
  'Folders and places in S3 that it may write movies below; NULL: all folders, or not said. A job whose movie no worker may write that has not '
  'left is held.';
