internal import CPostgreSQL
internal import Glibc
internal import Linux

/// A session with a PostgreSQL server (libpq). It belongs to one thread. Calls block, each for a bounded time; only the lookup of
/// a host's name at the start takes as long as the system's resolver allows (resolv.conf).
///
/// After an error of kind `.connection` it is of no more use. Drop it and make a new one.
@safe package final class Connection {
  package struct Limits: Hashable, Sendable {
    /// The seconds for one attempt to connect.
    package var connect = 5
    /// The milliseconds that the server gives one statement.
    package var statement = 30_000
    /// The milliseconds that a transaction may wait for its client's next statement. A client that was stopped, or whose machine
    /// vanished, must not keep its locks.
    package var idleTransaction = 3_000
    /// The milliseconds beyond `statement` after which a silent server counts as gone.
    package var silence = 5_000

    package init(connect: Int = 5, statement: Int = 30_000, idleTransaction: Int = 3_000, silence: Int = 5_000) {
      (self.connect, self.statement, self.idleTransaction) = (connect, statement, idleTransaction)
      self.silence = silence
    }

    /// The limits for statements that may rewrite or index a table of a hundred million rows: a day for a statement, and a minute
    /// for the client between two.
    package static let longWork = Limits(statement: 86_400_000, idleTransaction: 60_000)
  }

  /// The libpq connection. It is freed only in `deinit` and never leaves this type, hence `@safe`.
  private let handle: OpaquePointer
  private let limits: Limits
  private let interruption: Int32?
  private var prepared: Set<String> = []
  /// Whether a pooler gives each transaction whichever session is free (`pool=transaction`), so that nothing may be left in a session.
  package let isPooled: Bool

  /// Connects to a server.
  /// - Parameters:
  ///   - url: a connection URI or `key=value` string as libpq reads it, which may have `pool=transaction` besides. Its settings win over
  ///     `limits.connect`.
  ///   - interruption: a descriptor. While it is readable, a call does not wait for an answer but fails as `.connection`.
  package init(
    url: String, applicationName: String, limits: Limits = Limits(), interruption: Int32? = nil
  ) throws(PostgreSQLError) {
    let place = PooledURL(url)
    let settings = [
      ("application_name", applicationName), ("connect_timeout", String(limits.connect)), ("client_encoding", "UTF8"),
      // A peer whose machine vanished is noticed within about 15 s instead of TCP's two hours.
      ("keepalives_idle", "5"), ("keepalives_interval", "5"), ("keepalives_count", "2"), ("tcp_user_timeout", "15000"),
      ("dbname", place.url),
    ]
    let opened = unsafe withCStrings(settings.map(\.0) + [nil]) { keys in
      unsafe withCStrings(settings.map(\.1) + [nil]) { values in unsafe PQconnectdbParams(keys, values, 1) }
    }
    guard let opened = unsafe opened else {
      throw PostgreSQLError(.connection, at: "connect", "there is not enough memory for a connection")
    }
    guard unsafe PQstatus(opened) == CONNECTION_OK else {
      let needsPassword = unsafe PQconnectionNeedsPassword(opened) == 1
      let reason =
        needsPassword
        ? "the server asks for a password, and none was given: put it into $PGPASSWORD, or into the file $PGPASSFILE (else ~/.pgpass)"
        : unsafe oneLine(PQerrorMessage(opened))
      unsafe PQfinish(opened)
      throw PostgreSQLError(.connection, at: "connect", reason)
    }
    unsafe handle = opened
    (self.limits, self.interruption, isPooled) = (limits, interruption, place.isPooled)
    // In blocking mode, sending would wait without bound for a server that reads nothing. This call fails only for a broken
    // connection.
    guard unsafe PQsetnonblocking(opened, 1) == 0 else { throw lost(at: "connect") }
    // Notices such as "schema exists already, skipping" are not errors, and belong on no terminal.
    unsafe PQsetNoticeProcessor(handle, { _, _ in }, nil)
    // Behind a pooler the next transaction may have another session, so what it should have set is set for its role.
    guard !isPooled else { return }
    // Compiling a query takes longer than any of these queries runs, so jit is off.
    try run(
      "set statement_timeout = \(limits.statement); set idle_in_transaction_session_timeout = \(limits.idleTransaction); set jit = off"
    )
  }

  deinit { unsafe PQfinish(handle) }

  /// Runs a statement. The server prepares it at its first use in this session; behind a pooler, at each use.
  package func query(_ statement: Statement, _ parameters: [Parameter] = []) throws(PostgreSQLError) -> Rows {
    if !isPooled, !prepared.contains(statement.name) {
      let sent = unsafe PQsendPrepare(handle, statement.name, statement.sql, 0, nil)
      _ = try receive(sent, place: statement.name)
      prepared.insert(statement.name)
    }
    if let nul = parameters.firstIndex(where: { $0.text?.utf8.contains(0) == true }) {
      throw PostgreSQLError(.parameter, at: statement.name, "parameter $\(nul + 1) contains a NUL character")
    }
    let sent = unsafe withCStrings(parameters.map(\.text)) { values in
      guard !isPooled else {
        return unsafe PQsendQueryParams(handle, statement.sql, Int32(parameters.count), nil, values, nil, nil, 0)
      }
      return unsafe PQsendQueryPrepared(handle, statement.name, Int32(parameters.count), values, nil, nil, 0)
    }
    return try receive(sent, place: statement.name)
  }

  /// Runs SQL text of one or more statements without parameters. Several statements are one transaction.
  package func run(_ script: String, place: String = "script") throws(PostgreSQLError) {
    _ = try receive(unsafe PQsendQuery(handle, script), place: place)
  }

  /// Runs `body` in a transaction. It is committed when `body` returns and rolled back when it throws. Transactions do not nest.
  /// - Parameters:
  ///   - beginning: the SQL that begins the transaction; other statements may follow in the same round trip.
  ///   - map: turns an error of the transaction's own statements into the error that is thrown.
  package func transaction<Result, Failure: Error>(
    beginning: String = "begin", mapping map: (PostgreSQLError) -> Failure, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    precondition(unsafe PQtransactionStatus(handle) != PQTRANS_INTRANS, "transactions do not nest")
    do { try run(beginning, place: "begin") } catch {
      if unsafe PQtransactionStatus(handle) == PQTRANS_INERROR { try? run("rollback", place: "rollback") }  // as below
      throw map(error)
    }
    let result: Result
    do {
      result = try body()
    } catch {
      // The first error is the one to report. If even the rollback fails, the connection is gone, and the server rolls back.
      try? run("rollback", place: "rollback")
      throw error
    }
    do { try run("commit", place: "commit") } catch {
      try? run("rollback", place: "rollback")  // as above
      throw map(error)
    }
    return result
  }

  // MARK: Notifications

  /// The connection's socket, to poll for reading. The connection owns it.
  package var descriptor: Int32 { unsafe PQsocket(handle) }

  /// Listens to a channel for notifications.
  ///
  /// - Parameter channel: a plain identifier.
  package func listen(channel: String) throws(PostgreSQLError) {
    guard !isPooled else { throw PostgreSQLError(.connection, at: "listen", PooledURL.needsSession) }
    try run("listen \"\(channel)\"", place: "listen")
  }

  /// Takes the notifications that have arrived, without blocking. Any call may have received some with its answer, so call this
  /// before waiting for `descriptor`.
  /// - Returns: their channels, the oldest first.
  package func takeNotifications() throws(PostgreSQLError) -> [String] {
    guard unsafe PQconsumeInput(handle) == 1 else { throw lost(at: "PQconsumeInput") }
    var channels: [String] = []
    while let notification = unsafe PQnotifies(handle) {
      unsafe channels.append(String(cString: notification.pointee.relname))
      unsafe PQfreemem(notification)
    }
    return channels
  }

  // MARK: Private parts

  /// Waits for the answer to what was sent, and returns its last result. It reads all results, so that the connection is free
  /// again.
  private func receive(_ sent: Int32, place: String) throws(PostgreSQLError) -> Rows {
    guard sent == 1 else { throw lost(at: place) }
    let deadline = ContinuousClock.now + .milliseconds(limits.statement + limits.silence)
    try flush(until: deadline, place: place)
    var last: Rows?
    var failure: PostgreSQLError?
    while true {
      try awaitResult(until: deadline, place: place)
      guard let result = unsafe PQgetResult(handle) else { break }
      let rows = unsafe Rows(owning: result, statement: place)
      switch unsafe PQresultStatus(result) {
      case PGRES_COMMAND_OK, PGRES_TUPLES_OK, PGRES_EMPTY_QUERY: last = rows
      case PGRES_COPY_IN, PGRES_COPY_OUT, PGRES_COPY_BOTH: preconditionFailure("COPY is not spoken here")
      default: if failure == nil { failure = unsafe refusal(result, place: place) }
      }
    }
    if let failure { throw failure }
    guard let last else { throw lost(at: place) }
    return last
  }

  /// Sends what libpq has queued. It also reads what the server says, because the server may wait for that.
  private func flush(until deadline: ContinuousClock.Instant, place: String) throws(PostgreSQLError) {
    while true {
      let left = unsafe PQflush(handle)
      guard left >= 0 else { throw lost(at: place) }
      guard left == 1 else { return }
      guard try wait(for: [.readable, .writable], until: deadline, place: place) else { return }
    }
  }

  private func awaitResult(until deadline: ContinuousClock.Instant, place: String) throws(PostgreSQLError) {
    while unsafe PQisBusy(handle) == 1 {
      guard try wait(for: .readable, until: deadline, place: place) else { return }
    }
  }

  /// Waits until the connection is ready for one of `events`, and reads what has come.
  ///
  /// - Returns: false when libpq has closed the session. PQgetResult then gives the reason.
  private func wait(
    for wanted: Readiness, until deadline: ContinuousClock.Instant, place: String
  ) throws(PostgreSQLError) -> Bool {
    let left = deadline - ContinuousClock.now
    guard left > .zero else { throw PostgreSQLError(.connection, at: place, "the server does not answer") }
    guard let ready = Readiness.wait(for: [(descriptor, wanted), (interruption ?? -1, .readable)], within: left) else {
      throw PostgreSQLError(.connection, at: place, "cannot be waited for: \(SystemWords.of(errno))")
    }
    guard ready[1].isEmpty else { throw PostgreSQLError(.connection, at: place, "interrupted") }
    guard ready[0].contains(.readable) else { return true }
    return unsafe PQconsumeInput(handle) == 1
  }

  private func refusal(_ result: OpaquePointer, place: String) -> PostgreSQLError {
    let reason = unsafe oneLine(PQresultErrorField(result, Int32(UInt8(ascii: "M"))) ?? PQresultErrorMessage(result))
    let code = unsafe PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { unsafe String(cString: $0) }
    guard let code, !SQLState(code).endsSession, unsafe PQstatus(handle) == CONNECTION_OK else {
      return PostgreSQLError(.connection, at: place, reason)
    }
    return PostgreSQLError(.statement(SQLState(code)), at: place, reason)
  }

  private func lost(at place: String) -> PostgreSQLError {
    PostgreSQLError(.connection, at: place, unsafe oneLine(PQerrorMessage(handle)))
  }
}

/// The text on one line, without the word FATAL. libpq's messages have line ends, and the connection's failure says how grave it
/// is.
private func oneLine(_ text: UnsafePointer<CChar>) -> String {
  unsafe String(cString: text).split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }.joined(separator: "; ")
    .replacing("FATAL:  ", with: "")
}

/// Calls `body` with an array of NUL-terminated copies; nil becomes NULL. They are valid during the call only.
private func withCStrings<Result>(
  _ strings: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
  var bytes: [CChar] = []
  let offsets = strings.map { string -> Int? in
    guard let string else { return nil }
    defer { bytes.append(contentsOf: string.utf8CString) }
    return bytes.count
  }
  return unsafe bytes.withUnsafeBufferPointer { buffer in
    let pointers = unsafe offsets.map { offset in unsafe offset.flatMap { unsafe buffer.baseAddress?.advanced(by: $0) } }
    return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
  }
}
