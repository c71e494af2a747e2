internal import Glibc
package import Ledger
internal import Linux
internal import Messages
package import Scheduling
package import Subprocess
package import ZeroMQ

/// A coordinator: it takes workers' messages, asks the ledger, and sends what the ledger has committed.
///
/// A thin shell around `Dispatcher`. It must stay on the thread that made it. It keeps no state that matters: it may be killed
/// and started again at any time, and goes on from the ledger and from what the workers say.
package final class Coordinator {
  /// The most messages handled between two rounds of requests, so that a flood of messages cannot keep the farm from its work. It is two of each
  /// worker where these are more: a round may take a second, in which each says something. What is not read waits in memory.
  private var mostMessages: Int { max(1000, 2 * dispatcher.memberCount) }
  /// The most messages of one worker in a turn: four times what a worker with 64 slots says in a second. Further ones are
  /// dropped.
  private static let mostMessagesOfWorker = 256
  /// The most messages read in a turn, including dropped ones. Reading them takes some hundredths of a second.
  private static let mostMessagesReadPerTurn = 20_000
  private static let mostBytesReadPerTurn = 64 << 20
  /// The shortest time between two turns. In a farm of thousands, some worker says something several times in each millisecond.
  /// Waking for each message would cost more than reading it, and rounds are further apart anyway.
  private static let shortestTurn = Duration.milliseconds(5)

  private let ledger: any Ledger
  private let context: Context
  private let socket: Socket
  private let monitor: ConnectionMonitor
  private var connections = Connections()
  private let access: AccessControl?
  private var refusedKeys = RefusedKeys()
  private var orders = OrderWriter()
  private let signals: SignalDescriptor
  private let log: (Note) -> Void
  private let tell: ([HealthFact]) -> Void
  private let started = ContinuousClock.now
  private var dispatcher: Dispatcher
  /// The time at which the last turn began to read.
  private var turned = Duration.zero

  /// Binds the endpoints.
  ///
  /// - Parameters:
  ///   - ledger: the ledger, used by this thread alone. While it is unavailable, workers go on with what they run.
  ///   - log: is called with each line of the log; the default writes to standard error.
  ///   - tell: is called after each turn with what then holds of the coordinator.
  package init(
    _ options: CoordinatorOptions, ledger: any Ledger, log: @escaping (String) -> Void = writeLog,
    tell: @escaping ([HealthFact]) -> Void = { _ in }
  ) throws(CoordinatorError) {
    (self.ledger, self.tell) = (ledger, tell)
    self.log = { log($0.description) }
    var timing = Dispatcher.Timing()
    timing.heartbeat = .milliseconds(options.heartbeatMilliseconds)
    if !options.speculates { timing.speculating = nil }
    if !options.splits { timing.splitting = nil }
    let epoch = String(UInt64.random(in: .min ... .max), radix: 36)
    dispatcher = Dispatcher(Candidate(name: options.name, epoch: epoch), timing: timing)
    // Signals are blocked before ZeroMQ starts its threads. A signal that reached a thread which had not blocked it yet would
    // kill the process.
    do { signals = try SignalDescriptor([SIGTERM, SIGINT]) } catch { throw .system(error) }
    do {
      context = try Context()
      var socketOptions = SocketOptions()
      // A coordinator that stops has time to tell its workers to ask another one.
      socketOptions.lingerMilliseconds = 500
      if let keys = options.keys {
        let access = try AccessControl(AllowList(path: keys.allowListFile), in: context)
        socketOptions.security = .server(try CurveKeyPair(secretKeyFile: keys.secretKeyFile), access)
        self.access = access
      } else {
        access = nil
      }
      socket = try Socket(.router, in: context, socketOptions)
      monitor = try ConnectionMonitor(of: socket, in: context, onlyEnds: true)
      let ownDescriptors = Result { () throws(ZeroMQError) in try OwnDescriptors() }
      for endpoint in options.endpoints { try socket.bind(endpoint) }
      do { try ownDescriptors.get().separate() } catch { self.log(Note("descriptors_shared", ["reason": "\(error)"])) }
    } catch { throw .network(error) }
  }

  /// The endpoint that was bound last; a wildcard port is replaced by the port that the system chose.
  package var endpoint: String {
    get throws(CoordinatorError) { do { return try socket.lastEndpoint } catch { throw .network(error) } }
  }

  /// Runs until SIGTERM or SIGINT arrives. Then it gives up the lead, so that another coordinator leads at once. Workers and
  /// their attempts go on meanwhile.
  package func run() throws(CoordinatorError) {
    log(Note("coordinator", ["endpoint": try endpoint, "curve": access == nil ? "off" : "on"]))
    while true {
      do {
        if try signals.next() != nil { break }
      } catch { throw .system(error) }
      do { try takeTurn() } catch { throw .network(error) }
      tell(dispatcher.health)
    }
    do { try decide(.stopping) } catch { throw .network(error) }
    log(Note("stopped"))
  }

  private var now: Duration { started.duration(to: .now) }

  private func takeTurn() throws(ZeroMQError) {
    gather()
    try waitForEvents()
    turned = now
    try answerHandshakes()
    refreshAccess()
    try takeMessages()
    for route in connections.ended(try monitor.ended()) { try decide(.disconnected(route: route)) }
    try takeNotifications()
    try decide(.turn)
  }

  /// Lets messages gather for a few milliseconds, but not beyond the dispatcher's next turn. The first message after a pause is
  /// read at once.
  private func gather() {
    let wait = min(turned + Self.shortestTurn, dispatcher.turnDue) - now
    if wait > .zero { usleep(UInt32(wait / .microseconds(1))) }
  }

  private func answerHandshakes() throws(ZeroMQError) {
    guard let access else { return }
    for refusal in try access.answer() {
      let note = refusedKeys.refused(refusal.key?.description, from: refusal.address, now: now)
      if let note { log(note) }
    }
    if let note = refusedKeys.turn(now: now) { log(note) }
  }

  /// Takes all waiting messages, because the socket queues any number. Of each worker only as many are handled as a healthy
  /// worker sends.
  private func takeMessages() throws(ZeroMQError) {
    var (heard, taken, bytes) = ([[UInt8]: Int](), 0, 0)
    for _ in 0..<Self.mostMessagesReadPerTurn {
      guard taken < mostMessages, bytes < Self.mostBytesReadPerTurn, let message = try socket.receive() else { break }
      bytes += message.frames.reduce(0) { $0 + $1.count }
      let route = message.frames.first ?? []
      heard[route, default: 0] += 1
      // A dropped message is like one lost on the way: workers repeat everything that matters.
      guard heard[route, default: 0] <= Self.mostMessagesOfWorker else { continue }
      taken += 1
      for event in read(message) { try decide(event) }
    }
  }

  private func waitForEvents() throws(ZeroMQError) {
    var items = [PollItem.socket(socket), .socket(monitor.socket), .descriptor(signals.number)]
    if let access { items.append(.socket(access.socket)) }
    if let descriptor = ledger.notificationDescriptor { items.append(.descriptor(descriptor)) }
    _ = try poll(items, timeout: dispatcher.turnDue - now)
  }

  /// The message as events, after the end of a connection that it reveals, if any.
  private func read(_ message: Socket.Received) -> [Dispatcher.Event] {
    guard let name = message.frames.first else { return [] }
    let route = String(decoding: name, as: UTF8.self)
    guard access?.allows(message.user) ?? true else { return [.lockedOut(route: route)] }
    let ended = connections.heard(route, by: message.connection).map { [Dispatcher.Event.disconnected(route: $0)] } ?? []
    return ended + [word(message, from: route)]
  }

  private func word(_ message: Socket.Received, from route: String) -> Dispatcher.Event {
    do {
      let received = try Wire.decode(WorkerMessage.self, from: Array(message.frames.dropFirst()))
      let worker = received.sender.worker
      guard access?.allows(message.user, as: worker) ?? true else { return .misnamed(worker: worker, route: route) }
      return .received(received, route: route)
    } catch {
      return .unreadable(error, route: route)
    }
  }

  private func refreshAccess() {
    do {
      if try access?.refresh() == true {
        refusedKeys.listChanged()
        log(Note("allow_list_changed"))
      }
    } catch {
      // The old keys stay in force: a file that is just being written must not lock the farm out.
      log(Note("allow_list_unreadable", ["reason": "\(error)"]))
    }
  }

  private func takeNotifications() throws(ZeroMQError) {
    // Without a connection, the dispatcher decides when the next one is tried.
    guard ledger.notificationDescriptor != nil else { return }
    let event: Dispatcher.Event
    do {
      guard let news = try ledger.takeNotifications() else { return }
      event = .notified(news)
    } catch {
      event = .unanswered(.lead(dispatcher.candidate), reason: "\(error)")
    }
    try decide(event)
  }

  /// Hands in an event and the answers that follow from it, until nothing more follows. An answer's messages leave only after the
  /// ledger has committed.
  private func decide(_ event: Dispatcher.Event) throws(ZeroMQError) {
    var events: ArraySlice = [event]
    while let event = events.popFirst() {
      for action in dispatcher.handle(event, now: now) {
        switch action {
        case .ask(let request): events.append(ask(request))
        case .send(let message, let route): try send(message, to: route)
        case .note(let note): log(note)
        }
      }
    }
  }

  private func ask(_ request: LedgerRequest) -> Dispatcher.Event {
    do {
      return .answered(try ledger.perform(request, term: dispatcher.term))
    } catch .unavailable(let reason) {
      return .unanswered(request, reason: reason)
    } catch .deposed {
      return .deposed(request)
    } catch {
      return .refused(request, reason: "\(error)")
    }
  }

  private func send(_ message: CoordinatorMessage, to route: String) throws(ZeroMQError) {
    let frames: [[UInt8]]
    do {
      frames =
        switch message {
        case .heard: try Wire.heard.get()
        case .settled(let key): Wire.settled(key)
        case .assign(let order): try orders.write(order)
        default: try Wire.encode(message)
        }
    } catch {
      log(Note("unsendable", ["route": route, "reason": "\(error)"]))
      if case .assign(let order) = message { try decide(.unsendable(order, route: route, error)) }
      return
    }
    // A message that the socket does not take is lost. The ledger is asked again for attempts that a worker does not list.
    _ = try socket.send([Array(route.utf8)] + frames)
  }
}

/// The error that keeps a coordinator from starting, or ends it.
package enum CoordinatorError: Error, Hashable, Sendable, CustomStringConvertible {
  case network(ZeroMQError)
  case system(SubprocessError)

  package var description: String {
    switch self {
    case .network(let error): "\(error)"
    case .system(let error): "\(error)"
    }
  }
}
