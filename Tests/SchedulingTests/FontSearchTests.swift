import FarmTesting
import Formats
import FoundationEssentials
import Ledger
import Messages
import Scheduling
import Testing

private func tag(_ name: String, _ digit: Character = "0") -> String { "font=\(name):9:\(String(repeating: digit, count: 32))" }
private let (sans, gothic) = (tag("Sans"), tag("Gothic", "1"))

private func face(_ family: String, name: String? = nil, digit: Character = "0") -> FontFace {
  FontFace(
    family: family, weight: 400, name: name ?? family, index: 0, byteCount: 9, digest: String(repeating: digit, count: 32))
}

private func wanting(_ fonts: [String]) -> (LedgerRequest) -> Dispatcher.Event? {
  { $0 == .wantedFonts ? .answered(.wantedFonts(fonts)) : nil }
}

private func hello(_ tags: [String]) -> WorkerMessage {
  .hello(
    WorkerHello(worker: "a", epoch: "1", host: "h", processID: 1, slots: 2, capabilities: Capabilities(tags: tags), running: []))
}

/// Coordinators ask workers for the fonts that jobs need, and workers tell which they have.
struct FontSearchTests {
  @Test func `a font's tag names it for people and for workers`() throws {
    let made = FontTag(face("雨 Sans", name: "Deja/Vu Sans, Bold:x 雨"))
    #expect(made.tag == "font=DejaVu_Sans_Boldx_:9:00000000000000000000000000000000")
    let read = try #require(FontTag(made.tag))
    #expect(read == made && read.byteCount == 9 && read.digest == String(repeating: "0", count: 32))
    let long = FontTag(
      FontFace(family: "f", weight: 400, name: String(repeating: "n", count: 300), index: 0, byteCount: .max, digest: made.digest)
    )
    #expect(Capabilities.isTag(long.tag) && long.tag.utf8.count < 100)
    for other in ["gpu", "font=", "font=a:9", "font=a:x:\(made.digest)", "font=a:0:\(made.digest)", "font=a:9:00"] {
      #expect(FontTag(other) == nil)
    }
  }

  @Test(arguments: ["A", "g", "/", " "] as [Character])
  func `a digest has lower-case hexadecimal digits, in a tag as in a job`(digit: Character) throws {
    #expect(FontTag(tag("Sans", digit)) == nil)
    let json = try JSONEncoder().encode(face("Sans", digit: "f"))
    #expect(try JSONDecoder().decode(FontFace.self, from: json) == face("Sans", digit: "f"))
    #expect(FontTag(tag("Sans", "f")) != nil)
    let wrong = try JSONEncoder().encode(face("Sans", digit: digit))
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(FontFace.self, from: wrong) }
  }

  @Test func `a file is needed once, however many faces of it are used`() {
    #expect(FontTag.tags(of: [face("Sans"), face("Sans Mono"), face("Gothic", digit: "1")]) == [gothic, sans])
  }

  @Test func `a worker tells of many fonts beside its tags`() throws {
    let fonts = (0..<FontTag.mostAtOnce).map { tag("F\($0)") }
    let own = (0..<Capabilities.mostTags).map { "tag\($0)" }
    let frames = try Wire.encode(hello(own + fonts))
    #expect(try Wire.decode(WorkerMessage.self, from: frames) == hello(own + fonts))
    let tooMany = try Wire.encode(hello(own + fonts + ["more"]))
    #expect(throws: WireError.self) { _ = try Wire.decode(WorkerMessage.self, from: tooMany) }
  }

  // MARK: The coordinator

  @Test func `workers are asked for the fonts that jobs need, once, and again after a while`() {
    var dispatcher = TurnedDispatcher()
    _ = dispatcher.join("a")
    let seek = Dispatcher.Action.send(.seek(fonts: [sans]), route: "a/1")
    func submitted(after wait: Duration = .zero) -> Bool {
      _ = dispatcher.handle(.notified(.submissions), after: wait)
      return dispatcher.turn(answer: wanting([sans])).contains(seek)
    }
    #expect(submitted(after: .seconds(1)))
    #expect(!submitted(after: .seconds(1)))
    _ = dispatcher.hear(.heartbeat(worker: "a", epoch: "1", running: []), after: .seconds(13))
    #expect(submitted(after: .seconds(1)))
    // The worker found the font.
    #expect(!dispatcher.hear(hello([sans])).contains(seek))
    #expect(!submitted(after: .seconds(20)))
  }

  @Test func `a worker that joins is asked for what jobs need already`() {
    var dispatcher = TurnedDispatcher()
    _ = dispatcher.handle(.notified(.submissions), after: .seconds(1))
    _ = dispatcher.turn(answer: wanting([sans, gothic]))
    #expect(dispatcher.join("a").contains(.send(.seek(fonts: [sans, gothic]), route: "a/1")))
    #expect(!dispatcher.join("b", slots: 0).contains(.send(.seek(fonts: [sans, gothic]), route: "b/1")))
  }

  @Test func `submissions have the needed fonts asked for at once, a crowd's twice a second, and soon after the last`() {
    var dispatcher = TurnedDispatcher()
    var asked: [Int] = []
    for count in 1...41 {
      _ = dispatcher.handle(.notified(.submissions), after: .milliseconds(100))
      _ = dispatcher.turn {
        if $0 == .wantedFonts { asked.append(count) }
        return nil
      }
    }
    // The first question came with the lead, at 0 s, and the next one may follow 20 ms later. Each pause is twice the one before.
    #expect(asked == [1, 2, 3, 5, 9, 14, 19, 24, 29, 34, 39])
    #expect(dispatcher.dispatcher.turnDue <= .milliseconds(4500))
  }

  @Test func `whoever takes the lead asks for what jobs need`() {
    var dispatcher = Dispatcher(TurnedDispatcher.candidate)
    var (asked, now) = ([LedgerRequest](), Duration.zero)
    var events = [Dispatcher.Event.turn, .turn][...]
    while let event = events.popFirst() {
      now += .milliseconds(100)
      for case .ask(let request) in dispatcher.handle(event, now: now) {
        asked.append(request)
        events.insert(.answered(TurnedDispatcher.calm(request)), at: events.startIndex)
      }
    }
    #expect(asked.contains(.wantedFonts))
  }

  // MARK: The worker

  private func worker() -> WorkerState {
    var state = WorkerState(
      name: "a", epoch: "1", host: "h", processID: 1, slots: 1, capabilities: Capabilities(tags: ["gpu"]))
    _ = state.handle(.received(.welcome(heartbeatMilliseconds: 1000)), now: .zero)
    return state
  }

  private func told(_ actions: [WorkerState.Action]) -> [String]? {
    for case .send(.hello(let hello)) in actions { return hello.capabilities.tags }
    return nil
  }

  @Test func `a worker looks for the fonts that it is asked for, and tells those that it found`() {
    var worker = worker()
    #expect(worker.handle(.received(.seek(fonts: [sans, gothic])), now: .zero) == [.seek(FontOrder(wanted: [gothic, sans]))])
    #expect(told(worker.handle(.found([sans]), now: .zero)) == [sans, "gpu"])
    // A font that was found is not looked for again. A font that is not wanted any more is not told.
    #expect(worker.handle(.received(.seek(fonts: [sans, gothic])), now: .zero) == [.seek(FontOrder(wanted: [gothic]))])
    #expect(told(worker.handle(.found([gothic]), now: .zero)) == [gothic, sans, "gpu"])
    #expect(told(worker.handle(.received(.seek(fonts: [gothic])), now: .zero)) == [gothic, "gpu"])
  }

  @Test func `fonts are looked for by one process at a time, and those that are asked for meanwhile after it`() {
    var worker = worker()
    _ = worker.handle(.received(.seek(fonts: [sans])), now: .zero)
    #expect(worker.handle(.received(.seek(fonts: [sans, gothic])), now: .zero) == [])
    let actions = worker.handle(.found([sans]), now: .zero)
    #expect(told(actions) == [sans, "gpu"] && actions.contains(.seek(FontOrder(wanted: [gothic]))))
    // Tags that nobody asked for are left out, and so are those that are no font.
    #expect(told(worker.handle(.found(["gpu2", tag("Other", "2")]), now: .zero)) == [sans, "gpu"])
  }

  @Test func `a search that hangs is ended, once`() {
    var worker = worker()
    _ = worker.handle(.received(.seek(fonts: [sans])), now: .zero)
    #expect(!worker.handle(.turn, now: .seconds(59)).contains(.endSearch))
    #expect(worker.handle(.turn, now: .seconds(60)).contains(.endSearch))
    #expect(!worker.handle(.turn, now: .seconds(61)).contains(.endSearch))
  }

  @Test func `whatever fails, a job is done where its font is, and nowhere else`() throws {
    for seed in 0..<30 as Range<UInt64> {
      let clock = VirtualClock()
      let ledger = MemoryLedger(clock: clock)
      let farm = SimulatedFarm(seed: seed, clock: clock, ledger: ledger, slots: [2, 2, 2], faults: SimulatedFarm.Faults())
      farm.fonts = ["w1": [sans], "w2": [gothic]]
      let spec = JobSpec(document: "{}", facts: [:], output: "/o.mp4", overwrites: false, keepsSegments: false)
      let pictures = (0..<6).map { JobSubmission.Task(kind: .picture, frames: FrameRange(first: $0 * 10, count: 10), cost: 1) }
      try farm.submit(
        JobSubmission(
          id: "job", spec: spec, submitter: "test", needs: Capabilities(tags: [sans]), frameCount: 60,
          tasks: JobSubmission.tasks(pictures: pictures)))
      #expect(try farm.run(limit: .seconds(900)) == [.done], "seed \(seed)")
      #expect(farm.witness.violations == [], "seed \(seed)")
      #expect(ledger.workersOfAttempts == ["w1"], "seed \(seed)")
    }
  }
}
