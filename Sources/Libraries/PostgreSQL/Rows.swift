internal import CPostgreSQL

/// The rows that a statement returned. It owns the `PGresult`.
@safe package final class Rows: RandomAccessCollection {
  /// The libpq result. It is freed only in `deinit` and never leaves this type, hence `@safe`.
  private let result: OpaquePointer
  private let statement: String
  /// The numbers of the columns by their names (`PQfname`). libpq compares a name with each column anew for each value.
  private let columns: [String: Int32]

  /// Takes ownership of `result`.
  init(owning result: OpaquePointer, statement: String) {
    unsafe self.result = result
    self.statement = statement
    let count = unsafe PQnfields(result)
    let named = (0..<count).map { (unsafe String(cString: PQfname(result, $0)), $0) }
    columns = Dictionary(named) { first, _ in first }
  }

  deinit { unsafe PQclear(result) }

  package var startIndex: Int { 0 }
  package var endIndex: Int { unsafe Int(PQntuples(result)) }
  package subscript(index: Int) -> Row {
    precondition(indices.contains(index), "row \(index) of \(endIndex)")
    return Row(rows: self, index: Int32(index))
  }

  /// The number of rows that the statement inserted, updated, deleted or selected (`PQcmdTuples`).
  package var affectedCount: Int { unsafe Int(String(cString: PQcmdTuples(result))) ?? 0 }

  fileprivate func text(row: Int32, column: String) throws(PostgreSQLError) -> String? {
    guard let number = columns[column] else { throw PostgreSQLError(.decoding, at: statement, "there is no column \(column)") }
    guard unsafe PQgetisnull(result, row, number) == 0 else { return nil }
    return unsafe String(cString: PQgetvalue(result, row, number))
  }

  fileprivate func decode<Value: ColumnValue>(row: Int32, column: String) throws(PostgreSQLError) -> Value? {
    guard let text = try text(row: row, column: column) else { return nil }
    guard let value = Value(columnText: text) else {
      throw PostgreSQLError(
        .decoding, at: statement, "column \(column) holds '\(text.prefix(80))', which this version of spool does not read")
    }
    return value
  }

  /// One row. It keeps all rows of its result alive.
  package struct Row {
    fileprivate let rows: Rows
    fileprivate let index: Int32

    /// The value in a column. It throws when the column is NULL.
    package func value<Value: ColumnValue>(_ column: String, as type: Value.Type = Value.self) throws(PostgreSQLError) -> Value {
      guard let value: Value = try rows.decode(row: index, column: column) else {
        throw PostgreSQLError(
          .decoding, at: rows.statement, "column \(column) is empty, which this version of spool does not read")
      }
      return value
    }

    /// The value in a column; nil for NULL.
    package func optional<Value: ColumnValue>(
      _ column: String, as type: Value.Type = Value.self
    ) throws(PostgreSQLError) -> Value? {
      try rows.decode(row: index, column: column)
    }
  }
}

/// A type that can be read from PostgreSQL's text format.
package protocol ColumnValue {
  /// The value in the text; nil when the text is no value of this type.
  init?(columnText: String)
}

extension String: ColumnValue {
  package init?(columnText: String) { self = columnText }
}

extension Int64: ColumnValue {
  package init?(columnText: String) { self.init(columnText) }
}

extension Int32: ColumnValue {
  package init?(columnText: String) { self.init(columnText) }
}

extension Int: ColumnValue {
  package init?(columnText: String) { self.init(columnText) }
}

extension Double: ColumnValue {
  package init?(columnText: String) { self.init(columnText) }
}

extension Bool: ColumnValue {
  package init?(columnText: String) {
    switch columnText {
    case "t": self = true
    case "f": self = false
    default: return nil
    }
  }
}
