package import Ledger

extension Ledger {
  /// Sets all of a submitter's share, and enters who is not known.
  /// - Parameter slots: attempts that may run at once; nil is no quota.
  package func setShare(of submitter: String, weight: Int, slots: Int?) throws(LedgerError) {
    let change = ShareChange(weight: weight, slots: slots.map { .atMost($0) } ?? .unlimited, entersNew: true)
    let isKnown = try self.change(submitter: submitter, change)
    precondition(isKnown, "who is not known is entered")
  }
}
