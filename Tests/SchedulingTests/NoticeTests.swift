import FarmTesting
import Ledger
import Messages
import Scheduling
import Testing

/// Workers whose machines are taken away after a notice.
@Suite struct `A worker whose machine ends` {
  /// A job of two chunks of 600 frames, each of which takes a minute.
  private static var submission: JobSubmission {
    let spec = JobSpec(document: "{}", facts: [:], output: "/out/job.mp4", overwrites: false, keepsSegments: false)
    let pictures = (0..<2).map { JobSubmission.Task(kind: .picture, frames: FrameRange(first: $0 * 600, count: 600), cost: 1) }
    return JobSubmission(
      id: "job", spec: spec, submitter: "test", frameCount: 1200,
      tasks: pictures + [.init(kind: .mux, cost: 1), .init(kind: .publish, cost: 1)])
  }

  /// Runs the job on two workers, of which the machine of one ends 30 s after the start, with a notice of 20 s.
  ///
  /// - Parameter notice: what the workers know of it.
  private func run(_ submission: JobSubmission, notice: Duration?) throws -> (ledger: MemoryLedger, farm: SimulatedFarm) {
    let clock = VirtualClock()
    // The coordinator divides nothing by itself.
    var splitting = SplitPolicy()
    splitting.deepest = 0
    let ledger = MemoryLedger(clock: clock, splitting: splitting)
    var faults = SimulatedFarm.Faults.calm { work in
      if case .picture(let frames) = work { .milliseconds(100) * frames.count } else { .seconds(1) }
    }
    faults.notice = notice
    let farm = SimulatedFarm(seed: 3, clock: clock, ledger: ledger, slots: [1, 1], faults: faults)
    try farm.submit(submission)
    farm.takeAway(worker: 0, after: .seconds(10), notice: .seconds(20))
    #expect(try farm.run(limit: .seconds(600)) == [.done])
    #expect(farm.witness.violations == [])
    return (ledger, farm)
  }

  @Test func `leaves to others what does not fit its notice, and what it has done counts`() throws {
    let (ledger, farm) = try run(Self.submission, notice: .seconds(20))
    let chunks = try ledger.tasks(job: "job").filter { $0.kind == .picture }
    #expect(farm.witness.divisions == 1 && chunks.count == 3)
    #expect(chunks.allSatisfy { $0.attempts == 1 }, "no work was lost: \(chunks.map(\.attempts))")
    #expect(try ledger.status(job: "job")?.retries == 0)
    // 20 s less the 2 s for the end of the file are 180 frames; 100 were done before.
    let kept = chunks.filter { $0.splitFrom == nil }.compactMap { $0.frames?.count }.min() ?? 0
    #expect(250...285 ~= kept, "it kept \(kept) frames")
  }

  @Test func `that does not know when loses what it has done, as does one whose job may not be divided`() throws {
    let (unaware, _) = try run(Self.submission, notice: nil)
    #expect(try unaware.status(job: "job")?.retries == 1)
    var whole = Self.submission
    whole.isDivisible = false
    let (undivided, farm) = try run(whole, notice: .seconds(20))
    #expect(try undivided.status(job: "job")?.retries == 1)
    #expect(farm.witness.divisions == 0)
  }

  @Test func `breaks no promise, whatever else fails`() throws {
    var divisions = 0
    for seed in 0..<100 as Range<UInt64> {
      let clock = VirtualClock()
      var splitting = SplitPolicy()
      splitting.deepest = 0
      let ledger = MemoryLedger(clock: clock, splitting: splitting)
      var faults = SimulatedFarm.Faults()
      (faults.notice, faults.slowness) = (.seconds(6), 0.5)
      let farm = SimulatedFarm(seed: seed, clock: clock, ledger: ledger, slots: [1, 2, 1], faults: faults)
      try farm.submit(Self.submission)
      #expect(try farm.run(limit: .seconds(660)) == [.done], "seed \(seed)")
      #expect(farm.witness.violations == [], "seed \(seed)")
      divisions += farm.witness.divisions
    }
    #expect(divisions > 0)
  }

  @Test func `keeps a chunk whose pace is not known, or that fits`() {
    let frames = FrameRange(first: 100, count: 200)
    func border(_ done: Int64, of total: Int64 = 200, end: Int? = nil, elapsed: Double = 10, left: Double) -> Int? {
      let progress = AttemptProgress(key: AttemptKey(task: 1, attempt: 1), done: done, total: total, end: end)
      return NoticePolicy().border(frames, progress, elapsed: elapsed, left: left)
    }
    #expect(border(0, left: 5) == nil)
    #expect(border(100, left: 12.1) == nil)
    #expect(border(100, left: 60) == nil)
    // Ten frames a second: 3 s give 30 frames, and the rest would be 70, so the border comes nearer; but not before what is begun.
    #expect(border(100, left: 5) == 216)
    // Four frames a second: 3 s give 12.
    #expect(border(40, left: 5) == 152)
    #expect(border(199, left: 0) == nil)
  }
}
