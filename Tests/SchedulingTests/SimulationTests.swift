import FarmTesting
import FoundationEssentials
import Ledger
import Messages
import Scheduling
import Testing

/// A job with some chunks of any length, and perhaps sound.
private func submission(_ number: Int, _ random: inout SeededRandom) -> JobSubmission {
  var (tasks, frames) = ([JobSubmission.Task](), 0)
  for _ in 0..<Int.random(in: 1...8, using: &random) {
    let count = Int.random(in: 1...300, using: &random)
    tasks.append(.init(kind: .picture, frames: FrameRange(first: frames, count: count), cost: 1))
    frames += count
  }
  if random.chance(0.7) { tasks += sound(in: random.chance(0.4) ? Int.random(in: 2...4, using: &random) : 1) }
  tasks += [.init(kind: .mux, cost: 1), .init(kind: .publish, cost: 1)]
  let spec = JobSpec(document: "{}", facts: [:], output: "/out/\(number).mp4", overwrites: false, keepsSegments: false)
  return JobSubmission(
    id: "job\(number)", spec: spec, submitter: random.chance(0.5) ? "test" : "other",
    priority: Int.random(in: 0...1, using: &random), frameCount: frames, tasks: tasks)
}

/// The tasks of a sound in so many parts.
private func sound(in parts: Int) -> [JobSubmission.Task] {
  (0..<parts).map {
    JobSubmission.Task(kind: .sound, samples: parts == 1 ? nil : SampleRange(first: Int64($0) * 1024, count: 1024), cost: 1)
  }
}

extension JobSubmission {
  /// A job with the tasks that a plan makes of an edit with sound.
  fileprivate static func planned(chunks: Int) -> JobSubmission {
    let pictures = (0..<chunks).map { Task(kind: .picture, frames: FrameRange(first: $0 * 10, count: 10), cost: 1) }
    let spec = JobSpec(document: "{}", facts: [:], output: "/out/planned.mp4", overwrites: false, keepsSegments: false)
    return JobSubmission(
      spec: spec, submitter: "test", frameCount: chunks * 10,
      tasks: tasks(pictures: pictures, sound: [.init(kind: .sound, cost: 1)]))
  }
}

/// A ledger in which tasks follow their jobs two at a time.
private func inSteps(_ clock: VirtualClock) -> MemoryLedger {
  var timing = LedgerTiming()
  timing.tasksAtOnce = 2
  return MemoryLedger(clock: clock, timing: timing, splitting: .eager)
}

private func simulate(
  seed: UInt64, faults: SimulatedFarm.Faults, ledger wrap: (MemoryLedger) -> any Ledger & FarmDesk = { $0 }
) throws -> (states: [JobState], violations: [String], farm: SimulatedFarm) {
  var random = SeededRandom(seed: seed)
  let clock = VirtualClock()
  let slots = (0..<Int.random(in: 1...4, using: &random)).map { _ in Int.random(in: 1...3, using: &random) }
  let farm = SimulatedFarm(seed: seed, clock: clock, ledger: wrap(inSteps(clock)), slots: slots, faults: faults)
  let jobs = Int.random(in: 1...3, using: &random)
  for number in 0..<jobs { try farm.submit(submission(number, &random)) }
  let states = try farm.run(limit: faults.end + .seconds(600))
  // A simulation without jobs would keep every promise.
  #expect(states.count == jobs, "seed \(seed)")
  return (states, farm.witness.violations, farm)
}

struct SimulationTests {
  /// The seeds of each of 20 blocks. In the long form (scripts/simulate) the environment says how many seeds there are.
  private static let seedsInBlock =
    (ProcessInfo.processInfo.environment["SPOOL_SIMULATION_SEEDS"].flatMap { UInt64($0) } ?? 500) / 20

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `whatever fails, every job is done and no promise is broken`(block: UInt64) throws {
    for seed in block * Self.seedsInBlock..<(block + 1) * Self.seedsInBlock {
      let (states, violations, _) = try simulate(seed: seed, faults: .init())
      #expect(states.allSatisfy { $0 == .done }, "seed \(seed)")
      #expect(violations == [], "seed \(seed)")
    }
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `where a ledger often refuses, and nothing else brings workers to say again who they are, every job is done`(
    block: UInt64
  ) throws {
    var faults = SimulatedFarm.Faults()
    (faults.refusal, faults.lookUpRefusal, faults.end) = (0.1, 0.5, .seconds(600))
    (faults.interval, faults.stop, faults.lostAnswer, faults.deathAfterCommit) = (.zero, 0, 0, 0)
    for seed in block * 25..<(block + 1) * 25 {
      let (states, violations, _) = try simulate(seed: seed, faults: faults)
      #expect(states.allSatisfy { $0 == .done }, "seed \(seed)")
      #expect(violations == [], "seed \(seed)")
    }
  }

  @Test func `slow attempts are helped, and some of those that help win`() throws {
    let farms = try (0..<40 as Range<UInt64>).map { try simulate(seed: $0, faults: .init()).farm }
    #expect(farms.reduce(0) { $0 + $1.witness.speculations } > 0)
    #expect(farms.contains { $0.witness.hasHelped })
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `where many chunks are dear they are divided while they run, also more than once, and no frame is lost or doubled`(
    block: UInt64
  ) throws {
    var (faults, divisions) = (SimulatedFarm.Faults(), [Int]())
    faults.slowness = 0.5
    for seed in block * 50..<(block + 1) * 50 {
      let (states, violations, farm) = try simulate(seed: seed, faults: faults)
      #expect(states.allSatisfy { $0 == .done }, "seed \(seed)")
      #expect(violations == [], "seed \(seed)")
      divisions.append(farm.witness.divisions)
    }
    #expect(divisions.reduce(0, +) > 50)
    #expect(divisions.contains { $0 > 3 })
  }

  @Test func `a process that breaks its promise costs an attempt, and no frame`() throws {
    var faults = SimulatedFarm.Faults()
    (faults.brokenPromises, faults.slowness) = (0.2, 0.3)
    var (all, divisions) = ([JobState](), 0)
    for seed in 0..<60 as Range<UInt64> {
      let (states, violations, farm) = try simulate(seed: seed, faults: faults)
      // A process that breaks its promise as often as a bug may happen rightly ends its job.
      #expect(states.allSatisfy { $0 == .done || $0 == .failed }, "seed \(seed)")
      #expect(violations == [], "seed \(seed)")
      all += states
      divisions += farm.witness.divisions
    }
    // Most jobs survive the broken promises, of which there were some.
    #expect(divisions > 0)
    #expect(all.count { $0 == .done } > all.count { $0 == .failed } * 4)
  }

  @Test(arguments: [UnfencedLedger.Fault.resultsAreNotMeasured, .wishesArePromises])
  func `a ledger that loses or doubles frames where chunks are divided is found out within a hundred seeds`(
    fault: UnfencedLedger.Fault
  ) throws {
    var faults = SimulatedFarm.Faults()
    if fault == .resultsAreNotMeasured { faults.brokenPromises = 0.5 }
    let found = try (0..<100).first { seed in
      try !simulate(seed: seed, faults: faults, ledger: { UnfencedLedger($0, fault) }).violations.isEmpty
    }
    #expect(found != nil)
  }

  @Test func `a seed takes the same course each time`() throws {
    var ends: Set<Duration> = []
    for seed in 0..<5 as Range<UInt64> {
      let courses = try (0..<2).map { _ in try simulate(seed: seed, faults: .init()).farm }
      #expect(courses[0].clock.now == courses[1].clock.now, "seed \(seed)")
      #expect(courses[0].witness.winners == courses[1].witness.winners, "seed \(seed)")
      ends.insert(courses[0].clock.now)
    }
    #expect(ends.count > 1, "all seeds take one course")
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `where nothing fails, no attempt is made twice`(seed: UInt64) throws {
    let (states, violations, farm) = try simulate(seed: seed, faults: .none)
    #expect(states.allSatisfy { $0 == .done })
    #expect(violations == [])
    #expect(!farm.witness.winners.isEmpty && farm.witness.winners.values.allSatisfy { $0.attempt == 1 })
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `where nothing fails and slots are free, no time is lost between tasks`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let clock = VirtualClock()
    let ledger = MemoryLedger(clock: clock)
    let farm = SimulatedFarm(seed: seed, clock: clock, ledger: ledger, slots: [20, 20], faults: .none)
    for number in 0..<3 { try farm.submit(submission(number, &random)) }
    #expect(try farm.run(limit: .seconds(1000)) == [.done, .done, .done])
    for kind in [TaskKind.picture, .mux, .publish] {
      #expect(try #require(ledger.longestWait(for: [kind])) < .milliseconds(100), "\(kind)")
    }
  }

  @Test(arguments: 0..<50 as Range<UInt64>)
  func `whatever fails, what jobs left in the store is cleared away once they are over, and nothing sooner`(
    seed: UInt64
  ) throws {
    var random = SeededRandom(seed: seed)
    let clock = VirtualClock()
    let farm = SimulatedFarm(
      seed: seed, clock: clock, ledger: MemoryLedger(clock: clock, splitting: .eager), slots: [2, 1],
      faults: SimulatedFarm.Faults())
    for number in 0..<3 { try farm.submit(submission(number, &random)) }
    farm.cancel("job1", after: .seconds(Int.random(in: 0..<60, using: &random)))
    let states = try farm.run(limit: .seconds(1000), untilSwept: true)
    #expect(states[0] == .done && [.done, .cancelled].contains(states[1]) && states[2] == .done, "\(states)")
    #expect(farm.stored == [])
    #expect(farm.witness.clearings > 0)
    #expect(farm.witness.violations == [])
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `whatever fails, the tasks of cancelled jobs are cancelled, and those of jobs that are retried are done`(
    block: UInt64
  ) throws {
    for seed in block * Self.seedsInBlock / 4..<(block + 1) * Self.seedsInBlock / 4 {
      let (states, ledger, farm) = try simulateRetry(seed: seed)
      #expect(states[0] == .done && [.done, .cancelled].contains(states[1]) && states[2] == .done, "seed \(seed): \(states)")
      for (job, state) in zip(["job0", "job1", "job2"], states) {
        let tasks = try ledger.tasks(job: job).map(\.state)
        let ends: Set<TaskState> = state == .done ? [.done] : [.done, .cancelled]
        #expect(ends.isSuperset(of: tasks), "seed \(seed): \(job) \(tasks)")
      }
      #expect(farm.witness.violations == [], "seed \(seed)")
    }
  }

  @Test func `an order to clear away what a retried job left, and that names no attempts, is found out within a thousand seeds`()
    throws
  {
    let found = try (0..<1000 as Range<UInt64>).first { seed in
      try !simulateRetry(seed: seed) { UnfencedLedger($0, .deadAreNotNamed) }.farm.witness.violations.isEmpty
    }
    #expect(found != nil)
  }

  /// A simulation of three jobs of which two are cancelled and one of these is retried.
  private func simulateRetry(
    seed: UInt64, ledger wrap: (MemoryLedger) -> any Ledger & FarmDesk = { $0 }
  ) throws -> (states: [JobState], ledger: MemoryLedger, farm: SimulatedFarm) {
    var random = SeededRandom(seed: seed)
    let clock = VirtualClock()
    let ledger = inSteps(clock)
    let farm = SimulatedFarm(
      seed: seed, clock: clock, ledger: wrap(ledger), slots: [2, 1], faults: SimulatedFarm.Faults())
    for number in 0..<3 { try farm.submit(submission(number, &random)) }
    farm.cancel("job1", after: .seconds(Int.random(in: 0..<30, using: &random)))
    let cancelled = Duration.seconds(Int.random(in: 0..<20, using: &random))
    farm.cancel("job2", after: cancelled)
    // The retry comes at about the time at which the files are cleared away.
    farm.retry(
      "job2", after: cancelled + Dispatcher.Timing().lingering * 2 + .milliseconds(Int.random(in: 0..<1500, using: &random)))
    // A job is swept some seconds after its end. Until then the leader has had some rounds.
    let states = try farm.run(limit: .seconds(1000), earliest: .seconds(32), untilSwept: true)
    return (states, ledger, farm)
  }

  @Test(arguments: 0..<4 as Range<UInt64>)
  func `whatever fails, a job that replaces another one is done, and some of what ran is not lost`(block: UInt64) throws {
    var faults = SimulatedFarm.Faults()
    // Workers look for segments first, and so keep theirs.
    faults.isFound = { _ in false }
    var kept = 0
    for seed in block * 50..<(block + 1) * 50 {
      var random = SeededRandom(seed: seed)
      let clock = VirtualClock()
      let ledger = inSteps(clock)
      let farm = SimulatedFarm(seed: seed, clock: clock, ledger: ledger, slots: [2, 1], faults: faults)
      let first = submission(0, &random)
      try farm.submit(first)
      var (time, last) = (Duration.zero, first)
      for number in 1...3 {
        var heir = first
        (heir.id, heir.replaces) = ("heir\(number)", last.id)
        time += .milliseconds(Int.random(in: 100..<8000, using: &random))
        farm.replace(by: heir, after: time)
        last = heir
      }
      let states = try farm.run(limit: faults.end + .seconds(600), earliest: time + .seconds(1))
      #expect(states.count == 4 && states.last == .done, "seed \(seed)")
      #expect(states.allSatisfy { [.done, .cancelled].contains($0) }, "seed \(seed)")
      #expect(farm.witness.violations == [], "seed \(seed)")
      // Nothing runs for nobody.
      #expect(try ledger.tasks(job: first.id).allSatisfy { $0.state != .running }, "seed \(seed)")
      kept += farm.witness.keptWinners
    }
    #expect(kept > 10)
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `a mux or a publishing never waits for a slot behind chunks, however many are ready`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let clock = VirtualClock()
    let ledger = MemoryLedger(clock: clock)
    let farm = SimulatedFarm(seed: seed, clock: clock, ledger: ledger, slots: [2], faults: .none)
    for number in 0..<6 { try farm.submit(submission(number, &random)) }
    #expect(try farm.run(limit: .seconds(1000)).allSatisfy { $0 == .done })
    for kind in [TaskKind.mux, .publish] { #expect(try #require(ledger.longestWait(for: [kind])) < .milliseconds(100)) }
  }

  @Test(arguments: 0..<20 as Range<UInt64>)
  func `sound begins before the chunks of its job`(seed: UInt64) throws {
    let clock = VirtualClock()
    let ledger = MemoryLedger(clock: clock)
    let farm = SimulatedFarm(seed: seed, clock: clock, ledger: ledger, slots: [1], faults: .none)
    try farm.submit(.planned(chunks: 9))
    #expect(try farm.run(limit: .seconds(1000)) == [.done])
    #expect(try #require(ledger.longestWait(for: [.sound])) < .milliseconds(100))
  }

  @Test(arguments: [
    UnfencedLedger.Fault.attemptsAreNotFenced, .termsAreNotFenced, .nothingIsDurable, .bothOfAPairWin,
  ])
  func `a ledger without fencing is found out within a hundred seeds`(fault: UnfencedLedger.Fault) throws {
    let found = try (0..<100).first { seed in
      try !simulate(seed: seed, faults: .init(), ledger: { UnfencedLedger($0, fault) }).violations.isEmpty
    }
    #expect(found != nil)
  }

  @Test
  func `a job whose movie no worker may write waits before its chunks, and is done once it is to be written where they may`()
    throws
  {
    let clock = VirtualClock()
    let ledger = MemoryLedger(clock: clock)
    var faults = SimulatedFarm.Faults()
    faults.interval = .zero
    let farm = SimulatedFarm(seed: 1, clock: clock, ledger: ledger, slots: [2, 2], outputRoots: ["/srv/out"], faults: faults)
    var job = JobSubmission.planned(chunks: 6)
    job.id = "held"
    try farm.submit(job)
    farm.run(until: .seconds(60))
    #expect(try ledger.tasks(job: "held").allSatisfy { $0.attempts == 0 })
    #expect(try ledger.status(job: "held")?.state == .queued)
    #expect(try ledger.change(job: "held", .retryWriting(to: "/srv/out/held.mp4")) == true)
    #expect(try farm.run(limit: .seconds(600), earliest: .seconds(61)) == [.done])
    #expect(farm.witness.violations == [])
  }
}

extension SplitPolicy {
  /// A policy that divides whatever pays at all, because attempts of a simulation take only seconds.
  fileprivate static var eager: SplitPolicy {
    var policy = SplitPolicy()
    (policy.startSeconds, policy.borderFrames, policy.factor) = (0.1, 1, 2)
    (policy.leastGain, policy.leadSeconds, policy.settling, policy.fewestFrames) = (0.2, 0.3, 0.3, 2)
    return policy
  }
}
