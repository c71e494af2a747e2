package import Messages

/// The coordinator's decisions: which workers there are, what each was given, what to ask the ledger, and what to send.
///
/// Pure. The caller hands in each event and performs the returned actions in order. A ledger's answer comes back as an event;
/// until then no other request is made. No state needs to survive a crash: a new dispatcher learns the workers from their
/// messages, and their attempts from the ledger. Any message may be lost, late or doubled, and a crash may follow any event.
package struct Dispatcher: Sendable {
  package enum Event: Hashable, Sendable {
    /// A worker's message. `route` is the sender's ZeroMQ routing id.
    case received(WorkerMessage, route: String)
    case unreadable(WireError, route: String)
    /// The sender's key is not allowed, or not any more.
    case lockedOut(route: String)
    /// The sender's connection ended. This is a hint only: the sender may have another connection.
    case disconnected(route: String)
    /// The sender's key does not belong to a worker of the name in its message.
    case misnamed(worker: String, route: String)
    case answered(LedgerAnswer)
    /// The ledger could not be reached. Whether it performed the request is not known.
    case unanswered(LedgerRequest, reason: String)
    /// The ledger refused the request: there is a bug, or the data come from another version.
    case refused(LedgerRequest, reason: String)
    /// The order cannot be encoded as a message, whoever the receiver is.
    case unsendable(AttemptOrder, route: String, WireError)
    /// The ledger refused the request because another coordinator leads.
    case deposed(LedgerRequest)
    /// The ledger told that others changed something.
    case notified(LedgerNews)
    /// Everything that had arrived was handed in; the next round of requests may begin.
    case turn
    /// The coordinator is about to end.
    case stopping
  }

  package enum Action: Hashable, Sendable {
    case ask(LedgerRequest)
    case send(CoordinatorMessage, route: String)
    case note(Note)
  }

  /// The intervals and time limits of a coordinator.
  package struct Timing: Hashable, Sendable {
    package var heartbeat = Duration.seconds(1)
    /// A worker that was silent for so long gets no new work. Attempts also get this long to be heard of after a time in which no
    /// worker could be heard.
    package var silence = Duration.seconds(5)
    /// A worker is lost when its connection has ended and it stays silent for so long. A worker that lives says something every
    /// second.
    package var reconnecting = Duration.milliseconds(1500)
    /// A worker that was silent for so long is forgotten. The ledger has ended its attempts long before.
    package var forgetting = Duration.seconds(60)
    /// After this time, an attempt that its worker does not list is looked up in the ledger and sent again.
    package var resending = Duration.seconds(3)
    /// The interval at which the lead is renewed or asked for. At the same interval the leader ends overdue attempts, and looks
    /// for work that no notification told of.
    package var polling = Duration.seconds(1)
    /// The shortest time between two requests for the lead, however often the ledger reports changes.
    package var shortestPoll = Duration.milliseconds(100)
    /// The interval at which the ledger prepares space for future history and drops what is too old.
    package var historyKeeping = Duration.seconds(3600)
    /// The pause between two rounds. Everything that comes meanwhile shares a round, because each round costs some statements even
    /// when little is to do, and the ledger serves others meanwhile. The first event after a longer pause does not wait, nor does a
    /// full group of results.
    package var gatheringRounds = Duration.milliseconds(35)
    /// The pause where `Dispatcher.goodBatch` results wait. Then the round's own cost is a small part, but the ledger still serves
    /// others.
    package var shortestPause = Duration.milliseconds(15)
    /// The shortest time between two notings of heartbeats. Those that come meanwhile are noted together.
    package var gathering = Duration.milliseconds(100)
    /// The heartbeats that are noted in a second, and the time within which that of each worker is noted. A farm that is too large for both has more
    /// noted in a second. A worker leaves a coordinator that answered none of its last four heartbeats.
    package var notedHeartbeats = 2000.0
    package var notingWithin = Duration.milliseconds(2500)
    /// The first and the longest pause before a ledger that cannot be reached is tried again.
    package var firstRetry = Duration.milliseconds(100)
    package var longestRetry = Duration.seconds(2)
    /// The interval at which free slots without ready tasks are used for second attempts beside slow ones; nil: never. The farm
    /// may use one in `slotsPerSpeculation` of its slots so.
    package var speculating: Duration? = .seconds(1)
    package var slotsPerSpeculation = 10
    /// The interval at which such free slots are used for the rests of expensive chunks, which are divided; nil: never.
    package var splitting: Duration? = .seconds(1)
    /// How long a process may take to promise that it leaves the rest of its chunk, and how often it is asked at most.
    package var promising = Duration.seconds(5)
    package var mostWishes = 3
    /// The interval at which paces are learned from results.
    package var learning = Duration.seconds(1)
    /// The interval at which the ledger counts what the slots do.
    package var countingSlots = Duration.seconds(5)
    /// The interval at which a worker is asked to sweep the store.
    package var sweeping = Duration.seconds(60)
    /// How long the files of an ended job are left alone. Its last attempts may not be dead yet.
    package var lingering = Duration.seconds(5)
    /// The interval at which a worker is asked again for fonts that it lacked. Fonts may have been installed, or the question may
    /// have been lost.
    package var seeking = Duration.seconds(15)
    /// The time between two questions to the ledger for the fonts that jobs need, after a while without any. It doubles with each question
    /// up to the second of these, however many jobs are submitted meanwhile.
    package var firstSeek = Duration.milliseconds(20)
    package var lastSeek = Duration.milliseconds(500)

    package init() {}
  }

  /// A worker that said hello and was registered.
  struct Member: Sendable {
    enum Standing: Hashable, Sendable {
      /// The ledger went away or the lead changed, so the last writes may be lost. The worker's next hello registers it again.
      case unsure
      /// The worker is registered, and its attempts are being looked up. It becomes `known` after that.
      case registered
      /// The worker's attempts are known, and it is given work.
      case known
    }

    var standing = Standing.registered
    var epoch: String
    var slots: Int
    var lanes = 0
    /// A hash that is equal for workers with the same capabilities and the same output roots.
    var kind = 0
    var heard: Duration
    /// The time at which the worker's connection ended; nil if it was heard since.
    var disconnected: Duration?
    /// The worker's fonts by their tags, those that it was asked for last, and the time of that question.
    var fonts: Set<String> = []
    var askedFonts: Set<String> = []
    var askedForFonts: Duration?
    /// The attempts that the worker was given and that have not ended, each with the time at which it was sent or last listed by
    /// the worker.
    var given: [AttemptKey: Duration] = [:]
    /// The light attempts among `given`.
    var light: Set<AttemptKey> = []
    /// The time at which it was last given an attempt; zero where it was given none.
    var lastGiven = Duration.zero
    /// The run of segments that the worker finds in the store.
    var findings = Findings()
    /// The epochs that this one replaced, newest last. Their messages are late, or come from a second process of the same name.
    var formerEpochs: [String] = []

    static let mostFormerEpochs = 8

    /// The most attempts that the worker may hold. A worker that stops has no slots but still finishes its attempts.
    var mostAttempts: Int { max(slots + lanes, given.count) }

    var freeLanes: Int { max(0, lanes - light.count) }
    /// Free slots; negative when the worker holds more than its slots. Light attempts without a lane take slots.
    var freeSlots: Int { slots - (given.count - light.count) - max(0, light.count - lanes) }
    /// Free slots, with the attempts that it may be given ahead of them.
    func freeSlotsAhead(_ now: Duration) -> Int { slots > 0 ? freeSlots + findings.ahead(now) : freeSlots }

    mutating func forget(_ key: AttemptKey) -> Bool {
      light.remove(key)
      return given.removeValue(forKey: key) != nil
    }
  }

  /// A wish that was sent to an attempt's process: to leave the rest of its chunk.
  struct Wish: Sendable {
    var told: Duration
    /// The number of times that the process was asked.
    var times: Int
  }

  /// The most workers that are known at once. Further ones are not let in.
  static let mostMembers = 10_000

  let timing: Timing
  package internal(set) var candidate: Candidate
  /// The term in which this coordinator leads; nil while it follows. The ledger checks it with each write.
  package internal(set) var term: Int?
  /// The name of the coordinator that this one followed last, for the log.
  var followed: String?
  /// The time at which the ledger last confirmed the lead.
  var renewed = Duration.zero
  var members: [String: Member] = [:]
  var waiting = Waiting()
  /// Messages about results that a crash of the ledger could still undo. They are sent after the next flush.
  var untold: [Action] = []
  /// The remaining steps of the current round.
  var round: ArraySlice<Step> = []
  /// Whether a round has begun and not ended.
  var isInRound = false
  /// The time at which the last round ended.
  var roundEnded = Duration.zero
  /// The times at which recurring work is next due.
  var timetable = Timetable()
  /// Whether free slots remained after the last claim, and no task became ready since that needs them.
  var hasSpareSlots = false
  /// Attempts that were asked to leave the rest of their chunks to others.
  var wishes: [AttemptKey: Wish] = [:]
  /// For each kind of worker, the last one that was offered for its lanes alone.
  var lastForLanes: [Int: String] = [:]
  /// Whether a task may have become ready, or a slot free, since the last claim.
  var mayClaim = true
  /// The time at which the lead was last asked for.
  var polled = Duration.zero
  /// The name of the worker that was last asked to look into the store.
  var lastSweeper = ""
  /// The time at which the ledger was last asked which fonts are needed; nil before the first time.
  var askedForFonts: Duration?
  /// The time from that question to the next one at the earliest.
  var seekPause = Duration.zero
  /// The tags of the fonts that unfinished jobs need.
  var wantedFonts: [String] = []
  /// The worker whose heartbeat was noted last; nil before the first.
  var lastNoted: String?
  /// The time from which attempts may be overdue. It is nil from a time in which no worker could be heard until the lead is
  /// answered.
  var overdueSince: Duration?
  private(set) var outage: (retryDue: Duration, wait: Duration)?

  package init(_ candidate: Candidate, timing: Timing = Timing()) {
    (self.candidate, self.timing) = (candidate, timing)
    timetable[.sweep] = timing.sweeping
  }

  /// The number of workers that said hello and were not forgotten.
  package var memberCount: Int { members.count }

  /// The latest time for the next `turn` event.
  package var turnDue: Duration {
    if let outage { return outage.retryDue }
    guard term != nil else { return timetable[.lead] }
    if !round.isEmpty { return .zero }
    if mayClaim || waiting.isUrgent { return timetable.first(of: .lead, .round) }
    let next = waiting.heartbeats.isEmpty ? timetable[.fonts] : timetable.first(of: .fonts, .heartbeats)
    return min(timetable[.lead], max(next, timetable[.round]))
  }

  package mutating func handle(_ event: Event, now: Duration) -> [Action] {
    switch event {
    case .received(let message, let route): return receive(message, route, now)
    case .unreadable(let error, let route):
      let note = Action.note(Note("unreadable", ["route": route, "reason": error.description]))
      guard case .otherVersion = error else { return [note] }
      return [note, .send(.refused(reason: "the worker's message \(error.description)"), route: route)]
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
      fail(
        order.key, of: process, with: Failure(.content, at: "job \(order.job)", "the order cannot be sent: \(error)"), now: now)
      return []
    case .deposed(let request):
      return [loseLead("another coordinator leads, as \(request.word) was told", now)] + stepDown(now)
    case .notified(.submissions):
      mayClaim = true
      askForFontsSoon(now)
      return []
    case .notified(.changes):
      askForFontsSoon(now)
      review()
      return []
    case .turn:
      if round.isEmpty, timetable.isDue(.round, now) { (round, isInRound) = (Step.allCases[...], true) }
      return proceed(now)
    case .stopping: return term == nil ? [] : [.ask(.resign(candidate))] + stepDown(now)
    }
  }

  /// Whether the ledger cannot be reached. Nothing is asked until it is back; workers repeat what they have to say.
  var isLedgerAway: Bool { outage != nil }

  /// Reacts to changes by others. They may have ended jobs, whose attempts are to be killed at once.
  private mutating func review() {
    mayClaim = true
    // The change may be that the leader resigned.
    if term == nil { timetable.hasten(.lead, to: polled + timing.shortestPoll) }
    guard term != nil, !isLedgerAway else { return }
    (waiting.mustReview, waiting.mustFollow, waiting.mustTell) = (true, true, true)
  }

  private mutating func recover() -> [Action] {
    guard outage != nil else { return [] }
    outage = nil
    return [.note(Note("ledger_back"))]
  }

  private mutating func lose(_ request: LedgerRequest, _ reason: String, _ now: Duration) -> [Action] {
    let wait = outage.map { min($0.wait * 2, timing.longestRetry) } ?? timing.firstRetry
    let isNew = outage == nil
    outage = (now + wait, wait)
    // A claim may be committed and its answer lost, so attempts may be open that no worker knows. A database that crashed may
    // have lost the last registrations.
    doubtAll()
    return isNew ? [.note(Note("ledger_away", ["request": request.word, "reason": reason]))] : []
  }

  /// Handles a refused request. A group is asked again in two halves. A single item is dropped; it comes again with the worker's
  /// next message or the next poll.
  private mutating func refuse(_ request: LedgerRequest, _ reason: String, _ now: Duration) -> [Action] {
    let note = Action.note(Note("ledger_refused", ["request": request.word, "reason": reason]))
    // The ledger is there but does not say who leads, as when a restored server takes no writes yet.
    guard !isLedgerAway else { return [note] + lose(request, reason, now) }
    if let halves = request.halves {
      waiting.halves += halves
      return proceed(now)
    }
    switch request {
    // A claim's attempts may be open although something after its commit was refused.
    case .claim(let free), .speculate(let free, _, _):
      waiting.lookups.formUnion(free.map { WorkerProcess(worker: $0.worker, epoch: $0.epoch) })
    default: break
    }
    return [note] + proceed(now)
  }

  /// Marks all members as unsure, because their attempts may have changed without this dispatcher's knowledge, and drops what
  /// waits.
  mutating func doubtAll() {
    for name in members.keys { members[name]?.standing = .unsure }
    (waiting, round, isInRound, untold, overdueSince) = (Waiting(), [], false, [], nil)
    mayClaim = true
  }
}
