internal import Glibc
internal import Linux
internal import PostgreSQL
package import Scheduling

/// The ledger and the desk in PostgreSQL. It connects at its first call, and again after the connection was lost. It blocks and belongs to one
/// thread. Any number of ledgers, in any number of processes, may use one database.
package final class PostgreSQLLedger: Ledger, FarmDesk {
  let timing: LedgerTiming
  let retryPolicy: RetryPolicy
  package var term: Int?
  /// The record of who makes the desk's calls, for the audit.
  package var caller = DeskCaller()
  let trust: TrustPolicy
  let speculation: SpeculationPolicy
  let splitting: SplitPolicy
  private let url: String
  private let role: String
  private let interruption: Int32?
  let plan: SchemaPlan
  /// The time for which a call whose session was lost is tried again.
  private let patience: Duration
  private var session: Session?
  /// Whether the database of this connection was found to have the schema version `plan.version`.
  private var isCurrent = false
  private var hasConnected = false
  let specs = SpecCache()
  /// The number of tasks that the next claim asks each line of jobs for.
  var depth = ClaimDepth()

  /// - Parameters:
  ///   - url: the database as libpq reads it, for example `postgresql://user@host/farm` or `host=/run/spool dbname=spool`.
  ///   - role: a name that pg_stat_activity shows as `spool ROLE`.
  ///   - interruption: a descriptor. While it is readable, calls do not wait for answers but fail as `.unavailable`.
  ///   - patience: how long a call whose session was lost is tried again in new ones, before it throws `.unavailable`. It is
  ///     for clients; a coordinator has to learn of each loss.
  package init(
    url: String, role: String = "client", timing: LedgerTiming = LedgerTiming(), retryPolicy: RetryPolicy = RetryPolicy(),
    trust: TrustPolicy = TrustPolicy(), speculation: SpeculationPolicy = SpeculationPolicy(),
    splitting: SplitPolicy = SplitPolicy(), plan: SchemaPlan = .current, patience: Duration = .zero,
    interruption: Int32? = nil
  ) {
    self.interruption = interruption
    (self.url, self.role, self.plan, self.patience) = (url, role, plan, patience)
    (self.speculation, self.splitting) = (speculation, splitting)
    (self.timing, self.retryPolicy, self.trust) = (timing, retryPolicy, trust)
  }

  package var notificationDescriptor: Int32? { session?.connection.descriptor }

  package func takeNotifications() throws(LedgerError) -> LedgerNews? {
    try attempting { session throws(LedgerError) in
      try session.takeNotifications()
    }
  }

  // MARK: How calls reach the database

  /// Runs `body` as one transaction on a database of this program's version. It runs again when a concurrent transaction made it
  /// fail. In a term, it takes effect only while the term lasts.
  /// - Parameter durably: whether it survives a crash of the server right afterwards. The next durable commit makes earlier
  /// commits durable as well.
  func transaction<Result>(
    durably: Bool = true, _ body: (Session) throws(LedgerError) -> Result
  ) throws(LedgerError) -> Result {
    try read { session throws(LedgerError) in try transact(session, term: term, durably: durably, body) }
  }

  /// Runs `body` as `transaction` does, but in no term, as the desk's calls and those for the lead do.
  func unfenced<Result>(
    durably: Bool = true, _ body: (Session) throws(LedgerError) -> Result
  ) throws(LedgerError) -> Result {
    try read { session throws(LedgerError) in try transact(session, term: nil, durably: durably, body) }
  }

  /// Runs `body`, a verb of an operator or a submitter, as a transaction that knows its caller.
  func perform<Result>(_ deed: Deed, _ body: (Session) throws(LedgerError) -> Result) throws(LedgerError) -> Result {
    try noting(deed) { () throws(LedgerError) in
      try unfenced { session throws(LedgerError) in
        if caller != DeskCaller() { try session.change(.introduceCaller, caller.parameters) }
        return try body(session)
      }
    }
  }

  /// Runs `body`, and writes down in a transaction of its own that the deed was refused, if it was.
  func noting<Result>(_ deed: Deed, _ body: () throws(LedgerError) -> Result) throws(LedgerError) -> Result {
    do throws(LedgerError) { return try body() } catch {
      if case .forbidden(let reason) = error {
        // Who has no right to the farm at all cannot write that down either. The database server's log has it.
        do throws(LedgerError) { try note(refused: deed, reason) } catch {}
      }
      throw error
    }
  }

  /// Runs `body` outside a transaction. It is meant for single statements.
  func read<Result>(_ body: (Session) throws(LedgerError) -> Result) throws(LedgerError) -> Result {
    let deadline = ContinuousClock.now + patience
    while true {
      do throws(LedgerError) {
        return try attempting { session throws(LedgerError) in
          if !isCurrent { try requireVersion(session) }
          return try body(session)
        }
      } catch {
        // A database that was never reached is reported at once. An interrupted caller does not wait.
        guard case .unavailable = error, hasConnected, !isInterrupted, ContinuousClock.now < deadline else { throw error }
        usleep(Self.pauseMicroseconds)
      }
    }
  }

  private static let pauseMicroseconds: UInt32 = 50_000

  private var isInterrupted: Bool {
    guard let interruption else { return false }
    return Readiness.canRead(interruption)
  }

  private func requireVersion(_ session: Session) throws(LedgerError) {
    let stored: Int?
    do throws(LedgerError) { stored = try storedVersion(session) } catch {
      guard case .forbidden(let reason) = error else { throw error }
      throw .forbidden("\(reason): it takes a role of the farm's, at least spool_viewer")
    }
    guard let version = stored else {
      throw .corrupt("there is no Spool schema in this database; `spool coordinator` or `spool migrate` makes it")
    }
    guard try migrations(from: version).isEmpty else {
      throw .corrupt(
        "the database has schema version \(version), older than this program's \(plan.version); `spool coordinator` or `spool migrate` brings it up"
      )
    }
    isCurrent = true
  }

  /// Runs `body` with the current connection, or with a new one, and drops the connection if it turns out to be lost.
  func attempting<Result>(_ body: (Session) throws(LedgerError) -> Result) throws(LedgerError) -> Result {
    do throws(LedgerError) {
      if let session { return try body(session) }
      let opened = try connect(limits: Connection.Limits(statement: timing.statement))
      (session, hasConnected) = (opened, true)
      return try body(opened)
    } catch {
      if case .unavailable = error { (session, isCurrent) = (nil, false) }
      throw error
    }
  }

  func connect(limits: Connection.Limits) throws(LedgerError) -> Session {
    do {
      return Session(
        try Connection(url: url, applicationName: "spool \(role)", limits: limits, interruption: interruption))
    } catch {
      throw LedgerError(error)
    }
  }

  /// The number of times that a transaction is tried when concurrent ones make it fail. Locks are taken in one order, so that is
  /// rare: three failures in a row mean that something else is wrong.
  static let transactionTries = 3

  func transact<Result>(
    _ session: Session, term: Int?, durably: Bool, _ body: (Session) throws(LedgerError) -> Result
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
}
