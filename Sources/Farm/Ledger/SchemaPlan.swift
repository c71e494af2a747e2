/// The ways to bring a database to this program's schema.
package struct SchemaPlan: Sendable {
  /// A step from version `version` - 1 to `version`. A released migration never changes.
  package struct Migration: Sendable {
    package var version: Int
    package var sql: String

    package init(version: Int, sql: String) {
      (self.version, self.sql) = (version, sql)
    }
  }

  /// The SQL for an empty database: the whole schema at `version`, with its row in schema_version.
  package var schema: String
  package var version: Int
  /// The migrations in order of version, without gaps. The last one leads to `version`.
  package var migrations: [Migration]

  package init(schema: String, version: Int, migrations: [Migration]) {
    precondition(
      migrations.map(\.version) == Array(version - migrations.count + 1..<version + 1),
      "migrations lead to the version, one by one")
    (self.schema, self.version, self.migrations) = (schema, version, migrations)
  }

  /// This program's plan. Its schema is the schema.sql at the top of the repository.
  package static let current = SchemaPlan(
    schema: String(decoding: PackageResources.schema_sql, as: UTF8.self), version: 24,
    migrations: [
      .leader, .shares, .history, .stragglers, .statements, .estimates, .splits, .queue, .following, .patience, .questions,
      .writers, .forgetting, .waking, .roles, .turns, .operators, .heldJobs, .damage, .fonts, .crowd, .keptPlans,
      .ageing,
    ])

  /// The end of the schema, from its line "-- Views: " on. Views hold no data. Before migrations run, all of them are dropped,
  /// and this makes them again after the last migration.
  var views: String { schema.firstRange(of: "\n-- Views: ").map { String(schema[$0.lowerBound...]) } ?? "" }

  /// The migrations that a database at version `older` still needs; nil when it is too old to be migrated.
  func migrations(from older: Int) -> [Migration]? {
    let needed = migrations.filter { $0.version > older }
    return needed.count == version - older ? needed : nil
  }
}

extension SchemaPlan {
  /// SQL that drops Spool's views, which the newest schema makes again. It keeps views of extensions, which land in this schema
  /// when the role has its name.
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
