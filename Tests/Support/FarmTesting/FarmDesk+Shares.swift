package import Ledger

extension FarmDesk {
  /// Sets a submitter's whole share, and enters an unknown submitter.
  /// - Parameter slots: the attempts that may run at once; nil is no quota.
  package func setShare(of submitter: String, weight: Int, slots: Int?) throws(LedgerError) {
    let change = ShareChange(weight: weight, slots: slots.map { .atMost($0) } ?? .unlimited, entersNew: true)
    let isKnown = try self.change(submitter: submitter, change)
    precondition(isKnown, "who is not known is entered")
  }
}
