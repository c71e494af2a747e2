package import Ledger
package import Messages
package import Scheduling

extension MemoryLedger {
  package func over(among jobs: [String], endedFor age: Duration) throws(LedgerError) -> [OverJob] {
    try requireAvailable()
    try requireTerm()
    return jobs.compactMap { id in
      guard let job = self.jobs[id] else { return OverJob(id: id, output: nil) }
      guard let endedAt = job.endedAt, endedAt + age <= clock.now, !job.submission.spec.keepsSegments,
        job.tasks.allSatisfy({ self[$0].state != .running })
      else { return nil }
      if job.isCutShort {
        self.jobs[id]?.dead = DeadAttempts(
          lastTask: job.tasks.max() ?? 0, lastNumber: job.tasks.map { self[$0].attempts }.max() ?? 0)
      }
      return OverJob(
        id: id, output: job.submission.spec.output, copies: job.submission.spec.copies ?? [], dead: self.jobs[id]?.dead)
    }
  }

  package func change(job: String, _ change: JobChange) throws(LedgerError) -> Bool? {
    try requireAvailable()
    guard let found = jobs[job] else { return nil }
    var spec = found.submission.spec
    if let output = change.output { (spec.output, spec.copies) = (output, change.copies.isEmpty ? nil : change.copies) }
    if change.output != nil, found.endedAt == nil { return try write(found, as: spec) }
    if change == .retry, found.state == .done, copies(found)?.contains(where: { $0.state == .failed }) == true {
      return try publishAgain(found)
    }
    if change.isRetry { return try retry(found, as: spec) }
    guard found.endedAt == nil else { return false }
    switch change {
    case .pause: jobs[job]?.isPaused = true
    case .resume:
      jobs[job]?.isPaused = false
      jobs[job]?.servedAt = clock.now
    case .prioritise(let priority): jobs[job]?.priority = priority
    case .retry, .retryWriting: break
    }
    return true
  }

  /// Changes the places of a job that has not ended and whose mux has not begun.
  private func write(_ job: Job, as spec: JobSpec) throws(LedgerError) -> Bool {
    guard job.tasks.contains(where: { self[$0].kind == .mux && [.waiting, .ready].contains(self[$0].state) }) else {
      return false
    }
    try requireFree(spec, beside: job.submission.id)
    jobs[job.submission.id]?.submission.spec = spec
    return true
  }

  private func retry(_ job: Job, as spec: JobSpec) throws(LedgerError) -> Bool {
    guard job.isCutShort else { return false }
    try requireFree(spec, beside: job.submission.id)
    var revived = job
    revived.submission.spec = spec
    (revived.state, revived.endedAt, revived.failure) = (.queued, nil, nil)
    (revived.isPaused, revived.servedAt, revived.followedTo) = (false, clock.now, 0)
    jobs[job.submission.id] = revived
    follow(job.submission.id)
    return true
  }

  /// Copies the movie of a done job to its further places again.
  private func publishAgain(_ job: Job) throws(LedgerError) -> Bool {
    try requireFree(job.submission.spec, beside: job.submission.id)
    var again = job
    (again.state, again.endedAt, again.isPaused, again.servedAt) = (.queued, nil, false, clock.now)
    jobs[job.submission.id] = again
    for task in job.tasks where self[task].kind == .publish {
      for (key, attempt) in attempts where key.task == task && attempt.outcome == .won { attempts[key]?.outcome = .revoked }
      update(task) { ($0.state, $0.forgiven) = (.ready, $0.attempts) }
    }
    return true
  }

  package func follow() throws(LedgerError) -> FollowedTasks? {
    try requireTerm()
    guard let job = jobs.values.filter({ $0.followedTo != nil }).min(by: { $0.number < $1.number }) else { return nil }
    follow(job.submission.id)
    return job.isCutShort ? .cancelled : .readied
  }

  /// Passes a job's end or retry on to some of its tasks.
  func follow(_ id: String) {
    guard let job = jobs[id], let place = job.followedTo else { return }
    let next = job.tasks.dropFirst(place).prefix(timing.tasksAtOnce)
    for task in next { if job.isCutShort { cancel(task) } else { revive(task) } }
    jobs[id]?.followedTo = next.count == timing.tasksAtOnce ? place + next.count : nil
    if !job.isCutShort, next.count < timing.tasksAtOnce { jobs[id]?.dead = nil }
  }

  private func cancel(_ id: Int64) { if [.waiting, .ready].contains(self[id].state) { update(id) { $0.state = .cancelled } } }

  private func revive(_ id: Int64) {
    let task = self[id]
    let mayBeGone = jobs[task.job]?.dead != nil
    guard
      [.failed, .cancelled, .ready].contains(task.state) || task.state == .waiting && mayBeGone
        || task.state == .done && isCleared(task)
    else { return }
    let tasks = siblings(of: task)
    let isReady =
      switch task.kind {
      case _ where task.state == .ready && !mayBeGone: true
      case .picture, .sound: true
      case .mux: tasks.allSatisfy { !$0.kind.isPart || isDone($0) }
      case .publish: tasks.contains { $0.kind == .mux && isDone($0) }
      }
    for attempt in attempts.values where attempt.key.task == id && attempt.outcome == .won {
      attempts[attempt.key]?.outcome = .revoked
      attempts[attempt.key]?.failure = Failure(
        .transient, at: attempt.proof?.file.path ?? "", "cleared away while its job was over")
    }
    let number = max(task.attempts, jobs[task.job]?.dead?.lastNumber ?? 0)
    update(id) {
      ($0.state, $0.readyAt, $0.avoidedWorker) = (isReady ? .ready : .waiting, clock.now, nil)
      ($0.attempts, $0.forgiven) = (number, number)
    }
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

  package func change(submitter: String, _ change: ShareChange) throws(LedgerError) -> Bool {
    try requireAvailable()
    guard var quota = quotas[submitter] ?? (change.entersNew ? Quota() : nil) else { return false }
    if let weight = change.weight { quota.weight = weight }
    if let slots = change.slots { quota.slots = slots.limit }
    quotas[submitter] = quota
    return true
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
