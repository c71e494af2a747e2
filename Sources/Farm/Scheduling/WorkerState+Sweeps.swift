internal import Messages

// Sweeps of the store. A process of its own does each, one at a time, so that a store that hangs blocks nothing else.
extension WorkerState {
  struct Sweep: Hashable, Sendable {
    var order: SweepOrder
    var started: Duration
    var isDoomed = false
  }

  mutating func sweep(_ order: SweepOrder, _ now: Duration) -> [Action] {
    // A coordinator whose request is dropped here asks again.
    guard sweep == nil, mode == .serving else { return [] }
    sweep = Sweep(order: order, started: now)
    return [.sweep(order)]
  }

  mutating func concludeSweep(_ jobs: [String]) -> [Action] {
    guard let ended = sweep else { return [] }
    sweep = nil
    guard ended.order.over.isEmpty, !jobs.isEmpty, case .welcomed = link else { return [] }
    return [.send(.stored(worker: name, epoch: epoch, jobs: Array(jobs.prefix(OverJob.mostAtOnce))))]
  }

  mutating func endSweep(_ now: Duration) -> [Action] {
    guard let running = sweep, !running.isDoomed, now - running.started >= timing.longestSweep else { return [] }
    sweep?.isDoomed = true
    return [.endSweep, .note(Note("sweep_stalled", ["seconds": "\(timing.longestSweep.components.seconds)"]))]
  }
}
