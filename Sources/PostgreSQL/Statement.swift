/// A named SQL statement. It is prepared once a connection under its name, which is also what errors call it.
package struct Statement: Hashable, Sendable {
  package let name: String
  package let sql: String

  /// - Parameter name: unique in the program, at most 63 bytes (the server's limit for names).
  package init(_ name: String, _ sql: String) {
    precondition(!name.isEmpty && name.utf8.count <= 63, "a statement's name has 1 to 63 bytes")
    (self.name, self.sql) = (name, sql)
  }
}
