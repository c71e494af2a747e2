import Messages
import Scheduling
import Testing

private let key = AttemptKey(task: 1, attempt: 1)
private let proof = Proof(file: "f", byteCount: 1, byteDigest: "d")
private let claimed = ClaimedAttempt(
  worker: "a",
  order: AttemptOrder(
    job: "j", key: key, work: .sound,
    spec: JobSpec(document: "{}", facts: [:], output: "/o.mp4", overwrites: false, keepsSegments: false)))

private func hello(_ epoch: String = "1", slots: Int = 2, running: [AttemptProgress] = []) -> WorkerHello {
  WorkerHello(worker: "a", epoch: epoch, host: "h", processID: 1, slots: slots, running: running)
}

private let candidate = Candidate(name: "c", epoch: "1")
private let settled = Candidate(name: "c", epoch: "1", isNew: false)

private func leader() -> Dispatcher {
  var dispatcher = Dispatcher(candidate)
  _ = dispatcher.handle(.answered(.stood(.leads(term: 1))), now: .zero)
  return dispatcher
}

/// A dispatcher that leads and knows worker a, and what it does without its notes.
private struct Known {
  var dispatcher = leader()
  var now = Duration.zero

  init() {
    _ = handle(.answered(.registered(hello())))
    _ = handle(.answered(.open(worker: "a", epoch: "1", [])))
    _ = handle(.turn)
  }

  mutating func handle(_ event: Dispatcher.Event, after wait: Duration = .zero) -> [Dispatcher.Action] {
    now += wait
    return dispatcher.handle(event, now: now).filter { if case .note = $0 { false } else { true } }
  }

  mutating func heartbeat(_ running: [AttemptKey], after wait: Duration = .zero) -> [Dispatcher.Action] {
    let progress = running.map { AttemptProgress(key: $0, done: 0, total: 0) }
    var actions = handle(.received(.heartbeat(worker: "a", epoch: "1", running: progress), route: "a/1"), after: wait)
    actions += handle(.answered(.heard([HeardWorker(worker: "a", epoch: "1", closed: [])])))
    return actions
  }
}

struct DispatcherTests {
  @Test func `a worker is registered first and welcomed afterwards`() {
    var dispatcher = leader()
    #expect(dispatcher.handle(.received(.hello(hello()), route: "a/1"), now: .zero) == [.ask(.register(hello()))])
    let actions = dispatcher.handle(.answered(.registered(hello())), now: .zero)
    #expect(actions.contains(.send(.welcome(heartbeatMilliseconds: 1000), route: "a/1")))
    #expect(actions.contains(.ask(.openAttempts(worker: "a", epoch: "1"))))
  }

  @Test func `a worker that is not known is asked who it is`() {
    var dispatcher = leader()
    let heartbeat = WorkerMessage.heartbeat(worker: "a", epoch: "1", running: [])
    #expect(dispatcher.handle(.received(heartbeat, route: "a/1"), now: .zero) == [.send(.whoAreYou, route: "a/1")])
  }

  @Test func `a result is settled only once it is committed, and the free slot is used in the same turn`() {
    var known = Known()
    _ = known.handle(.answered(.claimed([claimed])))
    let done = Completion(worker: "a", epoch: "1", key: key, proof: proof)
    // Said twice, committed once.
    for _ in 0..<2 {
      #expect(known.handle(.received(.finished(worker: "a", epoch: "1", key, proof), route: "a/1")) == [])
    }
    #expect(known.handle(.turn) == [.ask(.commit([done]))])
    #expect(
      known.handle(.answered(.committed([done], [.won])))
        == [.send(.settled(key), route: "a/1"), .ask(.claim([FreeSlots(worker: "a", epoch: "1", slots: 2)]))])
  }

  @Test func `a worker whose connection ended is lost unless it is heard soon`() {
    var known = Known()
    _ = known.handle(.disconnected(route: "a/1"))
    _ = known.heartbeat([], after: .seconds(1))
    #expect(!known.handle(.turn, after: .seconds(2)).contains(.ask(.lose(worker: "a", epoch: "1"))))
    _ = known.handle(.disconnected(route: "a/1"))
    #expect(known.handle(.turn, after: .seconds(2)).contains(.ask(.lose(worker: "a", epoch: "1"))))
    let heartbeat = WorkerMessage.heartbeat(worker: "a", epoch: "1", running: [])
    #expect(known.handle(.received(heartbeat, route: "a/1")) == [.send(.whoAreYou, route: "a/1")])
  }

  @Test func `a notification leads to a claim in the same turn`() {
    var known = Known()
    #expect(known.handle(.turn) == [])
    _ = known.handle(.notified)
    #expect(known.handle(.turn) == [.ask(.claim([FreeSlots(worker: "a", epoch: "1", slots: 2)]))])
  }

  @Test func `an order that its worker does not list is looked up and sent again`() {
    var known = Known()
    _ = known.handle(.answered(.claimed([claimed])))
    #expect(known.heartbeat([], after: .seconds(1)).contains(.ask(.openAttempts(worker: "a", epoch: "1"))) == false)
    #expect(known.heartbeat([], after: .seconds(2)).contains(.ask(.openAttempts(worker: "a", epoch: "1"))))
    #expect(known.handle(.answered(.open(worker: "a", epoch: "1", [claimed]))) == [.send(.assign(claimed.order), route: "a/1")])
  }

  @Test func `an order that its worker lists is not sent again`() {
    var known = Known()
    _ = known.handle(.answered(.claimed([claimed])))
    for _ in 0..<10 { #expect(known.heartbeat([key], after: .seconds(1)).count == 1) }
  }

  @Test func `an attempt that ended in the ledger is cancelled at its worker`() {
    var known = Known()
    _ = known.handle(.answered(.claimed([claimed])))
    #expect(
      known.handle(.answered(.expired([ExpiredAttempt(worker: "a", key: key)]))) == [.send(.cancel(key), route: "a/1")])
    #expect(
      known.handle(.answered(.heard([HeardWorker(worker: "a", epoch: "1", closed: [key])])))
        == [.send(.heard, route: "a/1"), .send(.cancel(key), route: "a/1")])
  }

  @Test func `a process whose name a newer one took is refused`() {
    var known = Known()
    _ = known.handle(.answered(.registered(hello("2"))))
    let late = WorkerMessage.heartbeat(worker: "a", epoch: "1", running: [])
    #expect(
      known.handle(.received(late, route: "a/1"))
        == [.send(.refused(reason: "another process took the name a"), route: "a/1")])
  }

  @Test func `a silent worker gets nothing new`() {
    var known = Known()
    #expect(known.handle(.turn, after: .seconds(4)).contains(.ask(.claim([FreeSlots(worker: "a", epoch: "1", slots: 2)]))))
    #expect(known.handle(.turn, after: .seconds(2)) == [.ask(.lead(settled)), .ask(.expire)])
  }

  @Test func `a ledger that is away is asked again after a growing wait, and nothing else is asked meanwhile`() {
    var known = Known()
    _ = known.handle(.unanswered(.lead(settled), reason: "down"))
    #expect(known.handle(.received(.finished(worker: "a", epoch: "1", key, proof), route: "a/1")) == [])
    #expect(known.handle(.turn, after: .milliseconds(99)) == [])
    #expect(known.handle(.turn, after: .milliseconds(1)) == [.ask(.lead(settled))])
    _ = known.handle(.unanswered(.lead(settled), reason: "down"))
    #expect(known.handle(.turn, after: .milliseconds(199)) == [])
    #expect(known.handle(.turn, after: .milliseconds(1)) == [.ask(.lead(settled))])
  }

  @Test func `after a claim of unknown fate the worker is looked up before it gets more`() {
    var known = Known()
    _ = known.handle(.unanswered(.claim([]), reason: "lost"))
    _ = known.handle(.answered(.expired([])), after: .seconds(1))
    #expect(known.handle(.turn) == [.ask(.lead(settled)), .ask(.expire)])
    #expect(known.heartbeat([]).contains(.ask(.openAttempts(worker: "a", epoch: "1"))))
    #expect(known.handle(.answered(.open(worker: "a", epoch: "1", [claimed]))) == [.send(.assign(claimed.order), route: "a/1")])
    #expect(known.handle(.turn).contains(.ask(.claim([FreeSlots(worker: "a", epoch: "1", slots: 1)]))))
  }

  @Test func `a worker that is locked out is forgotten, and its attempts are given to others`() {
    var known = Known()
    #expect(known.handle(.lockedOut(route: "a/1")) == [.ask(.lose(worker: "a", epoch: "1"))])
    _ = known.handle(.answered(.retired(worker: "a", epoch: "1")))
    #expect(known.handle(.lockedOut(route: "a/1")) == [])
    #expect(known.handle(.turn) == [])
  }

  @Test func `an order too long to send fails its job`() {
    var known = Known()
    _ = known.handle(.answered(.claimed([claimed])))
    let actions = known.handle(.unsendable(claimed.order, route: "a/1", .tooLong(5, most: 4)))
    let failure = Failure(.content, at: "job j", "the order cannot be sent: 5 bytes are more than 4")
    #expect(actions == [.ask(.fail(key, worker: "a", epoch: "1", failure))])
  }

  @Test func `every minute the next worker in turn is asked what is in the store`() {
    var dispatcher = leader()
    let names = ["b", "a"]
    var asked: [String] = []
    for second in 0...240 {
      let now = Duration.seconds(second)
      for name in names {
        let hello = WorkerHello(worker: name, epoch: "1", host: "h", processID: 1, slots: 1, running: [])
        _ = dispatcher.handle(.answered(.registered(hello)), now: now)
        _ = dispatcher.handle(.received(.hello(hello), route: "\(name)/1"), now: now)
      }
      for case .send(.sweep, let route) in dispatcher.handle(.turn, now: now) { asked.append("\(second) \(route)") }
    }
    #expect(asked == ["60 a/1", "120 b/1", "180 a/1", "240 b/1"])
  }

  @Test func `soon after an attempt was cancelled the store is looked through`() {
    var known = Known()
    _ = known.handle(.answered(.claimed([claimed])))
    _ = known.handle(.answered(.heard([HeardWorker(worker: "a", epoch: "1", closed: [key])])))
    for _ in 0..<9 {
      #expect(known.handle(.turn, after: .seconds(1)).contains(.send(.sweep, route: "a/1")) == false)
      _ = known.heartbeat([])
    }
    #expect(known.handle(.turn, after: .seconds(1)).contains(.send(.sweep, route: "a/1")))
  }

  @Test func `only what the ledger calls over is cleared away`() {
    var known = Known()
    #expect(
      known.handle(.received(.stored(worker: "a", epoch: "1", jobs: ["i", "j"]), route: "a/1"))
        == [.ask(.over(worker: "a", epoch: "1", jobs: ["i", "j"], endedFor: .seconds(5)))])
    let over = OverJob(id: "i", output: "/o.mp4")
    #expect(
      known.handle(.answered(.over(worker: "a", epoch: "1", [over]))) == [.send(.over([over]), route: "a/1")])
    #expect(known.handle(.answered(.over(worker: "a", epoch: "1", []))) == [])
  }
}
