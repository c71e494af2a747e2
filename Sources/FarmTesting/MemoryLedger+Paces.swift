package import Ledger
package import Messages
package import Scheduling

extension MemoryLedger {
  package func speculate(for workers: [FreeSlots], most: Int) throws(LedgerError) -> [ClaimedAttempt] {
    try requireTerm()
    let open = attempts.values.filter { $0.outcome == nil }
    let running = open.filter(mayBeHelped).sorted { ($0.startedAt, $0.key) < ($1.startedAt, $1.key) }
      .prefix(speculation.mostExamined).compactMap(running)
    let slotsLeft = quotas.compactMapValues(\.slots).map { ($0.key, max(0, $0.value - self.running(of: $0.key))) }
    let choices = speculation.choose(
      among: Array(running), for: workers.compactMap(offer), paces: paces, slotsLeft: Dictionary(uniqueKeysWithValues: slotsLeft),
      most: most - open.count(where: \.isSpeculative))
    return choices.map { choice in
      let task = update(choice.attempt.key.task) { $0.attempts += 1 }
      return claimed(self.open(task, for: choice.offer, isSpeculative: true))
    }
  }

  private func mayBeHelped(_ attempt: Attempt) -> Bool {
    let task = self[attempt.key.task]
    return !attempt.isSpeculative && attempt.key.attempt == task.attempts && task.kind.isPart && jobs[task.job]?.isPaused == false
      && attempt.startedAt < clock.now - .seconds(1) * speculation.leastGain
  }

  private func running(_ attempt: Attempt) -> RunningAttempt? {
    let task = self[attempt.key.task]
    guard let submission = jobs[task.job]?.submission else { return nil }
    return RunningAttempt(
      key: attempt.key, worker: attempt.worker, job: task.job, work: task.kind.work(pictures: submission.work), cost: task.cost,
      needs: submission.needs, submitter: submission.submitter, elapsed: (clock.now - attempt.startedAt) / .seconds(1),
      done: attempt.done, total: attempt.total)
  }

  package func learn(from winners: [AttemptKey]) throws(LedgerError) {
    try requireTerm()
    let won = winners.compactMap { attempts[$0] }.filter { $0.outcome == .won && self[$0.key.task].cost > 0 }
    let ended = won.compactMap { attempt in attempt.endedAt.map { (attempt, $0) } }
    for (attempt, end) in ended.sorted(by: { ($0.1, $0.0.key.task) < ($1.1, $1.0.key.task) }) {
      guard let running = running(attempt) else { continue }
      paces.learn(
        from: FinishedAttempt(
          work: running.work, job: running.job, worker: attempt.worker, cost: running.cost,
          seconds: max(end - attempt.startedAt, .milliseconds(timing.shortestWork)) / .seconds(1)))
    }
  }
}
