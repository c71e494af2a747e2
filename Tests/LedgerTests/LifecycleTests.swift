import FarmTesting
import Ledger
import Messages
import Scheduling
import Testing

/// Jobs from submission to the movie, and what ends them early, in both ledgers.
struct LifecycleTests {
  @Test(arguments: LedgerUnderTest.allCases)
  func `a job runs from its parts through mux and publish to done`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 2, sound: true)
    #expect(try bench.state() == .queued)
    let parts = try bench.claim(slots: 8)
    #expect(parts.map(\.work) == [.picture(FrameRange(first: 0, count: 10)), .picture(FrameRange(first: 10, count: 10)), .sound])
    #expect(try bench.state() == .running)
    // The parts are committed out of order, so that the mux cannot simply use the order of commits.
    for part in parts.reversed() {
      #expect(try bench.claim(slots: 8).isEmpty)
      #expect(try bench.commit(part) == .won)
    }
    let mux = try #require(try bench.claim(slots: 8).first)
    let winners = parts.map { Winner(key: $0.key, proof: Bench.proof($0)) }
    #expect(mux.work == .mux(of: winners))
    #expect(try bench.commit(mux) == .won)
    let publish = try #require(try bench.claim(slots: 8).first)
    #expect(publish.work == .publish(of: Winner(key: mux.key, proof: Bench.proof(mux))))
    #expect(try bench.commit(publish) == .won)
    #expect(try bench.state() == .done)
    #expect(try bench.states() == Array(repeating: .done, count: 5))
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `parts of sound are tasks, each proved by its own samples, and muxed in their order`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    var submission = Bench.submission("job", chunks: 1)
    let samples = [
      SampleRange(first: 0, count: 2048), SampleRange(first: 2048, count: 2048), SampleRange(first: 4096, count: 99),
    ]
    submission.tasks.insert(contentsOf: samples.map { .init(kind: .sound, samples: $0, cost: 2) }, at: 0)
    _ = try bench.ledger.submit(submission)
    #expect(try bench.ledger.queue().jobs.map { [Double($0.sounds), $0.soundSeconds] } == [[3, 2]])
    #expect(try bench.ledger.tasks(job: "job").filter { $0.kind == .sound }.map(\.samples) == samples)
    #expect(try bench.ledger.tasks(job: "job").allSatisfy { ($0.samples != nil) == ($0.kind == .sound) })
    let parts = try bench.claim(slots: 8)
    #expect(parts.map(\.work) == samples.map { .soundPart($0) } + [.picture(FrameRange(first: 0, count: 10))])
    #expect(try bench.ledger.queue().jobs.map(\.sounds) == [0])
    for wrong in [Work.sound, .soundPart(samples[1]), .soundPart(SampleRange(first: 0, count: 2047))] {
      let verdict = try bench.ledger.commit(parts[0].key, worker: "a", epoch: "1", proof: .sample(of: wrong))
      #expect(verdict != .won)
    }
    for part in parts.dropFirst().reversed() { #expect(try bench.commit(part) == .won) }
    try bench.advanceAlive(by: .seconds(2), ["a"])
    let again = try #require(try bench.claim(slots: 8).first)
    #expect(again.work == .soundPart(samples[0]) && again.key.task == parts[0].key.task)
    #expect(try bench.commit(again) == .won)
    let mux = try #require(try bench.claim(slots: 8).first)
    guard case .mux(_, let sounds) = mux.work else { throw Failure(.bug, at: "mux", "is another task") }
    #expect(sounds.map(\.proof.samples) == samples)
    // A part that the mux finds damaged is made again, and no other.
    let damage = Failure(.transient, at: "part", "is damaged", damaged: [parts[1].key])
    _ = try bench.ledger.fail(mux.key, worker: "a", epoch: "1", damage)
    try bench.advanceAlive(by: .seconds(2), ["a"])
    #expect(try bench.claim(slots: 8).map(\.work) == [.soundPart(samples[1])])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `an order carries the job's specification`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit()
    let order = try #require(try bench.claim().first)
    #expect(order.job == "job")
    #expect(order.spec == Bench.submission("job").spec)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `submitting again with the same id makes no second job`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    #expect(try bench.submit() == "job")
    #expect(try bench.submit() == "job")
    #expect(try bench.ledger.jobs(limit: 10).count == 1)
    #expect(try bench.states().count == 4)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a job without sound is muxed once its pictures are done`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 1)
    #expect(try bench.commit(try #require(try bench.claim().first)) == .won)
    guard case .mux(let pictures, let sounds) = try bench.claim().first?.work, sounds.isEmpty else {
      Issue.record("no mux without sound")
      return
    }
    #expect(pictures.count == 1)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `the renditions of chunks reach the mux, each list in its place`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 2)
    var told: [Int: [FurtherPicture]] = [:]
    for order in try bench.claim(slots: 8) {
      guard case .picture(var proof) = Bench.proof(order) else {
        Issue.record("no chunk")
        return
      }
      let digest = String(repeating: "\(told.count + 1)", count: 32)
      proof.renditions = (0...told.count).map { _ in FurtherPicture(parameterSetDigest: Proof.sampleDigest, contentDigest: digest)
      }
      told[proof.frames.first] = proof.renditions
      #expect(try bench.ledger.commit(order.key, worker: "a", epoch: "1", proof: .picture(proof)) == .won)
    }
    guard case .mux(let pictures, _) = try bench.claim().first?.work else {
      Issue.record("no mux")
      return
    }
    #expect(pictures.count == 2 && pictures.allSatisfy { $0.proof.renditions == told[$0.proof.frames.first] })
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `cancelling ends open attempts at once, and nothing of theirs counts after`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 3)
    let orders = try bench.claim(slots: 2)
    let killed = try #require(try bench.ledger.cancel(job: "job"))
    #expect(Set(killed) == Set(orders.map { ExpiredAttempt(worker: "a", key: $0.key) }))
    #expect(try bench.state() == .cancelled)
    #expect(try bench.states() == Array(repeating: .cancelled, count: 5))
    #expect(try bench.commit(orders[0]) == .stale)
    #expect(try bench.fail(orders[1], .bug) == .stale)
    #expect(try bench.claim(slots: 8).isEmpty)
    let running = [AttemptProgress(key: orders[0].key, done: 1, total: 10)]
    #expect(try bench.ledger.heartbeat(worker: "a", epoch: "1", running: running) == [orders[0].key])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `cancelling an unknown job says so, and an ended one stays as it is`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    #expect(try bench.ledger.cancel(job: "nobody") == nil)
    try bench.submit()
    #expect(try bench.ledger.cancel(job: "job") == [])
    #expect(try bench.ledger.cancel(job: "job") == [])
    #expect(try bench.state() == .cancelled)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `status counts frames of finished chunks and of running attempts`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    try bench.submit(chunks: 3)
    let orders = try bench.claim(slots: 2)
    #expect(try bench.commit(orders[0]) == .won)
    _ = try bench.ledger.heartbeat(
      worker: "a", epoch: "1", running: [AttemptProgress(key: orders[1].key, done: 4, total: 10)])
    let status = try #require(try bench.ledger.status(job: "job"))
    #expect((status.framesDone, status.frameCount) == (14, 30))
    #expect((status.chunksDone, status.chunkCount) == (1, 3))
    #expect((status.state, status.submitter, status.output, status.retries) == (.running, "tester", "/out/job.mp4", 0))
    let tasks = try bench.ledger.tasks(job: "job")
    #expect(tasks.map(\.framesDone) == [10, 4, 0, 0, 0])
    #expect(tasks.map(\.worker) == ["a", "a", nil, nil, nil])
    #expect(tasks.map(\.kind) == [.picture, .picture, .picture, .mux, .publish])
    #expect(tasks.map(\.attempts) == [1, 1, 0, 0, 0])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `jobs are listed newest first, as many as asked for`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    for id in ["one", "two", "three"] { try bench.submit(id) }
    #expect(try bench.ledger.jobs(limit: 2).map(\.id) == ["three", "two"])
    #expect(try bench.ledger.status(job: "nobody") == nil)
    #expect(try bench.ledger.tasks(job: "nobody").isEmpty)
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `a job is over once it has ended for so long and keeps no segments, or is not known`(_ kind: LedgerUnderTest) throws {
    let bench = try kind.bench()
    try bench.register("a")
    func over(_ age: Duration = .zero) throws -> [String] {
      try bench.ledger.over(among: ["done", "failed", "kept", "live", "queued", "unknown"], endedFor: age).map(\.id)
    }
    var kept = Bench.submission("kept")
    kept.spec.keepsSegments = true
    _ = try bench.ledger.submit(kept)
    _ = try bench.ledger.cancel(job: "kept")
    try bench.submit("failed", chunks: 1)
    #expect(try bench.fail(try #require(try bench.claim().first), .content) == .jobFailed([]))
    try bench.submit("done", chunks: 1)
    for _ in 0..<3 { #expect(try bench.commit(try #require(try bench.claim().first)) == .won) }
    try bench.submit("live", chunks: 2)
    #expect(try bench.commit(try #require(try bench.claim().first)) == .won)
    try bench.submit("queued")
    #expect(try over().sorted() == ["done", "failed", "unknown"])
    #expect(try over(.seconds(3600)) == ["unknown"])
    let named = try bench.ledger.over(among: ["done", "unknown"], endedFor: .zero)
    #expect(Set(named) == [OverJob(id: "done", output: "/out/done.mp4"), OverJob(id: "unknown", output: nil)])
  }

  @Test(arguments: LedgerUnderTest.allCases)
  func `chunks that have to be rendered are given out before those that will be found, and are joined in their order`(
    _ kind: LedgerUnderTest
  ) throws {
    let bench = try kind.bench()
    try bench.register("a")
    var submission = Bench.submission("job", chunks: 4, sound: true)
    submission.giveOutNewFirst(pictures: [true, false, true, false], sounds: [true])
    #expect(try bench.ledger.submit(submission) == "job")
    let parts = try bench.claim(slots: 5)
    func picture(_ first: Int) -> Work { .picture(FrameRange(first: first, count: 10)) }
    #expect(parts.map(\.work) == [picture(10), picture(30), picture(0), picture(20), .sound])
    for part in parts { #expect(try bench.commit(part) == .won) }
    guard case .mux(let pictures, _) = try bench.claim().first?.work else { throw Failure(.bug, at: "mux", "is not given out") }
    #expect(pictures.map(\.proof.frames.first) == [0, 10, 20, 30])
  }
}
