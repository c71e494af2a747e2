internal import PostgreSQL
internal import Scheduling

/// A connection whose errors are the ledger's own.
final class Session {
  let connection: Connection
  /// Whether the current transaction failed because of a concurrent one, so that another try may help.
  private(set) var wasVictim = false

  private var servesCoordinator = false

  init(_ connection: Connection) { self.connection = connection }

  /// Sets up the session of a coordinator: it listens for changes, and plans its statements for the lookup of rows by their keys.
  /// A plan lasts as long as the session but fits the tables as they were when it was made; reading a whole table is right only
  /// until the first large job. Call it outside a transaction, because the end of one could undo it.
  ///
  /// Only coordinators listen, because the server wakes each session that does for each change.
  func serveCoordinator() throws(LedgerError) {
    guard !servesCoordinator else { return }
    guard !connection.isPooled else { throw .refused(statement: "listen", PooledURL.needsSession) }
    try run(
      """
      listen spool; listen spool_submitted; set enable_seqscan = off; set enable_hashjoin = off; set enable_mergejoin = off;
      set plan_cache_mode = force_generic_plan
      """,
      place: "settings")
    servesCoordinator = true
  }

  /// Runs `body` as a transaction.
  ///
  /// - Parameter term: the term that the transaction needs; nil for none. The check is sent along with the beginning, which saves
  ///   a round trip.
  func transaction<Result>(
    term: Int?, durably: Bool, _ body: (Session) throws(LedgerError) -> Result
  ) throws(LedgerError) -> Result {
    wasVictim = false
    let local = durably ? "" : "; set local synchronous_commit = off"
    let fence = term.map { "; select spool.require_term(\($0))" } ?? ""
    return try connection.transaction(beginning: "begin" + local + fence, mapping: mapped) { () throws(LedgerError) in
      try body(self)
    }
  }

  func all<Value>(
    _ statement: Statement, _ parameters: [Parameter] = [], _ decode: (Rows.Row) throws(PostgreSQLError) -> Value
  ) throws(LedgerError) -> [Value] {
    do throws(PostgreSQLError) {
      let rows = try connection.query(statement, parameters)
      var values: [Value] = []
      values.reserveCapacity(rows.count)
      for row in rows { values.append(try decode(row)) }
      return values
    } catch {
      throw mapped(error)
    }
  }

  func first<Value>(
    _ statement: Statement, _ parameters: [Parameter] = [], _ decode: (Rows.Row) throws(PostgreSQLError) -> Value
  ) throws(LedgerError) -> Value? {
    try all(statement, parameters, decode).first
  }

  /// - Returns: the number of rows that the statement changed or selected.
  @discardableResult func change(_ statement: Statement, _ parameters: [Parameter] = []) throws(LedgerError) -> Int {
    do { return try connection.query(statement, parameters).affectedCount } catch { throw mapped(error) }
  }

  func run(_ script: String, place: String) throws(LedgerError) {
    do { try connection.run(script, place: place) } catch { throw mapped(error) }
  }

  /// Takes the notifications that have arrived.
  /// - Returns: what they tell; nil when there were none.
  func takeNotifications() throws(LedgerError) -> LedgerNews? {
    do throws(PostgreSQLError) {
      let channels = try connection.takeNotifications()
      if channels.isEmpty { return nil }
      return channels.allSatisfy { $0 == "spool_submitted" } ? .submissions : .changes
    } catch {
      throw mapped(error)
    }
  }

  /// Runs a statement that sets the longest time for which it waits for locks.
  ///
  /// - Returns: its first row; nil when it did not get the locks in that time, or the server ended it because it took too long in
  ///   all, or has no row. It has changed nothing where it returned none.
  func inTurn<Value>(
    _ statement: Statement, _ parameters: [Parameter], _ decode: (Rows.Row) throws(PostgreSQLError) -> Value
  ) throws(LedgerError) -> Value? {
    wasVictim = false
    do throws(PostgreSQLError) {
      return try connection.query(statement, parameters).first.map(decode)
    } catch {
      switch error.kind {
      case .statement(.lockNotAvailable), .statement(.queryCanceled): return nil
      default: throw mapped(error)
      }
    }
  }

  private func mapped(_ error: PostgreSQLError) -> LedgerError {
    if case .statement(let state) = error.kind, state.isRepeatable { wasVictim = true }
    return LedgerError(error)
  }
}

extension LedgerError {
  init(_ error: PostgreSQLError) {
    self =
      switch error.kind {
      case .connection: .unavailable(error.reason)
      case .statement(.lockNotAvailable):
        .refused(
          statement: error.place,
          "lock timeout: other sessions keep what it needs (pg_locks, pg_stat_activity)"
        )
      // spool.require_term raises this state.
      case .statement(SQLState("SPT01")): .deposed(error.reason)
      // spool.require_role raises this state.
      case .statement(SQLState("SPT02")): .forbidden(error.reason)
      case .statement(.insufficientPrivilege): .forbidden("\(error.place): \(error.reason)")
      case .statement, .parameter: .refused(statement: error.place, error.reason)
      case .decoding: .corrupt(error.description)
      }
  }
}
