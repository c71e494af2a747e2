import FarmTesting
import Ledger
import Messages
import Scheduling
import Testing

/// The forecasts of when jobs will be done, as `spool status` shows them.
struct ForecastTests {
  // MARK: By hand

  private static func job(
    _ id: String, submitter: String = "ana", priority: Int = 0, number: Int64 = 0, chunks: Int, seconds: Double = 10,
    sound: Double? = nil, running: [FarmQueue.Running] = []
  ) -> FarmQueue.Job {
    FarmQueue.Job(
      id: id, submitter: submitter, priority: priority, number: number, frameCount: 100, chunks: chunks, chunkSeconds: seconds,
      sounds: sound == nil ? 0 : 1, soundSeconds: sound ?? 0, running: running)
  }

  private static func farm(slots: Int, _ jobs: FarmQueue.Job..., quotas: [String: Int] = [:]) -> FarmQueue {
    FarmQueue(
      isGivingOut: true, jobs: jobs, workers: [FarmQueue.Worker(slots: slots, capabilities: Capabilities())],
      submitters: Dictionary(jobs.map { ($0.submitter, FairShare.Submitter(slotsLeft: quotas[$0.submitter])) }) { $1 })
  }

  /// The seconds left for a job's chunks, rounded; the time for the mux is subtracted.
  private static func chunkSeconds(_ queue: FarmQueue, _ job: String) -> Int? {
    Forecast(queue).secondsLeft[job].map { Int(($0 - Forecast.tailSeconds(frames: 100)).rounded()) }
  }

  @Test func `chunks take whole rounds of the slots`() {
    #expect(Self.chunkSeconds(Self.farm(slots: 4, Self.job("a", chunks: 5)), "a") == 20)
    #expect(Self.chunkSeconds(Self.farm(slots: 4, Self.job("a", chunks: 4)), "a") == 10)
  }

  @Test func `a job waits for what was submitted before it, and not for what comes after`() {
    let queue = Self.farm(slots: 2, Self.job("first", number: 1, chunks: 4), Self.job("second", number: 2, chunks: 4))
    #expect(Self.chunkSeconds(queue, "first") == 20)
    #expect(Self.chunkSeconds(queue, "second") == 40)
  }

  @Test func `a higher priority goes first`() {
    let queue = Self.farm(
      slots: 2, Self.job("first", number: 1, chunks: 4), Self.job("urgent", priority: 1, number: 2, chunks: 4))
    #expect(Self.chunkSeconds(queue, "urgent") == 20)
    #expect(Self.chunkSeconds(queue, "first") == 40)
  }

  @Test func `submitters take turns`() {
    let queue = Self.farm(
      slots: 2, Self.job("long", number: 1, chunks: 20), Self.job("short", submitter: "ben", number: 2, chunks: 2))
    #expect(Self.chunkSeconds(queue, "short") == 20)
    #expect(Self.chunkSeconds(queue, "long") == 110)
  }

  @Test func `a submitter who rested begins at the present, as in claims`() {
    var queue = Self.farm(
      slots: 1, Self.job("busy", number: 1, chunks: 4), Self.job("rested", submitter: "ben", number: 2, chunks: 100))
    queue.submitters["ana"] = FairShare.Submitter(spent: 1000, turn: 990)
    queue.turn = 990
    // Ben has one turn before Ana, and then they take turns.
    #expect(Self.chunkSeconds(queue, "busy") == 80)
  }

  @Test func `a quota makes a job longer`() {
    #expect(Self.chunkSeconds(Self.farm(slots: 4, Self.job("a", chunks: 4), quotas: ["ana": 1]), "a") == 40)
  }

  @Test func `the sound is part of it`() {
    #expect(Self.chunkSeconds(Self.farm(slots: 1, Self.job("a", chunks: 1, sound: 7)), "a") == 17)
  }

  @Test func `an attempt that runs is reckoned by its own pace, once that tells something`() {
    func running(_ elapsed: Double, _ done: Int64) -> FarmQueue.Running {
      FarmQueue.Running(kind: .picture, elapsed: elapsed, expected: 10, done: done, total: 100)
    }
    #expect(running(4, 0).secondsLeft == 6)
    #expect(running(4, 10).secondsLeft == 6)
    #expect(running(20, 50).secondsLeft == 20)
    #expect(running(40, 0).secondsLeft == 10)
    #expect(running(40, 100).secondsLeft > 0)
    let queue = Self.farm(slots: 1, Self.job("a", chunks: 1, running: [running(20, 50)]))
    #expect(Self.chunkSeconds(queue, "a") == 30)
  }

  @Test func `something is left while the mux and the publishing wait or run`() throws {
    let waits = try #require(Forecast(Self.farm(slots: 1, Self.job("a", chunks: 0))).secondsLeft["a"])
    #expect(waits == Forecast.tailSeconds(frames: 100))
    for kind in [TaskKind.mux, .publish] {
      let running = FarmQueue.Running(kind: kind, elapsed: 100, expected: 1, done: 9, total: 9)
      #expect(Forecast(Self.farm(slots: 1, Self.job("a", chunks: 0, running: [running]))).secondsLeft["a"].map { $0 > 0 } == true)
    }
  }

  @Test func `nothing is foretold of what is paused, of what nobody may take, and where nothing is given out`() {
    var (paused, needy) = (Self.job("paused", chunks: 2), Self.job("needy", chunks: 2))
    paused.isPaused = true
    needy.needs = Capabilities(tags: ["gpu"])
    var queue = Self.farm(slots: 2, paused, needy, Self.job("other", chunks: 2))
    #expect(Set(Forecast(queue).secondsLeft.keys) == ["other"])
    queue.isGivingOut = false
    #expect(Forecast(queue).secondsLeft.isEmpty)
    #expect(Forecast(Self.farm(slots: 0, Self.job("a", chunks: 1))).secondsLeft.isEmpty)
  }

  @Test func `what is too much to be played is reckoned by the work before it`() throws {
    let queue = Self.farm(
      slots: 100, Self.job("huge", number: 1, chunks: 100_000), Self.job("next", number: 2, chunks: 1000))
    let left = Forecast(queue).secondsLeft
    #expect(try (9_900...10_200).contains(#require(left["huge"])))
    #expect(try (10_000...10_300).contains(#require(left["next"])))
  }

  // MARK: By simulation

  /// The error that a forecast at half time may have, as a part of the time that is then left.
  private static let error = 0.2

  @Test(arguments: [[1, 1], [4], [2, 3]])
  func `at half time of a simple farm the forecasts of its jobs are near the truth`(slots: [Int]) throws {
    let clock = VirtualClock()
    let ledger = MemoryLedger(clock: clock)
    let faults = SimulatedFarm.Faults.calm { work in
      switch work {
      case .picture: .seconds(4)
      case .sound, .soundPart: .seconds(2)
      case .mux, .publish: .milliseconds(200)
      }
    }
    let farm = SimulatedFarm(seed: 1, clock: clock, ledger: ledger, slots: slots, faults: faults)
    for number in 0..<3 { try farm.submit(Self.submission(number)) }
    let half = Duration.seconds(3 * 20 * 4) / slots.reduce(0, +) / 2
    farm.run(until: half)
    let forecast = Forecast(ledger.queue()).secondsLeft
    let unfinished = try (0..<3).filter { try ledger.status(job: "job\($0)")?.state.rawValue != "done" }
    try #require(unfinished.count >= 2)
    var ends: [Int: Duration] = [:]
    while ends.count < unfinished.count, clock.now < half * 10 {
      farm.run(until: clock.now + .milliseconds(100))
      for number in unfinished where ends[number] == nil {
        if try ledger.status(job: "job\(number)")?.state == .done { ends[number] = clock.now }
      }
    }
    for number in unfinished {
      let (told, truth) = (try #require(forecast["job\(number)"]), (try #require(ends[number]) - half) / .seconds(1))
      #expect(abs(told - truth) <= truth * Self.error + 2, "job\(number): told \(told) s, true were \(truth) s")
    }
  }

  private static func submission(_ number: Int) -> JobSubmission {
    let pictures = (0..<20).map { JobSubmission.Task(kind: .picture, frames: FrameRange(first: $0 * 10, count: 10), cost: 1) }
    let spec = JobSpec(document: "{}", facts: [:], output: "/out/\(number).mp4", overwrites: false, keepsSegments: false)
    return JobSubmission(
      id: "job\(number)", spec: spec, submitter: "test", isDivisible: false, frameCount: 200,
      tasks: [.init(kind: .sound, cost: 1)] + pictures + [.init(kind: .mux, cost: 0), .init(kind: .publish, cost: 0)])
  }
}
