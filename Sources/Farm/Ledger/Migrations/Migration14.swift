extension SchemaPlan.Migration {
  /// Lets workers be forgotten while their attempts stay.
  static let forgetting = SchemaPlan.Migration(
    version: 14,
    sql: """
      alter table spool.attempt drop constraint attempt_worker_fkey;
      comment on column spool.attempt.worker is 'The name of its worker, which may be forgotten since.';
      comment on table spool.worker is
        'One row for each worker name, with its newest process. Who is silent for weeks is forgotten, unless it is drained.';
      """)
}
