internal import Messages

// Clearing of the store after jobs. In turn, one worker is asked which jobs have files there. The ledger is asked which of these
// jobs are over, and the same worker clears their files away. Nothing depends on it. What is missed, or written later by a late
// attempt, is found the next time.
extension Dispatcher {
  /// Asks the next worker when it is time.
  mutating func sweep(_ now: Duration) -> [Action] {
    guard timetable.isDue(.sweep, now) else { return [] }
    let heard = members.filter { now - $0.value.heard <= timing.silence }
    guard let worker = heard.keys.filter({ $0 > lastSweeper }).min() ?? heard.keys.min(), let member = heard[worker] else {
      return []
    }
    (lastSweeper, timetable[.sweep]) = (worker, now + timing.sweeping)
    return [.send(.sweep, route: Self.route(worker, member.epoch))]
  }

  /// Moves the next sweep closer, because an attempt was cancelled and its job has probably ended.
  mutating func sweepSoon(_ now: Duration) { timetable.hasten(.sweep, to: now + timing.lingering * 2) }

  /// Asks the ledger about the jobs that one worker found.
  mutating func askForOver() -> [Action] {
    guard let process = waiting.stored.keys.min(), let jobs = waiting.stored.removeValue(forKey: process) else { return [] }
    let asked = Array(jobs.prefix(OverJob.mostAtOnce))
    return [.ask(.over(worker: process.worker, epoch: process.epoch, jobs: asked, endedFor: timing.lingering))]
  }

  func clear(_ jobs: [OverJob], _ worker: String, _ epoch: String) -> [Action] {
    guard !jobs.isEmpty else { return [] }
    return [
      .send(.over(jobs), route: Self.route(worker, epoch)), .note(Note("sweeps", ["worker": worker, "jobs": "\(jobs.count)"])),
    ]
  }
}
