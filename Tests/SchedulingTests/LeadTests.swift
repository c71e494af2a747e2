import FarmTesting
import Messages
import Scheduling
import Testing

private let candidate = Candidate(name: "c", epoch: "1")
private let known = Candidate(name: "c", epoch: "1", isNew: false)
private let hello = WorkerHello(worker: "a", epoch: "1", host: "h", processID: 1, slots: 2, running: [])

/// The dispatcher's actions, without its notes.
private func act(_ dispatcher: inout Dispatcher, _ event: Dispatcher.Event, at now: Duration = .zero) -> [Dispatcher.Action] {
  dispatcher.handle(event, now: now).filter { if case .note = $0 { false } else { true } }
}

struct LeadTests {
  @Test func `a coordinator first asks for the lead, and then for nothing else while another one has it`() {
    var dispatcher = Dispatcher(candidate)
    #expect(act(&dispatcher, .turn) == [.ask(.lead(candidate))])
    #expect(act(&dispatcher, .answered(.stood(.follows(leader: "d", term: 4)))) == [])
    #expect(act(&dispatcher, .received(.hello(hello), route: "a/1")) == [.send(.notLeading, route: "a/1")])
    #expect(act(&dispatcher, .turn, at: .milliseconds(999)) == [])
    #expect(act(&dispatcher, .turn, at: .seconds(1)) == [.ask(.lead(known))])
  }

  @Test func `a follower that is told of a change asks for the lead soon, however often it is told`() {
    var dispatcher = Dispatcher(candidate)
    _ = act(&dispatcher, .turn)
    _ = act(&dispatcher, .answered(.stood(.follows(leader: "d", term: 4))))
    for _ in 0..<10 { _ = act(&dispatcher, .notified(.changes)) }
    #expect(act(&dispatcher, .turn, at: .milliseconds(99)) == [])
    #expect(act(&dispatcher, .turn, at: .milliseconds(100)) == [.ask(.lead(known))])
  }

  @Test func `a leader that is deposed sends its workers away, and knows them no more`() {
    var dispatcher = Dispatcher(candidate)
    _ = act(&dispatcher, .answered(.stood(.leads(term: 7))))
    #expect(dispatcher.term == 7)
    _ = act(&dispatcher, .answered(.registered([hello])))
    #expect(act(&dispatcher, .deposed(.claim([]))) == [.send(.notLeading, route: "a/1")])
    #expect(dispatcher.term == nil)
    let heartbeat = WorkerMessage.heartbeat(worker: "a", epoch: "1", running: [])
    #expect(act(&dispatcher, .received(heartbeat, route: "a/1")) == [.send(.notLeading, route: "a/1")])
  }

  @Test(
    arguments: [
      (.answered(.stood(.leads(term: 9))), "its lease had passed, and it leads on in term 9"),
      (.answered(.stood(.follows(leader: "d", term: 8))), "d leads term 8"),
      (.answered(.stood(.follows(leader: "c", term: 8))), "another process is named c as well, and leads term 8"),
      (.deposed(.claim([])), "another coordinator leads, as claim was told"),
    ] as [(Dispatcher.Event, String)])
  func `a lead that was lost is logged, with the reason and how long it had not been renewed`(
    event: Dispatcher.Event, reason: String
  ) {
    var dispatcher = Dispatcher(candidate)
    func notes(_ event: Dispatcher.Event, at now: Duration) -> [String] {
      dispatcher.handle(event, now: now).compactMap { if case .note(let note) = $0 { note.description } else { nil } }
    }
    #expect(notes(.answered(.stood(.leads(term: 7))), at: .seconds(1)) == ["event=leads coordinator=c term=7"])
    #expect(notes(.answered(.stood(.leads(term: 7))), at: .seconds(2)) == [])
    let lost = notes(event, at: .milliseconds(14_250))
    #expect(lost.first == "event=lead_lost term=7 reason=\"\(reason)\" unrenewed_ms=12250")
    #expect(lost.filter { $0.hasPrefix("event=lead_lost") }.count == 1)
  }

  @Test func `a leader that ends resigns first`() {
    var dispatcher = Dispatcher(candidate)
    #expect(act(&dispatcher, .stopping) == [])
    _ = act(&dispatcher, .answered(.stood(.leads(term: 7))))
    _ = act(&dispatcher, .answered(.registered([hello])))
    #expect(act(&dispatcher, .stopping) == [.ask(.resign(known)), .send(.notLeading, route: "a/1")])
  }

  @Test func `heartbeats of a moment are noted together, the newest of each worker`() {
    var dispatcher = TurnedDispatcher()
    for worker in ["a", "b"] { _ = dispatcher.join(worker) }
    let progress = AttemptProgress(key: AttemptKey(task: 1, attempt: 1), done: 1, total: 2)
    func say(_ worker: String, _ running: [AttemptProgress]) {
      _ = dispatcher.handle(.received(.heartbeat(worker: worker, epoch: "1", running: running), route: "\(worker)/1"))
    }
    for (worker, running) in [("b", []), ("a", []), ("a", [progress])] { say(worker, running) }
    let both = [Heartbeat(worker: "a", epoch: "1", running: [progress]), Heartbeat(worker: "b", epoch: "1", running: [])]
    #expect(dispatcher.turn().first == .ask(.heartbeat(both)))
    say("a", [])
    #expect(dispatcher.turn() == [])
    #expect(dispatcher.dispatcher.turnDue == .milliseconds(100))
    #expect(
      dispatcher.turn(after: .milliseconds(100)).first == .ask(.heartbeat([Heartbeat(worker: "a", epoch: "1", running: [])])))
  }

  @Test func `whose own lease had passed leads on in a new term, and does not depose itself`() {
    var dispatcher = TurnedDispatcher()
    _ = dispatcher.join("a")
    #expect(dispatcher.handle(.turn, after: .seconds(6)) == [.ask(.lead(known))])
    // Nothing else was asked in the term that is over. The workers stay, and say again who they are.
    #expect(dispatcher.handle(.answered(.stood(.leads(term: 2)))) == [])
    #expect(dispatcher.dispatcher.term == 2)
    #expect(dispatcher.turn() == [.ask(.keepHistory), .ask(.follow)])
    #expect(
      dispatcher.hear(.heartbeat(worker: "a", epoch: "1", running: [])) == [.send(.whoAreYou, route: "a/1")])
  }

  @Test
  func
    `workers have the time to say that they live before a new leader, or one without a ledger for a while, looks for overdue work`()
  {
    var dispatcher = TurnedDispatcher()
    _ = dispatcher.join("a")
    func expires(after wait: Duration) -> Bool { dispatcher.turn(after: wait).contains(.ask(.expire)) }
    for _ in 0..<4 { #expect(!expires(after: .seconds(1))) }
    #expect(expires(after: .seconds(1)))
    _ = dispatcher.handle(.unanswered(.lead(known), reason: "down"))
    // The silence counts from the return of the ledger, not from its loss.
    #expect(!expires(after: .seconds(100)))
    for _ in 0..<4 { #expect(!expires(after: .seconds(1))) }
    #expect(expires(after: .seconds(1)))
  }

  @Test func `the lead is renewed before anything else, however much waits and however slow the ledger is`() {
    var dispatcher = TurnedDispatcher()
    for number in 0..<5000 {
      let hello = WorkerHello(worker: "w\(number)", epoch: "1", host: "h", processID: 1, slots: 1, running: [])
      _ = dispatcher.handle(.received(.hello(hello), route: "w\(number)/1"))
    }
    dispatcher.slowness = .milliseconds(700)
    for _ in 0..<20 { _ = dispatcher.turn() }
    let registered = dispatcher.asked.reduce(0) { if case .register(let hellos) = $1.request { $0 + hellos.count } else { $0 } }
    #expect(registered == 5000)
    let renewals = dispatcher.asked.filter { if case .lead = $0.request { true } else { false } }.map(\.time)
    #expect(zip(renewals, renewals.dropFirst()).allSatisfy { $1 - $0 < .seconds(3) })
  }

  @Test func `of a group that the ledger refuses, all but the one that it is refused for are served`() {
    var dispatcher = TurnedDispatcher()
    _ = dispatcher.join("a")
    let proof = Proof.sample(of: .sound)
    for task in 1...9 as ClosedRange<Int64> {
      let message = WorkerMessage.finished(worker: "a", epoch: "1", AttemptKey(task: task, attempt: 1), proof)
      _ = dispatcher.handle(.received(message, route: "a/1"))
    }
    var settled: Set<Int64> = []
    for _ in 0..<10 {
      let actions = dispatcher.turn { request in
        guard case .commit(let completions) = request, completions.contains(where: { $0.key.task == 4 }) else { return nil }
        return .refused(request, reason: "a check")
      }
      for case .send(.settled(let key), _) in actions { settled.insert(key.task) }
    }
    #expect(settled == [1, 2, 3, 5, 6, 7, 8, 9])
  }

  @Test func `a worker that is turned away tries each endpoint once, and then all of them again after a second`() {
    var worker = Self.worker(endpoints: 3)
    #expect(Self.connections(&worker, .turn, at: .zero) == [])
    for next in [1, 2] {
      #expect(Self.connections(&worker, .received(.notLeading), at: .zero) == [])
      #expect(Self.connections(&worker, .turn, at: .zero) == [next])
    }
    _ = worker.handle(.received(.notLeading), now: .zero)
    #expect(Self.connections(&worker, .turn, at: .milliseconds(999)) == [])
    #expect(Self.connections(&worker, .turn, at: .seconds(1)) == [0])
  }

  @Test func `a worker leaves an endpoint where nobody greets it within a second`() {
    var worker = Self.worker(endpoints: 2)
    _ = worker.handle(.turn, now: .zero)
    worker.notConnected(now: .zero)
    #expect(Self.connections(&worker, .turn, at: .milliseconds(50)) == [])
    #expect(Self.connections(&worker, .turn, at: .milliseconds(1050)) == [1])
  }

  @Test func `a worker leaves a coordinator that does not answer its heartbeats, with what it runs`() {
    var worker = Self.worker(endpoints: 2)
    _ = worker.handle(.received(.welcome(heartbeatMilliseconds: 1000)), now: .zero)
    let order = AttemptOrder(
      job: "j", key: AttemptKey(task: 1, attempt: 1), work: .sound,
      spec: JobSpec(document: "{}", facts: [:], output: "/o", overwrites: false, keepsSegments: false))
    _ = worker.handle(.received(.assign(order)), now: .zero)
    _ = worker.handle(.received(.heard), now: .seconds(1))
    #expect(Self.connections(&worker, .turn, at: .milliseconds(4999)) == [])
    let actions = worker.handle(.turn, now: .seconds(5))
    #expect(actions.contains(.connect(endpoint: 1)))
    let listed = [AttemptProgress(key: order.key, done: 0, total: 0)]
    #expect(
      actions.contains(
        .send(.hello(WorkerHello(worker: "a", epoch: "1", host: "h", processID: 1, slots: 1, running: listed)))))
  }

  private static func worker(endpoints: Int) -> WorkerState {
    WorkerState(name: "a", epoch: "1", host: "h", processID: 1, slots: 1, endpoints: endpoints)
  }

  private static func connections(_ worker: inout WorkerState, _ event: WorkerState.Event, at now: Duration) -> [Int] {
    worker.handle(event, now: now).compactMap { if case .connect(let endpoint) = $0 { endpoint } else { nil } }
  }
}
