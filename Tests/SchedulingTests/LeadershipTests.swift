import Messages
import Scheduling
import Testing

private let candidate = Candidate(name: "c", epoch: "1")
private let known = Candidate(name: "c", epoch: "1", isNew: false)
private let hello = WorkerHello(worker: "a", epoch: "1", host: "h", processID: 1, slots: 2, running: [])

/// What a dispatcher does, without its notes.
private func act(_ dispatcher: inout Dispatcher, _ event: Dispatcher.Event, at now: Duration = .zero) -> [Dispatcher.Action] {
  dispatcher.handle(event, now: now).filter { if case .note = $0 { false } else { true } }
}

struct LeadershipTests {
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
    for _ in 0..<10 { _ = act(&dispatcher, .notified) }
    #expect(act(&dispatcher, .turn, at: .milliseconds(99)) == [])
    #expect(act(&dispatcher, .turn, at: .milliseconds(100)) == [.ask(.lead(known))])
  }

  @Test func `a leader that is deposed sends its workers away, and knows them no more`() {
    var dispatcher = Dispatcher(candidate)
    _ = act(&dispatcher, .answered(.stood(.leads(term: 7))))
    #expect(dispatcher.term == 7)
    _ = act(&dispatcher, .answered(.registered(hello)))
    #expect(act(&dispatcher, .deposed(.claim([]))) == [.send(.notLeading, route: "a/1")])
    #expect(dispatcher.term == nil)
    let heartbeat = WorkerMessage.heartbeat(worker: "a", epoch: "1", running: [])
    #expect(act(&dispatcher, .received(heartbeat, route: "a/1")) == [.send(.notLeading, route: "a/1")])
  }

  @Test func `a leader that ends resigns first`() {
    var dispatcher = Dispatcher(candidate)
    #expect(act(&dispatcher, .stopping) == [])
    _ = act(&dispatcher, .answered(.stood(.leads(term: 7))))
    _ = act(&dispatcher, .answered(.registered(hello)))
    #expect(act(&dispatcher, .stopping) == [.ask(.resign(known)), .send(.notLeading, route: "a/1")])
  }

  @Test func `heartbeats of a turn are noted together, the newest of each worker`() {
    var dispatcher = Dispatcher(candidate)
    _ = act(&dispatcher, .answered(.stood(.leads(term: 1))))
    _ = act(&dispatcher, .answered(.registered(hello)))
    var other = hello
    other.worker = "b"
    _ = act(&dispatcher, .answered(.registered(other)))
    _ = act(&dispatcher, .turn)
    let progress = AttemptProgress(key: AttemptKey(task: 1, attempt: 1), done: 1, total: 2)
    for (worker, running) in [("b", []), ("a", []), ("a", [progress])] {
      _ = act(&dispatcher, .received(.heartbeat(worker: worker, epoch: "1", running: running), route: "\(worker)/1"))
    }
    let both = [Heartbeat(worker: "a", epoch: "1", running: [progress]), Heartbeat(worker: "b", epoch: "1", running: [])]
    #expect(act(&dispatcher, .turn) == [.ask(.heartbeat(both))])
    #expect(act(&dispatcher, .turn) == [])
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
