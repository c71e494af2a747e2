package import Ledger
internal import Messages
internal import Scheduling

/// A farm on virtual time: two real `Dispatcher`s, of which one leads, real `WorkerState`s, and a ledger. Network, processes and
/// database fail as a seed decides. `FarmWitness` checks everything from outside.
package final class SimulatedFarm {
  package let clock: VirtualClock
  package internal(set) var witness = FarmWitness()

  let ledger: any Ledger & FarmDesk
  let faults: Faults
  var random: SeededRandom
  private var events = EventQueue<Event>()
  private var seats = [Seat(name: "c0"), Seat(name: "c1")]
  var workers: [Host]
  private var isLedgerAway = false
  /// Answers of the ledger that a crash would undo.
  private var unsaved: [(answer: LedgerAnswer, term: Int?, coordinator: String)] = []
  /// How often attempts at each task were made to crash. One more crash would rightly end the job.
  private var crashes: [Int64: Int] = [:]
  var jobs: [String] = []
  /// The attempts that left files in the store, by their jobs.
  var files: [String: Set<AttemptKey>] = [:]
  /// The jobs that have files in the store.
  package var stored: Set<String> { Set(files.keys) }
  /// The fonts on workers' machines, by the workers' names.
  package var fonts: [String: Set<String>] = [:]

  /// - Parameters:
  ///   - ledger: the ledger, on `clock`; all coordinators of the simulation share it, as they would share a database.
  ///   - slots: the slots of each worker.
  ///   - outputRoots: the output roots of all workers; nil means that they write anywhere.
  package init(
    seed: UInt64, clock: VirtualClock, ledger: any Ledger & FarmDesk, slots: [Int], outputRoots: [String]? = nil, faults: Faults
  ) {
    (self.clock, self.ledger, self.faults) = (clock, ledger, faults)
    random = SeededRandom(seed: seed)
    workers = slots.enumerated().map { Host(name: "w\($0.offset)", slots: $0.element, outputRoots: outputRoots) }
    for number in seats.indices { after(.zero, .startCoordinator(number)) }
    for position in workers.indices { after(.milliseconds(position), .startWorker(position)) }
    if faults.interval > .zero { after(faults.interval, .fault) }
  }

  package func submit(_ submission: JobSubmission) throws(LedgerError) {
    jobs.append(try ledger.submit(submission))
    save()
    witness.submitted(submission)
  }

  /// Runs until every job has ended, or until the limit.
  ///
  /// - Parameters:
  ///   - earliest: the time before which it does not end, because a job may be retried.
  ///   - untilSwept: whether it also waits until no job has files in the store.
  /// - Returns: the jobs' last states, in the order of their submission.
  package func run(limit: Duration, earliest: Duration = .seconds(1), untilSwept: Bool = false) throws -> [JobState] {
    var look = earliest
    while let (time, event) = events.next(), time <= limit {
      clock.move(to: time)
      perform(event)
      guard clock.now >= look, !isLedgerAway, !untilSwept || stored.isEmpty else { continue }
      look = clock.now + .seconds(1)
      if try states().allSatisfy({ [.done, .failed, .cancelled].contains($0) }) { break }
    }
    return try states()
  }

  /// Runs until a given time.
  package func run(until end: Duration) {
    while let next = events.nextTime, next <= end, let (time, event) = events.next() {
      clock.move(to: time)
      perform(event)
    }
    clock.move(to: end)
  }

  private func states() throws -> [JobState] { try jobs.compactMap { try ledger.status(job: $0)?.state } }

  func after(_ wait: Duration, _ event: Event) { events.insert(event, at: clock.now + wait) }

  private func perform(_ event: Event) {
    switch event {
    case .toCoordinator(let number, let message, let route): coordinate(number, .received(message, route: route))
    case .toWorker(let position, let message, let route, let number):
      if workers[position].route == route, workers[position].endpoint == number { act(position, .received(message)) }
    case .disconnected(let number, let route): coordinate(number, .disconnected(route: route))
    case .coordinatorTurn(let number):
      if let dispatcher = seats[number].dispatcher, dispatcher.turnDue <= clock.now, seats[number].stoppedUntil <= clock.now {
        coordinate(number, .turn)
      }
    case .workerTurn(let position): if let state = workers[position].state, state.turnDue <= clock.now { act(position, .turn) }
    case .attempt(let position, let route, let event): if workers[position].route == route { act(position, event) }
    case .process(let position, let route, let key, let step):
      if workers[position].route == route { take(step, of: key, on: position) }
    case .sweep(let position, let route, let order): if workers[position].route == route { sweep(order, by: position) }
    case .seek(let position, let route, let found): if workers[position].route == route { act(position, .found(found)) }
    case .cancel(let job):
      // The call fails only when the test has switched the ledger off.
      if (try? ledger.cancel(job: job)) != nil {
        save()
        witness.cancelled(job)
      }
    case .retry(let job):
      steer { ledger in if try ledger.change(job: job, .retry) == true { witness.retried(job) } }
    case .replace(let submission): replace(by: submission)
    case .fault: strike()
    case .startWorker(let position): startWorker(position)
    case .startCoordinator(let number): startCoordinator(number)
    case .goOn(let number):
      proceed(number)
      coordinate(number, .turn)
    case .restoreLedger: isLedgerAway = false
    case .resume(let job): steer { ledger in _ = try ledger.change(job: job, .resume) }
    case .interrupt(let position, let notice): interrupt(position, notice: notice)
    case .takeAway(let position, let route): if workers[position].route == route { takeAway(position) }
    case .undrain(let worker): steer { ledger in _ = try ledger.drain(worker: worker, false) }
    }
  }

  // MARK: The coordinators

  private func startCoordinator(_ number: Int) {
    guard seats[number].dispatcher == nil else { return }
    seats[number].starts += 1
    let (name, epoch) = (seats[number].name, "\(seats[number].starts)")
    seats[number].dispatcher = Dispatcher(Candidate(name: name, epoch: "\(name)/\(epoch)"))
    coordinate(number, .turn)
  }

  private func killCoordinator(_ number: Int, restart: Duration) {
    seats[number] = Seat(name: seats[number].name, starts: seats[number].starts)
    after(restart, .startCoordinator(number))
  }

  private func coordinate(_ number: Int, _ event: Dispatcher.Event) {
    guard seats[number].dispatcher != nil else { return }
    seats[number].events += event == .turn ? [event] : [event, .turn]
    proceed(number)
  }

  /// Works as `Coordinator` does: it hands in answers until none follow, then the turn, and then sends. After a stop it goes on.
  private func proceed(_ number: Int) {
    while clock.now >= seats[number].stoppedUntil, seats[number].dispatcher != nil {
      if let action = seats[number].actions.popFirst() {
        perform(action, by: number)
      } else if let event = seats[number].answers.popFirst() ?? seats[number].events.popFirst() {
        seats[number].actions = ArraySlice(seats[number].dispatcher?.handle(event, now: clock.now) ?? [])
      } else {
        return sendAll(from: number)
      }
    }
  }

  private func perform(_ action: Dispatcher.Action, by number: Int) {
    switch action {
    case .ask(let request):
      if strikes(faults.stop) {
        // The coordinator stops just before it writes. What it writes when it goes on was decided long ago.
        seats[number].actions.insert(action, at: seats[number].actions.startIndex)
        return stop(number)
      }
      // The coordinator is killed after the commit and before everything that should follow.
      guard let answer = ask(request, by: number) else {
        return killCoordinator(number, restart: random.wait(upTo: .seconds(3)))
      }
      seats[number].answers.append(answer)
    case .send(let message, let route): seats[number].outbox.append((message, route))
    case .note: break
    }
  }

  private func stop(_ number: Int) {
    let pause = random.wait(upTo: faults.longestStop)
    seats[number].stoppedUntil = clock.now + pause
    after(pause, .goOn(number))
  }

  private func sendAll(from number: Int) {
    for (message, route) in seats[number].outbox {
      guard let position = workers.firstIndex(where: { $0.name == route.prefix { $0 != "/" } }) else { continue }
      transmit(.toWorker(position, message, route: route, from: number), over: position, number)
    }
    seats[number].outbox = []
    if let due = seats[number].dispatcher?.turnDue { after(max(due - clock.now, .milliseconds(1)), .coordinatorTurn(number)) }
  }

  /// Performs a request.
  ///
  /// - Returns: nil when the coordinator dies before it has the answer.
  private func ask(_ request: LedgerRequest, by number: Int) -> Dispatcher.Event? {
    if isLedgerAway || clock.now < seats[number].cutOffUntil || seats[number].hasLostLedger {
      seats[number].hasLostLedger = false
      return .unanswered(request, reason: "away")
    }
    let term = seats[number].dispatcher?.term
    let isRefused = strikes(request.givesOut ? faults.lookUpRefusal : faults.refusal)
    guard !isRefused || request.opensAttempts && random.chance(0.5) else { return .refused(request, reason: "planted") }
    do {
      let answer = try ledger.perform(request, term: term)
      unsaved.append((answer, term, seats[number].name))
      var isNewTerm = false
      if case .stood(.leads(let new)) = answer { isNewTerm = new != term }
      if request.isDurable || isNewTerm { save() }
      if isRefused { return .refused(request, reason: "planted, after the commit") }
      if strikes(faults.deathAfterCommit) { return nil }
      return strikes(faults.lostAnswer) ? .unanswered(request, reason: "the answer was lost") : .answered(answer)
    } catch .unavailable(let reason) {
      return .unanswered(request, reason: reason)
    } catch .deposed {
      witness.sawDeposed(seats[number].name)
      return .deposed(request)
    } catch {
      return .refused(request, reason: "\(error)")
    }
  }

  // MARK: The workers

  private func startWorker(_ position: Int) {
    workers[position].starts += 1
    workers[position].endpoint = 0
    workers[position].processes = [:]
    let host = workers[position]
    workers[position].state = WorkerState(
      name: host.name, epoch: "\(host.starts)", host: "simulated", processID: 1, slots: host.slots,
      lanes: WorkerHello.usualLanes, ahead: faults.isFound == nil ? nil : faults.ahead, outputRoots: host.outputRoots,
      endpoints: seats.count,
      timing: WorkerState.Timing(stall: .seconds(10), notice: faults.notice))
    act(position, .turn)
  }

  func act(_ position: Int, _ event: WorkerState.Event) {
    for event in event == .turn ? [event] : [event, .turn] {
      guard let actions = workers[position].state?.handle(event, now: clock.now) else { return }
      for action in actions { perform(action, by: position) }
    }
    if let due = workers[position].state?.turnDue { after(max(due - clock.now, .milliseconds(1)), .workerTurn(position)) }
  }

  private func perform(_ action: WorkerState.Action, by position: Int) {
    guard let route = workers[position].route else { return }
    switch action {
    case .send(let message):
      let number = workers[position].endpoint
      transmit(.toCoordinator(number, message, route: route), over: position, number)
    case .connect(let endpoint): workers[position].endpoint = endpoint
    case .start(let order): start(order, on: position, route)
    case .amend(let key, .shorten(let frame)):
      guard let process = workers[position].processes[key] else { return }
      after(process.nextLook(after: clock.now) - clock.now, .process(position, route: route, key, .look(before: frame)))
    case .stop(let key), .kill(let key):
      workers[position].processes[key] = nil
      after(.milliseconds(5), .attempt(position, route: route, .ended(key, .signalled(9, lastWords: ""))))
    case .sweep(let order): after(random.wait(upTo: .seconds(1)), .sweep(position, route: route, order))
    case .seek(let order):
      let found = order.wanted.filter(fonts[workers[position].name, default: []].contains)
      after(random.wait(upTo: .seconds(1)), .seek(position, route: route, found: found))
    case .recall(let order): recall(order, on: position, route)
    case .keep, .join, .endRecall, .endSweep, .endSearch, .note: break
    case .leave:
      workers[position].state = nil
      after(random.wait(upTo: .seconds(5)), .startWorker(position))
    }
  }

  private func start(_ order: AttemptOrder, on position: Int, _ route: String) {
    witness.started(order)
    files[order.job, default: []].insert(order.key)
    if strikes(faults.hang) { return }
    let isFound = faults.isFound?(order) == true
    let usual = isFound ? .milliseconds(100) : faults.length?(order.work) ?? random.wait(upTo: .seconds(4))
    let length = strikes(faults.slowness) ? random.wait(upTo: faults.slowest) : usual
    let crashes = strikes(faults.crash) && self.crashes[order.key.task, default: 0] < RetryPolicy().bugLimit - 1
    if crashes { self.crashes[order.key.task, default: 0] += 1 }
    let process = SimulatedProcess(
      order, now: clock.now, length: length, crashes: crashes, breaksPromises: random.chance(faults.brokenPromises),
      isFound: isFound)
    workers[position].processes[order.key] = process
    let reports = max(5, Int(length / .seconds(1)))
    for number in 1..<reports { after(length * number / reports, .process(position, route: route, order.key, .report)) }
    after(length, .process(position, route: route, order.key, .finish(before: process.end)))
  }

  private func take(_ step: SimulatedProcess.Step, of key: AttemptKey, on position: Int) {
    guard var process = workers[position].processes[key], let route = workers[position].route else { return }
    switch step {
    case .report: act(position, .reported(key, process.progress(at: clock.now)))
    case .look(let frame):
      guard process.shorten(before: frame, now: clock.now) else { return }
      workers[position].processes[key] = process
      witness.promised(key, before: frame)
      act(position, .reported(key, .shortened(before: frame)))
      after(process.endTime - clock.now, .process(position, route: route, key, .finish(before: process.end)))
    case .finish(let frame):
      guard frame == process.end else { return }
      workers[position].processes[key] = nil
      if process.crashes { return act(position, .ended(key, .signalled(11, lastWords: "planted"))) }
      witness.finished(key, process.proof)
      act(position, .reported(key, .finished(process.proof)))
      act(position, .ended(key, .exited(0, lastWords: "")))
    }
  }

  // MARK: What goes wrong

  private func transmit(_ event: Event, over position: Int, _ number: Int) {
    guard clock.now >= workers[position].cutOffUntil[number], !strikes(faults.loss) else { return }
    for _ in 0..<(strikes(faults.duplication) ? 2 : 1) {
      after(strikes(faults.lateness) ? random.wait(upTo: faults.latest) : random.wait(upTo: .milliseconds(2)), event)
    }
  }

  /// Performs an operator's command, which belongs to no coordinator's term.
  private func steer(_ act: (any FarmDesk) throws -> Void) {
    do { try act(ledger) } catch { preconditionFailure("the simulation's ledger is there: \(error)") }
    save()
  }

  func save() {
    (ledger as? any CrashingLedger)?.save()
    for (answer, term, coordinator) in unsaved { witness.saw(answer, term: term, coordinator: coordinator) }
    unsaved = []
  }

  private func crashLedger() {
    guard let ledger = ledger as? any CrashingLedger else { return }
    ledger.crash()
    unsaved = []
    for number in seats.indices { seats[number].hasLostLedger = true }
  }

  /// Lets the worker's coordinator see the end of the connection, in most cases.
  func disconnect(_ position: Int) {
    guard let route = workers[position].route, !strikes(0.2) else { return }
    after(random.wait(upTo: .milliseconds(2)), .disconnected(workers[position].endpoint, route: route))
  }

  private func strikes(_ probability: Double) -> Bool { clock.now < faults.end && random.chance(probability) }

  private func strike() {
    guard clock.now < faults.end else { return }
    after(random.wait(upTo: faults.interval * 2), .fault)
    let position = Int.random(in: workers.indices, using: &random)
    let number = Int.random(in: seats.indices, using: &random)
    switch Int.random(in: 0..<11, using: &random) {
    case 0:
      guard workers[position].state != nil else { return }
      takeAway(position)
    case 1: interrupt(position, notice: faults.notice)
    case 2:
      let end = clock.now + random.wait(upTo: .seconds(30))
      workers[position].cutOffUntil = [end, end]
      disconnect(position)
    case 3: workers[position].cutOffUntil[number] = clock.now + random.wait(upTo: .seconds(30))
    case 4: if seats[number].dispatcher != nil { killCoordinator(number, restart: random.wait(upTo: .seconds(5))) }
    case 5: stop(number)
    case 6: seats[number].cutOffUntil = clock.now + random.wait(upTo: faults.longestStop)
    case 7:
      guard let job = jobs.randomElement(using: &random) else { return }
      steer { ledger in _ = try ledger.change(job: job, .pause) }
      after(random.wait(upTo: .seconds(10)), .resume(job))
    case 8:
      let worker = random.chance(0.8) ? workers[position].name : nil
      steer { ledger in _ = try ledger.drain(worker: worker, true) }
      after(random.wait(upTo: .seconds(10)), .undrain(worker))
    case 9:
      let slots = random.chance(0.5) ? nil : Int.random(in: 1...4, using: &random)
      steer { ledger in try ledger.setShare(of: "test", weight: 2, slots: slots) }
    default:
      guard !isLedgerAway else { return }
      isLedgerAway = true
      if random.chance(0.5) { crashLedger() }
      after(random.wait(upTo: .seconds(5)), .restoreLedger)
    }
  }
}

extension LedgerRequest {
  /// Whether the answer tells of open attempts.
  fileprivate var givesOut: Bool { if case .openAttempts = self { true } else { opensAttempts } }

  fileprivate var opensAttempts: Bool {
    switch self {
    case .claim, .speculate: true
    default: false
    }
  }
}

extension SeededRandom {
  mutating func wait(upTo longest: Duration) -> Duration { longest * Double.random(in: 0..<1, using: &self) }
}
