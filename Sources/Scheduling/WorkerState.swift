package import Messages

/// A worker's decisions: what it runs, what it says and repeats, when it kills and when it ends.
///
/// Pure, like `Dispatcher`: the shell hands in what happened and performs what comes out. Attempts go on whatever becomes of
/// the coordinator; a result is repeated until the coordinator says that it is settled.
package struct WorkerState: Sendable {
  package enum Event: Hashable, Sendable {
    case received(CoordinatorMessage)
    /// A line of an attempt's process.
    case reported(AttemptKey, AttemptReport)
    /// An attempt's process is gone, or never was; all it wrote was handed in.
    case ended(AttemptKey, AttemptEnd)
    /// The process that swept the store is gone, and the jobs that it found there.
    case swept([String])
    /// The process that looked for fonts is gone, and those that it found, by their tags.
    case found([String])
    /// SIGTERM or SIGINT: the first lets running attempts finish, the second kills them.
    case interrupted
    /// Time to do what is due.
    case turn
  }

  package enum Action: Hashable, Sendable {
    case send(WorkerMessage)
    /// Leave the coordinator for the one at that endpoint: what the former says is not heard any more.
    case connect(endpoint: Int)
    case start(AttemptOrder)
    /// Append that to the attempt's order.
    case amend(AttemptKey, OrderAmendment)
    /// SIGTERM to it: `ended` follows, or `kill`.
    case stop(AttemptKey)
    /// SIGKILL to the attempt's process group; `ended` follows.
    case kill(AttemptKey)
    /// Start a process that sweeps the store; `swept` follows.
    case sweep(SweepOrder)
    /// SIGKILL to it.
    case endSweep
    /// Start a process that looks for fonts; `found` follows.
    case seek(FontOrder)
    /// SIGKILL to it.
    case endSearch
    case note(Note)
    /// Nothing is left to do.
    case leave(Departure)
  }

  package enum Departure: Hashable, Sendable {
    case drained
    /// The coordinator does not want this worker, for good.
    case refused(String)
  }

  /// How long things take, or may take.
  package struct Pace: Hashable, Sendable {
    /// Between two hellos, and between two reports of the same result; and how long an endpoint has to answer the first one.
    package var repeating = Duration.seconds(1)
    /// The shortest time between two hellos, however often the coordinator asks.
    package var shortestRepeat = Duration.milliseconds(100)
    /// Until the only coordinator is connected to anew: ZeroMQ gives up for good where a key is refused, which may be allowed later.
    package var refused = Duration.seconds(3)
    /// Until the next hello when there is no connection: as often as ZeroMQ tries to connect.
    package var connecting = Duration.milliseconds(50)
    /// A coordinator that has not answered for so many heartbeats is left for the next one.
    package var unansweredHeartbeats = 4
    /// An attempt that does not advance for so long is killed; nil: what its order says, and `margin` longer.
    package var stall: Duration?
    /// The coordinator ends it first, if it is there.
    package var margin = Duration.seconds(30)
    /// Where its order says nothing.
    package var usualStall = Duration.seconds(120)
    /// How long an attempt that was told to stop may take: a user's compositor may have frames to drain.
    package var drain = Duration.seconds(2)
    /// How long a worker that stops waits for its results to be settled.
    package var farewell = Duration.seconds(10)
    /// How long the store may take to be swept: what is left then is there the next time.
    package var longestSweep = Duration.seconds(300)
    /// How long fonts may be looked for: the ones that were not found by then are looked for when they are asked for again.
    package var longestSearch = Duration.seconds(60)

    package init(stall: Duration? = nil) { self.stall = stall }

    func stall(of order: AttemptOrder) -> Duration { stall ?? order.patience.map { .seconds($0) + margin } ?? usualStall }
  }

  package let name: String
  package let epoch: String
  let host: String
  let processID: Int32
  let slots: Int
  let lanes: Int
  let endpointCount: Int
  let capabilities: Capabilities
  let outputRoots: [String]?
  let pace: Pace

  enum Link: Hashable, Sendable {
    /// Not known to the coordinator, or no longer; `welcome` moves on, `notLeading` or silence turns away.
    case greeting(helloDue: Duration)
    /// At an endpoint that does not lead; greets the next one when it is due.
    case turnedAway(due: Duration)
    /// Known; `whoAreYou` moves back, `notLeading` or silence turns away.
    case welcomed(interval: Duration, heartbeatDue: Duration)
  }

  struct Running: Hashable, Sendable {
    var progress: AttemptProgress
    var kind: TaskKind
    var place: String
    /// The user's compositor that the newest frames need.
    var compositor: String?
    var advanced: Duration
    /// It is killed when it does not advance for so long.
    var stall: Duration
    /// What was appended to its order.
    var amendments = 0
    /// What the process reported, believed once it ended well.
    var report: Report?
    /// Why we killed it.
    var doom: Doom?
  }

  enum Report: Hashable, Sendable {
    case finished(Proof)
    case failed(Failure)
  }
  enum Doom: Hashable, Sendable {
    /// Told to stop; killed at the deadline, unless it was.
    case cancelled(killDue: Duration?)
    case stalled
  }

  enum Mode: Hashable, Sendable {
    case serving
    /// Takes no more; leaves when all is done and settled, or at the deadline once nothing runs.
    case draining(deadline: Duration?)
  }

  var link = Link.greeting(helloDue: .zero)
  /// Of the coordinator that it talks to: an index into the worker's list.
  var endpoint = 0
  /// Endpoints that turned it away in a row.
  var refusals = 0
  /// When the coordinator answered last, or the connection to it was begun.
  var answered = Duration.zero
  var mode = Mode.serving
  var running: [AttemptKey: Running] = [:]
  /// Orders that came while a cancelled attempt's process still held its slot.
  var queue: [AttemptOrder] = []
  /// Ends that the coordinator has not settled, each with the time it was told last.
  var unsettled: [AttemptKey: (report: Report, told: Duration)] = [:]
  /// The last attempts that ended here, oldest first: an order that comes late or twice is not performed again.
  var past: [AttemptKey] = []
  var lastHello = Duration.seconds(-1)
  /// While the store is being swept.
  var sweep: Sweep?
  /// The fonts that the coordinator asked for last, by their tags, and those of them that are here.
  var wantedFonts: [String] = []
  var fonts: Set<String> = []
  /// While fonts are being looked for.
  var search: Search?

  static let longestPast = 1024
  /// Lines that amend an order while its attempt runs: the leader asks for less.
  static let mostAmendments = 64

  /// - Parameter endpoints: how many coordinators may be asked for work; it begins with the first.
  /// - Precondition: `name` and `epoch` are names (`WorkerHello.isName`).
  package init(
    name: String, epoch: String, host: String, processID: Int32, slots: Int, lanes: Int = 0,
    capabilities: Capabilities = Capabilities(), outputRoots: [String]? = nil, endpoints: Int = 1, pace: Pace = Pace()
  ) {
    precondition(WorkerHello.isName(name) && WorkerHello.isName(epoch) && endpoints > 0)
    (self.name, self.epoch, self.host, self.processID) = (name, epoch, host, processID)
    (self.slots, self.lanes, self.capabilities, self.outputRoots) = (slots, lanes, capabilities, outputRoots)
    (endpointCount, self.pace) = (endpoints, pace)
  }

  package mutating func handle(_ event: Event, now: Duration) -> [Action] {
    switch event {
    case .received(let message): receive(message, now)
    case .reported(let key, let report): take(report, of: key, now)
    case .ended(let key, let end): conclude(key, end, now)
    case .swept(let jobs): concludeSweep(jobs)
    case .found(let tags): concludeSearch(tags, now)
    case .interrupted: interrupt(now)
    case .turn: turn(now)
    }
  }

  /// When the next `turn` is due at the latest.
  package var turnDue: Duration {
    var due =
      switch link {
      case .greeting(let helloDue): helloDue
      case .turnedAway(let turnDue): turnDue
      case .welcomed(_, let heartbeatDue): heartbeatDue
      }
    for attempt in running.values {
      switch attempt.doom {
      case nil: due = min(due, attempt.advanced + attempt.stall)
      case .cancelled(let killDue?): due = min(due, killDue)
      case .cancelled, .stalled: break
      }
    }
    if case .welcomed = link { for result in unsettled.values { due = min(due, result.told + pace.repeating) } }
    if case .draining(let deadline?) = mode { due = min(due, deadline) }
    return due
  }

  private mutating func turn(_ now: Duration) -> [Action] {
    var actions: [Action] = []
    for (key, attempt) in running.sorted(by: { $0.key < $1.key }) {
      switch attempt.doom {
      case nil where now - attempt.advanced >= attempt.stall:
        running[key]?.doom = .stalled
        actions += [.kill(key), .note(Note("stalled", ["attempt": "\(key)"]))]
      case .cancelled(let killDue?) where now >= killDue:
        running[key]?.doom = .cancelled(killDue: nil)
        actions.append(.kill(key))
      case nil, .cancelled, .stalled: break
      }
    }
    actions += endSweep(now) + endSearch(now)
    switch link {
    case .greeting(let helloDue):
      if now >= helloDue {
        let isSilent = now - answered >= (endpointCount > 1 ? pace.repeating : pace.refused)
        actions += isSilent ? connectToNext(now) : hello(now)
      }
    case .turnedAway(let due): if now >= due { actions += connectToNext(now) }
    case .welcomed(let interval, let heartbeatDue):
      if now - answered >= interval * pace.unansweredHeartbeats {
        actions +=
          [.note(Note("leaves_coordinator", ["silent_seconds": "\((now - answered).components.seconds)"]))] + connectToNext(now)
      } else if now >= heartbeatDue {
        link = .welcomed(interval: interval, heartbeatDue: now + interval)
        actions.append(.send(.heartbeat(worker: name, epoch: epoch, running: listed)))
      }
      for key in unsettled.keys.sorted() { actions += tell(key, now, ifToldBy: now - pace.repeating) }
    }
    return actions + departure(now)
  }

  /// Notes that what was just said could not be sent: a greeting is due again soon, so that a coordinator is joined as soon as it
  /// is there.
  package mutating func notConnected(now: Duration) {
    if case .greeting(let helloDue) = link { link = .greeting(helloDue: min(helloDue, now + pace.connecting)) }
  }

  private mutating func connectToNext(_ now: Duration) -> [Action] {
    endpoint = (endpoint + 1) % endpointCount
    (answered, link) = (now, .greeting(helloDue: now))
    return [.connect(endpoint: endpoint)] + hello(now)
  }

  mutating func hello(_ now: Duration) -> [Action] {
    lastHello = now
    if case .greeting = link { link = .greeting(helloDue: now + pace.repeating) }
    let hello = WorkerHello(
      worker: name, epoch: epoch, host: host, processID: processID, slots: mode == .serving ? slots : 0,
      lanes: mode == .serving ? lanes : 0, capabilities: capabilitiesWithFonts, outputRoots: outputRoots, running: listed)
    return [.send(.hello(hello))]
  }

  private var listed: [AttemptProgress] { running.sorted { $0.key < $1.key }.map(\.value.progress) }

  /// Tells a result again, if the last time is not after `limit`.
  mutating func tell(_ key: AttemptKey, _ now: Duration, ifToldBy limit: Duration? = nil) -> [Action] {
    guard case .welcomed = link, let result = unsettled[key], result.told <= limit ?? now else { return [] }
    unsettled[key]?.told = now
    return switch result.report {
    case .finished(let proof): [.send(.finished(worker: name, epoch: epoch, key, proof))]
    case .failed(let failure): [.send(.failed(worker: name, epoch: epoch, key, failure))]
    }
  }

  private mutating func interrupt(_ now: Duration) -> [Action] {
    guard mode == .serving else { return farewell() }
    mode = .draining(deadline: nil)
    for order in queue { unsettled[order.key] = (.failed(Failure(.transient, at: "worker \(name)", "stops")), .zero) }
    let tellings = queue.flatMap { tell($0.key, now) }
    queue = []
    return [.note(Note("draining", ["running": "\(running.count)"]))] + tellings + hello(now) + departure(now)
  }

  mutating func departure(_ now: Duration) -> [Action] {
    guard case .draining(let deadline) = mode, running.isEmpty else { return [] }
    if unsettled.isEmpty || deadline.map({ now >= $0 }) == true { return farewell() }
    if deadline == nil { mode = .draining(deadline: now + pace.farewell) }
    return []
  }

  /// Gives what still runs to others.
  private func farewell() -> [Action] {
    running.keys.sorted().map(Action.kill) + [.send(.goodbye(worker: name, epoch: epoch)), .leave(.drained)]
  }
}

extension AttemptKey: Comparable {
  package static func < (a: AttemptKey, b: AttemptKey) -> Bool { (a.task, a.attempt) < (b.task, b.attempt) }
}
