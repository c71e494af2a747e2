/// What a ledger tells of changes that others made, since it was asked last.
package enum LedgerNews: Hashable, Sendable {
  /// Jobs were submitted; nothing else changed.
  case submissions
  /// Jobs, workers or the farm were changed.
  case changes
}
