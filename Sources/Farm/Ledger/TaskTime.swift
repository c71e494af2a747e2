package import Messages

/// The place where the time of a job's tasks went. Each moment belongs to one part, so that the parts of a task add up to the time from the
/// job's submission to the task's end.
package struct TaskTime {
  private let attempts: [AttemptSpan]
  /// The reasons of a wait that come before others.
  private let stops: [(JobTimePart, Moments)]
  /// The other reasons of a wait.
  private let queues: [(JobTimePart, Moments)]
  /// The moments in which tasks waited for what a replaced job had begun.
  private let awaiting: [Int64: Range<Int>]

  /// - Parameter attempts: all attempts of the job. Those that were returned did nothing, and are left out.
  package init(_ attempts: [AttemptSpan], _ moments: JobMoments) {
    let attempts = attempts.filter { !$0.isReturned }
    (self.attempts, awaiting) = (attempts, moments.awaiting)
    stops = [
      (.stopped, Moments(moments.stopped)), (.paused, Moments(moments.paused)), (.drained, Moments(moments.drained)),
      (.noWorker, Moments([0..<Int.max]).subtracting(Moments(moments.served))),
    ]
    // While a task waits, no attempt of its own runs: these are the others'.
    queues = [
      (.quota, Moments(moments.quota)), (.unfit, Moments(moments.unfit)), (.behindOwn, Moments(attempts.map(\.span))),
      (.priority, Moments(moments.prior)), (.behindOthers, Moments(moments.others)),
    ]
  }

  /// The parts of the time of a task.
  ///
  /// - Parameters:
  ///   - kind: the task's kind.
  ///   - measured: the parts of a chunk's time, as the attempt that won measured them.
  ///   - now: the microseconds from the submission until now, or until the job's end.
  package func shares(task: Int64, _ kind: TaskKind, measured: RenderingTimes? = nil, now: Int) -> [JobTimeShare] {
    let own = attempts.filter { $0.key.task == task }
    let counted = own.filter(\.counts)
    let end = min(own.first { $0.outcome == "won" }?.ended ?? now, now)
    let lost = own.filter(\.isLost)
    // From the end of a lost attempt until the next one began.
    func pause(after lost: AttemptSpan) -> Range<Int> {
      lost.ended..<max(lost.ended, own.map(\.began).filter { $0 >= lost.ended }.min() ?? end)
    }
    let store = lost.filter { $0.failure?.class == .store }
    let parts: [(JobTimePart, Moments)] = [
      (Self.work(of: kind), Moments(counted.map(\.span))), (.lost, Moments(lost.map(\.span))),
      (.blocked, blocked(task, kind, end)),
    ]
    let retries = [(JobTimePart.store, Moments(store.map(pause))), (.retrying, Moments(lost.map(pause)))]
    let reasons = parts + stops + retries + queues
    let lengths = Moments([0..<max(0, end)]).divided(among: reasons, rest: .handingOut)
    guard kind == .picture, let measured, let won = own.first(where: { $0.outcome == "won" }) else { return Self.shares(lengths) }
    return Self.shares(lengths.flatMap { $0.part == .rendering ? measured.divided($0.length, lasting: won.span.count) : [$0] })
  }

  /// The parts of the wait of a task; nil where nothing followed the wait.
  func parts(ofWait wait: Range<Int>, of task: Int64?) -> [(part: JobTimePart, length: Int)] {
    let blocked = Moments([task.flatMap { awaiting[$0] }].compactMap(\.self))
    return Moments([wait]).divided(among: [(.blocked, blocked)] + stops + queues, rest: .handingOut)
  }

  static func shares(_ lengths: [(part: JobTimePart, length: Int)]) -> [JobTimeShare] {
    lengths.map { JobTimeShare($0.part, Double($0.length) / 1e6) }
  }

  /// The part to which an attempt that counts belongs.
  static func work(of kind: TaskKind) -> JobTimePart {
    switch kind {
    case .picture: .rendering
    case .sound: .sound
    case .mux: .joining
    case .publish: .publishing
    }
  }

  /// The moments in which the results that a task of that kind takes were not there.
  private func blocked(_ task: Int64, _ kind: TaskKind, _ end: Int) -> Moments {
    let needed: [TaskKind]
    switch kind {
    case .picture, .sound: return Moments([awaiting[task]].compactMap(\.self))
    case .mux: needed = [.picture, .sound]
    case .publish: needed = [.picture, .sound, .mux]
    }
    let results = attempts.filter { needed.contains($0.kind) }
    // While a result is missing, the task waits until now.
    let isOpen = results.contains { $0.outcome == nil }
    let last = isOpen ? end : results.filter { $0.outcome == "won" }.map(\.ended).max() ?? end
    return Moments([0..<max(0, min(last, end))])
  }
}

extension RenderingTimes {
  /// Divides a chunk's time in the shares that its attempt measured. What it did not measure is the start of its process and the commit.
  ///
  /// - Parameters:
  ///   - microseconds: the time.
  ///   - lasted: the microseconds for which the attempt ran.
  /// - Returns: the parts that have some of it; they add up to the time.
  fileprivate func divided(_ microseconds: Int, lasting lasted: Int) -> [(part: JobTimePart, length: Int)] {
    let parts: [(JobTimePart, Int64)] = [
      (.opening, opening), (.reading, reading), (.compositing, compositing), (.encoding, encoding),
    ]
    let own = parts.reduce(0) { $0 + Double($1.1) } * 1000
    let total = max(own, Double(lasted))
    guard total > 0 else { return [(.rendering, microseconds)] }
    var (sum, begin, lengths): (Double, Int, [(part: JobTimePart, length: Int)]) = (0, 0, [])
    // Each part ends where the sum of the shares says, rounded. So no part is negative, and all of them add up.
    for (part, milliseconds) in parts + [(.committing, 0)] {
      sum = part == .committing ? total : sum + Double(milliseconds) * 1000
      let end = min(microseconds, Int((Double(microseconds) * sum / total).rounded()))
      if end > begin { lengths.append((part, end - begin)) }
      begin = max(begin, end)
    }
    return lengths
  }
}

extension AttemptSpan {
  /// The microseconds from the job's submission in which it ran.
  var span: Range<Int> { began..<max(began, ended) }
}
