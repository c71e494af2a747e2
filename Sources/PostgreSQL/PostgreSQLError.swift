/// What went wrong in a conversation with PostgreSQL.
package struct PostgreSQLError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// No connection could be made, or it is gone: everything in flight is undecided, and only a new connection helps.
    case connection
    /// The server refused a statement; the connection is still good.
    case statement(SQLState)
    /// A value does not have the asked type, or a column is missing.
    case decoding
    /// A parameter cannot be sent: PostgreSQL's text holds no NUL.
    case parameter
  }

  package var kind: Kind
  /// The statement's name, or what was done.
  package var place: String
  /// One line, the server's own words where it spoke.
  package var reason: String

  package init(_ kind: Kind, at place: String, _ reason: String) {
    (self.kind, self.place, self.reason) = (kind, place, reason)
  }

  package var description: String { "\(place): \(reason)" }
}

/// A five-character SQLSTATE (PostgreSQL documentation, appendix A).
package struct SQLState: Hashable, Sendable {
  package var code: String

  package init(_ code: String) { self.code = code }

  package static let serializationFailure = SQLState("40001")
  package static let deadlockDetected = SQLState("40P01")
  package static let uniqueViolation = SQLState("23505")
  package static let checkViolation = SQLState("23514")
  package static let undefinedTable = SQLState("42P01")
  package static let queryCanceled = SQLState("57014")
  /// The session's role has not the right.
  package static let insufficientPrivilege = SQLState("42501")
  /// Waited for longer than `lock_timeout`.
  package static let lockNotAvailable = SQLState("55P03")

  /// The transaction was a victim of its neighbours; the same transaction may succeed when repeated, or find who was there first.
  package var isRepeatable: Bool { [.serializationFailure, .deadlockDetected, .uniqueViolation].contains(self) }

  /// The server is going away, starting up, or full: the session is lost though the statement was not wrong.
  /// Class 08, 57P01 to 57P05 (shutdown, crash of another session, starting up, database dropped, idle), 25P03 (idle in a
  /// transaction), 53300 (too many connections).
  package var endsSession: Bool { code.hasPrefix("08") || code.hasPrefix("57P") || code == "25P03" || code == "53300" }
}
