/// An error of a session with PostgreSQL.
package struct PostgreSQLError: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// No connection could be made, or it was lost. Whether a running call took effect is not known. Only a new connection helps.
    case connection
    /// The server refused a statement. The connection is still good.
    case statement(SQLState)
    /// A value does not have the expected type, or a column is missing.
    case decoding
    /// A parameter cannot be sent, because text in PostgreSQL holds no NUL.
    case parameter
  }

  package var kind: Kind
  /// The statement's name, or the action that failed.
  package var place: String
  /// The reason on one line, in the server's own words if it gave any.
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
  /// The session's role lacks the right.
  package static let insufficientPrivilege = SQLState("42501")
  /// The wait for a lock was longer than `lock_timeout`.
  package static let lockNotAvailable = SQLState("55P03")

  /// Whether the same transaction may succeed when it is run again, because a concurrent one made it fail. After a unique
  /// violation, it then finds the row that was there first.
  package var isRepeatable: Bool { [.serializationFailure, .deadlockDetected, .uniqueViolation].contains(self) }

  /// Whether the session is lost although the statement was not wrong, because the server is going away, starting up or full. The
  /// codes are class 08, 57P01 to 57P05 (shutdown, crash of another session, starting up, database dropped, idle), 25P03 (idle in
  /// a transaction) and 53300 (too many connections).
  package var endsSession: Bool { code.hasPrefix("08") || code.hasPrefix("57P") || code == "25P03" || code == "53300" }
}
