extension SchemaPlan.Migration {
  /// Gives each attempt a time of its own that it may go without progress.
  static let patience = SchemaPlan.Migration(
    version: 11,
    sql: """
      alter table spool.attempt add column patience interval not null default '1 minute' check (patience > '0');
      comment on column spool.attempt.patience is
        'How long it may show no progress: what was learned of such work decides it, and attempts at the task that were ended for that before.';
      comment on column spool.attempt.progress_deadline is 'Its patience after "done" grew last; when it passes, the attempt is ended.';
      """)
}
