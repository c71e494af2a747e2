extension SchemaPlan.Migration {
  /// Tells forecasts how fast the leader's lines rise. The queue's index gets a condition that no other index fulfils. (Who may
  /// read the lines is among what is made again after each migration.)
  static let ageing = SchemaPlan.Migration(
    version: 24,
    sql: """
      alter table spool.leader add column ageing bigint not null default 3600000 check (ageing >= 0);
      comment on column spool.leader.ageing is 'The milliseconds without work after which the leader raises a line by a level; 0: never.';
      drop index spool.job_queue;
      create index job_queue on spool.job (submitter, tags, memory, priority, number)
        where (state in ('queued', 'running') and paused_at is null and wakes_at is null) is true;
      """)
}
