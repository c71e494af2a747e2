import FarmTesting
import FoundationEssentials
import Ledger
import PostgreSQL
import Testing

/// The migrations that are only for tests, and the listing of what a database holds.
enum SchemaFixture {
  /// Two migrations that are only for tests. They are real files, and this program carries them as `spool` carries its own.
  static let files: [(name: String, bytes: [UInt8])] = [
    ("0035-jobs-have-notes.sql", PackageResources._035_jobs_have_notes_sql),
    ("0036-notes-have-authors.sql", PackageResources._036_notes_have_authors_sql),
  ]

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures")
  static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// The plan of a program that is two versions later than this one, in which a table, a column, a function, a view and two
  /// triggers differ.
  /// - Parameter more: migrations after those two.
  static func later(_ more: [(name: String, sql: String)] = []) throws -> SchemaPlan {
    var schema = SchemaPlan.current.schema
    for (before, after) in [
      ("(version) values (34);", "(version) values (\(36 + more.count));"),
      ("  followed_to integer", "  note text,\n  followed_to integer"),
      (
        "comment on column spool.job.number is",
        "comment on column spool.job.note is 'A note for tests.';\ncomment on column spool.job.number is"
      ),
      (
        "\n-- Functions: ",
        """

        create table spool.note (
          first text,
          author text not null
        );
        comment on table spool.note is 'Notes for tests.';

        -- Functions:\u{20}
        """
      ),
      ("'YYYY-MM-DD HH24:MI:SS') || ' UTC'", "'YYYY-MM-DD HH24:MI:SS') || ' Z'"),
      ("as attempts_running, j.retry_count\n", "as attempts_running, j.retry_count, j.note\n"),
      (
        "on spool.farm for each row\n  when ((old.drained_at is null) <> (new.drained_at is null))",
        "on spool.farm for each row\n  when (old.drained_at is distinct from new.drained_at)"
      ),
      ("after update of first_frame, frame_count on", "after update of job, first_frame, frame_count on"),
    ] {
      try #require(schema.ranges(of: before).count == 1, "\(before)")
      schema.replace(before, with: after)
    }
    let own = SchemaPlan.current.migrations.map { (name: $0.name, bytes: Array($0.sql.utf8)) }
    return try SchemaPlan(
      schema: Array(schema.utf8), oldest: 25, files: own + files + more.map { ($0.name, Array($0.sql.utf8)) })
  }

  /// The schema at version 25, the oldest that is raised.
  static func oldest() throws -> String {
    try String(contentsOfFile: folder.appending(path: "schema-25.sql").path, encoding: .utf8)
  }

  static func versions(_ url: String) throws -> [Int] {
    let connection = try Connection(url: url, applicationName: "test")
    return try connection.query(Statement("versions", "select version from spool.schema_version order by 1")).map {
      try $0.value("version")
    }
  }

  /// Every column, constraint, index, trigger, function, view, comment and right of the schema, without the order of columns.
  static func catalog(of url: String) throws -> Set<String> {
    let connection = try Connection(url: url, applicationName: "test")
    return Set(try connection.query(catalogQuery).map { try $0.value("line", as: String.self) })
  }

  private static let catalogQuery = Statement(
    "catalog",
    """
    with relation as (select * from pg_class where relnamespace = 'spool'::regnamespace)
    select 'relation ' || relname || ' ' || relkind::text || ' ' || coalesce(reloptions::text, '') as line from relation
    union all select 'column ' || relname || '.' || attname || ' ' || format_type(atttypid, atttypmod) || ' ' || attnotnull
      || ' ' || attidentity::text || ' ' || coalesce(pg_get_expr(adbin, adrelid), '')
      || ' ' || coalesce(col_description(attrelid, attnum), '') || ' ' || coalesce(attacl::text, '')
      from pg_attribute a join relation r on r.oid = attrelid
      left join pg_attrdef d on d.adrelid = attrelid and d.adnum = attnum where attnum > 0 and not attisdropped
    union all select 'constraint ' || conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
      from pg_constraint where connamespace = 'spool'::regnamespace
    union all select 'index ' || pg_get_indexdef(indexrelid) from pg_index join relation r on r.oid = indexrelid
    union all select 'trigger ' || pg_get_triggerdef(t.oid) from pg_trigger t join relation r on r.oid = tgrelid
      where not tgisinternal
    union all select 'function ' || pg_get_functiondef(oid) || coalesce(obj_description(oid, 'pg_proc'), '') || ' '
      || coalesce(proacl::text, '')
      from pg_proc where pronamespace = 'spool'::regnamespace
    union all select 'view ' || relname || ' ' || pg_get_viewdef(oid) from relation where relkind = 'v'
    union all select 'comment ' || relname || ' ' || coalesce(obj_description(oid, 'pg_class'), '') || ' ' || coalesce(relacl::text, '')
      from relation
    """)
}
