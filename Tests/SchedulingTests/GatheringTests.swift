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
}
