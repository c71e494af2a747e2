import Messages
import Scheduling

/// A dispatcher with its actions, without its notes. Its requests are answered by a ledger in which nothing happens, unless a
/// test says otherwise.
struct TurnedDispatcher {
  static let candidate = Candidate(name: "c", epoch: "1")
  static let known = Candidate(name: "c", epoch: "1", isNew: false)

  var dispatcher: Dispatcher
  var now = Duration.zero
  /// The time that the ledger takes for a request.
  var slowness = Duration.zero
  /// All requests, each with the time at which it was made.
  private(set) var asked: [(request: LedgerRequest, time: Duration)] = []

  /// Makes a dispatcher that leads in term 1.
  /// - Parameters:
  ///   - gathering: the shortest time between two rounds.
  ///   - notedHeartbeats: the heartbeats that are noted in a second.
  init(speculates: Bool = false, gathering: Duration = .zero, notedHeartbeats: Double = 2000) {
    var timing = Dispatcher.Timing()
    timing.notedHeartbeats = notedHeartbeats
    timing.gatheringRounds = gathering
    if !speculates { (timing.speculating, timing.splitting) = (nil, nil) }
    dispatcher = Dispatcher(Self.candidate, timing: timing)
    for _ in 0..<2 { _ = turn() }
    asked = []
  }

  mutating func handle(_ event: Dispatcher.Event, after wait: Duration = .zero) -> [Dispatcher.Action] {
    now += wait
    return dispatcher.handle(event, now: now).filter { if case .note = $0 { false } else { true } }
  }

  /// Takes a turn as `turn` does, and returns the lines of the log.
  mutating func log(
    after wait: Duration = .zero, answer: (LedgerRequest) -> Dispatcher.Event? = { _ in nil }
  ) -> [String] {
    now += wait
    var (lines, events) = ([String](), [Dispatcher.Event.turn][...])
    while let next = events.popFirst() {
      for action in dispatcher.handle(next, now: now) {
        switch action {
        case .note(let note): lines.append(note.description)
        case .ask(let request): events.append(answer(request) ?? .answered(Self.calm(request)))
        case .send: break
        }
      }
    }
    return lines
  }

  /// Takes a turn and everything that follows from it.
  /// - Parameter answer: the answer to a request; nil leaves the request to the calm ledger.
  mutating func turn(
    after wait: Duration = .zero, answer: (LedgerRequest) -> Dispatcher.Event? = { _ in nil }
  ) -> [Dispatcher.Action] {
    var (all, event) = ([Dispatcher.Action](), Dispatcher.Event?.some(.turn))
    now += wait
    while let next = event {
      event = nil
      for action in handle(next) {
        // Taking news for the log changes nothing, and the fonts that jobs need are asked for now and then. Both are left out.
        if action != .ask(.news), action != .ask(.wantedFonts) { all.append(action) }
        guard case .ask(let request) = action else { continue }
        if request != .news, request != .wantedFonts { asked.append((request, now)) }
        now += slowness
        event = answer(request) ?? .answered(Self.calm(request))
      }
    }
    return all
  }

  /// Hands in a message, and takes the turn that follows.
  mutating func hear(
    _ message: WorkerMessage, after wait: Duration = .zero, answer: (LedgerRequest) -> Dispatcher.Event? = { _ in nil }
  ) -> [Dispatcher.Action] {
    let route = "\(message.sender.worker)/\(message.sender.epoch)"
    return handle(.received(message, route: route), after: wait) + turn(answer: answer)
  }

  mutating func join(_ worker: String, epoch: String = "1", slots: Int = 2, lanes: Int = 0) -> [Dispatcher.Action] {
    hear(.hello(WorkerHello(worker: worker, epoch: epoch, host: "h", processID: 1, slots: slots, lanes: lanes, running: [])))
  }

  static func calm(_ request: LedgerRequest) -> LedgerAnswer {
    switch request {
    case .lead: .stood(.leads(term: 1))
    case .resign: .resigned
    case .register(let hellos): .registered(hellos)
    case .heartbeat(let beats): .heard(beats.map { HeardWorker(worker: $0.worker, epoch: $0.epoch, closed: []) })
    case .retire(let workers), .lose(let workers): .retired(workers)
    case .openAttempts(let workers): .open(workers, [])
    case .claim: .claimed([])
    case .split: .splits([])
    case .speculate: .speculated([])
    case .learn: .learned
    case .commit(let completions): .committed(completions, Committed(verdicts: completions.map { _ in .won }))
    case .fail(let failures): .failed(failures, failures.map { _ in .retries })
    case .keep: .kept
    case .expire: .expired([])
    case .wantedFonts: .wantedFonts([])
    case .over(let worker, let epoch, _, _): .over(worker: worker, epoch: epoch, [])
    case .review: .closed([])
    case .follow: .followed(nil)
    case .keepHistory: .keptHistory
    case .countSlots: .countedSlots
    case .news: .news([])
    case .flush: .flushed
    }
  }
}

extension [Dispatcher.Action] {
  /// The attempts of which paces are to be learned, for each such request.
  var learned: [[AttemptKey]] { compactMap { if case .ask(.learn(let keys)) = $0 { keys } else { nil } } }
  /// The workers that are offered for tasks, for each claim.
  var claimed: [[String]] { compactMap { if case .ask(.claim(let free)) = $0 { free.map(\.worker) } else { nil } } }
  /// The number of requests for second attempts.
  var speculations: Int { count { if case .ask(.speculate) = $0 { true } else { false } } }
  /// The number of orders that are sent.
  var assignments: Int { count { if case .send(.assign, _) = $0 { true } else { false } } }
}
