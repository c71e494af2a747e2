import FarmTesting
import Ledger
import Messages
import Operations
import Testing

/// The time of tasks, and of the critical path, from attempts of random jobs.
@Suite struct `The time of tasks and of the critical path` {
  private static func attempt(
    _ task: Int64, _ span: Range<Int>, number: Int = 1, as kind: TaskKind = .picture, on worker: String = "anna",
    outcome: String? = "won"
  ) -> AttemptSpan {
    AttemptSpan(
      key: AttemptKey(task: task, attempt: number), ordinal: Int(task), kind: kind,
      frames: kind == .picture ? FrameRange(first: Int(task) * 10, count: 10) : nil, worker: worker, outcome: outcome,
      began: span.lowerBound, ended: span.upperBound)
  }

  private static func seconds(_ shares: [JobTimeShare]) -> [String: Double] {
    Dictionary(uniqueKeysWithValues: shares.map { ($0.part.rawValue, $0.seconds) })
  }

  private var served: JobMoments {
    var moments = JobMoments()
    moments.served = [0..<100_000_000]
    return moments
  }

  @Test func `goes back from the publication to the submission, without gaps`() {
    let attempts = [
      Self.attempt(1, 1_000_000..<3_000_000), Self.attempt(2, 1_000_000..<2_000_000, on: "ben", outcome: "failed"),
      Self.attempt(2, 2_500_000..<6_000_000, number: 2, on: "ben"), Self.attempt(3, 3_000_000..<4_000_000),
      Self.attempt(4, 6_500_000..<8_000_000, as: .mux), Self.attempt(5, 8_000_000..<8_500_000, as: .publish),
    ]
    var moments = served
    moments.paused = [0..<400_000]
    let path = CriticalPath(attempts, moments, end: 9_000_000)
    #expect(path.stretches.filter { $0.worker != nil }.map(\.task) == [2, 2, 4, 5])
    #expect(path.workers == [WorkerTime(worker: "ben", seconds: 4.5), WorkerTime(worker: "anna", seconds: 2)])
    #expect(
      Self.seconds(path.time) == [
        "rendering": 3.5, "lost": 1, "joining": 1.5, "publishing": 0.5, "paused": 0.4, "handing out": 1.6, "behind own": 0.5,
      ])
  }

  @Test func `a task waits for its turn, for lost attempts and for the parts that it takes`() {
    let attempts = [
      Self.attempt(1, 1_000_000..<3_000_000), Self.attempt(2, 3_000_000..<4_000_000, outcome: "failed"),
      Self.attempt(2, 4_500_000..<6_000_000, number: 2), Self.attempt(3, 6_500_000..<7_000_000, as: .mux),
    ]
    let times = TaskTime(attempts, served)
    let chunk = Self.seconds(times.shares(task: 2, .picture, now: 9_000_000))
    #expect(chunk == ["rendering": 1.5, "lost": 1, "retrying": 0.5, "behind own": 2, "handing out": 1])
    let mux = Self.seconds(times.shares(task: 3, .mux, now: 9_000_000))
    #expect(mux == ["joining": 0.5, "blocked": 6, "handing out": 0.5])
    let publication = Self.seconds(times.shares(task: 4, .publish, now: 9_000_000))
    #expect(publication == ["blocked": 7, "handing out": 2])
  }

  @Test func `the parts of each task and of the path add up to the time, in 500 random jobs`() {
    for seed in 0..<500 {
      var random = SeededRandom(seed: UInt64(seed))
      let end = Int.random(in: 1...20_000_000, using: &random)
      func span() -> Range<Int> {
        let begin = Int.random(in: 0...end, using: &random)
        return begin..<Int.random(in: begin...end, using: &random)
      }
      var attempts: [AttemptSpan] = []
      for task in 0..<Int64.random(in: 1...8, using: &random) {
        let kind: TaskKind = task == 6 ? .mux : task == 7 ? .publish : task == 5 ? .sound : .picture
        for number in 1...Int.random(in: 1...3, using: &random) {
          let outcome: String? = [nil, "won", "failed", "expired", "superseded"].randomElement(using: &random) ?? nil
          let worker = ["anna", "ben"].randomElement(using: &random) ?? ""
          attempts.append(Self.attempt(task, span(), number: number, as: kind, on: worker, outcome: outcome))
        }
      }
      var moments = JobMoments()
      (moments.stopped, moments.paused, moments.drained) = ([span()], [span()], [span()])
      (moments.served, moments.others) = ([span(), span()], [span()])
      let path = CriticalPath(attempts, moments, end: end)
      let sum = path.time.reduce(0) { $0 + $1.seconds }
      #expect(abs(sum * 1e6 - Double(end)) < 0.5 && path.time.allSatisfy { $0.seconds > 0 }, "seed \(seed): \(sum) of \(end) us")
      let ends = path.stretches.map { ($0.began, $0.began + $0.seconds) }
      #expect(zip(ends, ends.dropFirst()).allSatisfy { $0.1 <= $1.0 + 1e-9 }, "seed \(seed): stretches overlap")
      let times = TaskTime(attempts, moments)
      for task in Set(attempts.map(\.key.task)) {
        let won = attempts.first { $0.key.task == task && $0.outcome == "won" }
        let kind = attempts.first { $0.key.task == task }?.kind ?? .picture
        let shares = times.shares(task: task, kind, now: end)
        let sum = shares.reduce(0) { $0 + $1.seconds }
        #expect(
          abs(sum * 1e6 - Double(won?.ended ?? end)) < 0.5 && shares.allSatisfy { $0.seconds > 0 }, "seed \(seed), task \(task)")
      }
    }
  }
}
