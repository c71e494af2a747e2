internal import PostgreSQL

extension Statement {
  /// Held until the transaction ends. The number only has to differ from other programs': "spool" in ASCII.
  static let lockSchema = Statement("lock_schema", "select pg_advisory_xact_lock(x'73706f6f6c'::bigint)")
  static let hasSchema = Statement("has_schema", "select to_regclass('spool.schema_version') is not null as found")
  static let hasNamespace = Statement("has_namespace", "select to_regnamespace('spool') is not null as found")
  static let readVersion = Statement("read_version", "select max(version) as version from spool.schema_version")
  static let keepHistory = Statement("keep_history", "select spool.keep_history($1)")
  static let noteVersion = Statement("note_version", "insert into spool.schema_version (version) values ($1)")
}
