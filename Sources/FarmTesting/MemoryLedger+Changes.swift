package import Ledger
internal import Messages
package import Scheduling

extension MemoryLedger {
  package func change(job: String, _ change: JobChange) throws(LedgerError) -> Bool? {
    try requireAvailable()
    guard let found = jobs[job] else { return nil }
    if change == .retry { return retry(found) }
    guard found.endedAt == nil else { return false }
    switch change {
    case .pause: jobs[job]?.isPaused = true
    case .resume:
      jobs[job]?.isPaused = false
      jobs[job]?.servedAt = clock.now
    case .prioritise(let priority): jobs[job]?.priority = priority
    case .retry: break
    }
    return true
  }

  private func retry(_ job: Job) -> Bool {
    guard [.failed, .cancelled].contains(job.state) else { return false }
    var revived = job
    (revived.state, revived.endedAt, revived.failure) = (.queued, nil, nil)
    (revived.isPaused, revived.servedAt) = (false, clock.now)
    jobs[job.submission.id] = revived
    let tasks = job.tasks.map { self[$0] }
    for task in tasks where [.failed, .cancelled].contains(task.state) {
      let isReady =
        switch task.kind {
        case .picture, .sound: true
        case .mux: tasks.allSatisfy { !$0.kind.isPart || $0.state == .done }
        case .publish: tasks.contains { $0.kind == .mux && $0.state == .done }
        }
      update(task.id) {
        ($0.state, $0.readyAt, $0.forgiven, $0.avoidedWorker) = (isReady ? .ready : .waiting, clock.now, $0.attempts, nil)
      }
    }
    return true
  }

  package func drain(worker: String?, _ isDrained: Bool) throws(LedgerError) -> Bool {
    try requireAvailable()
    guard let worker else {
      self.isDrained = isDrained
      return true
    }
    guard registered[worker] != nil else { return false }
    standings[worker, default: Standing()].isDrained = isDrained
    return true
  }

  package func setShare(of submitter: String, weight: Int, slots: Int?) throws(LedgerError) {
    try requireAvailable()
    (quotas[submitter, default: Quota()].weight, quotas[submitter, default: Quota()].slots) = (weight, slots)
  }

  package func submitters() throws(LedgerError) -> [SubmitterStatus] {
    try requireAvailable()
    return quotas.sorted { $0.key < $1.key }.map { name, quota in
      SubmitterStatus(
        name: name, weight: quota.weight, slots: quota.slots, running: running(of: name),
        jobs: jobs.values.count { $0.submission.submitter == name && $0.endedAt == nil })
    }
  }

  package func closed(among held: [ExpiredAttempt]) throws(LedgerError) -> [ExpiredAttempt] {
    try requireAvailable()
    return held.filter { attempts[$0.key].map { $0.outcome != nil } ?? true }
  }
}
