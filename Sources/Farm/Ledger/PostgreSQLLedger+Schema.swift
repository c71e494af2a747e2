internal import PostgreSQL
package import Scheduling

extension PostgreSQLLedger {
  /// Brings the database to this program's schema, however long that takes. Several programs may try at once.
  /// - Parameter report: is called before each step that may take long.
  /// - Throws: `.corrupt` when the database is newer than the program or too old, or has a schema of that name that is not
  /// Spool's; `.forbidden` when this session's role does not own the schema, or may not create one.
  package func migrate(report: (Note) -> Void = { _ in }) throws(LedgerError) {
    guard try !isUpToDate() else { return }
    try asOwner { () throws(LedgerError) in
      // The migration has a session of its own, because it may take longer than other statements. It waits only briefly for
      // tables that are in use.
      try transact(try connect(limits: .longWork), term: nil, durably: true) { session throws(LedgerError) in
        try makeOrMigrate(session, report)
      }
    }
    let missing = try missingRoles(.missingRoles)
    if !missing.isEmpty { report(Note("lacks_roles", ["roles": missing])) }
  }

  /// Creates the farm's roles that are missing, and gives all of them their rights. Only the schema's owner may call it.
  /// - Returns: the names of roles that are still missing because this role may not create them, separated by spaces.
  package func grantRoles() throws(LedgerError) -> String {
    try asOwner { () throws(LedgerError) in try missingRoles(.grantRoles) }
  }

  private func missingRoles(_ statement: Statement) throws(LedgerError) -> String {
    try transaction { session throws(LedgerError) in
      try session.first(statement) { row throws(PostgreSQLError) in try row.value("missing") } ?? ""
    }
  }

  private func asOwner<Result>(_ body: () throws(LedgerError) -> Result) throws(LedgerError) -> Result {
    do throws(LedgerError) { return try body() } catch {
      guard case .forbidden(let reason) = error else { throw error }
      throw .forbidden("to make or change the schema takes the role that owns it ('spool migrate'): \(reason)")
    }
  }

  /// Checks that this session's role is a member of `role`.
  /// - Parameter deed: the action that needs the role, as the beginning of a sentence.
  /// - Throws: `.forbidden` when it is not a member.
  package func require(role: String, _ deed: String) throws(LedgerError) {
    _ = try read { session throws(LedgerError) in try session.change(.requireRole, [.text(role), .text(deed)]) }
  }

  private func makeOrMigrate(_ session: Session, _ report: (Note) -> Void) throws(LedgerError) {
    try lockSchema(session, report)
    guard let version = try storedVersion(session) else {
      guard try !hasForeignSchema(session) else {
        throw .corrupt("its schema \"spool\" is not this program's: give the farm a database of its own")
      }
      return try session.run(plan.schema, place: "schema.sql")
    }
    let needed = try self.migrations(from: version)
    guard !needed.isEmpty else { return }
    try session.run(SchemaPlan.withoutViews, place: "drop views")
    for migration in needed {
      report(Note("migrates", ["to_version": "\(migration.version)"]))
      try session.run(migration.sql, place: "migration \(migration.name)")
      try session.change(.noteVersion, [.integer(migration.version)])
    }
    report(Note("makes_views"))
    try session.run(plan.renewed, place: "schema.sql")
  }

  /// Whether the schema is there, and of this program's version.
  package func isUpToDate() throws(LedgerError) -> Bool {
    try attempting { session throws(LedgerError) in
      guard let version = try storedVersion(session) else { return false }
      return try migrations(from: version).isEmpty
    }
  }

  /// Takes the lock under which one session at a time makes or changes the schema. It lasts until the transaction ends.
  private func lockSchema(_ session: Session, _ report: (Note) -> Void) throws(LedgerError) {
    let isFree = try session.first(.tryLockSchema) { row throws(PostgreSQLError) in try row.value("locked", as: Bool.self) }
    if isFree == false {
      report(Note("waits_for_migration"))
      // This wait may be as long as a migration takes.
      try session.change(.lockSchema)
    }
    // Statements that come after a migration wait with it when it waits for a table. So the migration gives up after a while when
    // somebody reads for long.
    try session.run("set local lock_timeout = \(timing.schemaLock)", place: "lock_timeout")
  }

  func storedVersion(_ session: Session) throws(LedgerError) -> Int? {
    guard try session.first(.hasSchema, [], { row throws(PostgreSQLError) in try row.value("found") }) == true else { return nil }
    return try session.first(.readVersion) { row throws(PostgreSQLError) in try row.optional("version") } ?? nil
  }

  private func hasForeignSchema(_ session: Session) throws(LedgerError) -> Bool {
    try session.first(.hasNamespace, [], { row throws(PostgreSQLError) in try row.value("found") }) == true
  }

  func migrations(from version: Int) throws(LedgerError) -> ArraySlice<SchemaPlan.Migration> {
    guard version <= plan.version else {
      throw .corrupt("the database has schema version \(version), newer than this program's \(plan.version)")
    }
    guard let needed = plan.migrations(from: version) else {
      throw .corrupt(
        "the database has schema version \(version), older than \(plan.oldest), the oldest that this program can bring up to date: "
          + "give the farm a new database")
    }
    return needed
  }
}
