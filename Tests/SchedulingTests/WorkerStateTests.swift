import FarmTesting
import Messages
import Scheduling
import Testing

private let first = AttemptKey(task: 1, attempt: 1)
private let second = AttemptKey(task: 2, attempt: 1)
private let third = AttemptKey(task: 3, attempt: 1)
private let proof = Proof.sample(of: .sound)

private func order(_ key: AttemptKey) -> AttemptOrder {
  AttemptOrder(
    job: "j", key: key, work: .picture(FrameRange(first: 0, count: 10)),
    spec: JobSpec(document: "{}", facts: [:], output: "/o.mp4", overwrites: false, keepsSegments: false))
}

/// A welcomed worker with its actions, without its notes and the segments that it keeps.
private struct Welcomed {
  var state: WorkerState
  var now = Duration.zero

  init(slots: Int = 1) {
    state = WorkerState(name: "a", epoch: "1", host: "h", processID: 1, slots: slots, timing: .init(stall: .seconds(30)))
    _ = state.handle(.turn, now: now)
    _ = state.handle(.received(.welcome(heartbeatMilliseconds: 1000)), now: now)
    _ = state.handle(.turn, now: now)
  }

  mutating func handle(_ event: WorkerState.Event, after wait: Duration = .zero) -> [WorkerState.Action] {
    now += wait
    return state.handle(event, now: now).filter {
      switch $0 {
      case .note, .keep: false
      default: true
      }
    }
  }
}

struct WorkerStateTests {
  @Test func `a chunk leaves the processor to sound of its job that is made beside it, where somebody waits for either`() {
    /// Whether a chunk yields that begins while a sound is made.
    func yields(awaitedSound: Bool, awaitedChunk: Bool, job: String = "j") -> Bool? {
      var worker = Welcomed(slots: 2)
      var sound = order(AttemptKey(task: 1, attempt: 1))
      (sound.job, sound.work, sound.isAwaited) = ("j", .soundPart(SampleRange(first: 0, count: 10)), awaitedSound ? true : nil)
      #expect(worker.handle(.received(.assign(sound))).first == .start(sound))
      var chunk = order(AttemptKey(task: 2, attempt: 1))
      (chunk.job, chunk.work) = (job, .picture(FrameRange(first: 0, count: 10)))
      chunk.isAwaited = awaitedChunk ? true : nil
      guard case .start(let started) = worker.handle(.received(.assign(chunk))).first else { return nil }
      chunk.yields = started.yields
      #expect(started == chunk)
      return started.yields == true
    }
    #expect(yields(awaitedSound: true, awaitedChunk: false) == true)
    #expect(yields(awaitedSound: false, awaitedChunk: true) == true)
    #expect(yields(awaitedSound: false, awaitedChunk: false) == false)
    #expect(yields(awaitedSound: true, awaitedChunk: true, job: "other") == false)
  }

  @Test func `a long movie is joined from its first chunk on that is far into it, once for each job`() {
    var worker = Welcomed()
    func chunk(_ task: Int64, _ frame: Int, job: String = "j") -> AttemptOrder {
      var order = order(AttemptKey(task: task, attempt: 1))
      (order.job, order.work) = (job, .picture(FrameRange(first: frame, count: 10)))
      return order
    }
    func part(_ task: Int64, _ sample: Int64, job: String) -> AttemptOrder {
      var order = order(AttemptKey(task: task, attempt: 1))
      (order.job, order.work) = (job, .soundPart(SampleRange(first: sample, count: 10)))
      return order
    }
    func joins(_ order: AttemptOrder) -> Bool {
      let actions = worker.handle(.received(.assign(order)))
      _ = worker.handle(.ended(order.key, .exited(0, lastWords: "")))
      #expect(actions.first == .start(order))
      return actions.contains(.join(order))
    }
    #expect(!joins(chunk(1, 0)) && !joins(chunk(2, 2999)))
    #expect(joins(chunk(3, 3000)) && !joins(chunk(4, 3000)) && !joins(chunk(5, 90_000)))
    #expect(joins(chunk(6, 3000, job: "k")))
    #expect(!joins(part(7, 14_397_440, job: "s")) && joins(part(8, 28_798_976, job: "s")))
    #expect(!joins(part(9, 43_196_416, job: "s")) && !joins(chunk(10, 3000, job: "s")))
    for number in 0..<64 { #expect(joins(chunk(Int64(20 + number), 3000, job: "j\(number)"))) }
    #expect(joins(chunk(90, 3000)), "it was forgotten: of those who begin twice, one goes on")
  }

  @Test func `segments of chunks and sounds are kept, found ones and such without a key, too, and movies are not`() {
    var worker = Welcomed()
    for (number, proof) in [Proof.sample(of: .sound), .sample(of: .picture), .sample(of: .publish)].enumerated() {
      let key = AttemptKey(task: Int64(number + 1), attempt: 1)
      _ = worker.handle(.received(.assign(order(key))))
      _ = worker.handle(.reported(key, .finished(proof)))
      let actions = worker.state.handle(.ended(key, .exited(0, lastWords: "")), now: worker.now)
      #expect(actions.contains(.keep(key, job: "j", proof)) == (number < 2))
    }
  }

  @Test func `what a running attempt wrote is told now and then, when there is more, and of one attempt in a second`() {
    var state = WorkerState(name: "a", epoch: "1", host: "h", processID: 1, slots: 2)
    func wants(_ key: AttemptKey, _ byteCount: Int, _ seconds: Int) -> Bool {
      state.wantsLog(of: key, byteCount: byteCount, now: .seconds(seconds))
    }
    _ = state.handle(.turn, now: .zero)
    _ = state.handle(.received(.welcome(heartbeatMilliseconds: 1000)), now: .zero)
    for key in [first, second] { _ = state.handle(.received(.assign(order(key))), now: .zero) }
    #expect(!wants(first, 5, 9) && !wants(first, 0, 10) && !wants(third, 5, 10) && wants(first, 5, 10))
    let log = AttemptLog(text: "words", byteCount: 5)
    #expect(
      state.handle(.printing(first, log), now: .seconds(10)) == [.send(.logged(worker: "a", epoch: "1", first, log))])
    #expect(!wants(second, 5, 10) && wants(second, 5, 11) && !wants(first, 5, 20) && !wants(first, 6, 19) && wants(first, 6, 20))
    _ = state.handle(.received(.cancel(first)), now: .seconds(20))
    #expect(!wants(first, 6, 30))
    _ = state.handle(.received(.notLeading), now: .seconds(30))
    #expect(!wants(second, 9, 40), "nobody would keep it")
  }

  @Test func `hello is repeated every second until it is answered`() {
    var state = WorkerState(name: "a", epoch: "1", host: "h", processID: 1, slots: 2)
    let hello = WorkerState.Action.send(
      .hello(WorkerHello(worker: "a", epoch: "1", host: "h", processID: 1, slots: 2, running: [])))
    #expect(state.handle(.turn, now: .zero) == [hello])
    #expect(state.handle(.turn, now: .milliseconds(999)) == [])
    #expect(state.handle(.turn, now: .seconds(1)) == [hello])
  }

  @Test func `an order is performed once, however often it comes`() {
    var worker = Welcomed()
    #expect(worker.handle(.received(.assign(order(first)))) == [.start(order(first))])
    #expect(worker.handle(.received(.assign(order(first)))) == [])
    _ = worker.handle(.reported(first, .finished(proof)))
    _ = worker.handle(.ended(first, .exited(0, lastWords: "")))
    _ = worker.handle(.received(.settled(first)))
    #expect(worker.handle(.received(.assign(order(first)))) == [])
  }

  @Test func `what an attempt wrote is told with its result, each time, and once if it was cancelled`() {
    var worker = Welcomed()
    let log = AttemptLog(text: "h264: error while decoding", byteCount: 26)
    let told: [WorkerState.Action] = [
      .send(.logged(worker: "a", epoch: "1", first, log)), .send(.finished(worker: "a", epoch: "1", first, proof)),
    ]
    _ = worker.handle(.received(.assign(order(first))))
    _ = worker.handle(.reported(first, .finished(proof)))
    #expect(worker.handle(.printed(first, log)) == [])
    #expect(worker.handle(.ended(first, .exited(0, lastWords: ""))) == told)
    #expect(worker.handle(.turn, after: .seconds(1)).suffix(2) == told[...])
    _ = worker.handle(.received(.settled(first)))
    #expect(worker.state.handle(.turn, now: worker.now + .seconds(2)).contains(told[0]) == false)
    _ = worker.handle(.received(.assign(order(second))))
    _ = worker.handle(.received(.cancel(second)))
    _ = worker.handle(.printed(second, log))
    #expect(
      worker.handle(.ended(second, .signalled(15, lastWords: ""))) == [.send(.logged(worker: "a", epoch: "1", second, log))])
  }

  @Test func `a result is repeated every second until it is settled`() {
    var worker = Welcomed()
    let told = WorkerState.Action.send(.finished(worker: "a", epoch: "1", first, proof))
    _ = worker.handle(.received(.assign(order(first))))
    _ = worker.handle(.reported(first, .finished(proof)))
    #expect(worker.handle(.ended(first, .exited(0, lastWords: ""))) == [told])
    #expect(worker.handle(.turn, after: .milliseconds(999)).contains(told) == false)
    #expect(worker.handle(.turn, after: .milliseconds(1)).contains(told))
    _ = worker.handle(.received(.settled(first)))
    #expect(worker.handle(.turn, after: .seconds(2)).contains(told) == false)
  }

  @Test func `a wish is appended to the order, and the promise is told at once and with every heartbeat`() {
    var worker = Welcomed()
    #expect(worker.handle(.received(.shorten(first, before: 5))) == [])
    _ = worker.handle(.received(.assign(order(first))))
    #expect(worker.handle(.received(.shorten(first, before: 5))) == [.amend(first, .shorten(before: 5))])
    _ = worker.handle(.reported(first, .progress(done: 2, total: 10)))
    _ = worker.handle(.reported(first, .shortened(before: 5)))
    // A promise never moves later.
    for late in [7, 0, -1] { _ = worker.handle(.reported(first, .shortened(before: late))) }
    func told(done: Int64, total: Int64) -> WorkerState.Action {
      .send(.heartbeat(worker: "a", epoch: "1", running: [AttemptProgress(key: first, done: done, total: total, end: 5)]))
    }
    #expect(worker.handle(.turn, after: .milliseconds(1)).contains(told(done: 2, total: 10)))
    _ = worker.handle(.reported(first, .progress(done: 3, total: 5)))
    #expect(worker.handle(.turn, after: .seconds(1)).contains(told(done: 3, total: 5)))
    _ = worker.handle(.received(.cancel(first)))
    #expect(worker.handle(.received(.shorten(first, before: 4))) == [])
  }

  @Test(arguments: [
    (AttemptEnd.exited(3, lastWords: "panic\n"), Failure(.bug, at: "frames 0..<10", "the attempt ended with exit code 3: panic")),
    (.signalled(11, lastWords: ""), Failure(.bug, at: "frames 0..<10", "the attempt crashed with signal 11")),
    (.signalled(9, lastWords: ""), Failure(.worker, at: "frames 0..<10", "the attempt was killed; out of memory?")),
    (
      .killedForMemory(.limit(mebibytes: 512), heldMebibytes: 511),
      Failure(.worker, at: "frames 0..<10", "out of memory: the attempt wanted more than the 512 MiB that it may have; killed")
    ),
    (
      .killedForMemory(.machine, heldMebibytes: 300),
      Failure(.worker, at: "frames 0..<10", "out of memory: the worker's machine had no more; killed while it held 300 MiB")
    ),
    (.exited(0, lastWords: ""), Failure(.bug, at: "frames 0..<10", "the attempt ended without a result")),
    (.notStarted(reason: "no such file"), Failure(.worker, at: "frames 0..<10", "the attempt cannot be started: no such file")),
  ])
  func `an attempt that did not end well is classed by how it ended`(_ end: AttemptEnd, _ failure: Failure) {
    var worker = Welcomed()
    _ = worker.handle(.received(.assign(order(first))))
    #expect(worker.handle(.ended(first, end)) == [.send(.failed(worker: "a", epoch: "1", first, failure))])
  }

  @Test func `an attempt that finished and crashed afterwards has crashed`() {
    var worker = Welcomed()
    _ = worker.handle(.received(.assign(order(first))))
    _ = worker.handle(.reported(first, .finished(proof)))
    let failure = Failure(.bug, at: "frames 0..<10", "the attempt crashed with signal 6")
    #expect(
      worker.handle(.ended(first, .signalled(6, lastWords: ""))) == [.send(.failed(worker: "a", epoch: "1", first, failure))])
  }

  @Test func `an attempt that does not advance is killed, one that does is not`() {
    var worker = Welcomed()
    _ = worker.handle(.received(.assign(order(first))))
    _ = worker.handle(.reported(first, .progress(done: 1, total: 10)), after: .seconds(29))
    #expect(worker.handle(.turn, after: .seconds(29)).contains(.kill(first)) == false)
    // The same number again is no progress.
    _ = worker.handle(.reported(first, .progress(done: 1, total: 10)))
    #expect(worker.handle(.turn, after: .seconds(1)).contains(.kill(first)))
    // Nobody has answered for a minute. The result of the attempt is told to the coordinator that welcomes the worker again.
    _ = worker.handle(.received(.welcome(heartbeatMilliseconds: 1000)))
    let failure = Failure(.worker, at: "frames 0..<10", "no progress for 30 s; killed")
    #expect(
      worker.handle(.ended(first, .signalled(9, lastWords: ""))) == [.send(.failed(worker: "a", epoch: "1", first, failure))])
  }

  @Test func `a cancelled attempt is stopped and not spoken of, and the next order waits for its slot`() {
    var worker = Welcomed()
    _ = worker.handle(.received(.assign(order(first))))
    #expect(worker.handle(.received(.cancel(first))) == [.stop(first)])
    #expect(worker.handle(.received(.assign(order(second)))) == [])
    #expect(worker.handle(.ended(first, .signalled(9, lastWords: ""))) == [.start(order(second))])
  }

  @Test func `a cancelled attempt that does not stop is killed, once`() {
    var worker = Welcomed()
    _ = worker.handle(.received(.assign(order(first))))
    _ = worker.handle(.received(.cancel(first)))
    #expect(worker.handle(.received(.cancel(first))) == [])
    #expect(worker.handle(.turn, after: .milliseconds(1999)).contains(.kill(first)) == false)
    #expect(worker.handle(.turn, after: .milliseconds(1)).contains(.kill(first)))
    #expect(worker.handle(.turn, after: .seconds(60)).contains(.kill(first)) == false)
    #expect(worker.handle(.ended(first, .signalled(9, lastWords: ""))) == [])
  }

  @Test func `a crash in a compositor of the user's own is told with its name`() {
    var worker = Welcomed()
    _ = worker.handle(.received(.assign(order(first))))
    _ = worker.handle(.reported(first, .composing("curl")))
    let failure = Failure(.bug, at: "frames 0..<10, compositor 'curl'", "the attempt crashed with signal 6")
    #expect(
      worker.handle(.ended(first, .signalled(6, lastWords: ""))) == [.send(.failed(worker: "a", epoch: "1", first, failure))])
  }

  @Test func `a crash after a compositor's frames is told without its name`() {
    var worker = Welcomed()
    _ = worker.handle(.received(.assign(order(first))))
    for name in ["curl", nil] { _ = worker.handle(.reported(first, .composing(name))) }
    let failure = Failure(.bug, at: "frames 0..<10", "the attempt crashed with signal 6")
    #expect(
      worker.handle(.ended(first, .signalled(6, lastWords: ""))) == [.send(.failed(worker: "a", epoch: "1", first, failure))])
  }

  @Test func `more orders than the slots can soon take are handed back`() {
    var worker = Welcomed()
    for key in [first, second] { _ = worker.handle(.received(.assign(order(key)))) }
    let failure = Failure(.transient, at: "worker a", "no slot is free")
    #expect(worker.handle(.received(.assign(order(third)))) == [.send(.failed(worker: "a", epoch: "1", third, failure))])
  }

  @Test func `a worker that is asked who it is says what it runs, and goes on`() {
    var worker = Welcomed()
    _ = worker.handle(.received(.assign(order(first))))
    _ = worker.handle(.reported(first, .progress(done: 4, total: 10)))
    let hello = WorkerHello(
      worker: "a", epoch: "1", host: "h", processID: 1, slots: 1,
      running: [AttemptProgress(key: first, done: 4, total: 10)])
    #expect(worker.handle(.received(.whoAreYou), after: .seconds(1)) == [.send(.hello(hello))])
    // The worker is asked twice in a row, as when several of its messages met a new coordinator. One answer is enough.
    #expect(worker.handle(.received(.whoAreYou)) == [])
  }

  @Test func `a worker told to stop finishes what it runs, waits until that is settled, and leaves`() {
    var worker = Welcomed()
    _ = worker.handle(.received(.assign(order(first))))
    let hello = WorkerHello(
      worker: "a", epoch: "1", host: "h", processID: 1, slots: 0,
      running: [AttemptProgress(key: first, done: 0, total: 0)])
    #expect(worker.handle(.interrupted) == [.send(.hello(hello))])
    _ = worker.handle(.reported(first, .finished(proof)))
    #expect(
      worker.handle(.ended(first, .exited(0, lastWords: ""))) == [.send(.finished(worker: "a", epoch: "1", first, proof))])
    #expect(worker.handle(.received(.settled(first))) == [.send(.goodbye(worker: "a", epoch: "1")), .leave(.drained)])
  }

  @Test func `a second signal kills what runs`() {
    var worker = Welcomed()
    _ = worker.handle(.received(.assign(order(first))))
    _ = worker.handle(.interrupted)
    #expect(worker.handle(.interrupted) == [.kill(first), .send(.goodbye(worker: "a", epoch: "1")), .leave(.drained)])
  }

  @Test func `a worker that is refused kills what it runs and ends`() {
    var worker = Welcomed()
    _ = worker.handle(.received(.assign(order(first))))
    #expect(worker.handle(.received(.refused(reason: "old"))) == [.kill(first), .leave(.refused("old"))])
  }

  @Test func `the store is swept by one process at a time, and what a listing found is told`() {
    var worker = Welcomed()
    let (listing, clearing) = (SweepOrder(over: []), SweepOrder(over: [OverJob(id: "j", output: nil)]))
    #expect(worker.handle(.received(.sweep)) == [.sweep(listing)])
    #expect(worker.handle(.received(.over(clearing.over))) == [])
    #expect(worker.handle(.swept(["j"])) == [.send(.stored(worker: "a", epoch: "1", jobs: ["j"]))])
    #expect(worker.handle(.received(.over(clearing.over))) == [.sweep(clearing)])
    #expect(worker.handle(.swept([])) == [])
  }

  @Test func `a sweep that hangs is ended, once`() {
    var worker = Welcomed()
    _ = worker.handle(.received(.sweep))
    #expect(worker.handle(.turn, after: .seconds(299)).contains(.endSweep) == false)
    #expect(worker.handle(.turn, after: .seconds(1)).contains(.endSweep))
    #expect(worker.handle(.turn, after: .seconds(1)).contains(.endSweep) == false)
    #expect(worker.handle(.swept([])) == [])
    #expect(worker.handle(.received(.sweep)) == [.sweep(SweepOrder(over: []))])
  }

  @Test(arguments: [(nil, 120), (5, 35), (600, 630)] as [(Int?, Int)])
  func `a worker that hears of no coordinator kills what shows no progress a little after that would have ended it`(
    patience: Int?, seconds: Int
  ) {
    var state = WorkerState(name: "a", epoch: "1", host: "h", processID: 1, slots: 1)
    var ordered = order(first)
    ordered.patience = patience
    _ = state.handle(.turn, now: .zero)
    _ = state.handle(.received(.welcome(heartbeatMilliseconds: 1000)), now: .zero)
    #expect(state.handle(.received(.assign(ordered)), now: .zero).contains(.start(ordered)))
    #expect(!state.handle(.turn, now: .seconds(seconds) - .milliseconds(1)).contains(.kill(first)))
    #expect(state.handle(.turn, now: .seconds(seconds)).contains(.kill(first)))
  }
}
