/// A named SQL statement. Each session prepares it once under its name. Errors use the name, too.
package struct Statement: Hashable, Sendable {
  package let name: String
  package let sql: String

  /// Makes a statement.
  ///
  /// - Parameter name: a name unique in the program, of 1 to 63 bytes (the server's limit for names).
  package init(_ name: String, _ sql: String) {
    precondition(!name.isEmpty && name.utf8.count <= 63, "a statement's name has 1 to 63 bytes")
    (self.name, self.sql) = (name, sql)
  }
}
