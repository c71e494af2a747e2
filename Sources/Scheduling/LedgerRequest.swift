package import Messages

/// What the dispatcher asks of the ledger: one transaction each, in the dispatcher's term.
package enum LedgerRequest: Hashable, Sendable {
  case lead(Candidate)
  case resign(Candidate)
  case register(WorkerHello)
  /// One of each worker at most.
  case heartbeat([Heartbeat])
  case retire(worker: String, epoch: String)
  /// Its connection is gone, or its key is not allowed any more.
  case lose(worker: String, epoch: String)
  case openAttempts(worker: String, epoch: String)
  case claim([FreeSlots])
  case commit([Completion])
  case fail(AttemptKey, worker: String, epoch: String, Failure)
  case expire
  /// Which of these jobs have been over for so long.
  case over(worker: String, epoch: String, jobs: [String], endedFor: Duration)
  case review([ExpiredAttempt])
  case keepHistory
}

/// What the ledger did, once it is committed.
package enum LedgerAnswer: Hashable, Sendable {
  case stood(Leadership)
  case resigned
  case registered(WorkerHello)
  case heard([HeardWorker])
  case retired(worker: String, epoch: String)
  case open(worker: String, epoch: String, [ClaimedAttempt])
  case claimed([ClaimedAttempt])
  /// The verdicts in the order of the completions.
  case committed([Completion], [CommitVerdict])
  case failed(AttemptKey, worker: String, epoch: String, FailVerdict)
  case expired([ExpiredAttempt])
  case over(worker: String, epoch: String, [OverJob])
  /// Of the reviewed attempts, those that are open no longer.
  case closed([ExpiredAttempt])
  case keptHistory
}
