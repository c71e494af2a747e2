import Messages
import Scheduling
import Testing

struct PacesTests {
  private func finished(
    _ work: String = "w", job: String = "j", worker: String = "a", cost: Double = 2, seconds: Double
  ) -> FinishedAttempt {
    FinishedAttempt(work: work, job: job, worker: worker, cost: cost, seconds: seconds)
  }

  @Test func `what three results say is known, and seldom results move it little`() throws {
    var paces = Paces()
    for _ in 0..<2 { paces.learn(from: finished(seconds: 10)) }
    #expect(paces.secondsPerCost(work: "w", job: "other") == nil)
    for _ in 0..<8 { paces.learn(from: finished(seconds: 10)) }
    #expect(paces.secondsPerCost(work: "w", job: "other") == 5)
    paces.learn(from: finished(seconds: 100_000))
    let moved = try #require(paces.secondsPerCost(work: "w", job: "other"))
    #expect(moved > 5 && moved < 7)
  }

  @Test func `what changes for good is followed`() throws {
    var paces = Paces()
    for _ in 0..<100 { paces.learn(from: finished(seconds: 1)) }
    for _ in 0..<200 { paces.learn(from: finished(seconds: 60)) }
    let pace = try #require(paces.secondsPerCost(work: "w", job: "other"))
    #expect(pace > 25 && pace <= 30)
  }

  @Test func `a job's own results outweigh those of its kind of work`() {
    var paces = Paces()
    for _ in 0..<10 { paces.learn(from: finished(job: "cheap", seconds: 2)) }
    for _ in 0..<3 { paces.learn(from: finished(job: "dear", seconds: 8)) }
    #expect(paces.secondsPerCost(work: "w", job: "dear") == 4)
    #expect(paces.secondsPerCost(work: "w", job: "cheap") == 1)
  }

  @Test func `a worker is measured by what others take for the same`() {
    var paces = Paces()
    for _ in 0..<20 { paces.learn(from: finished(seconds: 2)) }
    for _ in 0..<5 { paces.learn(from: finished(worker: "slow", seconds: 6)) }
    #expect(paces.slowness(of: "a") == 1)
    #expect(paces.slowness(of: "slow") > 2)
    #expect(paces.slowness(of: "unknown") == 1)
  }
}

extension PacesTests {
  @Test(
    arguments: [(1.0, 1.0), (1.41, 1.0), (1.42, 2.0), (2.8, 2.0), (0.71, 1.0), (0.7, 0.5), (1e9, 64.0), (1e-9, 1.0 / 64)]
      as [(Double, Double)])
  func `plans and shares go by steps of two, so that they do not waver`(pace: Double, planned: Double) {
    let paces = Paces([.work("w"): PaceEstimate(pace: pace, samples: 3), .work("v"): PaceEstimate(pace: pace, samples: 2)])
    #expect(paces.plannedSlowness(work: "w") == planned)
    #expect(paces.plannedSlowness(work: "v") == 1)
  }
}

extension PacesTests {
  @Test func `a kind of pictures that is not known is expected to take what others of its codec take`() {
    func known(_ pace: Double) -> PaceEstimate { PaceEstimate(pace: pace, samples: 3) }
    let paces = Paces([
      .work("h264 fast 1MP"): known(2), .work("h264 slow 1MP"): known(6), .work("ffv1 1MP"): known(0.5),
      .work("hevc 1MP"): PaceEstimate(pace: 9, samples: 2), .work("sound"): known(7), .job("h264 job"): known(3),
    ])
    #expect(paces.expectedSecondsPerCost(work: "h264 slow 1MP", job: "j") == 6)
    #expect(paces.expectedSecondsPerCost(work: "h264 slow 1MP", job: "h264 job") == 3)
    #expect(paces.expectedSecondsPerCost(work: "h264 medium 4MP", job: "j") == 4)
    // HEVC was learned from too few results, and is expected to take what all pictures do.
    #expect(paces.expectedSecondsPerCost(work: "hevc 1MP", job: "j") == 2)
    #expect(paces.expectedSecondsPerCost(work: "sound", job: "j") == 7)
    #expect(Paces().expectedSecondsPerCost(work: "h264 fast 1MP", job: "j") == 1)
    #expect(paces.expectedSecondsPerCost(work: "mux", job: "j") == 1)
  }
}

struct SpeculationPolicyTests {
  /// Learned paces by which a unit of cost takes a second.
  private static let paces: Paces = {
    var paces = Paces()
    for _ in 0..<5 { paces.learn(from: FinishedAttempt(work: "w", job: "j", worker: "a", cost: 1, seconds: 1)) }
    for _ in 0..<5 { paces.learn(from: FinishedAttempt(work: "v", job: "i", worker: "a", cost: 1, seconds: 1)) }
    for _ in 0..<5 { paces.learn(from: FinishedAttempt(work: "v", job: "i", worker: "slow", cost: 1, seconds: 3)) }
    return paces
  }()

  private func attempt(
    _ task: Int64 = 1, worker: String = "a", work: String = "w", job: String = "j", cost: Double = 10, elapsed: Double,
    done: Int64 = 0,
    needs: Capabilities = Capabilities(), submitter: String = "s"
  ) -> RunningAttempt {
    RunningAttempt(
      key: AttemptKey(task: task, attempt: 1), worker: worker, job: job, work: work, cost: cost, needs: needs,
      submitter: submitter,
      elapsed: elapsed, done: done, total: done == 0 ? 0 : 100)
  }

  private func choose(
    _ running: [RunningAttempt], _ workers: [String] = ["b"], slots: Int = 1, slotsLeft: [String: Int] = [:], most: Int = 9
  ) -> [String] {
    let offers = workers.map { Offer(worker: $0, epoch: "1", slots: slots) }
    return SpeculationPolicy().choose(among: running, for: offers, paces: Self.paces, slotsLeft: slotsLeft, most: most)
      .map { "\($0.attempt.key.task) on \($0.offer.worker)" }
  }

  @Test func `what is left is reckoned by the attempt's own pace`() {
    // The attempt is half done after a hundred seconds. A hundred are left, and a new attempt needs ten.
    #expect(choose([attempt(elapsed: 100, done: 50)]) == ["1 on b"])
    // The attempt is nine tenths done, so eleven seconds are left.
    #expect(choose([attempt(elapsed: 100, done: 90)]) == [])
  }

  @Test func `without a sign of progress an attempt is suspected once it is well over time`() {
    #expect(choose([attempt(elapsed: 9)]) == [])
    #expect(choose([attempt(elapsed: 14)]) == [])
    #expect(choose([attempt(elapsed: 16)]) == ["1 on b"])
  }

  @Test func `where nothing is known of such work nothing is begun`() {
    #expect(choose([attempt(work: "unknown", job: "unknown", elapsed: 10_000, done: 1)]) == [])
  }

  @Test func `the longest goes first, to the fastest of the others`() {
    let running = [
      attempt(1, elapsed: 100, done: 50), attempt(2, elapsed: 100, done: 20), attempt(3, worker: "b", elapsed: 100, done: 10),
    ]
    #expect(choose(running, ["slow", "b"]) == ["3 on slow", "2 on b"])
  }

  @Test func `a worker so slow that nothing is gained is not used`() {
    #expect(choose([attempt(elapsed: 30, done: 60)], ["slow"]) == [])
    #expect(choose([attempt(elapsed: 30, done: 60)], ["b"]) == ["1 on b"])
  }

  @Test func `quotas, needs and the bound on the farm are kept`() {
    let running = (1...4 as ClosedRange<Int64>).map { attempt($0, elapsed: 100 - Double($0), done: 10) }
    #expect(choose(running, slots: 9, most: 2) == ["1 on b", "2 on b"])
    #expect(choose(running, slots: 9, slotsLeft: ["s": 1]) == ["1 on b"])
    #expect(choose([attempt(elapsed: 100, done: 10, needs: Capabilities(tags: ["gpu"]))]) == [])
  }
}
