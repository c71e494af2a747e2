package import Messages
internal import Scheduling

/// A stretch of a critical path: an attempt that ran, or a wait.
package struct CriticalStretch: Hashable, Sendable, Codable {
  /// The kind of work, or the reason of most of a wait.
  package var part: JobTimePart
  /// The task that ran, or that waited.
  package var task: Int64
  package var frames: FrameRange?
  /// The worker who ran it; nil for a wait.
  package var worker: String?
  /// The seconds from the job's submission.
  package var began: Double
  package var seconds: Double
}

/// The chain of attempts and waits for which the end of a job waited, from its submission to its end, or to now. It has no gaps: its
/// stretches add up to the job's time.
package struct CriticalPath: Hashable, Sendable, Codable {
  /// The parts of its time.
  package var time: [JobTimeShare]
  /// The longest stretches, in the order of time. The most are `mostStretches`.
  package var stretches: [CriticalStretch]
  /// The workers on which its attempts ran, those with most of it first. The most are `mostStretches`.
  package var workers: [WorkerTime]?

  /// A path of 100,000 chunks on one worker has as many stretches.
  package static let mostStretches = 20

  /// - Parameters:
  ///   - attempts: all attempts of the job.
  ///   - end: the microseconds from the submission to the job's end, or to now.
  package init(_ attempts: [AttemptSpan], _ moments: JobMoments, end: Int) {
    let times = TaskTime(attempts, moments)
    var (sums, all): ([JobTimePart: Int], [CriticalStretch]) = ([:], [])
    var ran: [String: Int] = [:]
    for link in CriticalChain(attempts, end: end).links {
      switch link {
      case .ran(let attempt, let span):
        let part = attempt.isLost ? JobTimePart.lost : TaskTime.work(of: attempt.kind)
        sums[part, default: 0] += span.count
        ran[attempt.worker, default: 0] += span.count
        all.append(CriticalStretch(part, attempt, worker: attempt.worker, span))
      case .waited(let attempt, let span):
        let parts = times.parts(ofWait: span, of: attempt?.key.task)
        for (part, length) in parts { sums[part, default: 0] += length }
        guard let attempt, let most = parts.max(by: { $0.length < $1.length }) else { continue }
        all.append(CriticalStretch(most.part, attempt, worker: nil, span))
      }
    }
    time = JobTimePart.allCases.compactMap { part in sums[part].map { JobTimeShare(part, Double($0) / 1e6) } }
    let longest = all.sorted { $0.seconds > $1.seconds }.prefix(Self.mostStretches)
    stretches = longest.sorted { $0.began < $1.began }
    let most = ran.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.mostStretches)
    workers = most.map { WorkerTime(worker: $0.key, seconds: Double($0.value) / 1e6) }
  }
}

/// The time of something that ran on a worker.
package struct WorkerTime: Hashable, Sendable, Codable {
  package var worker: String
  package var seconds: Double
  /// How many times as long as other workers it takes; nil where that is not told or not known.
  package var pace: Double?

  package init(worker: String, seconds: Double, pace: Double? = nil) {
    (self.worker, self.seconds, self.pace) = (worker, seconds, pace)
  }
}

extension CriticalStretch {
  fileprivate init(_ part: JobTimePart, _ attempt: AttemptSpan, worker: String?, _ span: Range<Int>) {
    self.init(
      part: part, task: attempt.key.task, frames: attempt.frames, worker: worker, began: Double(span.lowerBound) / 1e6,
      seconds: Double(span.count) / 1e6)
  }

  /// The stretch in words, such as `frames 0..240 on anna: rendering`.
  package var words: String {
    let what = frames.map { "frames \($0.first)..\($0.first + $0.count)" } ?? "task \(task)"
    return "\(what)\(worker.map { " on \($0)" } ?? ""): \(part.words)"
  }
}

/// The links of a critical path, found backwards from the end: each attempt began when another one had ended, or after a wait.
package struct CriticalChain {
  enum Link {
    case ran(AttemptSpan, Range<Int>)
    /// A wait before an attempt; nil where no attempt came after it.
    case waited(AttemptSpan?, Range<Int>)
  }

  /// The links from the end to the beginning. Their spans cover all the time, and none overlaps another.
  private(set) var links: [Link] = []

  /// The attempts by what they can follow, each list in the order in which they ended.
  private let (byTask, byWorker): ([Int64: [AttemptSpan]], [String: [AttemptSpan]])
  private let (parts, muxes): ([AttemptSpan], [AttemptSpan])

  package init(_ attempts: [AttemptSpan], end: Int) {
    let ordered = attempts.filter { !$0.isReturned }.sorted { ($0.ended, $1.began) < ($1.ended, $0.began) }
    byTask = Dictionary(grouping: ordered, by: \.key.task)
    byWorker = Dictionary(grouping: ordered, by: \.worker)
    let counted = ordered.filter(\.counts)
    parts = counted.filter { $0.kind == .picture || $0.kind == .sound }
    muxes = counted.filter { $0.kind == .mux }
    var cursor = max(0, end)
    var attempt = counted.last { $0.began < cursor } ?? ordered.last { $0.began < cursor }
    if let attempt, attempt.ended < cursor { add(wait: nil, attempt.ended..<cursor, &cursor) }
    while let current = attempt, current.began < cursor {
      links.append(.ran(current, current.began..<cursor))
      cursor = current.began
      attempt = predecessor(of: current)
      let begin = attempt.map { min($0.ended, cursor) } ?? 0
      add(wait: current, begin..<cursor, &cursor)
    }
    if cursor > 0 { add(wait: attempt, 0..<cursor, &cursor) }
  }

  private mutating func add(wait attempt: AttemptSpan?, _ span: Range<Int>, _ cursor: inout Int) {
    guard !span.isEmpty else { return }
    links.append(.waited(attempt, span))
    cursor = span.lowerBound
  }

  /// The attempt whose end let this one begin; nil when it was the first.
  private func predecessor(of attempt: AttemptSpan) -> AttemptSpan? {
    // What was lost is done again. The mux takes all parts, and the publication the mux. Everything else takes a slot that was left.
    if let lost = Self.last(of: byTask[attempt.key.task] ?? [], until: attempt.began) { return lost }
    switch attempt.kind {
    case .mux: return Self.last(of: parts, until: attempt.began)
    case .publish: return Self.last(of: muxes, until: attempt.began)
    case .picture, .sound: return Self.last(of: byWorker[attempt.worker] ?? [], until: attempt.began)
    }
  }

  /// The last one that had ended by then, and lasted.
  private static func last(of ordered: [AttemptSpan], until moment: Int) -> AttemptSpan? {
    var (low, high) = (0, ordered.count)
    while low < high {
      let middle = (low + high) / 2
      if ordered[middle].ended <= moment { low = middle + 1 } else { high = middle }
    }
    return ordered[..<low].last { $0.began < $0.ended }
  }
}

extension CriticalChain {
  /// The tasks that ran, from the last one to the first.
  package var tasks: [Int64] {
    links.compactMap { link in if case .ran(let attempt, _) = link { attempt.key.task } else { nil } }
  }
}

extension JobStatus {
  /// The microseconds from the submission to the end, or to now.
  package var microseconds: Int { Int(((waitedSeconds + (elapsedSeconds ?? 0)) * 1e6).rounded()) }
}
