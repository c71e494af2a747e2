internal import Ledger
internal import Messages
internal import Scheduling

// Jobs that replace others, and wait for attempts that make what they need, too.
extension MemoryLedger {
  /// Whether the job has not ended.
  func isLive(_ job: String) -> Bool { jobs[job].map { $0.endedAt == nil } ?? false }

  /// The task with open attempts that make what a task of a new job is to make: its twin in the replaced job, or the one that the twin waits for.
  /// Nil where there is none whose segment will be found.
  func running(twinOf task: JobSubmission.Task, in replaced: String) -> Int64? {
    guard let twin = task.twin, tasks.indices.contains(Int(twin) - 1), self[twin].job == replaced else { return nil }
    let running: Int64?
    switch self[twin].state {
    case .running: running = twin
    case .waiting: running = self[twin].awaited
    case .ready, .done, .failed, .cancelled: running = nil
    }
    guard let running, self[running].state == .running, self[running].frames?.count == task.frames?.count else { return nil }
    let isFound = open(at: running).contains { attempt in
      guard let worker = registered[attempt.worker] else { return false }
      return worker.hello.epoch == attempt.epoch && worker.findsSegments
    }
    hasAwaited = hasAwaited || isFound
    return isFound ? running : nil
  }

  /// Ends the open attempts of a job that has ended, but for those that others await, and those that it alone awaited.
  func cancelTasks(of job: String) -> [ExpiredAttempt] {
    let open = attempts.values.filter { $0.outcome == nil }.sorted { $0.key < $1.key }.filter { attempt in
      let (own, waiters) = (self[attempt.key.task].job, waiters(for: attempt.key.task))
      guard !waiters.contains(where: isLive) else { return false }
      return own == job || waiters.contains(job) && !isLive(own)
    }
    for attempt in open {
      attempts[attempt.key]?.outcome = .cancelled
      update(attempt.key.task) { $0.state = .cancelled }
    }
    endWaits()
    follow(job)
    return open.map { ExpiredAttempt(worker: $0.worker, key: $0.key) }
  }

  /// The jobs whose tasks wait for attempts at a task.
  private func waiters(for task: Int64) -> Set<String> {
    Set(tasks.filter { $0.awaited == task && $0.state == .waiting }.map(\.job))
  }

  /// Makes tasks ready that waited for attempts of which none is open any more.
  func endWaits() {
    guard hasAwaited else { return }
    for task in tasks where task.state == .waiting {
      guard let awaited = task.awaited, open(at: awaited).isEmpty else { continue }
      update(task.id) { ($0.state, $0.readyAt) = (.ready, clock.now) }
    }
  }
}
