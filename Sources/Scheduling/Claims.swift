package import Messages

/// A worker that can take attempts, and how many.
package struct FreeSlots: Hashable, Sendable {
  package var worker: String
  package var epoch: String
  package var slots: Int

  package init(worker: String, epoch: String, slots: Int) {
    (self.worker, self.epoch, self.slots) = (worker, epoch, slots)
  }
}

/// What a worker said of itself when it was heard last.
package struct Heartbeat: Hashable, Sendable {
  package var worker: String
  package var epoch: String
  package var running: [AttemptProgress]

  package init(worker: String, epoch: String, running: [AttemptProgress]) {
    (self.worker, self.epoch, self.running) = (worker, epoch, running)
  }
}

/// A worker whose heartbeat is noted.
package struct HeardWorker: Hashable, Sendable {
  package var worker: String
  package var epoch: String
  /// What it runs in vain.
  package var closed: [AttemptKey]

  package init(worker: String, epoch: String, closed: [AttemptKey]) {
    (self.worker, self.epoch, self.closed) = (worker, epoch, closed)
  }
}

/// An attempt that the ledger opened for a worker.
package struct ClaimedAttempt: Hashable, Sendable {
  package var worker: String
  package var order: AttemptOrder

  package init(worker: String, order: AttemptOrder) {
    (self.worker, self.order) = (worker, order)
  }
}

/// An attempt that the ledger ended while its worker may still run it.
package struct ExpiredAttempt: Hashable, Sendable {
  package var worker: String
  package var key: AttemptKey

  package init(worker: String, key: AttemptKey) {
    (self.worker, self.key) = (worker, key)
  }
}

/// What became of a result.
package enum CommitVerdict: Hashable, Sendable {
  case won
  /// Another attempt won, the lease was lost or the job ended: the result is discarded.
  case stale
}

/// What became of a failure.
package enum FailVerdict: Hashable, Sendable {
  case retries
  /// The job failed; its other open attempts are to be killed.
  case jobFailed([ExpiredAttempt])
  case stale
}
