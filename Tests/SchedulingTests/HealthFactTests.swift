import Messages
import Scheduling
import Testing

struct HealthFactTests {
  @Test func `a coordinator is ready once the database has answered, and while it does, whoever leads`() {
    var dispatcher = Dispatcher(Candidate(name: "c", epoch: "1"))
    func facts() -> [Bool] { dispatcher.health.map(\.isSo) }
    #expect(dispatcher.health.filter(\.isNeeded).map(\.name) == ["database"] && facts() == [false, false])
    _ = dispatcher.handle(.turn, now: .zero)
    #expect(facts() == [false, false])
    _ = dispatcher.handle(.answered(.stood(.follows(leader: "d", term: 4))), now: .zero)
    #expect(facts() == [true, false])
    _ = dispatcher.handle(.answered(.stood(.leads(term: 5))), now: .zero)
    #expect(facts() == [true, true])
    _ = dispatcher.handle(.unanswered(.lead(dispatcher.candidate), reason: "gone"), now: .zero)
    #expect(facts() == [false, true])
    _ = dispatcher.handle(.answered(.stood(.leads(term: 5))), now: .zero)
    #expect(facts() == [true, true])
  }

  @Test func `a worker is ready while a coordinator serves it and it is not told to stop`() {
    var state = WorkerState(name: "a", epoch: "1", host: "h", processID: 1, slots: 1)
    func facts() -> [Bool] { state.health.filter(\.isNeeded).map(\.isSo) }
    _ = state.handle(.turn, now: .zero)
    #expect(facts() == [false, true])
    _ = state.handle(.received(.welcome(heartbeatMilliseconds: 1000)), now: .zero)
    #expect(facts() == [true, true])
    _ = state.handle(.received(.notLeading), now: .zero)
    #expect(facts() == [false, true])
    _ = state.handle(.interrupted, now: .zero)
    #expect(facts() == [false, false])
  }
}
