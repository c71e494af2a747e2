extension SchemaPlan.Migration {
  /// Lets tasks follow the end or the retry of their job a few at a time.
  static let following = SchemaPlan.Migration(
    version: 10,
    sql: """
      alter table spool.job add column followed_to integer check (followed_to >= 0);
      comment on column spool.job.followed_to is
        'Its end or its retry is on its way to its tasks, of which those before this ordinal have followed: the coordinator that leads goes on '
        'with some at a time. NULL: all have.';
      create index job_followed on spool.job (number) where followed_to is not null;
      """)
}
