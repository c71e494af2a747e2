import FarmTesting
import Ledger
import Messages
import Scheduling
import Testing

/// The time of a farm's slots, counted on virtual time and at single moments.
@Suite struct `The time of the farm's slots` {
  private static func holder(
    _ slots: Int, busy: Int = 0, _ standing: SlotHolder.Standing = .serving, tags: [String] = []
  ) -> SlotHolder {
    SlotHolder(slots: slots, busy: busy, standing: standing, capabilities: Capabilities(tags: tags))
  }

  private static func work(_ obstacle: WaitingWork.Obstacle, tags: [String] = []) -> WaitingWork {
    WaitingWork(needs: Capabilities(tags: tags), obstacle: obstacle)
  }

  @Test func `an idle slot has the first reason that holds for its worker`() {
    func reasons(_ waiting: WaitingWork..., tags: [String] = []) -> [SlotPart: Int] {
      SlotCount(of: [Self.holder(3, busy: 1, tags: tags)], isDrained: false) { Set(waiting) }.slots
    }
    #expect(reasons() == [.busy: 1, .unqueued: 2])
    #expect(reasons(Self.work(.none), Self.work(.paused)) == [.busy: 1, .handingOut: 2])
    #expect(reasons(Self.work(.quota), Self.work(.none, tags: ["gpu"])) == [.busy: 1, .quota: 2])
    #expect(reasons(Self.work(.none, tags: ["gpu"])) == [.busy: 1, .unfit: 2])
    #expect(reasons(Self.work(.none, tags: ["gpu"]), tags: ["gpu", "fast"]) == [.busy: 1, .handingOut: 2])
    #expect(reasons(Self.work(.retrying), Self.work(.paused)) == [.busy: 1, .retrying: 2])
    #expect(reasons(Self.work(.paused)) == [.busy: 1, .paused: 2])
  }

  @Test func `drained workers and those set aside are not asked what waits, and a worker that stops counts with what it runs`() {
    let holders = [
      Self.holder(2, busy: 1, .drained), Self.holder(4, .setAside), Self.holder(0, busy: 3), Self.holder(1, busy: 2),
    ]
    func unasked() -> Set<WaitingWork> {
      Issue.record("it asked what waits")
      return []
    }
    // The last one was given ahead what it runs beyond its slot.
    #expect(SlotCount(of: holders, isDrained: false, waiting: unasked).slots == [.busy: 5, .drained: 1, .setAside: 4])
    #expect(SlotCount(of: holders, isDrained: true, waiting: unasked).slots == [.busy: 5, .drained: 5])
  }

  @Test func `what was idle while nobody led was so for that, and a long silence is not counted`() {
    let count = SlotCount(of: [Self.holder(3, busy: 1)], isDrained: false) { [] }
    #expect(count.time(of: 5, leaderless: -3) == [.busy: 5, .unqueued: 10])
    #expect(count.time(of: 5, leaderless: 2) == [.busy: 5, .unqueued: 6, .leaderless: 4])
    #expect(count.time(of: 5, leaderless: 9) == [.busy: 5, .unqueued: 0, .leaderless: 10])
    #expect(count.time(of: SlotCount.longestGap + 1, leaderless: 0) == [.busy: 0])
  }

  @Test(arguments: 0..<10 as Range<UInt64>)
  func `whatever fails, the parts add up to the slots that there were, and none is negative`(block: UInt64) throws {
    for seed in block * 30..<(block + 1) * 30 {
      var random = SeededRandom(seed: seed)
      let clock = VirtualClock()
      let ledger = MemoryLedger(clock: clock, splitting: SplitPolicy())
      let slots = (0..<Int.random(in: 1...4, using: &random)).map { _ in Int.random(in: 1...3, using: &random) }
      let farm = SimulatedFarm(seed: seed, clock: clock, ledger: ledger, slots: slots, faults: .init())
      for number in 0..<3 { try farm.submit(.chunks(Int.random(in: 1...6, using: &random), "job\(number)")) }
      _ = try farm.run(limit: .seconds(660))
      // A leader counts five seconds after it took over. Where leaders fall again and again, that takes a while.
      farm.run(until: clock.now + .seconds(40))
      let time = ledger.slotTime
      #expect(time.values.allSatisfy { $0 >= 0 }, "seed \(seed): \(time)")
      #expect(time.values.reduce(0, +) == ledger.countedSlotTime, "seed \(seed)")
      #expect(ledger.countedSlotTime > 0, "seed \(seed): nothing was counted")
    }
  }

  @Test func `busy time is that of the attempts, and the time behind the last job has nothing queued`() throws {
    let clock = VirtualClock()
    let ledger = MemoryLedger(clock: clock)
    let faults = SimulatedFarm.Faults.calm { work in if case .picture = work { .seconds(60) } else { .seconds(1) } }
    let farm = SimulatedFarm(seed: 1, clock: clock, ledger: ledger, slots: [2, 2], faults: faults)
    try farm.submit(.chunks(20, "job"))
    #expect(try farm.run(limit: .seconds(3000)) == [.done])
    let end = clock.now
    farm.run(until: end + .seconds(600))
    let busy = Double(ledger.slotTime[.busy, default: 0]) / 1e6
    let ran = Double(ledger.attemptTime) / 1e6
    // Each count stands for five or six seconds, so an attempt may be counted so much longer or shorter.
    #expect(ran > 1000 && abs(busy - ran) < ran / 10, "\(busy) of \(ran) s")
    let idle = Double(ledger.slotTime[.unqueued, default: 0]) / 1e6
    #expect(abs(idle - 2400) < 400, "\(idle) s")
    #expect(ledger.slotTime.values.reduce(0, +) == ledger.countedSlotTime)
  }
}

extension JobSubmission {
  /// A job with chunks of a hundred frames.
  fileprivate static func chunks(_ count: Int, _ id: String) -> JobSubmission {
    let spec = JobSpec(document: "{}", facts: [:], output: "/out/\(id).mp4", overwrites: false, keepsSegments: false)
    let pictures = (0..<count).map { Task(kind: .picture, frames: FrameRange(first: $0 * 100, count: 100), cost: 1) }
    return JobSubmission(
      id: id, spec: spec, submitter: "test", frameCount: count * 100,
      tasks: pictures + [.init(kind: .mux, cost: 1), .init(kind: .publish, cost: 1)])
  }
}
