package import Ledger
package import Messages
package import Scheduling

extension MemoryLedger {
  package func split(for workers: [FreeSlots], asked: [AttemptKey]) throws(LedgerError) -> [Split] {
    try requireTerm()
    let running = attempts.values.filter { mayBeHelped($0, after: splitting.settling) }
      .sorted { ($0.startedAt, $0.start) < ($1.startedAt, $1.start) }.prefix(splitting.mostExamined).compactMap(running)
    return splitting.choose(
      among: Array(running), for: workers.compactMap(offer), paces: paces, slotsLeft: slotsLeft, asked: Set(asked))
  }

  /// Moves the frames from `border` on to a new task.
  ///
  /// - Parameter isAlone: whether it requires that the task has no other open attempt.
  /// - Returns: whether the chunk was divided. It is not when the attempt is not open or the border is outside of its chunk.
  func divide(_ key: AttemptKey, before border: Int, isAlone: Bool) -> Bool {
    guard attempts[key]?.outcome == nil, !isAlone || open(at: key.task).count == 1 else { return false }
    let task = self[key.task]
    guard task.state == .running, let parts = task.frames?.divided(before: border) else { return false }
    guard isLive(task.job) else {
      // The job that awaits the chunk has no use for a part of it.
      for attempt in open(at: task.id) { end(attempt.key, as: .cancelled, nil) }
      update(task.id) { $0.state = .cancelled }
      return false
    }
    let share = Double(parts.rest.count) / Double(parts.first.count + parts.rest.count)
    update(task.id) {
      ($0.frames, $0.cost, $0.divisions) = (parts.first, task.cost * (1 - share), task.divisions + 1)
    }
    let rest = Task(
      id: Int64(tasks.count + 1), job: task.job, kind: .picture, frames: parts.rest, cost: task.cost * share,
      precedence: task.precedence,
      divisions: task.divisions + 1, splitFrom: task.id, state: .ready, readyAt: clock.now)
    tasks.append(rest)
    jobs[task.job]?.tasks.append(rest.id)
    return true
  }
}
