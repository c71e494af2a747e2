package import Messages

/// What the dispatcher asks of the ledger: one transaction each.
package enum LedgerRequest: Hashable, Sendable {
  case register(WorkerHello)
  case heartbeat(worker: String, epoch: String, running: [AttemptProgress])
  case retire(worker: String, epoch: String)
  case openAttempts(worker: String, epoch: String)
  case claim([FreeSlots])
  case commit(AttemptKey, worker: String, epoch: String, Proof)
  case fail(AttemptKey, worker: String, epoch: String, Failure)
  case expire
}

/// What the ledger did, once it is committed.
package enum LedgerAnswer: Hashable, Sendable {
  case registered(WorkerHello)
  /// - closed: the running attempts that are open no longer.
  case heard(worker: String, epoch: String, closed: [AttemptKey])
  case retired(worker: String, epoch: String)
  case open(worker: String, epoch: String, [ClaimedAttempt])
  case claimed([ClaimedAttempt])
  case committed(AttemptKey, worker: String, epoch: String, CommitVerdict)
  case failed(AttemptKey, worker: String, epoch: String, FailVerdict)
  case expired([ExpiredAttempt])
}
