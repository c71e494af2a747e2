package import Ledger
internal import Messages
package import Scheduling

extension MemoryLedger {
  /// The work that is left, and the workers that may do it, as in PostgreSQLLedger.
  package func queue() -> FarmQueue {
    let left = jobs.values.filter { $0.endedAt == nil }.sorted { $0.number < $1.number }
    let waiting = left.filter { job in !job.isPaused && job.tasks.contains { self[$0].state == .ready && self[$0].kind.isPart } }
    let levels = levels(of: waiting)
    let workers = registered.values.filter { worker in
      let standing = standings[worker.hello.worker] ?? Standing()
      return isAlive(worker.hello.worker) && !standing.isDrained && standing.canaryAt == nil && worker.hello.slots > 0
    }
    let shares = quotas.filter { name, _ in left.contains { $0.submission.submitter == name } }.mapValues {
      FairShare.Submitter(weight: $0.weight, slotsLeft: $0.slots, spent: $0.spent, turn: $0.turn)
    }
    return FarmQueue(
      isGivingOut: leader.leaseUntil > clock.now && !isDrained, jobs: left.map { queued($0, levels) },
      workers: workers.sorted { $0.hello.worker < $1.hello.worker }.map {
        FarmQueue.Worker(slots: $0.hello.slots, capabilities: $0.hello.capabilities)
      }, submitters: shares, turn: quotas.values.map(\.turn).max() ?? 0)
  }

  package func wantedFonts() throws(LedgerError) -> [String] {
    try requireTerm()
    let tags = jobs.values.filter { $0.endedAt == nil }.flatMap(\.submission.needs.tags)
    return Array(Set(tags.filter { FontTag($0) != nil }).sorted().prefix(FontTag.mostAtOnce))
  }

  private func queued(_ job: Job, _ levels: [Line: Int]) -> FarmQueue.Job {
    let (submission, tasks) = (job.submission, job.tasks.map { self[$0] })
    let chunks = tasks.filter { $0.kind == .picture }
    let sounds = tasks.filter { $0.kind == .sound }
    let soundCost = sounds.reduce(0) { $0 + $1.cost } / Double(max(sounds.count, 1))
    let pace = paces.expectedSecondsPerCost(work: submission.work, job: submission.id)
    var queued = FarmQueue.Job(
      id: submission.id, submitter: submission.submitter,
      priority: job.priority + levels[Line(submitter: submission.submitter, priority: job.priority), default: 0],
      number: Int64(job.number), isPaused: job.isPaused || isHeld(job), needs: submission.needs,
      frameCount: submission.frameCount,
      chunks: chunks.count { $0.state != .done }, chunkSeconds: submission.pictureCost / Double(max(chunks.count, 1)) * pace,
      sounds: sounds.count { $0.state != .done }, soundSeconds: soundCost * (paces.secondsPerCost(work: "sound", job: "") ?? 1))
    for attempt in job.tasks.flatMap({ open(at: $0) }) where !attempt.isSpeculative {
      queued.note(
        FarmQueue.Running(
          kind: self[attempt.key.task].kind, elapsed: (clock.now - attempt.startedAt) / .seconds(1), expected: 0,
          done: attempt.done, total: attempt.total))
    }
    return queued
  }
}
