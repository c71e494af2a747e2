import FarmTesting
import Messages
import Scheduling
import Testing

/// The times at which rounds of requests begin.
struct GatheringTests {
  private let gathering = Duration.milliseconds(15)

  private func finished(_ task: Int64) -> WorkerMessage {
    .finished(
      worker: "a", epoch: "1", AttemptKey(task: task, attempt: 1), .sample(of: .picture))
  }

  private func committed(_ actions: [Dispatcher.Action]) -> [AttemptKey] {
    actions.flatMap { action -> [AttemptKey] in
      guard case .ask(.commit(let completions)) = action else { return [] }
      return completions.map(\.key)
    }
  }

  @Test func `what comes after a pause is asked for at once, and what follows soon after it together`() {
    var known = TurnedDispatcher(gathering: gathering)
    _ = known.join("a")
    #expect(committed(known.hear(finished(1), after: .seconds(1))).map(\.task) == [1])
    #expect(committed(known.hear(finished(2), after: .milliseconds(2))) == [])
    #expect(committed(known.hear(finished(3), after: .milliseconds(2))) == [])
    // The dispatcher says itself when it wants its next turn.
    let wait = known.dispatcher.turnDue - known.now
    #expect(wait > .zero && wait <= gathering - .milliseconds(4))
    #expect(committed(known.turn(after: wait)).map(\.task) == [2, 3])
  }

  @Test func `a long round is followed by a pause too, unless a full group of results waits`() {
    var known = TurnedDispatcher(gathering: gathering)
    _ = known.join("a", slots: 2000)
    _ = known.turn(after: .seconds(1))
    known.slowness = .milliseconds(200)
    _ = known.hear(finished(1), after: .milliseconds(500))
    _ = known.handle(.received(finished(2), route: "a/1"))
    #expect(known.dispatcher.turnDue == known.now + gathering)
    for task in 3..<Int64(2 * Dispatcher.mostTogether + 2) { _ = known.handle(.received(finished(task), route: "a/1")) }
    _ = known.turn(after: gathering)
    // One group was committed, and another one is full.
    #expect(known.dispatcher.turnDue <= known.now)
  }

  /// The workers whose heartbeats were noted, in groups, where all of a farm say something each second.
  private func noted(workers: Int, seconds: Int) -> [[String]] {
    var known = TurnedDispatcher(notedHeartbeats: 100)
    let names = (0..<workers).map { "w\(1000 + $0)" }
    for name in names { _ = known.join(name) }
    for _ in 0..<seconds * 10 {
      for name in names {
        _ = known.handle(.received(.heartbeat(worker: name, epoch: "1", running: []), route: "\(name)/1"))
      }
      _ = known.turn(after: .milliseconds(100))
    }
    return known.asked.compactMap { if case .heartbeat(let beats) = $0.request { beats.map(\.worker) } else { nil } }
  }

  @Test func `each worker's heartbeat is noted in its turn, and on a large farm not each of them`() {
    let few = noted(workers: 5, seconds: 3)
    #expect(few.count >= 25 && few.allSatisfy { $0.count == 5 })
    // More than are noted at once, and more than a hundred a second: all within two and a half seconds.
    let many = noted(workers: 1500, seconds: 12)
    #expect(many.allSatisfy { $0.count <= Offer.limit } && many.reduce(0) { $0 + $1.count } < 9000)
    let counts = Dictionary(many.joined().map { ($0, 1) }) { $0 + $1 }
    #expect(counts.count == 1500 && counts.values.allSatisfy { 4...7 ~= $0 }, "\(Set(counts.values))")
  }

  @Test func `a pause is shorter where many results wait`() {
    var known = TurnedDispatcher(gathering: .milliseconds(35))
    _ = known.join("a", slots: 2000)
    _ = known.turn(after: .seconds(1))
    let end = known.now
    for task in 1...Int64(99) { _ = known.handle(.received(finished(task), route: "a/1")) }
    #expect(known.dispatcher.turnDue == end + .milliseconds(35))
    _ = known.handle(.received(finished(100), route: "a/1"))
    #expect(known.dispatcher.turnDue == end + .milliseconds(15))
    #expect(committed(known.turn(after: .milliseconds(14))).isEmpty)
    #expect(committed(known.turn(after: .milliseconds(1))).count == 100)
  }

  @Test func `the lead is renewed in time however much is gathered`() {
    var known = TurnedDispatcher(gathering: .seconds(3600))
    _ = known.turn(after: .seconds(1))
    #expect(known.hear(finished(1), after: .seconds(1)).contains(.ask(.lead(TurnedDispatcher.known))))
  }

  @Test func `a submission has work given out, and nothing looked through`() {
    var known = TurnedDispatcher()
    _ = known.join("a")
    _ = known.turn()
    _ = known.handle(.notified(.submissions))
    let claim = LedgerRequest.claim([FreeSlots(worker: "a", epoch: "1", slots: 2)])
    #expect(known.turn() == [.ask(claim)])
  }

  @Test func `results are committed in the order in which they came, so that later ones hold up none`() {
    var known = TurnedDispatcher()
    _ = known.join("a", slots: 2000)
    let last = Int64(Dispatcher.mostTogether) + 1
    for task in (1...last).reversed() { _ = known.handle(.received(finished(task), route: "a/1")) }
    // What is told again keeps its place.
    _ = known.handle(.received(finished(last), route: "a/1"))
    #expect(committed(known.turn()).map(\.task) == (2...last).reversed())
    #expect(committed(known.turn()).map(\.task) == [1])
  }

  @Test func `a worker whose result waits for the ledger is not sent its order again`() {
    var known = TurnedDispatcher()
    _ = known.join("a", slots: 2000)
    let key = AttemptKey(task: 1_000_000, attempt: 1)
    let spec = JobSpec(document: "{}", facts: [:], output: "/o.mp4", overwrites: false, keepsSegments: false)
    let order = AttemptOrder(job: "j", key: key, work: .picture(FrameRange(first: 0, count: 1)), spec: spec)
    _ = known.handle(.notified(.submissions))
    _ = known.turn { if case .claim = $0 { .answered(.claimed([ClaimedAttempt(worker: "a", order: order)])) } else { nil } }
    // A group of results came before it, and the worker does not list what it has finished.
    for task in 1...Int64(Dispatcher.mostTogether) {
      _ = known.handle(.received(finished(task), route: "a/1"), after: .milliseconds(8))
    }
    _ = known.handle(.received(finished(key.task), route: "a/1"))
    _ = known.handle(.received(.heartbeat(worker: "a", epoch: "1", running: []), route: "a/1"))
    let requests = (known.turn() + known.turn()).compactMap { if case .ask(let request) = $0 { request } else { nil } }
    #expect(requests.contains { if case .heartbeat = $0 { true } else { false } })
    #expect(!requests.contains { if case .openAttempts = $0 { true } else { false } })
  }

  @Test func `free slots are filled before heartbeats are noted`() {
    var known = TurnedDispatcher()
    _ = known.join("a")
    _ = known.turn(after: .seconds(1))
    _ = known.handle(.received(.heartbeat(worker: "a", epoch: "1", running: []), route: "a/1"))
    _ = known.handle(.received(finished(1), route: "a/1"))
    let requests = known.turn().compactMap { action -> String? in
      switch action {
      case .ask(.commit): "commit"
      case .ask(.claim): "claim"
      case .ask(.heartbeat): "heartbeat"
      default: nil
      }
    }
    #expect(requests == ["commit", "claim", "heartbeat"])
  }
}
