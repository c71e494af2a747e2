extension SchemaPlan.Migration {
  /// Holds jobs whose movie no worker may write. Views tell it, and a retry may name another file. Tables stay as they are; views
  /// and functions are made again after each migration.
  static let heldJobs = SchemaPlan.Migration(
    version: 19,
    sql: """
      comment on column spool.worker.output_roots is
        'Folders that it may write movies below; NULL: anywhere, or not said. A job whose movie no worker may write that has not left is held.';
      """)
}
