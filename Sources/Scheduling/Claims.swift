package import Messages

/// A worker that can take attempts, and how many.
package struct FreeSlots: Hashable, Sendable {
  package var worker: String
  package var epoch: String
  package var slots: Int
  /// For light tasks, beside the slots.
  package var lanes: Int

  package init(worker: String, epoch: String, slots: Int, lanes: Int = 0) {
    (self.worker, self.epoch, self.slots, self.lanes) = (worker, epoch, slots, lanes)
  }
}

/// A worker's process: the epoch is new at every start.
package struct WorkerProcess: Hashable, Sendable {
  package var worker: String
  package var epoch: String

  package init(worker: String, epoch: String) { (self.worker, self.epoch) = (worker, epoch) }
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
  /// What it runs whose chunk was divided, since its process promised to leave the rest to others.
  package var divided: [AttemptKey]

  package init(worker: String, epoch: String, closed: [AttemptKey], divided: [AttemptKey] = []) {
    (self.worker, self.epoch, self.closed, self.divided) = (worker, epoch, closed, divided)
  }
}

/// Free slots, once the ledger knows what their worker has and may take.
package struct Offer: Hashable, Sendable {
  package var worker: String
  package var epoch: String
  package var slots: Int
  package var lanes: Int
  package var capabilities: Capabilities
  /// Whether the worker was set aside and is tried with what it takes: one task.
  package var isCanary: Bool

  package init(
    worker: String, epoch: String, slots: Int, lanes: Int = 0, capabilities: Capabilities = Capabilities(), isCanary: Bool = false
  ) {
    (self.worker, self.epoch, self.slots, self.lanes) = (worker, epoch, slots, lanes)
    (self.capabilities, self.isCanary) = (capabilities, isCanary)
  }

  /// The most attempts that one claim opens: it bounds a transaction, and the next claim follows at once.
  package static let limit = 1000
}

extension [Offer] {
  /// One offer for all workers that have the same.
  var mergedByCapabilities: [Offer] {
    var (merged, places) = ([Offer](), [Capabilities: Int]())
    for offer in self {
      if let place = places[offer.capabilities] {
        merged[place].slots += offer.slots
      } else {
        places[offer.capabilities] = merged.count
        merged.append(offer)
      }
    }
    return merged
  }

  /// Where a task goes: to a worker that has what it needs and little else, to spare those that have more; then to the one with
  /// the most slots left. `avoided` takes it only where nobody else can. Nil when nobody can.
  package func best(for needs: Capabilities, avoiding avoided: String? = nil) -> Int? {
    func rank(_ index: Int) -> (Int, Int, Int, Int) {
      let offer = self[index]
      return (offer.worker == avoided ? 1 : 0, offer.capabilities.tags.count, -offer.slots, index)
    }
    return indices.filter { self[$0].slots > 0 && self[$0].capabilities.cover(needs) }.min { rank($0) < rank($1) }
  }

  /// Where a light task goes: as `best`, but to a lane rather than to a slot.
  ///
  /// - Parameter writers: the workers that may write its movie; nil: any.
  package func best(light needs: Capabilities, among writers: Set<String>?, avoiding avoided: String? = nil) -> Int? {
    func rank(_ index: Int) -> (Int, Int, Int, Int, Int) {
      let offer = self[index]
      let (avoids, takesSlot) = (offer.worker == avoided ? 1 : 0, offer.lanes > 0 ? 0 : 1)
      return (avoids, takesSlot, offer.capabilities.tags.count, -offer.lanes - offer.slots, index)
    }
    return indices.filter { index in
      self[index].slots + self[index].lanes > 0 && self[index].capabilities.cover(needs)
        && writers?.contains(self[index].worker) ?? true
    }.min { rank($0) < rank($1) }
  }

  /// Takes a lane of an offer, or a slot where there is none left.
  package mutating func takeLane(of index: Int) {
    if self[index].lanes > 0 { self[index].lanes -= 1 } else { self[index].slots -= 1 }
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

  /// The most attempts that are ended as overdue in one transaction; those that are left are ended by the next, which follows at once.
  package static let mostTogether = 500
}

/// What a worker says it finished.
package struct Completion: Hashable, Sendable {
  package var worker: String
  package var epoch: String
  package var key: AttemptKey
  package var proof: Proof

  package init(worker: String, epoch: String, key: AttemptKey, proof: Proof) {
    (self.worker, self.epoch, self.key, self.proof) = (worker, epoch, key, proof)
  }
}

/// What a worker says that it could not finish.
package struct FailedAttempt: Hashable, Sendable {
  package var worker: String
  package var epoch: String
  package var key: AttemptKey
  package var failure: Failure

  package init(worker: String, epoch: String, key: AttemptKey, failure: Failure) {
    (self.worker, self.epoch, self.key, self.failure) = (worker, epoch, key, failure)
  }
}

/// What became of a result.
package enum CommitVerdict: Hashable, Sendable {
  case won
  /// Another attempt won, the lease was lost or the job ended: the result is discarded.
  case stale
  /// It is not of its chunk's frames: the attempt failed with that.
  case unfit
}

/// What became of results that were committed together.
package struct Committed: Hashable, Sendable {
  /// In the order of the completions.
  package var verdicts: [CommitVerdict]
  /// Open attempts at the same tasks, or of jobs that failed, which ended with that: to be killed.
  package var superseded: [ExpiredAttempt]
  /// Those that had won before: their results came again.
  package var repeated: Set<AttemptKey>

  package init(verdicts: [CommitVerdict], superseded: [ExpiredAttempt] = [], repeated: Set<AttemptKey> = []) {
    (self.verdicts, self.superseded, self.repeated) = (verdicts, superseded, repeated)
  }
}

/// What became of a failure.
package enum FailVerdict: Hashable, Sendable {
  /// The task is tried again, or another attempt at it is open.
  case retries
  /// The job failed; its other open attempts are to be killed.
  case jobFailed([ExpiredAttempt])
  case stale
}
