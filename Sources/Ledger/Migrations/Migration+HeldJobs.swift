extension SchemaPlan.Migration {
  /// A job whose movie no worker may write is held, which the views tell, and may be told to write another file. The tables are as they were:
  /// views and functions are made again after each migration.
  static let heldJobs = SchemaPlan.Migration(
    version: 19,
    sql: """
      comment on column spool.worker.output_roots is
        'Folders that it may write movies below; NULL: anywhere, or not said. A job whose movie no worker may write that has not left is held.';
      """)
}
