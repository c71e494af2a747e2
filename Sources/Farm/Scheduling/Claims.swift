package import Messages

/// A worker's free room for attempts.
package struct FreeSlots: Hashable, Sendable {
  package var worker: String
  package var epoch: String
  package var slots: Int
  /// Free lanes, which take light tasks beside the slots.
  package var lanes: Int

  package init(worker: String, epoch: String, slots: Int, lanes: Int = 0) {
    (self.worker, self.epoch, self.slots, self.lanes) = (worker, epoch, slots, lanes)
  }
}

/// One process of a worker. Its epoch is new at every start.
package struct WorkerProcess: Hashable, Sendable {
  package var worker: String
  package var epoch: String

  package init(worker: String, epoch: String) { (self.worker, self.epoch) = (worker, epoch) }
}

/// The newest that a worker said about its attempts.
package struct Heartbeat: Hashable, Sendable {
  package var worker: String
  package var epoch: String
  package var running: [AttemptProgress]

  package init(worker: String, epoch: String, running: [AttemptProgress]) {
    (self.worker, self.epoch, self.running) = (worker, epoch, running)
  }
}

/// The ledger's answer to a heartbeat.
package struct HeardWorker: Hashable, Sendable {
  package var worker: String
  package var epoch: String
  /// Attempts that the worker still runs although they have ended in the ledger.
  package var closed: [AttemptKey]
  /// Attempts whose chunks were divided, because the worker's process promised to leave the rest to others.
  package var divided: [AttemptKey]

  package init(worker: String, epoch: String, closed: [AttemptKey], divided: [AttemptKey] = []) {
    (self.worker, self.epoch, self.closed, self.divided) = (worker, epoch, closed, divided)
  }
}

/// Free slots and lanes with what the ledger knows about their worker.
package struct Offer: Hashable, Sendable {
  package var worker: String
  package var epoch: String
  package var slots: Int
  package var lanes: Int
  package var capabilities: Capabilities
  /// Whether the worker was set aside and now gets one task to show that it works.
  package var isCanary: Bool

  package init(
    worker: String, epoch: String, slots: Int, lanes: Int = 0, capabilities: Capabilities = Capabilities(), isCanary: Bool = false
  ) {
    (self.worker, self.epoch, self.slots, self.lanes) = (worker, epoch, slots, lanes)
    (self.capabilities, self.isCanary) = (capabilities, isCanary)
  }

  /// The most attempts that one claim opens. It keeps the transaction short; the next claim follows at once.
  package static let limit = 1000
}

extension [Offer] {
  /// The offers with those of equal capabilities added up into one.
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

  /// The index of the offer that a task should go to; nil when no offer fits. The worker with the fewest tags comes first, so
  /// that workers with more stay free for tasks that need them; among equals, the one with the most free slots. The worker named
  /// `avoided` is taken only when nobody else can.
  package func best(for needs: Capabilities, avoiding avoided: String? = nil) -> Int? {
    func rank(_ index: Int) -> (Int, Int, Int, Int) {
      let offer = self[index]
      return (offer.worker == avoided ? 1 : 0, offer.capabilities.tags.count, -offer.slots, index)
    }
    return indices.filter { self[$0].slots > 0 && self[$0].capabilities.cover(needs) }.min { rank($0) < rank($1) }
  }

  /// The index of the offer that a light task should go to; nil when no offer fits. It chooses as `best(for:avoiding:)` does, but
  /// prefers workers with a free lane.
  ///
  /// - Parameter writers: the workers that may write the job's movie; nil means all.
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

  /// Takes one lane of an offer, or a slot when no lane is left.
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

/// An attempt that the ledger ended and that its worker may still run.
package struct ExpiredAttempt: Hashable, Sendable {
  package var worker: String
  package var key: AttemptKey

  package init(worker: String, key: AttemptKey) {
    (self.worker, self.key) = (worker, key)
  }

  /// The most overdue attempts that one transaction ends. The next transaction follows at once with the others.
  package static let mostTogether = 500
}

/// A worker's message that it finished an attempt.
package struct Completion: Hashable, Sendable {
  package var worker: String
  package var epoch: String
  package var key: AttemptKey
  package var proof: Proof

  package init(worker: String, epoch: String, key: AttemptKey, proof: Proof) {
    (self.worker, self.epoch, self.key, self.proof) = (worker, epoch, key, proof)
  }
}

/// A worker's message that an attempt failed, or that the worker gives it back.
package struct FailedAttempt: Hashable, Sendable {
  package var worker: String
  package var epoch: String
  package var key: AttemptKey
  package var failure: Failure
  /// Whether nothing failed: the worker gives the attempt back. Its task is ready again at once, and the end counts against nobody.
  package var isReturned = false

  package init(worker: String, epoch: String, key: AttemptKey, failure: Failure) {
    (self.worker, self.epoch, self.key, self.failure) = (worker, epoch, key, failure)
  }

  /// Makes the message that a worker gives an attempt back.
  package init(returning key: AttemptKey, by process: WorkerProcess) {
    let failure = Failure(.transient, at: "worker \(process.worker)", "its segment was not there, and no slot was free")
    self.init(worker: process.worker, epoch: process.epoch, key: key, failure: failure)
    isReturned = true
  }
}

/// A worker's message about what an attempt's process wrote.
package struct LoggedAttempt: Hashable, Sendable {
  package var worker: String
  package var epoch: String
  package var key: AttemptKey
  package var log: AttemptLog

  package init(worker: String, epoch: String, key: AttemptKey, log: AttemptLog) {
    (self.worker, self.epoch, self.key, self.log) = (worker, epoch, key, log)
  }

  /// The most logs of one request, and so in one transaction: 5 MB at the most.
  package static let mostTogether = 100
}

/// The ledger's decision about a result.
package enum CommitVerdict: Hashable, Sendable {
  case won
  /// The result is discarded: another attempt won, the lease was lost, or the job ended.
  case stale
  /// The proof does not fit the task's kind or the chunk's frames, so the attempt counts as failed.
  case unfit
}

/// The ledger's decision about results that were committed together.
package struct Committed: Hashable, Sendable {
  /// One verdict for each completion, in their order.
  package var verdicts: [CommitVerdict]
  /// Open attempts that this commit ended: they were at the same tasks, or their jobs failed. Their processes are to be killed.
  package var superseded: [ExpiredAttempt]
  /// Completions that had won before and were sent again.
  package var repeated: Set<AttemptKey>

  package init(verdicts: [CommitVerdict], superseded: [ExpiredAttempt] = [], repeated: Set<AttemptKey> = []) {
    (self.verdicts, self.superseded, self.repeated) = (verdicts, superseded, repeated)
  }
}

/// The ledger's decision about a failure.
package enum FailVerdict: Hashable, Sendable {
  /// The task will be tried again, or another attempt at it is still open.
  case retries
  /// The job failed. Its other open attempts ended with it and are to be killed.
  case jobFailed([ExpiredAttempt])
  case stale
}
