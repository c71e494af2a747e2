internal import PostgreSQL
package import Scheduling

extension PostgreSQLLedger {
  /// Brings the database to this program's schema, however long that takes; several may try at once.
  /// - Parameter report: is told of each step that may take long, before it.
  /// - Throws: `.corrupt` when the database is newer than the program, or too old, or has another's schema of that name; `.forbidden` when
  ///   this session's role does not own the schema, or may make none.
  package func migrate(report: (Note) -> Void = { _ in }) throws(LedgerError) {
    guard try !isUpToDate() else { return }
    try asOwner { () throws(LedgerError) in
      // A session of its own: a migration may take longer than any statement should, and waits for locks no longer than it should.
      try transact(try connect(limits: .longWork), term: nil, durably: true) { session throws(LedgerError) in
        try makeOrMigrate(session, report)
      }
    }
    let missing = try missingRoles(.missingRoles)
    if !missing.isEmpty { report(Note("lacks_roles", ["roles": missing])) }
  }

  /// Makes the farm's roles as far as they are missing, and gives them their rights; for the schema's owner.
  /// - Returns: the roles that are missing still, since this one may make none, in a line.
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

  /// - Parameter deed: what it is needed for, as a sentence begins.
  /// - Throws: `.forbidden` when this session's role is not a member of `role`.
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
      try session.run(migration.sql, place: "migration \(migration.version)")
      try session.change(.noteVersion, [.integer(migration.version)])
    }
    report(Note("makes_views"))
    try session.run(plan.views, place: "schema.sql")
  }

  private func isUpToDate() throws(LedgerError) -> Bool {
    try attempting { session throws(LedgerError) in
      guard let version = try storedVersion(session) else { return false }
      return try migrations(from: version).isEmpty
    }
  }

  /// Two that found no schema would both make it. The lock ends with the transaction, however that ends.
  private func lockSchema(_ session: Session, _ report: (Note) -> Void) throws(LedgerError) {
    let isFree = try session.first(.tryLockSchema) { row throws(PostgreSQLError) in try row.value("locked", as: Bool.self) }
    if isFree == false {
      report(Note("waits_for_migration"))
      // As long as a migration may take.
      try session.change(.lockSchema)
    }
    // Whoever comes after a migration that waits for a table waits with it: where somebody reads for long, the migration gives way.
    try session.run("set local lock_timeout = \(timing.schemaLock)", place: "lock_timeout")
  }

  func storedVersion(_ session: Session) throws(LedgerError) -> Int? {
    guard try session.first(.hasSchema, [], { row throws(PostgreSQLError) in try row.value("found") }) == true else { return nil }
    return try session.first(.readVersion) { row throws(PostgreSQLError) in try row.optional("version") } ?? nil
  }

  private func hasForeignSchema(_ session: Session) throws(LedgerError) -> Bool {
    try session.first(.hasNamespace, [], { row throws(PostgreSQLError) in try row.value("found") }) == true
  }

  func migrations(from version: Int) throws(LedgerError) -> [SchemaPlan.Migration] {
    guard version <= plan.version else {
      throw .corrupt("the database has schema version \(version), newer than this program's \(plan.version)")
    }
    guard let needed = plan.migrations(from: version) else {
      throw .corrupt("the database has schema version \(version), too old for this program's \(plan.version)")
    }
    return needed
  }
}
