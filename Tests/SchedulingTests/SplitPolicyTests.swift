import Messages
import Scheduling
import Testing

struct SplitPolicyTests {
  /// An attempt of worker a at 1000 frames that has done 100 of them in a hundred seconds.
  private func attempt(
    _ task: Int64 = 1, elapsed: Double = 100, done: Int64 = 100, total: Int64 = 1000, silence: Double = 0,
    frames: FrameRange? = FrameRange(first: 500, count: 1000), divisions: Int = 0, needs: Capabilities = Capabilities()
  ) -> RunningAttempt {
    RunningAttempt(
      key: AttemptKey(task: task, attempt: 1), worker: "a", job: "j", work: "w", cost: 1, needs: needs, submitter: "s",
      elapsed: elapsed, done: done, total: total, silence: silence, divisibleFrames: frames, divisions: divisions)
  }

  private func choose(
    _ running: [RunningAttempt], offers: [Offer] = [Offer(worker: "b", epoch: "1", slots: 1)], paces: Paces = Paces(),
    slotsLeft: [String: Int] = [:], asked: Set<AttemptKey> = []
  ) -> [Split] {
    SplitPolicy().choose(among: running, for: offers, paces: paces, slotsLeft: slotsLeft, asked: asked)
  }

  /// Learned paces of workers that take so many times as long as others.
  private func paces(_ slowness: [String: Double]) -> Paces {
    var estimates: [Paces.Subject: PaceEstimate] = [:]
    for (worker, slowness) in slowness { estimates[.worker(worker)] = PaceEstimate(pace: slowness, samples: 10) }
    return Paces(estimates)
  }

  @Test func `both parts end together`() throws {
    let split = try #require(choose([attempt()]).first)
    #expect((split.key.task, split.worker) == (1, "a"))
    // 900 frames are left, at a second each. The second part costs 2 s and the time of 33 frames more.
    #expect(split.before == 600 + (900 + 35 + 1) / 2)
  }

  @Test func `a faster worker is given more`() throws {
    let split = try #require(choose([attempt()], paces: paces(["a": 1, "b": 0.7])).first)
    #expect(split.before < 600 + 450)
  }

  @Test func `where a worker is slow a second attempt is better, and its chunk is left whole`() {
    #expect(choose([attempt()], paces: paces(["a": 2.1, "b": 1])) == [])
    #expect(choose([attempt()], paces: paces(["a": 1.9, "b": 1])).count == 1)
  }

  @Test(arguments: [
    // A split does not pay, or the pace says nothing.
    (100.0, 990, 1000, 0.0), (1, 100, 1000, 0), (100, 0, 0, 0), (100, 0, 1000, 0), (100, 100, 1000, 6), (10, 100, 200, 0),
    // The parts would be too short, because only 180 frames are left.
    (1000, 820, 1000, 0),
  ])
  func `what is nearly done, just begun, silent, quick or short is left whole`(
    _ elapsed: Double, _ done: Int64, _ total: Int64, _ silence: Double
  ) {
    #expect(choose([attempt(elapsed: elapsed, done: done, total: total, silence: silence)]) == [])
  }

  @Test func `sound, what may not be divided, and what was divided often enough is left whole`() {
    #expect(choose([attempt(frames: nil)]) == [])
    #expect(choose([attempt(divisions: 5)]).count == 1)
    #expect(choose([attempt(divisions: 6)]) == [])
  }

  @Test func `media that were fetched are no frames`() {
    #expect(choose([attempt(done: 400, total: 1300)]) == choose([attempt()]))
  }

  @Test func `each slot is for one, the longest first, and none beyond a quota or who was asked`() {
    let running = [attempt(1, done: 200), attempt(2), attempt(3, done: 300)]
    #expect(choose(running).map(\.key.task) == [2])
    let offers = [Offer(worker: "b", epoch: "1", slots: 2)]
    #expect(choose(running, offers: offers).map(\.key.task) == [2, 1])
    #expect(choose(running, offers: offers, slotsLeft: ["s": 1]).map(\.key.task) == [2])
    #expect(choose(running, offers: offers, asked: [running[1].key]).map(\.key.task) == [1, 3])
    #expect(choose(running, offers: [Offer(worker: "b", epoch: "1", slots: 1, isCanary: true)]) == [])
    #expect(choose([attempt(needs: Capabilities(tags: ["gpu"]))]) == [])
  }

  @Test func `an idle slot of the same worker takes the rest as well`() {
    #expect(choose([attempt()], offers: [Offer(worker: "a", epoch: "1", slots: 1)]).count == 1)
  }
}
