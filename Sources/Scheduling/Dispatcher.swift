package import Messages

/// The coordinator's decisions: which workers there are, what each was given, what to ask of the ledger and what to send.
///
/// Pure: the shell hands in what happened and performs what comes out, in order; a ledger's answer comes back as the next event, and
/// until then nothing else is asked.
/// Nothing here is needed to survive: a new dispatcher learns the workers from their messages and their attempts from the
/// ledger. Any message may be lost, late or doubled, and any event may be the last before a crash.
package struct Dispatcher: Sendable {
  package enum Event: Hashable, Sendable {
    /// `route` is the sender's ZeroMQ routing id.
    case received(WorkerMessage, route: String)
    case unreadable(WireError, route: String)
    /// The sender's key is not allowed, or no longer.
    case lockedOut(route: String)
    /// The sender's connection ended. A hint: it may have another one.
    case disconnected(route: String)
    /// The sender's key is not for a worker of the name that it gives.
    case misnamed(worker: String, route: String)
    case answered(LedgerAnswer)
    /// The ledger could not be reached, so whether the request was performed is not known.
    case unanswered(LedgerRequest, reason: String)
    /// The ledger refused the request: a bug, or data of another version.
    case refused(LedgerRequest, reason: String)
    /// The order cannot be sent, to nobody.
    case unsendable(AttemptOrder, route: String, WireError)
    /// The ledger refused the request, because another coordinator leads.
    case deposed(LedgerRequest)
    /// The ledger told of a change by others.
    case notified(LedgerNews)
    /// All that had arrived was handed in: time for a round of requests.
    case turn
    /// The coordinator ends.
    case stopping
  }

  package enum Action: Hashable, Sendable {
    case ask(LedgerRequest)
    case send(CoordinatorMessage, route: String)
    case note(Note)
  }

  /// How long things take, or may take.
  package struct Pace: Hashable, Sendable {
    package var heartbeat = Duration.seconds(1)
    /// A worker that was not heard for so long gets nothing new. So long is waited for workers after a time in which none could be heard.
    package var silence = Duration.seconds(5)
    /// A worker whose connection ended and that is not heard for so long is lost. One that lives says something every second.
    package var reconnecting = Duration.milliseconds(1500)
    /// A worker that was not heard for so long is forgotten; the ledger ended its attempts long before.
    package var forgetting = Duration.seconds(60)
    /// An attempt that its worker does not list for so long after it was sent is asked for in the ledger, and sent again.
    package var resending = Duration.seconds(3)
    /// How often the lead is renewed or asked for, and the ledger is asked for attempts to end and for work that nobody told of.
    package var polling = Duration.seconds(1)
    /// The shortest time between two questions for the lead, however often the ledger tells of changes.
    package var shortestPoll = Duration.milliseconds(100)
    /// How often room is made for the history to come, and what is too old dropped.
    package var historyKeeping = Duration.seconds(3600)
    /// The shortest time from one round of requests to the next: what comes meanwhile is asked for together. A round costs some statements
    /// however little it is about, and what is first after a pause does not wait.
    package var gatheringRounds = Duration.milliseconds(25)
    /// How long heartbeats are gathered, to be noted together.
    package var gathering = Duration.milliseconds(100)
    /// The first and the longest wait for a ledger that cannot be reached.
    package var firstRetry = Duration.milliseconds(100)
    package var longestRetry = Duration.seconds(2)
    /// How often slots that nothing is ready for are used for attempts beside slow ones, and how many slots of the farm there are for
    /// each that may be used so; nil: never.
    package var speculating: Duration? = .seconds(1)
    package var slotsPerSpeculation = 10
    /// How often such slots are used for the rests of chunks that are dear, which are divided for it; nil: never.
    package var splitting: Duration? = .seconds(1)
    /// How long a process that was asked to leave the rest of its chunk may take to promise it, and how often it is asked in vain.
    package var promising = Duration.seconds(5)
    package var mostWishes = 3
    /// How often paces are learned from results.
    package var learning = Duration.seconds(1)
    /// How often the store is looked through for what nobody needs.
    package var sweeping = Duration.seconds(60)
    /// How long the files of a job that ended are left alone: its last attempts may be being killed.
    package var lingering = Duration.seconds(5)
    /// How often a worker is asked for fonts that it did not have: some may have been installed, or the question was lost.
    package var seeking = Duration.seconds(15)

    package init() {}
  }

  /// A worker that said hello and was registered.
  struct Member: Sendable {
    enum Standing: Hashable, Sendable {
      /// The ledger went away, or the lead changed: what was written last may be lost. A new hello registers the worker again.
      case unsure
      /// What it holds is looked up, and then it is known.
      case registered
      /// Given work.
      case known
    }

    var standing = Standing.registered
    var epoch: String
    var slots: Int
    var lanes = 0
    /// The same for workers that have the same, and may write movies to the same places.
    var kind = 0
    var heard: Duration
    /// When its connection ended, if it was not heard since.
    var disconnected: Duration?
    /// The fonts that it has, by their tags, and those that it was asked for last, and when.
    var fonts: Set<String> = []
    var askedFonts: Set<String> = []
    var askedForFonts: Duration?
    /// What it was given and has not ended, each with the time it was sent or last listed by the worker.
    var given: [AttemptKey: Duration] = [:]
    /// Those of them that are light.
    var light: Set<AttemptKey> = []
    /// Epochs that this one replaced, newest last: their messages are late, or of a second process of the same name.
    var formerEpochs: [String] = []

    static let mostFormerEpochs = 8

    /// How many it may hold. One that stops has no slots, but ends what it runs.
    var mostAttempts: Int { max(slots + lanes, given.count) }

    var freeLanes: Int { max(0, lanes - light.count) }
    /// Light attempts that find no lane take slots.
    var freeSlots: Int { slots - (given.count - light.count) - max(0, light.count - lanes) }

    mutating func forget(_ key: AttemptKey) -> Bool {
      light.remove(key)
      return given.removeValue(forKey: key) != nil
    }
  }

  /// What an attempt's process was asked for.
  struct Wish: Sendable {
    var told: Duration
    /// In vain so far.
    var times: Int
  }

  /// Workers known at once; the next one is not let in.
  static let mostMembers = 10_000

  let pace: Pace
  package internal(set) var candidate: Candidate
  /// In which this coordinator leads; nil while it follows. The ledger decides with each write whether it is still so.
  package internal(set) var term: Int?
  /// Whom it followed last, for the log.
  var followed: String?
  /// When the ledger said last that it leads.
  var renewed = Duration.zero
  var members: [String: Member] = [:]
  var waiting = Waiting()
  /// What follows from results that a crash of the ledger might still undo.
  var untold: [Action] = []
  /// The steps that are left of the round.
  var round: ArraySlice<Step> = []
  /// When the next round may begin.
  private var roundDue = Duration.zero
  /// Whether the last claim left slots for which nothing is ready.
  var hasSpareSlots = false
  var speculationDue = Duration.zero
  var splitDue = Duration.zero
  /// Attempts that were asked to leave the rest of their chunks to others.
  var wishes: [AttemptKey: Wish] = [:]
  var learningDue = Duration.zero
  /// The workers that were offered last for their lanes alone, by their kind.
  var lastForLanes: [Int: String] = [:]
  /// Whether something may have become ready, or a slot free, since the last claim.
  var mayClaim = true
  var pollDue = Duration.zero
  var polled = Duration.zero
  var heartbeatsDue = Duration.zero
  /// When the next worker is asked what is in the store, and who was asked last.
  var sweepDue: Duration
  var lastSweeper = ""
  /// The fonts that unfinished jobs need, by their tags, and when the ledger is asked for them again.
  var wantedFonts: [String] = []
  var seekDue = Duration.zero
  var historyDue = Duration.zero
  /// From when on attempts may be overdue; nil until the lead is answered after a time in which no worker could be heard.
  var overdueSince: Duration?
  private(set) var outage: (retryDue: Duration, wait: Duration)?

  package init(_ candidate: Candidate, pace: Pace = Pace()) {
    (self.candidate, self.pace) = (candidate, pace)
    sweepDue = pace.sweeping
  }

  /// When the next `turn` is due at the latest.
  package var turnDue: Duration {
    if let outage { return outage.retryDue }
    guard term != nil else { return pollDue }
    if !round.isEmpty { return .zero }
    if mayClaim || waiting.isUrgent { return min(pollDue, roundDue) }
    return waiting.heartbeats.isEmpty ? pollDue : min(pollDue, max(heartbeatsDue, roundDue))
  }

  package mutating func handle(_ event: Event, now: Duration) -> [Action] {
    switch event {
    case .received(let message, let route): return receive(message, route, now)
    case .unreadable(let error, let route):
      let note = Action.note(Note("unreadable", ["route": route, "reason": error.description]))
      guard case .otherVersion = error else { return [note] }
      return [note, .send(.refused(reason: "the coordinator \(error.description)"), route: route)]
    case .lockedOut(let route): return lockOut(route)
    case .disconnected(let route):
      disconnect(route, now)
      return []
    case .misnamed(let worker, let route): return refuseName(worker, route)
    case .answered(let answer):
      return recover() + settle(answer, now) + proceed(now)
    case .unanswered(let request, let reason): return lose(request, reason, now)
    case .refused(let request, let reason): return refuse(request, reason, now)
    case .unsendable(let order, let route, let error):
      guard let process = member(at: route) else { return [] }
      fail(order.key, process, Failure(.content, at: "job \(order.job)", "the order cannot be sent: \(error)"))
      return []
    case .deposed(let request):
      return [loseLead("another coordinator leads, as \(request.word) was told", now)] + stepDown(now)
    case .notified(.submissions):
      (mayClaim, seekDue) = (true, now)
      return []
    case .notified(.changes):
      seekDue = min(seekDue, now)
      review()
      return []
    case .turn:
      if round.isEmpty, now >= roundDue { (round, roundDue) = (Step.allCases[...], now + pace.gatheringRounds) }
      return proceed(now)
    case .stopping: return term == nil ? [] : [.ask(.resign(candidate))] + stepDown(now)
    }
  }

  /// Nothing is asked until then: whoever has something to say repeats it.
  var isLedgerAway: Bool { outage != nil }

  /// Others changed jobs, and may have ended some: the attempts of those are killed at once.
  private mutating func review() {
    mayClaim = true
    // The leader may have resigned.
    if term == nil { pollDue = min(pollDue, polled + pace.shortestPoll) }
    guard term != nil, !isLedgerAway else { return }
    (waiting.mustReview, waiting.mustFollow, waiting.mustTell) = (true, true, true)
  }

  private mutating func recover() -> [Action] {
    guard outage != nil else { return [] }
    outage = nil
    return [.note(Note("ledger_back"))]
  }

  private mutating func lose(_ request: LedgerRequest, _ reason: String, _ now: Duration) -> [Action] {
    let wait = outage.map { min($0.wait * 2, pace.longestRetry) } ?? pace.firstRetry
    let isNew = outage == nil
    outage = (now + wait, wait)
    // A claim may have been committed and its answer lost: attempts would be open that nobody was told of. And a database that crashed
    // forgot the registrations of its last moments.
    doubtAll()
    return isNew ? [.note(Note("ledger_away", ["request": request.word, "reason": reason]))] : []
  }

  /// Of a group its halves are asked for. What is refused alone comes again by itself: with the worker's next message, or the next poll.
  private mutating func refuse(_ request: LedgerRequest, _ reason: String, _ now: Duration) -> [Action] {
    let note = Action.note(Note("ledger_refused", ["request": request.word, "reason": reason]))
    // It is there, but leads nobody: as long as a server that was restored takes no writes.
    guard !isLedgerAway else { return [note] + lose(request, reason, now) }
    if let halves = request.halves {
      waiting.halves += halves
      return proceed(now)
    }
    switch request {
    // What it opened stays open where only what followed its commit was refused.
    case .claim(let free), .speculate(let free, _, _):
      waiting.lookups.formUnion(free.map { WorkerProcess(worker: $0.worker, epoch: $0.epoch) })
    default: break
    }
    return [note] + proceed(now)
  }

  /// What workers hold may have changed without this dispatcher's knowledge.
  mutating func doubtAll() {
    for name in members.keys { members[name]?.standing = .unsure }
    (waiting, round, untold, overdueSince) = (Waiting(), [], [], nil)
    mayClaim = true
  }
}
