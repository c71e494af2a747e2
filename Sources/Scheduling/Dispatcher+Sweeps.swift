internal import Messages

// What jobs left in the store. One worker at a time is asked which jobs have files there, the ledger which of them are over, and the
// same worker to clear those away. Nothing depends on it: what is missed, or comes back with an attempt that was late, is found
// the next time.
extension Dispatcher {
  /// Asks the next worker in turn, when it is time.
  mutating func sweep(_ now: Duration) -> [Action] {
    guard now >= sweepDue else { return [] }
    let heard = members.filter { now - $0.value.heard <= pace.silence }
    guard let worker = heard.keys.filter({ $0 > lastSweeper }).min() ?? heard.keys.min(), let member = heard[worker] else {
      return []
    }
    (lastSweeper, sweepDue) = (worker, now + pace.sweeping)
    return [.send(.sweep, route: Self.route(worker, member.epoch))]
  }

  /// An attempt was ended from here, and its job with it, most likely.
  mutating func sweepSoon(_ now: Duration) { sweepDue = min(sweepDue, now + pace.lingering * 2) }

  /// Of one worker at a time.
  mutating func askForOver() -> [Action] {
    guard let process = waiting.stored.keys.min(), let jobs = waiting.stored.removeValue(forKey: process) else { return [] }
    let asked = Array(jobs.prefix(OverJob.mostAtOnce))
    return [.ask(.over(worker: process.worker, epoch: process.epoch, jobs: asked, endedFor: pace.lingering))]
  }

  func clear(_ jobs: [OverJob], _ worker: String, _ epoch: String) -> [Action] {
    guard !jobs.isEmpty else { return [] }
    return [
      .send(.over(jobs), route: Self.route(worker, epoch)), .note(Note("sweeps", ["worker": worker, "jobs": "\(jobs.count)"])),
    ]
  }
}
