import FarmTesting
import Messages
import Scheduling
import Testing

/// The coordinator's log of events, whoever caused them.
struct NewsLogTests {
  private static let news = [
    News("job_ended", [.init("job", "j"), .init("state", "failed"), .init("failure", "worker: a: \u{1b}[2J")]),
    News("farm_drained", []),
  ]

  private static func answer(_ request: LedgerRequest) -> Dispatcher.Event? {
    request == .news ? .answered(.news(news)) : nil
  }

  @Test func `what happened is asked for each second, and logged as it was told`() {
    var dispatcher = TurnedDispatcher()
    let lines = dispatcher.log(after: .seconds(1), answer: Self.answer)
    #expect(lines == [#"event=job_ended job=j state=failed failure="worker: a: \u001b[2J""#, "event=farm_drained"])
    #expect(dispatcher.log(after: .milliseconds(10), answer: Self.answer) == [])
  }

  @Test func `it is asked for at once when others changed something, and when attempts expired`() {
    var dispatcher = TurnedDispatcher()
    _ = dispatcher.log(after: .seconds(1))
    _ = dispatcher.handle(.notified(.changes))
    #expect(dispatcher.log(answer: Self.answer).count == 2)
  }

  @Test func `a result that comes again is logged as repeated, and no pace is learned from it`() {
    var dispatcher = TurnedDispatcher()
    _ = dispatcher.join("a")
    let key = AttemptKey(task: 1, attempt: 1)
    let proof = Proof.sample(of: .sound)
    var requests: [LedgerRequest] = []
    func log(_ repeated: Set<AttemptKey>) -> [String] {
      _ = dispatcher.handle(.received(.finished(worker: "a", epoch: "1", key, proof), route: "a/1"))
      return dispatcher.log(after: .seconds(2)) { request in
        requests.append(request)
        guard case .commit(let completions) = request else { return nil }
        return .answered(.committed(completions, Committed(verdicts: [.won], repeated: repeated)))
      }
    }
    #expect(log([]) == ["event=finished attempt=1/1 worker=a verdict=won"])
    #expect(requests.contains(.learn([key])))
    requests = []
    #expect(log([key]) == ["event=finished attempt=1/1 worker=a verdict=repeated"])
    #expect(!requests.contains(.learn([key])))
  }
}
