package import Ledger
package import Messages
package import Scheduling

extension MemoryLedger {
  package func speculate(
    for workers: [FreeSlots], most: Int, sparing spared: [AttemptKey]
  ) throws(LedgerError) -> [ClaimedAttempt] {
    try requireTerm()
    let open = attempts.values.filter { $0.outcome == nil }
    let running = open.filter { mayBeHelped($0, after: speculation.leastGain) }
      .sorted { ($0.startedAt, $0.start) < ($1.startedAt, $1.start) }
      .prefix(speculation.mostExamined).filter { !spared.contains($0.key) }.compactMap(running)
    let choices = speculation.choose(
      among: Array(running), for: workers.compactMap(offer), paces: paces, slotsLeft: slotsLeft,
      most: most - open.count(where: \.isSpeculative))
    charge(choices.map(\.attempt))
    return choices.map { choice in
      let task = update(choice.attempt.key.task) { $0.attempts += 1 }
      return claimed(self.open(task, for: choice.offer, isSpeculative: true))
    }
  }

  /// The attempts that each submitter with a quota may still begin.
  var slotsLeft: [String: Int] {
    let left = quotas.compactMapValues(\.slots).map { ($0.key, max(0, $0.value - running(of: $0.key))) }
    return Dictionary(uniqueKeysWithValues: left)
  }

  private func charge(_ attempts: [RunningAttempt]) {
    var share = FairShare(
      submitters: quotas.mapValues { FairShare.Submitter(weight: $0.weight, spent: $0.spent, turn: $0.turn) },
      turn: quotas.values.map(\.turn).max() ?? 0)
    for attempt in attempts {
      share.charge(attempt.submitter, cost: attempt.cost * paces.plannedSlowness(work: attempt.work))
    }
    for (name, submitter) in share.submitters { quotas[name]?.spent = submitter.spent }
  }

  /// Whether an attempt is open, alone at its task, and older than `seconds`.
  func mayBeHelped(_ attempt: Attempt, after seconds: Double) -> Bool {
    let task = self[attempt.key.task]
    return attempt.outcome == nil && !attempt.isSpeculative && attempt.key.attempt == task.attempts && task.kind.isPart
      && jobs[task.job]?.isPaused == false && isLive(task.job) && attempt.startedAt < clock.now - .seconds(1) * seconds
  }

  func running(_ attempt: Attempt) -> RunningAttempt? {
    let task = self[attempt.key.task]
    guard let job = jobs[task.job] else { return nil }
    let submission = job.submission
    let chunks = job.tasks.count { self[$0].kind == .picture }
    return RunningAttempt(
      key: attempt.key, worker: attempt.worker, job: task.job, work: task.kind.work(pictures: submission.work), cost: task.cost,
      needs: submission.needs, submitter: submission.submitter, elapsed: (clock.now - attempt.startedAt) / .seconds(1),
      done: attempt.done, total: attempt.total, silence: (clock.now - attempt.progressAt) / .seconds(1),
      divisibleFrames: submission.isDivisible && chunks < splitting.mostChunks ? task.frames : nil, divisions: task.divisions,
      stalls: stalls(of: task))
  }

  package func learn(from winners: [AttemptKey]) throws(LedgerError) {
    try requireTerm()
    let won = winners.compactMap { attempts[$0] }.filter { $0.outcome == .won && self[$0.key.task].cost > 0 }
    let ended = won.compactMap { attempt in attempt.endedAt.map { (attempt, $0) } }
    for (attempt, end) in ended.sorted(by: { $0.0.end < $1.0.end }) {
      guard let running = running(attempt) else { continue }
      paces.learn(
        from: FinishedAttempt(
          work: running.work, job: running.job, worker: attempt.worker, cost: running.cost,
          seconds: max(end - attempt.startedAt, .milliseconds(timing.shortestWork)) / .seconds(1)))
    }
  }
}
