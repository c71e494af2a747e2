internal import Messages

// Segments that were made before. An attempt's own process looks for its segment before it makes it. But where the worker found the last segment of
// a job, one process looks for all further ones of that job, and so for many in the time in which a process starts. The worker takes attempts for
// that ahead of its slots. What is not found is made in a slot, and given back where none is free.
extension WorkerState {
  /// The most jobs that are remembered as such of which segments are found. When there are more, all are forgotten.
  private static let mostRecalledJobs = 256

  /// Whether the worker looks for an order's segment before anything else.
  func isToBeRecalled(_ order: AttemptOrder) -> Bool {
    guard let ahead, ahead > 0, RecallQuestion.concerns(order.work), !order.needsCourier else { return false }
    return recalledJobs.contains(order.job) || !willHaveRoom
  }

  /// Whether a slot is free for a further chunk, or will be as soon as attempts have stopped that were told to.
  private var willHaveRoom: Bool {
    let light = running.values.count { $0.kind.isLight }
    let parts = running.values.count { !$0.kind.isLight && $0.sought == nil && $0.doom == nil }
    return parts + queue.count { !$0.work.kind.isLight } + max(0, light - lanes) < slots
  }

  mutating func recall(_ order: AttemptOrder, _ now: Duration) -> [Action] {
    running[order.key] = Running(
      progress: AttemptProgress(key: order.key, done: 0, total: 0), job: order.job, kind: order.work.kind,
      isAwaited: order.isAwaited == true, place: "", advanced: now,
      stall: timing.stall(of: order), began: now, sought: order, toldLog: now)
    return [.recall(order)] + join(order)
  }

  /// Reports a segment that was found. Where there is none, starts the attempt's process, or gives the attempt back.
  mutating func concludeRecall(of key: AttemptKey, _ proof: Proof?, _ now: Duration) -> [Action] {
    guard let order = running[key]?.sought else { return [] }
    running[key] = nil
    noteRecall(of: order.job, isFound: proof != nil)
    let report: Report
    if let proof {
      report = .finished(proof)
    } else if mode == .serving, hasRoom(for: order.work.kind) {
      return start(order, now)
    } else {
      report = .returned
    }
    unsettled[key] = (report, now)
    let kept = proof.map { [Action.keep(key, job: order.job, $0)] } ?? []
    return [.note(report.note(key))] + tell(key, now) + kept + departure(now)
  }

  mutating func noteRecall(of job: String, isFound: Bool) {
    guard isFound else {
      recalledJobs.remove(job)
      return
    }
    if recalledJobs.count >= Self.mostRecalledJobs { recalledJobs = [] }
    recalledJobs.insert(job)
  }

  /// Ends the process that looks for an attempt's segment if it takes too long. Its end is the answer.
  mutating func endRecall(of key: AttemptKey, _ now: Duration) -> [Action] {
    guard let attempt = running[key], now - attempt.advanced >= timing.longestRecall else { return [] }
    running[key]?.advanced = now
    return [.endRecall(job: attempt.job), .note(Note("recall_stalled", ["attempt": "\(key)", "job": attempt.job]))]
  }
}
