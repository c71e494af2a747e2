import FarmTesting
import Ledger
import Messages
import Scheduling
import Testing

private func order(_ task: Int64, job: String = "j", _ work: Work = .picture(FrameRange(first: 0, count: 10))) -> AttemptOrder {
  AttemptOrder(
    job: job, key: AttemptKey(task: task, attempt: 1), work: work,
    spec: JobSpec(document: "{}", facts: [:], output: "/o.mp4", overwrites: false, keepsSegments: false))
}

private let made = Proof.sample(of: .picture)
private let found = made.asFound

/// A welcomed worker that takes attempts ahead of its slots, with its actions but for its notes.
private struct Welcomed {
  var state: WorkerState
  var now = Duration.zero

  init(slots: Int = 1, ahead: Int? = 8) {
    state = WorkerState(name: "a", epoch: "1", host: "h", processID: 1, slots: slots, ahead: ahead)
    _ = state.handle(.turn, now: now)
    _ = state.handle(.received(.welcome(heartbeatMilliseconds: 1000)), now: now)
    _ = state.handle(.turn, now: now)
  }

  mutating func handle(_ event: WorkerState.Event, after wait: Duration = .zero) -> [WorkerState.Action] {
    now += wait
    return state.handle(event, now: now).filter { if case .note = $0 { false } else { true } }
  }

  mutating func assign(_ order: AttemptOrder) -> [WorkerState.Action] { handle(.received(.assign(order))) }

  /// Has a process carry out the order.
  mutating func carryOut(_ order: AttemptOrder, _ proof: Proof) {
    #expect(assign(order) == [.start(order)])
    _ = handle(.reported(order.key, .finished(proof)))
    _ = handle(.ended(order.key, .exited(0, lastWords: "")))
    _ = handle(.received(.settled(order.key)))
  }
}

@Suite struct `A worker that finds segments` {
  @Test func `says how many attempts it takes ahead of its slots, and none once it stops`() throws {
    func hello(_ actions: [WorkerState.Action]) -> WorkerHello? {
      actions.compactMap { if case .send(.hello(let hello)) = $0 { hello } else { nil } }.last
    }
    var state = WorkerState(name: "a", epoch: "1", host: "h", processID: 1, slots: 1, ahead: 8)
    #expect(hello(state.handle(.turn, now: .zero))?.ahead == 8)
    _ = state.handle(.received(.assign(order(1))), now: .zero)
    #expect(try #require(hello(state.handle(.interrupted, now: .zero))).ahead == nil)
  }

  @Test func `looks for the next segment of a job of which it found one before it starts a process`() {
    var worker = Welcomed()
    worker.carryOut(order(1), found)
    #expect(worker.assign(order(2)) == [.recall(order(2))])
    let actions = worker.handle(.recalled(order(2).key, found))
    #expect(actions == [.send(.finished(worker: "a", epoch: "1", order(2).key, found)), .keep(order(2).key, job: "j", found)])
    #expect(worker.assign(order(3, job: "other")) == [.start(order(3, job: "other"))])
  }

  @Test func `makes what is not found in a free slot, and gives it back where none is free, until that is settled`() {
    var worker = Welcomed()
    worker.carryOut(order(1), found)
    for task in 2...4 as ClosedRange<Int64> { #expect(worker.assign(order(task)) == [.recall(order(task))]) }
    #expect(worker.handle(.recalled(order(2).key, nil)) == [.start(order(2))])
    let returned = WorkerState.Action.send(.returned(worker: "a", epoch: "1", order(3).key))
    #expect(worker.handle(.recalled(order(3).key, nil)) == [returned])
    #expect(worker.assign(order(3)) == [returned], "the coordinator sends what it believes lost")
    #expect(worker.handle(.turn, after: .milliseconds(1100)).contains(returned))
    _ = worker.handle(.received(.settled(order(3).key)))
    #expect(worker.assign(order(3)) == [])
    // The last one is found all the same.
    #expect(worker.handle(.recalled(order(4).key, found)).contains(.keep(order(4).key, job: "j", found)))
  }

  @Test func `lists what it looks for in its heartbeats, and starts no process for an attempt that is cancelled meanwhile`() {
    var worker = Welcomed()
    worker.carryOut(order(1), found)
    _ = worker.assign(order(2))
    let listed = worker.handle(.turn, after: .seconds(1)).compactMap { action in
      if case .send(.heartbeat(_, _, let running)) = action { running.map(\.key) } else { nil }
    }
    #expect(listed == [[order(2).key]])
    #expect(worker.handle(.received(.cancel(order(2).key))) == [])
    #expect(worker.handle(.recalled(order(2).key, found)) == [] && worker.handle(.recalled(order(2).key, nil)) == [])
  }

  @Test func `ends a process that does not answer, and makes the segment`() {
    var worker = Welcomed()
    worker.carryOut(order(1), found)
    _ = worker.assign(order(2))
    #expect(!worker.handle(.turn, after: .seconds(9)).contains(.endRecall(job: "j")))
    #expect(worker.state.turnDue <= .seconds(10))
    #expect(worker.handle(.turn, after: .seconds(1)).contains(.endRecall(job: "j")))
    #expect(worker.handle(.recalled(order(2).key, nil)) == [.start(order(2))])
  }

  @Test func `looks for what it is given ahead of its slots, and queues what only waits for a process to stop`() {
    var worker = Welcomed()
    #expect(worker.assign(order(1)) == [.start(order(1))])
    #expect(worker.assign(order(2)) == [.recall(order(2))])
    let mux = order(3, .mux(pictures: [], sound: []))
    #expect(worker.assign(mux) == [], "a mux has no segment")
    var other = Welcomed()
    _ = other.assign(order(1))
    _ = other.handle(.received(.cancel(order(1).key)))
    #expect(other.assign(order(2)) == [])
    #expect(other.handle(.ended(order(1).key, .signalled(15, lastWords: ""))) == [.start(order(2))])
    var plain = Welcomed(ahead: nil)
    _ = plain.assign(order(1))
    #expect(plain.assign(order(2)) == [])
  }

  @Test func `gives back what is not found once it stops`() {
    var worker = Welcomed()
    worker.carryOut(order(1), found)
    _ = worker.assign(order(2))
    _ = worker.handle(.interrupted)
    let actions = worker.handle(.recalled(order(2).key, nil))
    #expect(actions.first == .send(.returned(worker: "a", epoch: "1", order(2).key)))
  }
}

@Suite struct `A coordinator whose worker finds segments` {
  private func joined(ahead: Int?) -> TurnedDispatcher {
    var dispatcher = TurnedDispatcher()
    var hello = WorkerHello(worker: "a", epoch: "1", host: "h", processID: 1, slots: 2, lanes: 2, running: [])
    hello.ahead = ahead
    _ = dispatcher.hear(.hello(hello))
    return dispatcher
  }

  /// The slots that the worker is offered for after it sent a message.
  private func offered(_ dispatcher: inout TurnedDispatcher, _ message: WorkerMessage, after wait: Duration = .zero) -> Int? {
    _ = dispatcher.hear(message, after: wait)
    _ = dispatcher.handle(.notified(.changes))
    return dispatcher.turn().compactMap { if case .ask(.claim(let free)) = $0 { free.first?.slots } else { nil } }.last
  }

  private func finished(_ task: Int64, _ proof: Proof) -> WorkerMessage {
    .finished(worker: "a", epoch: "1", AttemptKey(task: task, attempt: 1), proof)
  }

  @Test func `gives it more attempts at once with each that it finds, as many as it takes, and as ever once it makes one`() {
    var dispatcher = joined(ahead: 7)
    #expect(offered(&dispatcher, finished(1, found)) == 6)
    #expect(offered(&dispatcher, finished(2, found)) == 9)
    #expect(offered(&dispatcher, finished(3, found)) == 9)
    #expect(offered(&dispatcher, finished(4, .sample(of: .mux))) == 9)
    #expect(offered(&dispatcher, finished(5, made)) == 2)
    var plain = joined(ahead: nil)
    #expect(offered(&plain, finished(1, found)) == 2)
  }

  @Test func `gives it none ahead once it has found nothing for a second, since the next job may have to be made`() {
    var dispatcher = joined(ahead: 7)
    func offer(after wait: Duration) -> Int? {
      _ = dispatcher.handle(.notified(.changes), after: wait)
      return dispatcher.turn().compactMap { if case .ask(.claim(let free)) = $0 { free.first?.slots } else { nil } }.last
    }
    _ = dispatcher.hear(finished(1, found))
    #expect(offer(after: .milliseconds(500)) == 6)
    #expect(offer(after: .milliseconds(600)) == 2)
    _ = dispatcher.hear(finished(2, found))
    #expect(offer(after: .milliseconds(100)) == 6)
  }

  @Test func `ends what it gives back as no failure, and gives it none ahead for a while`() {
    var dispatcher = joined(ahead: 7)
    _ = offered(&dispatcher, finished(1, found))
    let key = AttemptKey(task: 9, attempt: 1)
    let actions = dispatcher.hear(.returned(worker: "a", epoch: "1", key))
    let failures = actions.compactMap { if case .ask(.fail(let failed)) = $0 { failed } else { nil } }
    #expect(failures.map { $0.map(\.key) } == [[key]] && failures.first?.first?.isReturned == true)
    #expect(actions.contains(.send(.settled(key), route: "a/1")))
    #expect(offered(&dispatcher, finished(2, found)) == 2)
    #expect(offered(&dispatcher, finished(3, found), after: .milliseconds(300)) == 9)
  }

  @Test func `offers a worker once, for slots and lanes together`() {
    var dispatcher = joined(ahead: 8)
    _ = dispatcher.hear(finished(1, found))
    _ = dispatcher.handle(.notified(.changes))
    let orders = (10..<12).map { order($0) }
    _ = dispatcher.turn { request in
      guard case .claim = request else { return nil }
      return .answered(.claimed(orders.map { ClaimedAttempt(worker: "a", order: $0) }))
    }
    _ = dispatcher.handle(.notified(.changes))
    let claims = dispatcher.turn().compactMap { if case .ask(.claim(let free)) = $0 { free } else { nil } }
    #expect(claims.last == [FreeSlots(worker: "a", epoch: "1", slots: 4, lanes: 2)])
  }
}

@Suite struct `A farm that finds segments` {
  private func job(chunks: Int) -> JobSubmission {
    let tasks = (0..<chunks).map { JobSubmission.Task(kind: .picture, frames: FrameRange(first: $0 * 10, count: 10), cost: 1) }
    let spec = JobSpec(document: "{}", facts: [:], output: "/out/found.mp4", overwrites: false, keepsSegments: false)
    return JobSubmission(
      id: "found", spec: spec, submitter: "test", frameCount: chunks * 10,
      tasks: tasks + [.init(kind: .mux, cost: 1), .init(kind: .publish, cost: 1)])
  }

  @Test func `is done with four hundred chunks in seconds of its time, though a process takes a tenth of a second`() throws {
    let clock = VirtualClock()
    var faults = SimulatedFarm.Faults.calm { _ in .milliseconds(100) }
    (faults.isFound, faults.ahead) = ({ $0.work.kind == .picture }, WorkerHello.usualAhead)
    let farm = SimulatedFarm(seed: 1, clock: clock, ledger: MemoryLedger(clock: clock), slots: [2], faults: faults)
    try farm.submit(job(chunks: 400))
    #expect(try farm.run(limit: .seconds(60)) == [.done])
    // Without attempts ahead of slots it takes 20 seconds at least. The simulation looks once a second whether the job is done.
    #expect(clock.now < .seconds(8))
    #expect(farm.witness.violations == [])
  }

  @Test(arguments: 0..<8 as Range<UInt64>)
  func `is done whatever fails, and makes what it does not find`(block: UInt64) throws {
    for seed in block * 10..<(block + 1) * 10 {
      let clock = VirtualClock()
      var faults = SimulatedFarm.Faults()
      faults.isFound = { $0.work.kind == .picture && $0.key.task % 5 != Int64(seed % 5) }
      let farm = SimulatedFarm(seed: seed, clock: clock, ledger: MemoryLedger(clock: clock), slots: [1, 2], faults: faults)
      try farm.submit(job(chunks: 60))
      #expect(try farm.run(limit: .seconds(700)) == [.done], "seed \(seed)")
      #expect(farm.witness.violations == [], "seed \(seed)")
    }
  }
}
