import FarmTesting
import Messages
import Scheduling
import Testing

private let key = AttemptKey(task: 1, attempt: 1)
private let proof = Proof.sample(of: .sound)
private let claimed = ClaimedAttempt(
  worker: "a",
  order: AttemptOrder(
    job: "j", key: key, work: .sound,
    spec: JobSpec(document: "{}", facts: [:], output: "/o.mp4", overwrites: false, keepsSegments: false)))

private let a = WorkerProcess(worker: "a", epoch: "1")

/// A dispatcher that leads and knows worker a with two slots.
private func known() -> TurnedDispatcher {
  var known = TurnedDispatcher()
  _ = known.join("a")
  return known
}

/// Gives the attempt to worker a when the dispatcher claims.
private func claims(_ request: LedgerRequest) -> Dispatcher.Event? {
  if case .claim = request { .answered(.claimed([claimed])) } else { nil }
}

private func heartbeat(_ running: [AttemptKey] = [], worker: String = "a", epoch: String = "1") -> WorkerMessage {
  .heartbeat(worker: worker, epoch: epoch, running: running.map { AttemptProgress(key: $0, done: 0, total: 0) })
}

private func finished(_ key: AttemptKey = key) -> WorkerMessage { .finished(worker: "a", epoch: "1", key, proof) }

extension [Dispatcher.Action] {
  fileprivate var requests: [LedgerRequest] { compactMap { if case .ask(let request) = $0 { request } else { nil } } }
}

struct DispatcherTests {
  @Test func `a worker is registered first and welcomed afterwards, looked up, and only then given work`() {
    var dispatcher = TurnedDispatcher()
    let hello = WorkerHello(worker: "a", epoch: "1", host: "h", processID: 1, slots: 2, running: [])
    #expect(dispatcher.handle(.received(.hello(hello), route: "a/1")) == [])
    #expect(
      dispatcher.turn() == [
        .ask(.register([hello])), .send(.welcome(heartbeatMilliseconds: 1000), route: "a/1"), .ask(.openAttempts([a])),
        .ask(.claim([FreeSlots(worker: "a", epoch: "1", slots: 2)])),
      ])
  }

  @Test func `a worker that is not known is asked who it is`() {
    var dispatcher = TurnedDispatcher()
    #expect(dispatcher.hear(heartbeat()) == [.send(.whoAreYou, route: "a/1")])
  }

  @Test func `a result is told once it is durable: by the claim for the slot that it frees, or a flush`() {
    var known = known()
    _ = known.handle(.notified(.changes))
    _ = known.turn(answer: claims)
    let done = Completion(worker: "a", epoch: "1", key: key, proof: proof)
    // The result is told twice and committed once.
    for _ in 0..<2 { #expect(known.handle(.received(finished(), route: "a/1")) == []) }
    #expect(
      known.turn() == [
        .ask(.commit([done])), .ask(.claim([FreeSlots(worker: "a", epoch: "1", slots: 2)])), .send(.settled(key), route: "a/1"),
        .ask(.learn([key])),
      ])
    // The sender is not known, so no slot becomes free.
    var alone = TurnedDispatcher()
    #expect(
      alone.hear(finished()).prefix(4) == [
        .send(.whoAreYou, route: "a/1"), .ask(.commit([done])), .ask(.flush), .send(.settled(key), route: "a/1"),
      ])
  }

  @Test func `paces are learned from what won, once a second`() {
    var known = known()
    _ = known.hear(finished())
    let results = [key, AttemptKey(task: 2, attempt: 1)]
    for result in results { _ = known.handle(.received(finished(result), route: "a/1")) }
    let early = known.turn(after: .milliseconds(10)) {
      guard case .commit(let completions) = $0 else { return nil }
      return .answered(.committed(completions, Committed(verdicts: [.stale, .won])))
    }
    #expect(early.learned == [])
    #expect(known.turn(after: .milliseconds(980)).learned == [])
    #expect(known.turn(after: .milliseconds(10)).learned == [[results[1]]])
    #expect(known.turn(after: .seconds(2)).learned == [])
  }

  @Test func `the loser of two attempts is cancelled with the other's result`() {
    var known = known()
    _ = known.handle(.notified(.changes))
    _ = known.turn(answer: claims)
    let actions = known.hear(finished(AttemptKey(task: 1, attempt: 2))) {
      guard case .commit(let completions) = $0 else { return nil }
      let superseded = [ExpiredAttempt(worker: "a", key: key)]
      return .answered(.committed(completions, Committed(verdicts: [.won], superseded: superseded)))
    }
    #expect(actions.contains(.send(.cancel(key), route: "a/1")))
  }

  @Test func `slots that a claim leaves free are offered for second attempts, once a second`() {
    var known = TurnedDispatcher(speculates: true)
    _ = known.join("a")
    let second = AttemptOrder(job: "j", key: AttemptKey(task: 2, attempt: 2), work: .sound, spec: claimed.order.spec)
    func answers(_ request: LedgerRequest) -> Dispatcher.Event? {
      if case .speculate = request { return .answered(.speculated([ClaimedAttempt(worker: "a", order: second)])) }
      return claims(request)
    }
    let free = FreeSlots(worker: "a", epoch: "1", slots: 1)
    let turn = known.turn(after: .seconds(1), answer: answers)
    #expect(turn.requests.last == .speculate([free], most: 1, sparing: []))
    #expect(turn.last == .send(.assign(second), route: "a/1"))
    // No slot is free any more.
    #expect(known.turn(after: .seconds(1)).speculations == 0)
  }

  @Test func `slots that stay free are offered for second attempts once a second, however often there is a turn`() {
    var known = TurnedDispatcher(speculates: true)
    _ = known.join("a")
    _ = known.turn(after: .seconds(1))
    var offers = 0
    for _ in 0..<50 {
      // Each change leads to a claim, which leaves the slots free.
      _ = known.handle(.notified(.changes))
      offers += known.turn(after: .milliseconds(100)).speculations
    }
    #expect((4...5).contains(offers), "\(offers) in 5 s")
  }

  @Test func `slots that a claim leaves free are for the rests of dear chunks, and a wish is told three times`() {
    var known = TurnedDispatcher(speculates: true)
    _ = known.join("a")
    let wish = Split(key: key, worker: "a", before: 200)
    var asked: [[AttemptKey]] = []
    func answers(_ request: LedgerRequest) -> Dispatcher.Event? {
      guard case .split(_, let keys) = request else { return claims(request) }
      asked.append(keys)
      return .answered(.splits(keys.contains(key) ? [] : [wish]))
    }
    var (told, lastTold, spared) = (0, -100, 0)
    for second in 0..<30 {
      let turn = known.turn(after: .seconds(1), answer: answers)
      let now = turn.count { $0 == .send(.shorten(key, before: 200), route: "a/1") }
      if now > 0 { (told, lastTold) = (told + now, second) }
      for case .speculate(_, _, let keys) in turn.requests {
        // While the wish may be granted, no second attempt is begun beside it.
        #expect(keys == (second - lastTold < 5 ? [key] : []), "second \(second)")
        spared += keys.count
      }
      _ = known.hear(heartbeat([key]))
    }
    #expect(told == 3)
    #expect(spared > 0)
    #expect(asked.last == [key])
  }

  @Test func `a chunk that was divided is given out on, and may be divided again`() {
    var known = TurnedDispatcher(speculates: true)
    _ = known.join("a", slots: 3)
    let wish = Split(key: key, worker: "a", before: 200)
    func answers(_ request: LedgerRequest) -> Dispatcher.Event? {
      if case .split(_, let keys) = request { return .answered(.splits(keys.contains(key) ? [] : [wish])) }
      return claims(request)
    }
    #expect(known.turn(after: .seconds(1), answer: answers).contains(.send(.shorten(key, before: 200), route: "a/1")))
    #expect(!known.turn(after: .seconds(1), answer: answers).contains(.send(.shorten(key, before: 200), route: "a/1")))
    _ = known.hear(heartbeat([key]), after: .milliseconds(200)) { request in
      guard case .heartbeat = request else { return nil }
      return .answered(.heard([HeardWorker(worker: "a", epoch: "1", closed: [], divided: [key])]))
    }
    #expect(known.turn().requests.contains { if case .claim = $0 { true } else { false } })
    #expect(known.turn(after: .seconds(1), answer: answers).contains(.send(.shorten(key, before: 200), route: "a/1")))
  }

  @Test func `a worker whose connection ended is lost unless it is heard soon`() {
    var known = known()
    _ = known.handle(.disconnected(route: "a/1"))
    _ = known.hear(heartbeat(), after: .seconds(1))
    #expect(!known.turn(after: .seconds(2)).contains(.ask(.lose([a]))))
    _ = known.handle(.disconnected(route: "a/1"))
    #expect(!known.turn(after: .milliseconds(1400)).contains(.ask(.lose([a]))))
    #expect(known.turn(after: .seconds(1)).contains(.ask(.lose([a]))))
    #expect(known.hear(heartbeat()).contains(.send(.whoAreYou, route: "a/1")))
  }

  @Test func `a notification leads to a claim in the same turn`() {
    var known = known()
    #expect(known.turn() == [])
    _ = known.handle(.notified(.changes))
    #expect(known.turn() == [.ask(.claim([FreeSlots(worker: "a", epoch: "1", slots: 2)])), .ask(.follow)])
  }

  @Test func `an order that its worker does not list is looked up and sent again`() {
    var known = known()
    _ = known.handle(.notified(.changes))
    _ = known.turn(answer: claims)
    #expect(!known.hear(heartbeat(), after: .seconds(1)).contains(.ask(.openAttempts([a]))))
    _ = known.hear(heartbeat(), after: .seconds(2))
    // The request that follows the heartbeat's answer comes in the next round.
    let actions = known.turn { if case .openAttempts(let workers) = $0 { .answered(.open(workers, [claimed])) } else { nil } }
    #expect(actions.prefix(2) == [.ask(.openAttempts([a])), .send(.assign(claimed.order), route: "a/1")])
  }

  @Test func `an order that its worker lists is not sent again`() {
    var known = known()
    _ = known.handle(.notified(.changes))
    _ = known.turn(answer: claims)
    for _ in 0..<10 {
      let actions = known.hear(heartbeat([key]), after: .seconds(1))
      #expect(!actions.contains(.ask(.openAttempts([a]))) && actions.assignments == 0)
    }
  }

  @Test func `an attempt that ended in the ledger is cancelled at its worker`() {
    var known = known()
    _ = known.handle(.notified(.changes))
    _ = known.turn(answer: claims)
    let expired = known.turn(after: .seconds(5)) {
      $0 == .expire ? .answered(.expired([ExpiredAttempt(worker: "a", key: key)])) : nil
    }
    #expect(expired.contains(.send(.cancel(key), route: "a/1")))
    let heard = known.hear(heartbeat([key])) {
      guard case .heartbeat = $0 else { return nil }
      return .answered(.heard([HeardWorker(worker: "a", epoch: "1", closed: [key])]))
    }
    #expect(heard.contains(.send(.heard, route: "a/1")) && heard.contains(.send(.cancel(key), route: "a/1")))
  }

  @Test func `a process whose name a newer one took is refused`() {
    var known = known()
    _ = known.join("a", epoch: "2")
    #expect(known.hear(heartbeat()) == [.send(.refused(reason: "another process took the name a"), route: "a/1")])
  }

  @Test func `tasks follow their job in each round until all have, and what is ready again is given out`() {
    var known = known()
    _ = known.handle(.notified(.changes))
    _ = known.turn()
    var followed: [FollowedTasks?] = [.cancelled, .readied, nil]
    func answer(_ request: LedgerRequest) -> Dispatcher.Event? {
      request == .follow ? .answered(.followed(followed.removeFirst())) : nil
    }
    _ = known.handle(.notified(.changes))
    #expect(known.turn(answer: answer).requests.last == .follow)
    #expect(known.dispatcher.turnDue <= known.now)
    #expect(known.turn(answer: answer).requests == [.follow])
    let claim = LedgerRequest.claim([FreeSlots(worker: "a", epoch: "1", slots: 2)])
    #expect(known.turn(answer: answer).requests == [claim, .follow])
    #expect(known.turn(answer: answer).requests == [])
  }

  @Test func `a silent worker gets nothing new`() {
    var known = known()
    #expect(known.turn(after: .seconds(4)).contains(.ask(.claim([FreeSlots(worker: "a", epoch: "1", slots: 2)]))))
    #expect(known.turn(after: .seconds(2)).requests == [.lead(TurnedDispatcher.known), .expire, .follow, .countSlots])
  }

  @Test func `a ledger that is away is asked again after a growing wait, and nothing else is asked meanwhile`() {
    var known = known()
    let lead = LedgerRequest.lead(TurnedDispatcher.known)
    _ = known.handle(.unanswered(lead, reason: "down"))
    #expect(known.hear(finished()) == [])
    #expect(known.turn(after: .milliseconds(99)) == [])
    #expect(known.turn(after: .milliseconds(1), answer: { .unanswered($0, reason: "down") }) == [.ask(lead)])
    for wait in [200, 400, 800, 1600, 2000, 2000] {
      #expect(known.turn(after: .milliseconds(wait - 1)) == [])
      #expect(known.turn(after: .milliseconds(1), answer: { .unanswered($0, reason: "down") }) == [.ask(lead)])
    }
    #expect(known.turn(after: .seconds(2)).first == .ask(lead))
  }

  @Test func `after a request of unknown fate a worker is registered and looked up again before it gets more`() {
    var known = known()
    _ = known.handle(.unanswered(.claim([]), reason: "lost"))
    #expect(known.turn(after: .seconds(1)).requests == [.lead(TurnedDispatcher.known), .follow])
    #expect(known.hear(heartbeat()) == [.send(.whoAreYou, route: "a/1")])
    let hello = WorkerHello(worker: "a", epoch: "1", host: "h", processID: 1, slots: 2, running: [])
    let actions = known.hear(.hello(hello)) {
      if case .openAttempts(let workers) = $0 { .answered(.open(workers, [claimed])) } else { nil }
    }
    #expect(
      actions == [
        .ask(.register([hello])), .send(.welcome(heartbeatMilliseconds: 1000), route: "a/1"), .ask(.openAttempts([a])),
        .send(.assign(claimed.order), route: "a/1"), .ask(.claim([FreeSlots(worker: "a", epoch: "1", slots: 1)])),
      ])
  }

  @Test func `a worker whose look-up was refused is looked up with its next heartbeat, and then given work`() {
    var dispatcher = TurnedDispatcher()
    let hello = WorkerHello(worker: "a", epoch: "1", host: "h", processID: 1, slots: 2, running: [])
    let first = dispatcher.hear(.hello(hello)) {
      if case .openAttempts = $0 { .refused($0, reason: "statement timeout") } else { nil }
    }
    #expect(first.requests == [.register([hello]), .openAttempts([a])])
    let next = dispatcher.hear(heartbeat(), after: .milliseconds(500))
    #expect(next.requests.first.map { if case .heartbeat = $0 { true } else { false } } == true)
    #expect(dispatcher.turn().requests == [.openAttempts([a]), .claim([FreeSlots(worker: "a", epoch: "1", slots: 2)])])
  }

  @Test func `after a claim that was refused it is looked up what its workers hold: part of it may be committed`() {
    var known = known()
    _ = known.handle(.notified(.changes))
    _ = known.turn { if case .claim = $0 { .refused($0, reason: "statement timeout") } else { nil } }
    #expect(known.turn().requests.first == .openAttempts([a]))
  }

  @Test func `where many attempts are overdue the next of them are ended at once`() {
    var known = known()
    _ = known.turn(after: .seconds(5))
    let many = (0..<ExpiredAttempt.mostTogether).map { ExpiredAttempt(worker: "x", key: AttemptKey(task: Int64($0), attempt: 1)) }
    #expect(known.turn(after: .seconds(1)) { $0 == .expire ? .answered(.expired(many)) : nil }.requests.contains(.expire))
    #expect(known.dispatcher.turnDue <= known.now)
    #expect(known.turn().requests.contains(.expire))
    #expect(!known.turn().requests.contains(.expire))
  }

  @Test func `workers are lost, and leave, no more at once than hold a thousand attempts`() {
    var dispatcher = TurnedDispatcher()
    let names = (0..<5).map { "w\($0)" }
    for name in names { _ = dispatcher.join(name, slots: 400) }
    for name in names { _ = dispatcher.handle(.lockedOut(route: "\(name)/1")) }
    let processes = names.map { WorkerProcess(worker: $0, epoch: "1") }
    #expect(dispatcher.turn().requests == [.lose(Array(processes[..<2]))])
    #expect(dispatcher.turn().requests == [.lose(Array(processes[2..<4]))])
    #expect(dispatcher.turn().requests == [.lose(Array(processes[4...]))])
    // A worker that holds more goes into a request of its own.
    for name in names { _ = dispatcher.join(name, slots: 1001) }
    for name in names { _ = dispatcher.handle(.received(.goodbye(worker: name, epoch: "1"), route: "\(name)/1")) }
    #expect(dispatcher.turn().requests.first == .retire([processes[0]]))
  }

  @Test func `a ledger that is back and refuses the lead is asked again after a wait, not at once`() {
    var known = known()
    let lead = LedgerRequest.lead(TurnedDispatcher.known)
    _ = known.handle(.unanswered(lead, reason: "down"))
    known.now += .milliseconds(100)
    #expect(known.handle(.turn) == [.ask(lead)])
    #expect(known.handle(.refused(lead, reason: "cannot execute UPDATE in a read-only transaction")) == [])
    #expect(known.turn(after: .milliseconds(199)) == [])
    #expect(known.turn(after: .milliseconds(1)).first == .ask(lead))
  }

  @Test func `a worker that is locked out is forgotten, and its attempts are given to others`() {
    var known = known()
    _ = known.join("b")
    _ = known.turn()
    _ = known.handle(.lockedOut(route: "a/1"))
    let actions = known.turn()
    #expect(actions.requests.first == .lose([a]))
    #expect(actions.claimed == [["b"]])
    _ = known.handle(.lockedOut(route: "a/1"))
    #expect(known.turn() == [])
  }

  @Test func `an order too long to send fails its job`() {
    var known = known()
    _ = known.handle(.notified(.changes))
    _ = known.turn(answer: claims)
    _ = known.handle(.unsendable(claimed.order, route: "a/1", .tooLong(5, most: 4)))
    let failure = Failure(.content, at: "job j", "the order cannot be sent: 5 bytes are more than 4")
    #expect(known.turn().first == .ask(.fail([FailedAttempt(worker: "a", epoch: "1", key: key, failure: failure)])))
  }

  @Test func `every minute the next worker in turn is asked what is in the store`() {
    var dispatcher = TurnedDispatcher()
    for name in ["b", "a"] { _ = dispatcher.join(name) }
    var asked: [String] = []
    for second in 1...240 {
      dispatcher.now = .seconds(second)
      for name in ["b", "a"] { _ = dispatcher.handle(.received(heartbeat(worker: name), route: "\(name)/1")) }
      for case .send(.sweep, let route) in dispatcher.turn() { asked.append("\(second) \(route)") }
    }
    #expect(asked == ["60 a/1", "120 b/1", "180 a/1", "240 b/1"])
  }

  @Test func `soon after an attempt was cancelled the store is looked through`() {
    var known = known()
    _ = known.hear(heartbeat([key])) {
      guard case .heartbeat = $0 else { return nil }
      return .answered(.heard([HeardWorker(worker: "a", epoch: "1", closed: [key])]))
    }
    for _ in 0..<9 { #expect(!known.hear(heartbeat(), after: .seconds(1)).contains(.send(.sweep, route: "a/1"))) }
    #expect(known.hear(heartbeat(), after: .seconds(1)).contains(.send(.sweep, route: "a/1")))
  }

  @Test(arguments: [true, false])
  func `only what the ledger calls over is cleared away`(isOver: Bool) {
    var known = known()
    let over = OverJob(id: "i", output: "/o.mp4")
    let actions = known.hear(.stored(worker: "a", epoch: "1", jobs: ["i", "j"])) {
      guard case .over = $0 else { return nil }
      return .answered(.over(worker: "a", epoch: "1", isOver ? [over] : []))
    }
    let ask = Dispatcher.Action.ask(.over(worker: "a", epoch: "1", jobs: ["i", "j"], endedFor: .seconds(5)))
    #expect(actions == [ask] + (isOver ? [.send(.over([over]), route: "a/1")] : []))
  }
}
