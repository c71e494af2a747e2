internal import CSchema

/// The ways to bring a database to this program's schema.
package struct SchemaPlan: Sendable {
  /// The SQL for an empty database: the whole schema at `version`, with its row in schema_version.
  package let schema: String
  /// The oldest version that this program brings up to date.
  package let oldest: Int
  /// The migrations in order of version, without gaps, from `oldest` + 1 to `version`.
  package let migrations: [Migration]
  package var version: Int { oldest + migrations.count }

  /// The end of the schema, from its line "-- Functions: " on: functions, triggers, views and rights, which hold no data. After the
  /// last migration all views are dropped, and this is run again.
  let renewed: String

  /// - Parameters:
  ///   - schema: the bytes of schema.sql.
  ///   - oldest: the version of the schema to which the first migration is applied.
  ///   - files: the names of the migrations' files with their bytes, in any order.
  /// - Throws: when the migrations do not lead on from `oldest` one by one, or the schema lacks the line "-- Functions: ".
  package init(schema: [UInt8], oldest: Int, files: [(name: String, bytes: [UInt8])]) throws(Fault) {
    var migrations: [Migration] = []
    for file in files { migrations.append(try Migration(file: file.name, bytes: file.bytes)) }
    migrations.sort { ($0.version, $0.name) < ($1.version, $1.name) }
    for (migration, version) in zip(migrations, oldest + 1..<oldest + 1 + migrations.count)
    where migration.version != version { throw .outOfTurn(file: migration.name, expected: version) }
    self.schema = String(decoding: schema, as: UTF8.self)
    guard let end = self.schema.firstRange(of: "\n-- Functions: ") else { throw .renewsNothing }
    renewed = String(self.schema[end.lowerBound...])
    (self.oldest, self.migrations) = (oldest, migrations)
  }

  /// The migrations that a database at version `older` still needs; nil when it is too old to be migrated.
  func migrations(from older: Int) -> ArraySlice<Migration>? { older < oldest ? nil : migrations.dropFirst(older - oldest) }
}

extension SchemaPlan {
  /// This program's plan. Its schema is the schema.sql at the top of the repository. Each file in `Migrations` is listed in
  /// Package.swift and here (docs/decisions/0052-schema-in-the-program.md).
  package static let current: SchemaPlan = {
    do throws(Fault) {
      return try SchemaPlan(
        schema: published, oldest: 25,
        files: [
          ("0026-sound-has-parts.sql", PackageResources._026_sound_has_parts_sql),
          ("0027-movies-go-to-s3.sql", PackageResources._027_movies_go_to_s3_sql),
          ("0028-jobs-have-further-places.sql", PackageResources._028_jobs_have_further_places_sql),
          ("0029-slots-have-their-time.sql", PackageResources._029_slots_have_their_time_sql),
          ("0030-copies-have-states.sql", PackageResources._030_copies_have_states_sql),
          ("0031-busy-time-is-summed.sql", PackageResources._031_busy_time_is_summed_sql),
          ("0032-attempts-are-returned.sql", PackageResources._032_attempts_are_returned_sql),
          ("0033-attempts-go-on.sql", PackageResources._033_attempts_go_on_sql),
          ("0034-attempts-end-and-parts-are-wanted.sql", PackageResources._034_attempts_end_and_parts_are_wanted_sql),
        ])
    } catch { preconditionFailure("\(error)") }
  }()

  /// The bytes of schema.sql as it was when the program was built.
  private static var published: [UInt8] {
    var size = 0
    let bytes = unsafe spool_schema(&size)
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: size))
  }

  /// A step from version `version` - 1 to `version`. A released migration never changes.
  package struct Migration: Sendable {
    package let version: Int
    /// The name of its file, such as 0026-what-it-does.sql.
    package let name: String
    package let sql: String

    init(file name: String, bytes: [UInt8]) throws(Fault) {
      guard let form = name.wholeMatch(of: /([0-9]{4})-[a-z0-9]+(?:-[a-z0-9]+)*\.sql/), let version = Int(form.1) else {
        throw .misnamed(file: name)
      }
      (self.version, self.name, sql) = (version, name, String(decoding: bytes, as: UTF8.self))
    }
  }

  /// A mistake in a plan.
  package enum Fault: Error, Equatable, CustomStringConvertible {
    case misnamed(file: String)
    /// The number was given twice, or one before it is missing.
    case outOfTurn(file: String, expected: Int)
    case renewsNothing

    package var description: String {
      switch self {
      case .misnamed(let file): "the migration \(file) is not named like 0026-what-it-does.sql"
      case .outOfTurn(let file, let expected): "the migration \(file) stands where the one to version \(expected) is expected"
      case .renewsNothing: "schema.sql has no line that begins with \"-- Functions: \""
      }
    }
  }

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
