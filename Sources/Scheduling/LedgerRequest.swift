package import Messages

/// What the dispatcher asks of the ledger: one transaction each, in the dispatcher's term.
package enum LedgerRequest: Hashable, Sendable {
  case lead(Candidate)
  case resign(Candidate)
  /// One of each worker at most, as with all that follows.
  case register([WorkerHello])
  case heartbeat([Heartbeat])
  case retire([WorkerProcess])
  /// Their connections are gone, or their keys are not allowed any more.
  case lose([WorkerProcess])
  case openAttempts([WorkerProcess])
  case claim([FreeSlots])
  /// Which chunks to divide for slots that a claim left free, but for those that were asked.
  case split([FreeSlots], asked: [AttemptKey])
  /// For slots that a claim left free. `most` attempts of the farm may be speculative, none beside those spared.
  case speculate([FreeSlots], most: Int, sparing: [AttemptKey])
  /// These attempts won.
  case learn([AttemptKey])
  case commit([Completion])
  case fail([FailedAttempt])
  case expire
  /// Which of these jobs have been over for so long.
  case over(worker: String, epoch: String, jobs: [String], endedFor: Duration)
  /// Which fonts unfinished jobs need.
  case wantedFonts
  case review([ExpiredAttempt])
  /// Goes on with a job whose end or retry has not come to all of its tasks.
  case follow
  case keepHistory
  /// Takes what happened, for the log.
  case news
  /// Makes what was committed so far survive a crash of the ledger.
  case flush
}

extension LedgerRequest {
  /// The same in two requests; nil when it is about one thing. Who finds a group refused finds out so whom it was refused for.
  var halves: [LedgerRequest]? {
    func split<Element>(_ all: [Element], _ request: ([Element]) -> LedgerRequest) -> [LedgerRequest]? {
      all.count < 2 ? nil : [request(Array(all.prefix(all.count / 2))), request(Array(all.dropFirst(all.count / 2)))]
    }
    return switch self {
    case .register(let all): split(all, Self.register)
    case .heartbeat(let all): split(all, Self.heartbeat)
    case .retire(let all): split(all, Self.retire)
    case .lose(let all): split(all, Self.lose)
    case .openAttempts(let all): split(all, Self.openAttempts)
    case .commit(let all): split(all, Self.commit)
    case .fail(let all): split(all, Self.fail)
    case .learn(let all): split(all, Self.learn)
    case .lead, .resign, .claim, .split, .speculate, .expire, .follow, .over, .wantedFonts, .review, .keepHistory, .news, .flush:
      nil
    }
  }
}

/// What the ledger did, once it is committed.
package enum LedgerAnswer: Hashable, Sendable {
  case stood(Leadership)
  case resigned
  case registered([WorkerHello])
  case heard([HeardWorker])
  case retired([WorkerProcess])
  case open([WorkerProcess], [ClaimedAttempt])
  case claimed([ClaimedAttempt])
  case splits([Split])
  case speculated([ClaimedAttempt])
  case learned
  case committed([Completion], Committed)
  /// The verdicts in the order of the failures.
  case failed([FailedAttempt], [FailVerdict])
  case expired([ExpiredAttempt])
  case over(worker: String, epoch: String, [OverJob])
  /// By their tags.
  case wantedFonts([String])
  /// Of the reviewed attempts, those that are open no longer.
  case closed([ExpiredAttempt])
  /// Nil when there was none.
  case followed(FollowedTasks?)
  case keptHistory
  /// In the order in which it happened.
  case news([News])
  case flushed
}

/// What became of tasks that followed their job.
package enum FollowedTasks: Hashable, Sendable {
  /// The job ended early.
  case cancelled
  /// It was retried.
  case readied
}
