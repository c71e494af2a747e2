internal import Glibc
internal import Linux
internal import Messages
internal import PlainText
package import Scheduling
package import Subprocess
package import ZeroMQ

/// A worker: it keeps the coordinator informed, runs one process for each attempt, and stops when it is asked to.
///
/// A thin shell around `WorkerState`, on one thread. `run` must be called on the thread that made the worker, and that thread
/// must live as long, because attempts die with the thread that started them.
package final class Worker {
  private let options: WorkerOptions
  private let context: Context
  private let socketOptions: SocketOptions
  private var socket: Socket
  private var monitor: ConnectionMonitor
  /// The endpoint that the socket connects to.
  private var endpoint: String
  private var silence: Silence
  private let signals: SignalDescriptor
  private let log: (Note) -> Void
  private let tell: ([HealthFact]) -> Void
  private let started = ContinuousClock.now
  private var state: WorkerState
  private var attempts: [AttemptKey: AttemptProcess] = [:]
  /// The processes that wait for an order, the oldest first.
  private var waiting: [WaitingAttempt] = []
  /// The number of processes that wait for an order.
  private var mostWaiting: Int
  private var sweep: Errand?
  private var search: Errand?
  /// The processes that join movies while they are rendered.
  private var joiners: [Errand] = []
  /// The processes that look for segments, by their jobs.
  private var recallers: [String: Recaller] = [:]
  /// Groups of ended attempts, of this worker or an earlier one, that some process is still leaving.
  private var leftGroups: [AttemptGroup]

  /// Makes a worker and begins to connect.
  ///
  /// - Parameters:
  ///   - log: is called with each line of the worker's log; the default writes to standard error.
  ///   - tell: is called after each turn with what then holds of the worker.
  /// - Throws: when a key cannot be read, or when the first endpoint has no valid form. Whether a coordinator answers is seen
  /// later.
  package init(
    _ options: WorkerOptions, log: @escaping (String) -> Void = writeLog, tell: @escaping ([HealthFact]) -> Void = { _ in }
  ) throws(WorkerError) {
    guard WorkerHello.isName(options.name), 1...WorkerHello.mostSlots ~= options.slots, !options.endpoints.isEmpty else {
      throw .notAWorker(options.name)
    }
    (self.options, self.tell, mostWaiting) = (options, tell, options.waitingAttempts)
    self.log = { log($0.description) }
    leftGroups = options.attemptGroups?.leftGroups() ?? []
    let epoch = String(UInt64.random(in: .min ... .max), radix: 36)
    state = WorkerState(
      name: options.name, epoch: epoch, host: hostName().plain, processID: getpid(), slots: options.slots,
      lanes: WorkerHello.usualLanes, ahead: options.recaller == nil ? nil : WorkerHello.usualAhead,
      capabilities: options.capabilities, outputRoots: options.outputRoots,
      endpoints: options.endpoints.count,
      timing: WorkerState.Timing(
        stall: options.stallSeconds.map { .seconds($0) }, notice: options.noticeSeconds.map { .seconds($0) }))
    // Signals are blocked before ZeroMQ starts its threads. A signal that reached a thread which had not blocked it yet would
    // kill the process.
    do { signals = try SignalDescriptor([SIGTERM, SIGINT]) } catch { throw .system(error) }
    do {
      context = try Context()
      socketOptions = try Self.socketOptions(options, epoch)
      endpoint = options.endpoints[0]
      socket = try Socket(.dealer, in: context, socketOptions)
      monitor = try ConnectionMonitor(of: socket, in: context)
      try socket.connect(endpoint)
    } catch { throw .network(error) }
    silence = Silence(hasKeys: options.keys != nil)
    silence.tries(endpoint)
  }

  private static func socketOptions(_ options: WorkerOptions, _ epoch: String) throws(ZeroMQError) -> SocketOptions {
    var result = SocketOptions()
    result.routingID = Array("\(options.name)/\(epoch)".utf8)
    result.longestMessage = Int64(CoordinatorMessage.byteLimit)
    // A worker that stops has time to send its goodbye.
    result.lingerMilliseconds = 500
    if let keys = options.keys {
      result.security = .client(
        try CurveKeyPair(secretKeyFile: keys.secretKeyFile), server: try CurveKey(checking: keys.coordinatorKey))
    }
    return result
  }

  /// Runs until it was told to stop and has finished what it runs, or until the coordinator refuses it.
  ///
  /// SIGTERM or SIGINT lets running attempts finish; a second one kills them.
  package func run() throws(WorkerError) {
    log(
      Note(
        "worker",
        [
          "name": state.name, "epoch": state.epoch, "slots": "\(options.slots)",
          "coordinator": options.endpoints.joined(separator: " "),
        ]))
    log(
      Note(
        "containment",
        [
          "attempts_without": options.containment.isEmpty ? "nothing" : options.containment.joined(separator: ","),
          "memory_mib": options.attemptMemoryBytes.map { "\($0 >> 20)" } ?? "unlimited",
          "memory_by": options.attemptGroups == nil ? "address_space" : "cgroup",
          "cgroup": options.attemptGroups?.root.path ?? "none: \(options.whyNoGroups)",
          "open_files": "\(options.attemptOpenFiles)",
          "file_mib": "\(options.attemptFileBytes >> 20)", "stall_seconds": options.stallSeconds.map { "\($0)" } ?? "as ordered",
        ]))
    if !options.missingContainment.isEmpty {
      log(
        Note(
          "warning", ["attempts_may_reach": options.missingContainment.joined(separator: ","), "reason": options.whyNotContained])
      )
    }
    var departure: WorkerState.Departure?
    while departure == nil {
      do { try waitForEvents(atMost: min(state.turnDue, silence.turnDue) - now) } catch { throw .network(error) }
      for event in try events() + [.turn] {
        for action in state.handle(event, now: now) { try perform(action, &departure) }
      }
      silence.turn(now: now).forEach(log)
      tell(state.health)
      letAttemptsWait()
    }
    if case .refused(let reason) = departure { throw .refused(reason) }
  }

  private var now: Duration { started.duration(to: .now) }

  private func waitForEvents(atMost wait: Duration) throws(ZeroMQError) {
    let items = [PollItem.socket(socket), .socket(monitor.socket), .descriptor(signals.number)]
    let errands = [sweep, search].compactMap(\.self) + joiners
    let descriptors =
      attempts.values.flatMap(\.descriptors) + errands.flatMap(\.descriptors) + recallers.values.flatMap(\.descriptors)
    _ = try poll(items + descriptors.map(PollItem.descriptor), timeout: wait)
  }

  /// All events since the last call.
  private func events() throws(WorkerError) -> [WorkerState.Event] {
    var events: [WorkerState.Event] = []
    leftGroups.removeAll { $0.remove() }
    do {
      while try signals.next() != nil { events.append(.interrupted) }
      for (key, attempt) in attempts {
        // The end is asked for first, so that the following reads take everything that was written.
        let end = try attempt.end()
        for report in try attempt.reports(log) { events.append(.reported(key, report)) }
        guard let end else {
          if state.wantsLog(of: key, byteCount: attempt.writtenBytes, now: now), let log = attempt.log {
            events.append(.printing(key, log))
          }
          continue
        }
        attempts[key] = nil
        if let log = attempt.log { events.append(.printed(key, log)) }
        events.append(.ended(key, attempt.explained(end)))
        // The group is removed only after the end was explained, because the kernel's counters go with it.
        leftGroups += [attempt.leftover()].compactMap(\.self)
      }
      events += try recalled()
      if let jobs = try sweep?.found(log) {
        sweep = nil
        events.append(.swept(jobs))
      }
      if let tags = try search?.found(log) {
        search = nil
        events.append(.found(tags))
      }
      var left: [Errand] = []
      for joiner in joiners where try joiner.found(log) == nil { left.append(joiner) }
      joiners = left
    } catch { throw .system(error) }
    do {
      // Observations of the connection come first, because they happened before what was said over it.
      for event in try monitor.events() { if let sight = Silence.Sight(event) { silence.saw(sight, at: endpoint) } }
      // The bound keeps a flood of messages from delaying the attempts.
      for _ in 0..<256 {
        guard let message = try socket.receive() else { break }
        do {
          let message = try Wire.decode(CoordinatorMessage.self, from: message.frames)
          hear(message)
          events.append(.received(message))
        } catch {
          log(Note("unreadable", ["reason": "\(error)"]))
        }
      }
    } catch { throw .network(error) }
    return events
  }

  private func hear(_ message: CoordinatorMessage) {
    switch message {
    case .notLeading: silence.saw(.notLeading, at: endpoint)
    // A coordinator that asks who this is has not let the worker in yet.
    case .whoAreYou, .refused: break
    case .welcome, .heard, .assign, .settled, .cancel, .shorten, .sweep, .over, .seek:
      if let note = silence.answered(by: endpoint, now: now) { log(note) }
    }
  }

  private func perform(_ action: WorkerState.Action, _ departure: inout WorkerState.Departure?) throws(WorkerError) {
    switch action {
    case .send(let message): try send(message)
    case .connect(let endpoint): try connect(options.endpoints[endpoint])
    case .start(let order): try start(order, &departure)
    case .recall(let order): try recall(order, &departure)
    case .endRecall(let job): recallers[job]?.kill()
    case .amend(let key, let amendment): amend(key, amendment)
    case .stop(let key): attempts[key]?.stop()
    case .kill(let key): attempts[key]?.kill()
    case .keep(let key, let job, let proof): options.keep(key, job, proof)
    case .join(let order): join(order)
    case .sweep(let order): try start(order, &departure)
    case .endSweep: sweep?.kill()
    case .seek(let order): try start(order, &departure)
    case .endSearch: search?.kill()
    case .note(let note): log(note)
    case .leave(let reason): departure = reason
    }
  }

  /// Amends an attempt's order. If that fails, the attempt goes on as it was ordered.
  private func amend(_ key: AttemptKey, _ amendment: OrderAmendment) {
    do { try attempts[key]?.amend(amendment) } catch { log(Note("not_amended", ["attempt": "\(key)", "reason": "\(error)"])) }
  }

  /// Connects to another coordinator by a new socket. Messages of the former one are not read, and its connection is closed.
  private func connect(_ endpoint: String) throws(WorkerError) {
    do {
      let socket = try Socket(.dealer, in: context, socketOptions)
      monitor = try ConnectionMonitor(of: socket, in: context)
      (self.socket, self.endpoint) = (socket, endpoint)
      try socket.connect(endpoint)
    } catch { throw .network(error) }
    silence.tries(endpoint)
  }

  private func send(_ message: WorkerMessage) throws(WorkerError) {
    let frames: [[UInt8]]
    do {
      frames = try Wire.encode(message)
    } catch {
      log(Note("unsendable", ["reason": "\(error)"]))
      return
    }
    do {
      // A message that the socket does not take is lost. Everything that matters is repeated.
      if try !socket.send(frames) { state.notConnected(now: now) }
    } catch { throw .network(error) }
  }

  private func start(_ order: AttemptOrder, _ departure: inout WorkerState.Departure?) throws(WorkerError) {
    do {
      let ready = order.needsCourier || waiting.isEmpty ? nil : waiting.removeFirst()
      attempts[order.key] = try AttemptProcess(order, options, ready)
    } catch {
      let end = AttemptEnd.notStarted(reason: "\(error)")
      for action in state.handle(.ended(order.key, end), now: now) { try perform(action, &departure) }
    }
  }
}

extension Worker {
  /// Asks the process of the order's job for a segment. Where there is none, and none can be started, the segment counts as not found.
  private func recall(_ order: AttemptOrder, _ departure: inout WorkerState.Departure?) throws(WorkerError) {
    do {
      if let recaller = try recaller(for: order), try recaller.ask(order) { return }
    } catch {
      log(Note("recall_failed", ["job": order.job, "reason": "\(error)"]))
    }
    for action in state.handle(.recalled(order.key, nil), now: now) { try perform(action, &departure) }
  }

  /// Starts the processes that wait for orders. Where one cannot be started, attempts begin without them from then on.
  private func letAttemptsWait() {
    do {
      while waiting.count < mostWaiting { waiting.append(try WaitingAttempt(options)) }
    } catch {
      mostWaiting = 0
      log(Note("none_waits", ["reason": "\(error)"]))
    }
  }

  private func recaller(for order: AttemptOrder) throws -> Recaller? {
    if let recaller = recallers[order.job] { return recaller }
    guard let program = options.recaller else { return nil }
    if recallers.count >= Recaller.most {
      let idle = recallers.filter(\.value.isIdle).min { $0.value.lastAsked < $1.value.lastAsked }
      guard let idle else { return nil }
      // The process ends with its last reference.
      recallers[idle.key] = nil
    }
    let limits = ResourceLimits(
      openFiles: options.attemptOpenFiles + (options.handsMedia ? order.spec.facts.count : 0),
      fileBytes: options.attemptFileBytes, addressSpace: options.attemptMemoryBytes.map { max($0, 4 << 30) })
    let recaller = try Recaller(order, program, limits: limits)
    recallers[order.job] = recaller
    return recaller
  }

  /// The segments that were found, or not, since the last call.
  private func recalled() throws(SubprocessError) -> [WorkerState.Event] {
    var events: [WorkerState.Event] = []
    for (job, recaller) in recallers {
      let (answers, hasEnded) = try recaller.answers(log)
      events += answers.map { .recalled($0.key, $0.proof) }
      if hasEnded || recaller.isForgotten { recallers[job] = nil }
    }
    return events
  }

  /// The most movies that are joined at once while they are rendered.
  private static let mostJoiners = 8

  /// Starts to join a movie. Where that fails, it is joined once all its segments are there.
  private func join(_ order: AttemptOrder) {
    guard let joiner = options.joiner, joiners.count < Self.mostJoiners else { return }
    do {
      let limits = ResourceLimits(
        fileBytes: options.attemptFileBytes, addressSpace: options.attemptMemoryBytes.map { max($0, 4 << 30) })
      joiners.append(try Errand("join_failed", order.line(), joiner, mostLines: 0, limits: limits))
    } catch {
      log(Note("join_failed", ["reason": "\(error)"]))
    }
  }

  private func start(_ order: SweepOrder, _ departure: inout WorkerState.Departure?) throws(WorkerError) {
    do {
      sweep = try Errand("sweep_failed", order.line(), options.sweeper, mostLines: OverJob.mostAtOnce)
    } catch {
      log(Note("sweep_failed", ["reason": "\(error)"]))
      for action in state.handle(.swept([]), now: now) { try perform(action, &departure) }
    }
  }

  private func start(_ order: FontOrder, _ departure: inout WorkerState.Departure?) throws(WorkerError) {
    do {
      search = try Errand("font_search_failed", order.line(), options.fontFinder, mostLines: FontTag.mostAtOnce)
    } catch {
      log(Note("font_search_failed", ["reason": "\(error)"]))
      for action in state.handle(.found([]), now: now) { try perform(action, &departure) }
    }
  }
}

extension Silence.Sight {
  /// The observation for an event; nil when it does not tell why nobody answers.
  fileprivate init?(_ event: ConnectionMonitor.Event) {
    switch event {
    case .connected: self = .connected
    case .retried: self = .refused
    case .letIn: self = .letIn
    case .keyRefused(let status): self = .keyRefused(status: status)
    case .misunderstood(let code): self = .misunderstood(code: code)
    // Any other code means that an answer did not come in time.
    case .brokenOff(let code): self = [EPIPE, ECONNRESET].contains(code) ? .brokenOff(code: code) : .connected
    case .ended: return nil
    }
  }
}

private func hostName() -> String {
  var name = [CChar](repeating: 0, count: 256)
  guard unsafe gethostname(&name, name.count - 1) == 0 else { return "unknown" }
  return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}

/// The error that keeps a worker from starting, or ends it.
package enum WorkerError: Error, Hashable, Sendable, CustomStringConvertible {
  case notAWorker(String)
  case network(ZeroMQError)
  case system(SubprocessError)
  /// The coordinator refused the worker for good.
  case refused(String)

  package var description: String {
    switch self {
    case .notAWorker(let name):
      "worker '\(name)': a name has 1 to \(WorkerHello.longestName) printable characters without spaces, and 1 to \(WorkerHello.mostSlots) slots"
    case .network(let error): "\(error)"
    case .system(let error): "\(error)"
    case .refused(let reason): "refused by the coordinator: \(reason)"
    }
  }
}
