package import Messages

/// A worker's decisions: what it runs, what it says and repeats, when it kills attempts and when it ends.
///
/// Pure, like `Dispatcher`: the caller hands in what happened and performs the returned actions. Attempts go on whatever happens
/// to the coordinator. A result is repeated until the coordinator says that it is settled.
package struct WorkerState: Sendable {
  package enum Event: Hashable, Sendable {
    case received(CoordinatorMessage)
    /// A line from an attempt's process.
    case reported(AttemptKey, AttemptReport)
    /// The record of what an attempt's process wrote to its standard error. It comes right before `ended`, if the process wrote anything.
    case printed(AttemptKey, AttemptLog)
    /// The record of what an attempt's process wrote so far. It comes when `wantsLog(of:byteCount:now:)` asks for it.
    case printing(AttemptKey, AttemptLog)
    /// The process that looks for segments has found that of an attempt, or it has not, or is gone.
    case recalled(AttemptKey, Proof?)
    /// An attempt's process is gone or was never started. All that it wrote was handed in before.
    case ended(AttemptKey, AttemptEnd)
    /// The process that swept the store is gone, with the jobs that it found there.
    case swept([String])
    /// The process that looked for fonts is gone, with the tags of the fonts that it found.
    case found([String])
    /// SIGTERM or SIGINT arrived. The first lets running attempts finish; the second kills them.
    case interrupted
    /// Time has passed; what is due is done.
    case turn
  }

  package enum Action: Hashable, Sendable {
    case send(WorkerMessage)
    /// Leave the coordinator for the one at that endpoint. Messages from the former are not handed in any more.
    case connect(endpoint: Int)
    case start(AttemptOrder)
    /// Ask the process that looks for segments of the order's job, which is started if there is none; `recalled` follows.
    case recall(AttemptOrder)
    /// Send SIGKILL to the process that looks for segments of a job; `recalled` follows for each attempt of which it was asked.
    case endRecall(job: String)
    /// Append the amendment to the attempt's order.
    case amend(AttemptKey, OrderAmendment)
    /// Send SIGTERM to the attempt's process. `ended` follows, or else `kill`.
    case stop(AttemptKey)
    /// Send SIGKILL to the attempt's process group; `ended` follows.
    case kill(AttemptKey)
    /// Keep the segment of a finished attempt for later jobs, if its proof has a key, and tell of it whoever joins the movie.
    case keep(AttemptKey, job: String, Proof)
    /// Start a process that joins the movie of an order's job while it is rendered, unless one does. Nothing follows.
    case join(AttemptOrder)
    /// Start a process that sweeps the store; `swept` follows.
    case sweep(SweepOrder)
    /// Send SIGKILL to the process that sweeps.
    case endSweep
    /// Start a process that looks for fonts; `found` follows.
    case seek(FontOrder)
    /// Send SIGKILL to the process that looks for fonts.
    case endSearch
    case note(Note)
    /// End the worker; nothing is left to do.
    case leave(Departure)
  }

  package enum Departure: Hashable, Sendable {
    case drained
    /// The coordinator does not accept this worker, for good.
    case refused(String)
  }

  /// The intervals and time limits of a worker.
  package struct Timing: Hashable, Sendable {
    /// The time between two hellos, and between two reports of the same result. With several endpoints, it is also the time that
    /// each has to answer the first hello.
    package var repeating = Duration.seconds(1)
    /// The shortest time between two hellos, however often the coordinator asks.
    package var shortestRepeat = Duration.milliseconds(100)
    /// The time that a single coordinator has to answer before the worker connects anew. ZeroMQ never tries again after a refused
    /// key, but the key may be allowed later.
    package var refused = Duration.seconds(3)
    /// The time until the next hello while there is no connection. ZeroMQ tries to connect as often.
    package var connecting = Duration.milliseconds(50)
    /// A coordinator that leaves so many heartbeats unanswered is left for the next one.
    package var unansweredHeartbeats = 4
    /// The time without progress after which an attempt is killed. Nil means the patience that its order names plus `margin`.
    package var stall: Duration?
    /// The time that is added to an order's patience, so that the coordinator ends the attempt first if it can.
    package var margin = Duration.seconds(30)
    /// The time without progress for an order that names no patience.
    package var usualStall = Duration.seconds(120)
    /// The time that an attempt may take to stop when it is told to. A user's compositor may have frames to finish.
    package var drain = Duration.seconds(2)
    /// The time that a worker which stops waits for its results to be settled.
    package var farewell = Duration.seconds(10)
    /// The longest time that the process which looks for segments may take for an answer.
    package var longestRecall = Duration.seconds(10)
    /// The longest sweep of the store. What is left then is found the next time.
    package var longestSweep = Duration.seconds(300)
    /// The longest search for fonts. Those that were not found by then are looked for when they are asked for again.
    package var longestSearch = Duration.seconds(60)
    /// The shortest time between two tellings of what a running attempt wrote so far, and between those of different attempts. So a worker
    /// sends 16 KiB a second at most, however much is written.
    package var loggingAttempt = Duration.seconds(10)
    package var logging = Duration.seconds(1)
    /// The time from the first interruption until the machine ends; nil where nobody said. What will not be done by then is left to others.
    package var notice: Duration?

    package init(stall: Duration? = nil, notice: Duration? = nil) { (self.stall, self.notice) = (stall, notice) }

    func stall(of order: AttemptOrder) -> Duration { stall ?? order.patience.map { .seconds($0) + margin } ?? usualStall }
  }

  package let name: String
  package let epoch: String
  let host: String
  let processID: Int32
  let slots: Int
  let lanes: Int
  /// The most attempts that it takes ahead of its slots; nil where it does not look for segments by itself.
  let ahead: Int?
  let endpointCount: Int
  let capabilities: Capabilities
  let outputRoots: [String]?
  let timing: Timing

  enum Link: Hashable, Sendable {
    /// The worker is not known to the coordinator, or not any more. `welcome` leads to `welcomed`; `notLeading` or silence, to
    /// the next endpoint.
    case greeting(helloDue: Duration)
    /// The coordinator at this endpoint does not lead. The worker greets the next one when `due` comes.
    case turnedAway(due: Duration)
    /// The coordinator knows the worker. `whoAreYou` leads back to `greeting`; `notLeading` or silence, to the next endpoint.
    case welcomed(interval: Duration, heartbeatDue: Duration)
  }

  struct Running: Hashable, Sendable {
    var progress: AttemptProgress
    var job: String
    var kind: TaskKind
    /// Whether somebody waits to see or hear what it makes.
    var isAwaited: Bool
    var place: String
    /// The user's compositor that the newest frames need; nil when they need none.
    var compositor: String?
    var advanced: Duration
    /// The time without progress after which the attempt is killed.
    var stall: Duration
    /// The time of the start.
    var began: Duration
    /// The order, while a process looks for its segment; nil once it is carried out. Until then the attempt has no slot and no process of its own.
    var sought: AttemptOrder?
    /// The frames of a chunk that may be divided while it runs; nil for all other work.
    var divisibleFrames: FrameRange?
    /// The time at which its process was asked last to leave the rest of its chunk because the machine ends; nil before.
    var wished: Duration?
    /// The number of amendments that were appended to the order.
    var amendments = 0
    /// The record of what the process wrote to its standard error, once it has ended.
    var log: AttemptLog?
    /// The bytes of which it was told while the process ran, and the time of that; at first, the time of the start.
    var toldBytes = 0
    var toldLog: Duration
    /// The result that the process reported. It counts only if the process then exits well.
    var report: Report?
    /// The reason why the worker stops or killed the attempt; nil when it does not.
    var doom: Doom?
  }

  enum Report: Hashable, Sendable {
    case finished(Proof)
    case failed(Failure)
    /// The attempt's segment is not there, and no slot is free.
    case returned
  }
  enum Doom: Hashable, Sendable {
    /// The attempt was told to stop and is killed at the deadline; nil once it was killed.
    case cancelled(killDue: Duration?)
    case stalled
  }

  enum Mode: Hashable, Sendable {
    case serving
    /// The worker takes no more work. It leaves when all attempts have ended and their results are settled, or at the deadline
    /// once nothing runs.
    case draining(deadline: Duration?)
  }

  var link = Link.greeting(helloDue: .zero)
  /// The endpoint of the current coordinator, as an index into the worker's list.
  var endpoint = 0
  /// The number of endpoints in a row that turned the worker away.
  var refusals = 0
  /// The time at which the coordinator last answered, or at which the connection to it was begun.
  var answered = Duration.zero
  var mode = Mode.serving
  /// The time at which the machine ends; nil where nobody said.
  var endsAt: Duration?
  var running: [AttemptKey: Running] = [:]
  /// The jobs of which this worker found a segment last, and so looks for the next one before it starts a process for it.
  var recalledJobs: Set<String> = []
  /// Orders that came while the process of a cancelled attempt still held its slot.
  var queue: [AttemptOrder] = []
  /// Results that the coordinator has not settled, each with the time at which it was last told.
  var unsettled: [AttemptKey: (report: Report, told: Duration)] = [:]
  /// The record of what unsettled attempts wrote. It is told with each result, so that a coordinator which keeps the result has it before.
  var logs: [AttemptKey: AttemptLog] = [:]
  /// The last attempts that ended here, oldest first. An order for one of them comes late or twice and is not performed again.
  var past: [AttemptKey] = []
  var lastHello = Duration.seconds(-1)
  /// The time at which the log of a running attempt was last told.
  var toldLog = Duration.zero
  /// The running sweep of the store; nil when there is none.
  var sweep: Sweep?
  /// The tags of the fonts that the coordinator asked for last, and of those that were found here.
  var wantedFonts: [String] = []
  var fonts: Set<String> = []
  /// The running search for fonts; nil when there is none.
  var search: Search?

  /// The last jobs whose movies this worker began to join while they are rendered, oldest first.
  var joined: [String] = []

  /// The frame from which on a chunk shows that its movie is long enough to be joined while it is rendered: two minutes of 25 frames a second.
  /// Shorter movies are joined in less time than another process takes to start.
  static let joinedFrom = 3000
  /// The sample from which on a part of a sound shows it: almost six minutes of 48 kHz.
  static let joinedFromSample: Int64 = 1 << 24
  static let longestJoined = 64
  static let longestPast = 1024
  /// The most amendments of an order while its attempt runs. The leading coordinator asks for fewer.
  static let mostAmendments = 64

  /// - Parameter endpoints: the number of coordinators that may be asked for work. The worker begins with the first.
  /// - Precondition: `name` and `epoch` are names (`WorkerHello.isName`).
  package init(
    name: String, epoch: String, host: String, processID: Int32, slots: Int, lanes: Int = 0, ahead: Int? = nil,
    capabilities: Capabilities = Capabilities(), outputRoots: [String]? = nil, endpoints: Int = 1, timing: Timing = Timing()
  ) {
    precondition(WorkerHello.isName(name) && WorkerHello.isName(epoch) && endpoints > 0)
    (self.name, self.epoch, self.host, self.processID) = (name, epoch, host, processID)
    (self.slots, self.lanes, self.capabilities, self.outputRoots) = (slots, lanes, capabilities, outputRoots)
    (endpointCount, self.timing, self.ahead) = (endpoints, timing, ahead)
  }

  package mutating func handle(_ event: Event, now: Duration) -> [Action] {
    switch event {
    case .received(let message): receive(message, now)
    case .reported(let key, let report): take(report, of: key, now)
    case .printed(let key, let log): note(log, of: key)
    case .printing(let key, let log): tell(log, of: key, now)
    case .recalled(let key, let proof): concludeRecall(of: key, proof, now)
    case .ended(let key, let end): conclude(key, end, now)
    case .swept(let jobs): concludeSweep(jobs)
    case .found(let tags): concludeSearch(tags, now)
    case .interrupted: interrupt(now)
    case .turn: turn(now)
    }
  }

  /// The latest time for the next `turn` event.
  package var turnDue: Duration {
    var due =
      switch link {
      case .greeting(let helloDue): helloDue
      case .turnedAway(let turnDue): turnDue
      case .welcomed(_, let heartbeatDue): heartbeatDue
      }
    for attempt in running.values {
      switch attempt.doom {
      case nil: due = min(due, attempt.advanced + (attempt.sought == nil ? attempt.stall : timing.longestRecall))
      case .cancelled(let killDue?): due = min(due, killDue)
      case .cancelled, .stalled: break
      }
    }
    if case .welcomed = link { for result in unsettled.values { due = min(due, result.told + timing.repeating) } }
    if case .draining(let deadline?) = mode { due = min(due, deadline) }
    return due
  }

  private mutating func turn(_ now: Duration) -> [Action] {
    var actions: [Action] = []
    for (key, attempt) in running.sorted(by: { $0.key < $1.key }) {
      switch attempt.doom {
      case nil where attempt.sought != nil: actions += endRecall(of: key, now)
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
        let isSilent = now - answered >= (endpointCount > 1 ? timing.repeating : timing.refused)
        actions += isSilent ? connectToNext(now) : hello(now)
      }
    case .turnedAway(let due): if now >= due { actions += connectToNext(now) }
    case .welcomed(let interval, let heartbeatDue):
      if now - answered >= interval * timing.unansweredHeartbeats {
        actions +=
          [.note(Note("leaves_coordinator", ["silent_seconds": "\((now - answered).components.seconds)"]))] + connectToNext(now)
      } else if now >= heartbeatDue {
        link = .welcomed(interval: interval, heartbeatDue: now + interval)
        actions.append(.send(.heartbeat(worker: name, epoch: epoch, running: listed)))
      }
      for key in unsettled.keys.sorted() { actions += tell(key, now, ifToldBy: now - timing.repeating) }
    }
    return actions + leaveRests(now) + departure(now)
  }

  /// Notes that the last message could not be sent. A greeting is then due again soon, so that the worker joins a coordinator as
  /// soon as it is there.
  package mutating func notConnected(now: Duration) {
    if case .greeting(let helloDue) = link { link = .greeting(helloDue: min(helloDue, now + timing.connecting)) }
  }

  private mutating func connectToNext(_ now: Duration) -> [Action] {
    endpoint = (endpoint + 1) % endpointCount
    (answered, link) = (now, .greeting(helloDue: now))
    return [.connect(endpoint: endpoint)] + hello(now)
  }

  mutating func hello(_ now: Duration) -> [Action] {
    lastHello = now
    if case .greeting = link { link = .greeting(helloDue: now + timing.repeating) }
    var hello = WorkerHello(
      worker: name, epoch: epoch, host: host, processID: processID, slots: mode == .serving ? slots : 0,
      lanes: mode == .serving ? lanes : 0, capabilities: capabilitiesWithFonts, outputRoots: outputRoots, running: listed)
    hello.ahead = mode == .serving ? ahead : nil
    return [.send(.hello(hello))]
  }

  private var listed: [AttemptProgress] { running.sorted { $0.key < $1.key }.map(\.value.progress) }

  /// Tells a result to the coordinator, unless it was told after `limit`.
  mutating func tell(_ key: AttemptKey, _ now: Duration, ifToldBy limit: Duration? = nil) -> [Action] {
    guard case .welcomed = link, let result = unsettled[key], result.told <= limit ?? now else { return [] }
    unsettled[key]?.told = now
    let log = logs[key].map { [Action.send(.logged(worker: name, epoch: epoch, key, $0))] } ?? []
    return switch result.report {
    case .finished(let proof): log + [.send(.finished(worker: name, epoch: epoch, key, proof))]
    case .failed(let failure): log + [.send(.failed(worker: name, epoch: epoch, key, failure))]
    case .returned: [.send(.returned(worker: name, epoch: epoch, key))]
    }
  }

  private mutating func interrupt(_ now: Duration) -> [Action] {
    guard mode == .serving else { return farewell() }
    mode = .draining(deadline: nil)
    endsAt = timing.notice.map { now + $0 }
    for order in queue { unsettled[order.key] = (.failed(Failure(.transient, at: "worker \(name)", "stops")), .zero) }
    let tellings = queue.flatMap { tell($0.key, now) }
    queue = []
    return [.note(Note("draining", ["running": "\(running.count)"]))] + tellings + hello(now) + leaveRests(now) + departure(now)
  }

  mutating func departure(_ now: Duration) -> [Action] {
    guard case .draining(let deadline) = mode, running.isEmpty else { return [] }
    if unsettled.isEmpty || deadline.map({ now >= $0 }) == true { return farewell() }
    if deadline == nil { mode = .draining(deadline: now + timing.farewell) }
    return []
  }

  /// Kills what still runs and says goodbye, so that the attempts go to other workers.
  private func farewell() -> [Action] {
    running.keys.sorted().map(Action.kill) + [.send(.goodbye(worker: name, epoch: epoch)), .leave(.drained)]
  }
}

extension AttemptKey: Comparable {
  package static func < (a: AttemptKey, b: AttemptKey) -> Bool { (a.task, a.attempt) < (b.task, b.attempt) }
}
