/// How a database comes to the schema that this program speaks.
package struct SchemaPlan: Sendable {
  /// Brings a database from `version` - 1 to `version`. Append-only: a released one is never changed.
  package struct Migration: Sendable {
    package var version: Int
    package var sql: String

    package init(version: Int, sql: String) {
      (self.version, self.sql) = (version, sql)
    }
  }

  /// What an empty database gets: the whole schema at `version`, its schema_version row included.
  package var schema: String
  package var version: Int
  /// In order of version, without gaps, the last one to `version`.
  package var migrations: [Migration]

  package init(schema: String, version: Int, migrations: [Migration]) {
    precondition(
      migrations.map(\.version) == Array(version - migrations.count + 1..<version + 1),
      "migrations lead to the version, one by one")
    (self.schema, self.version, self.migrations) = (schema, version, migrations)
  }

  /// This program's: schema.sql as published at the top level.
  package static let current = SchemaPlan(
    schema: String(decoding: PackageResources.schema_sql, as: UTF8.self), version: 23,
    migrations: [
      .leader, .shares, .history, .stragglers, .statements, .estimates, .splits, .queue, .following, .patience, .questions,
      .writers, .forgetting, .waking, .roles, .turns, .operators, .heldJobs, .damage, .fonts, .crowd, .keptPlans,
    ])

  /// The end of the schema, from its line "-- Views: ..." on. Views hold nothing: each migration drops all of them first, and
  /// this makes them again after the last.
  var views: String { schema.firstRange(of: "\n-- Views: ").map { String(schema[$0.lowerBound...]) } ?? "" }

  /// The migrations that a database at `older` still needs; nil when it is too old to be brought up.
  func migrations(from older: Int) -> [Migration]? {
    let needed = migrations.filter { $0.version > older }
    return needed.count == version - older ? needed : nil
  }
}

extension SchemaPlan {
  /// Drops the views, which the newest schema makes again; not those of extensions, which come to this schema where the role has its name.
  static let withoutViews = """
    do $$
    declare name text;
    begin
      for name in
        select relname from pg_class c where relnamespace = 'spool'::regnamespace and relkind = 'v'
          and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')
      loop
        execute format('drop view if exists spool.%I cascade', name);
      end loop;
    end $$
    """
}
