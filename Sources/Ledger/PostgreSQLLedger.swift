internal import PostgreSQL
package import Scheduling

/// The ledger in PostgreSQL. It connects when it is first asked, and again after the connection was lost; blocks; belongs
/// to one thread. Any number of them, in any number of processes, may work on one database.
package final class PostgreSQLLedger: Ledger {
  let timing: LedgerTiming
  let retryPolicy: RetryPolicy
  package var term: Int?
  let trust: TrustPolicy
  let speculation: SpeculationPolicy
  let splitting: SplitPolicy
  private let url: String
  private let role: String
  private let plan: SchemaPlan
  private let interruption: Int32?
  private var session: Session?
  /// Set once `plan.version` was seen in this connection's database.
  private var isCurrent = false
  let specs = SpecCache()

  /// - Parameters:
  ///   - url: as libpq reads it, for example `postgresql://user@host/farm` or `host=/run/spool dbname=spool`.
  ///   - role: shown in pg_stat_activity as `spool ROLE`.
  ///   - interruption: a descriptor; while it polls readable, no answer is waited for: calls fail as `.unavailable`.
  package init(
    url: String, role: String = "client", timing: LedgerTiming = LedgerTiming(), retryPolicy: RetryPolicy = RetryPolicy(),
    trust: TrustPolicy = TrustPolicy(), speculation: SpeculationPolicy = SpeculationPolicy(),
    splitting: SplitPolicy = SplitPolicy(), plan: SchemaPlan = .current,
    interruption: Int32? = nil
  ) {
    self.interruption = interruption
    (self.url, self.role, self.plan) = (url, role, plan)
    (self.speculation, self.splitting) = (speculation, splitting)
    (self.timing, self.retryPolicy, self.trust) = (timing, retryPolicy, trust)
  }

  /// Brings the database to this program's schema; several may try at once.
  /// - Throws: `.corrupt` when the database is newer than the program, or too old, or has another's schema of that name.
  package func migrate() throws(LedgerError) {
    let session: Session
    do {
      // One of its own: to index what years have left takes longer than a session's statements may.
      session = Session(
        try Connection(
          url: url, applicationName: "spool \(role)", limits: .init(statement: Self.longestMigration), interruption: interruption)
      )
    } catch {
      throw LedgerError(error)
    }
    try transact(session, term: nil) { session throws(LedgerError) in
      // Two that found no schema would both make it; the lock ends with the transaction, however that ends.
      try session.change(.lockSchema)
      guard let version = try storedVersion(session) else {
        guard try !hasForeignSchema(session) else {
          throw .corrupt("its schema \"spool\" is not this program's: give the farm a database of its own")
        }
        return try session.run(plan.schema, place: "schema.sql")
      }
      let needed = try self.migrations(from: version)
      guard !needed.isEmpty else { return }
      try session.run(Self.patience, place: "settings")
      try session.run(SchemaPlan.withoutViews, place: "drop views")
      for migration in needed {
        try session.run(migration.sql, place: "migration \(migration.version)")
        try session.change(.noteVersion, [.integer(migration.version)])
      }
      try session.run(plan.views, place: "schema.sql")
    }
  }

  /// Milliseconds for each statement of a migration.
  private static let longestMigration = 3_600_000

  /// Whoever comes after a migration that waits for a table waits with it: where somebody reads for long, the migration gives way.
  private static let patience = "set local lock_timeout = '5s'"

  package var notificationDescriptor: Int32? { session?.connection.descriptor }

  package func takeNotifications() throws(LedgerError) -> Bool {
    try attempting { session throws(LedgerError) in
      try session.takeNotifications()
    }
  }

  // MARK: How the verbs reach the database

  /// Runs `body` as one transaction on a database of this program's version, and again when it fell victim to a concurrent one.
  /// In a term it applies only while the term lasts.
  /// - Parameter durably: whether a crash of the server just afterwards may not undo it. Whatever is committed durably later makes it
  ///   durable as well.
  func transaction<Result>(
    durably: Bool = true, _ body: (Session) throws(LedgerError) -> Result
  ) throws(LedgerError) -> Result {
    try read { session throws(LedgerError) in try transact(session, term: term, durably: durably, body) }
  }

  /// As `transaction`, in no term.
  func unfenced<Result>(
    durably: Bool = true, _ body: (Session) throws(LedgerError) -> Result
  ) throws(LedgerError) -> Result {
    try read { session throws(LedgerError) in try transact(session, term: nil, durably: durably, body) }
  }

  /// Runs `body` outside a transaction, for single statements.
  func read<Result>(_ body: (Session) throws(LedgerError) -> Result) throws(LedgerError) -> Result {
    try attempting { session throws(LedgerError) in
      if !isCurrent {
        guard let version = try storedVersion(session) else {
          throw .corrupt("there is no Spool schema in this database; `spool coordinator` makes it")
        }
        guard try migrations(from: version).isEmpty else {
          throw .corrupt(
            "the database has schema version \(version), older than this program's \(plan.version); `spool coordinator` brings it up"
          )
        }
        isCurrent = true
      }
      return try body(session)
    }
  }

  /// Runs `body` with a connection, made if there is none, and drops it if it turns out to be lost.
  private func attempting<Result>(_ body: (Session) throws(LedgerError) -> Result) throws(LedgerError) -> Result {
    do throws(LedgerError) {
      if let session { return try body(session) }
      return try body(connect())
    } catch {
      if case .unavailable = error { (session, isCurrent) = (nil, false) }
      throw error
    }
  }

  private func connect() throws(LedgerError) -> Session {
    do {
      let connection = try Connection(url: url, applicationName: "spool \(role)", interruption: interruption)
      try connection.listen(channel: "spool")
      let opened = Session(connection)
      session = opened
      return opened
    } catch {
      throw LedgerError(error)
    }
  }

  /// Locks are taken in one order, so victims are rare: three in a row means something else is wrong.
  private static let transactionTries = 3

  private func transact<Result>(
    _ session: Session, term: Int?, durably: Bool = true, _ body: (Session) throws(LedgerError) -> Result
  ) throws(LedgerError) -> Result {
    for _ in 1..<Self.transactionTries {
      do throws(LedgerError) {
        return try session.transaction(term: term, durably: durably, body)
      } catch {
        guard session.wasVictim else { throw error }
      }
    }
    return try session.transaction(term: term, durably: durably, body)
  }

  private func storedVersion(_ session: Session) throws(LedgerError) -> Int? {
    guard try session.first(.hasSchema, [], { row throws(PostgreSQLError) in try row.value("found") }) == true else { return nil }
    return try session.first(.readVersion) { row throws(PostgreSQLError) in try row.optional("version") } ?? nil
  }

  private func hasForeignSchema(_ session: Session) throws(LedgerError) -> Bool {
    try session.first(.hasNamespace, [], { row throws(PostgreSQLError) in try row.value("found") }) == true
  }

  private func migrations(from version: Int) throws(LedgerError) -> [SchemaPlan.Migration] {
    guard version <= plan.version else {
      throw .corrupt("the database has schema version \(version), newer than this program's \(plan.version)")
    }
    guard let needed = plan.migrations(from: version) else {
      throw .corrupt("the database has schema version \(version), too old for this program's \(plan.version)")
    }
    return needed
  }
}
