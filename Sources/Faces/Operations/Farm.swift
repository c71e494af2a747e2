package import Ledger

/// A farm, by its database. Its operations are what people and programs ask of a farm, whatever face they ask by. It belongs to
/// one thread.
package final class Farm {
  private let find: () throws(Complaint) -> String
  private var opened: PostgreSQLLedger?
  /// The record of who asks, for the audit.
  package var caller: DeskCaller {
    didSet { opened?.caller = caller }
  }

  /// - Parameters:
  ///   - caller: who asks, for the audit.
  ///   - find: gives the farm's database, as libpq reads it. It is asked when an operation first needs the database.
  package init(as caller: DeskCaller = DeskCaller(), database find: @escaping () throws(Complaint) -> String) {
    (self.caller, self.find) = (caller, find)
  }

  /// The farm's database. Requests are repeated for up to 10 s while the server is busy or starts anew. That is safe, because
  /// asking twice has the same effect.
  var ledger: PostgreSQLLedger {
    get throws(Complaint) {
      if let opened { return opened }
      let ledger = PostgreSQLLedger(url: try find(), patience: .seconds(10))
      ledger.caller = caller
      opened = ledger
      return ledger
    }
  }

  /// A session of its own with the farm's database, for who asks again and again. Its requests are not repeated, and do not wait
  /// for an answer while the descriptor is readable.
  func ledger(interruptedBy descriptor: Int32) throws(Complaint) -> PostgreSQLLedger {
    PostgreSQLLedger(url: try find(), role: "watch", interruption: descriptor)
  }
}
