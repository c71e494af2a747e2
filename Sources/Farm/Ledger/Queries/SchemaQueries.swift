internal import PostgreSQL

extension Statement {
  /// Locks the schema until the transaction ends. The number is "spool" in ASCII; it only has to differ from other programs'
  /// numbers.
  static let lockSchema = Statement("lock_schema", "select pg_advisory_xact_lock(x'73706f6f6c'::bigint)")
  static let tryLockSchema = Statement("try_lock_schema", "select pg_try_advisory_xact_lock(x'73706f6f6c'::bigint) as locked")
  static let hasSchema = Statement("has_schema", "select to_regclass('spool.schema_version') is not null as found")
  static let hasNamespace = Statement("has_namespace", "select to_regnamespace('spool') is not null as found")
  static let readVersion = Statement("read_version", "select max(version) as version from spool.schema_version")
  /// Forgets up to $2 workers that were silent for $1 days, hold no attempt and are not drained by name. Their attempts stay.
  static let forgetWorkers = Statement(
    "forget_workers",
    """
    with silent as materialized (
      select w.name from spool.worker w
      where w.lease_until < clock_timestamp() - $1 * interval '1 day' and w.drained_at is null
        and not exists (select from spool.attempt a where a.worker = w.name and a.outcome is null)
      limit $2 for update skip locked
    )
    delete from spool.worker w using silent s where w.name = s.name
    """)
  static let requireRole = Statement("require_role", "select spool.require_role($1, $2)")
  static let missingRoles = Statement(
    "missing_roles",
    "select array_to_string(array(select r from unnest(spool.roles()) r where to_regrole(r) is null), ' ') as missing")
  static let grantRoles = Statement("grant_roles", "select array_to_string(spool.grant_roles(), ' ') as missing")
  static let keepHistory = Statement("keep_history", "select spool.keep_history($1)")
  static let noteVersion = Statement("note_version", "insert into spool.schema_version (version) values ($1)")
}
