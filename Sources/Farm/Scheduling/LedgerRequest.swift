package import Messages

/// The dispatcher's requests to the ledger. Each is one transaction, in the dispatcher's term.
package enum LedgerRequest: Hashable, Sendable {
  case lead(Candidate)
  case resign(Candidate)
  /// Registers workers. A list has at most one entry for each worker, here and in the following requests.
  case register([WorkerHello])
  case heartbeat([Heartbeat])
  case retire([WorkerProcess])
  /// Ends the attempts of workers whose connections are gone or whose keys are not allowed any more.
  case lose([WorkerProcess])
  case openAttempts([WorkerProcess])
  case claim([FreeSlots])
  /// Asks which chunks to divide for slots that a claim left free. Attempts in `asked` are left out.
  case split([FreeSlots], asked: [AttemptKey])
  /// Opens second attempts on slots that a claim left free. At most `most` attempts of the farm may be second ones, and none is
  /// opened beside those in `sparing`.
  case speculate([FreeSlots], most: Int, sparing: [AttemptKey])
  /// Learns paces from these attempts, which won.
  case learn([AttemptKey])
  case commit([Completion])
  case fail([FailedAttempt])
  /// Keeps what attempts wrote.
  case keep([LoggedAttempt])
  case expire
  /// Asks which of these jobs ended at least `endedFor` ago.
  case over(worker: String, epoch: String, jobs: [String], endedFor: Duration)
  /// Asks which fonts unfinished jobs need.
  case wantedFonts
  case review([ExpiredAttempt])
  /// Goes on with a job whose end or retry has not reached all of its tasks.
  case follow
  case keepHistory
  /// Counts what each slot does.
  case countSlots
  /// Takes what happened out of the ledger, for the log.
  case news
  /// Makes all commits so far survive a crash of the ledger.
  case flush
}

extension LedgerRequest {
  /// The same request in two halves; nil when it has one item or cannot be divided. Halving a refused group leads to the item
  /// that was refused.
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
    case .keep(let all): split(all, Self.keep)
    case .lead, .resign, .claim, .split, .speculate, .expire, .follow, .over, .wantedFonts, .review, .keepHistory, .countSlots,
      .news, .flush:
      nil
    }
  }
}

/// The ledger's answer, after its commit.
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
  /// The failures and their verdicts, in the same order.
  case failed([FailedAttempt], [FailVerdict])
  case kept
  case expired([ExpiredAttempt])
  case over(worker: String, epoch: String, [OverJob])
  /// The tags of the fonts.
  case wantedFonts([String])
  /// The reviewed attempts that are not open any more.
  case closed([ExpiredAttempt])
  /// The tasks that followed a job; nil when there were none.
  case followed(FollowedTasks?)
  case keptHistory
  case countedSlots
  /// The events in the order in which they happened.
  case news([News])
  case flushed
}

/// The change that tasks took over from their job.
package enum FollowedTasks: Hashable, Sendable {
  /// The job ended early, so its tasks were cancelled.
  case cancelled
  /// The job was retried, so its tasks are ready again.
  case readied
}
