/// A notification of the ledger that others changed something since the last request.
package enum LedgerNews: Hashable, Sendable {
  /// Jobs were submitted; nothing else changed.
  case submissions
  /// Jobs, workers or the farm were changed.
  case changes
}
