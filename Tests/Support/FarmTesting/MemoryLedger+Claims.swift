package import Ledger
internal import Messages
package import Scheduling

extension MemoryLedger {
  package func claim(for workers: [FreeSlots]) throws(LedgerError) -> [ClaimedAttempt] {
    try requireTerm()
    // Workers without free slots are not looked at while no light task is ready, not even as others that could take a retry.
    let isLightReady = tasks.contains { $0.kind.isLight && $0.state == .ready && $0.readyAt <= clock.now }
    let offers = workers.filter { $0.slots > 0 || isLightReady }.compactMap(offer)
    guard !offers.isEmpty else { return [] }
    let shares = divide(offers)
    let candidates = shares.flatMap { share in
      claimable(share.job, by: offers).prefix(share.count).map {
        Assignment.Candidate(
          task: $0.id, needs: share.needs, avoidedWorker: $0.avoidedWorker, isLight: $0.kind.isLight,
          writers: $0.kind.isLight ? writers(of: share.job, offers) : nil)
      }
    }
    return Assignment.spread(candidates, over: offers).map { claimed(open($0)) }
  }

  private func open(_ chosen: Assignment) -> Attempt {
    let task = update(chosen.task) { task in
      (task.state, task.attempts, task.avoidedWorker) = (.running, task.attempts + 1, nil)
    }
    jobs[task.job]?.state = .running
    jobs[task.job]?.servedAt = clock.now
    if let job = jobs[task.job] {
      lines[Line(submitter: job.submission.submitter, priority: job.priority)] = clock.now
    }
    if jobs[task.job]?.startedAt == nil { jobs[task.job]?.startedAt = clock.now }
    return open(task, for: chosen.offer)
  }

  /// Opens an attempt with the task's newest number.
  func open(_ task: Task, for offer: Offer, isSpeculative: Bool = false) -> Attempt {
    let patience = patience(of: task, on: offer.worker)
    let attempt = Attempt(
      key: AttemptKey(task: task.id, attempt: task.attempts), worker: offer.worker, epoch: offer.epoch,
      isCanary: offer.isCanary, isSpeculative: isSpeculative, startedAt: clock.now, start: nextMoment(), progressAt: clock.now,
      progressDeadline: clock.now + patience, patience: patience)
    attempts[attempt.key] = attempt
    return attempt
  }

  private func patience(of task: Task, on worker: String) -> Duration {
    let work = task.kind.work(pictures: jobs[task.job]?.submission.work ?? "")
    return .milliseconds(
      timing.patience.milliseconds(
        expectedSeconds: paces.seconds(cost: task.cost, work: work, job: task.job, on: worker), stalls: stalls(of: task)))
  }

  /// The number of the task's attempts that ended for lack of progress.
  func stalls(of task: Task) -> Int {
    attempts.values.count {
      $0.key.task == task.id && $0.key.attempt > task.forgiven && $0.outcome == .expired && $0.failure?.class == .worker
    }
  }

  func offer(_ free: FreeSlots) -> Offer? {
    guard free.slots + free.lanes > 0, !isDrained, isAlive(free.worker), let known = registered[free.worker]?.hello,
      known.epoch == free.epoch
    else { return nil }
    let standing = standings[free.worker] ?? Standing()
    guard !standing.isDrained else { return nil }
    if let canary = standing.canaryAt {
      guard canary <= clock.now, !attempts.values.contains(where: { $0.outcome == nil && $0.worker == free.worker })
      else { return nil }
    }
    let isCanary = standing.canaryAt != nil
    return Offer(
      worker: free.worker, epoch: free.epoch, slots: isCanary ? 1 : free.slots, lanes: isCanary ? 0 : free.lanes,
      capabilities: known.capabilities, isCanary: isCanary)
  }

  private func divide(_ offers: [Offer]) -> [FairShare.Share] {
    let waiting = jobs.values.sorted { $0.number < $1.number }.compactMap { job -> FairShare.Job? in
      guard [.queued, .running].contains(job.state), !job.isPaused else { return nil }
      let ready = claimable(job.submission.id, by: offers)
      let needs = job.submission.needs
      guard let first = ready.first, offers.contains(where: { $0.capabilities.cover(needs) }) else { return nil }
      func cost(_ task: Task) -> Double {
        task.cost * paces.plannedSlowness(work: task.kind.work(pictures: job.submission.work))
      }
      let isLight = first.kind.isLight
      let writers = isLight ? writers(of: job.submission.id, offers) : nil
      guard writers?.isEmpty != true, isLight || !isHeld(job) else { return nil }
      return FairShare.Job(
        id: job.submission.id, submitter: job.submission.submitter, priority: job.priority,
        number: Int64(job.number), ready: ready.count, cost: cost(ready.first { $0.kind == .picture } ?? first),
        firstCost: cost(first), charged: Set(ready.indices.filter { ready[$0].splitFrom != nil && ready[$0].attempts == 0 }),
        needs: needs, isLight: isLight, writers: writers)
    }
    var share = FairShare(
      submitters: quotas.filter { name, _ in waiting.contains { $0.submitter == name } }.mapValuesWithKeys { name, quota in
        FairShare.Submitter(
          weight: quota.weight, slotsLeft: quota.slots.map { max(0, $0 - running(of: name)) },
          isShut: quota.slots == 0, spent: quota.spent, turn: quota.turn)
      }, turn: quotas.values.map(\.turn).max() ?? 0)
    let shares = share.divide(aged(waiting), among: offers)
    for (name, submitter) in share.submitters {
      quotas[name]?.spent = submitter.spent
      quotas[name]?.turn = submitter.turn
    }
    return shares
  }

  /// The jobs with the levels that their lines have gained by waiting.
  private func aged(_ waiting: [FairShare.Job]) -> [FairShare.Job] {
    let levels = levels(of: waiting.filter { !$0.isLight }.compactMap { jobs[$0.id] })
    return waiting.map { job in
      guard !job.isLight else { return job }
      var job = job
      job.priority += levels[Line(submitter: job.submitter, priority: job.priority), default: 0]
      return job
    }
  }

  /// The levels that the lines of these jobs have gained by waiting.
  ///
  /// - Parameter waiting: jobs with tasks to give out, in the order of their submission.
  func levels(of waiting: [Job]) -> [Line: Int] {
    guard timing.ageing > 0 else { return [:] }
    let lines = waiting.map { (Line(submitter: $0.submission.submitter, priority: $0.priority), $0) }
    return Dictionary(lines) { first, _ in first }.mapValuesWithKeys { line, first in
      let start = max(self.lines[line] ?? .zero, first.servedAt)
      return Int((clock.now - start) / .milliseconds(timing.ageing))
    }
  }

  /// The offering workers that may write a job's movie.
  private func writers(of job: String, _ offers: [Offer]) -> Set<String> {
    let places = jobs[job]?.submission.spec.places ?? [""]
    return Set(
      offers.map(\.worker).filter { worker in
        places.allSatisfy { WorkerHello.mayWrite($0, below: registered[worker]?.hello.outputRoots) }
      })
  }

  /// Whether the job is held: every worker that may write its movie has left, or there is none. Then nothing of it is given out.
  func isHeld(_ job: Job) -> Bool {
    !registered.values.contains { worker in
      !worker.isRetired && job.submission.spec.places.allSatisfy { WorkerHello.mayWrite($0, below: worker.hello.outputRoots) }
    }
  }

  /// The number of a submitter's attempts that take slots.
  func running(of submitter: String) -> Int {
    attempts.values.count {
      $0.outcome == nil && self[$0.key.task].kind.isPart && jobs[self[$0.key.task].job]?.submission.submitter == submitter
    }
  }

  /// The job's ready tasks that may be given out now, in order.
  private func claimable(_ job: String, by offers: [Offer]) -> [Task] {
    guard let found = jobs[job] else { return [] }
    // When files may have been cleared away, a task is given out only once it has followed the retry.
    let followed = found.dead == nil ? found.tasks.count : found.followedTo ?? found.tasks.count
    return found.tasks.prefix(followed).map { self[$0] }.inPrecedence.filter { task in
      guard task.state == .ready, task.readyAt <= clock.now else { return false }
      guard let avoided = task.avoidedWorker else { return true }
      let needs = found.submission.needs
      return task.readyAt + .milliseconds(timing.otherWorkerGrace) <= clock.now
        || offers.contains { $0.worker != avoided && $0.capabilities.cover(needs) }
        || !registered.values.contains { worker in
          let (hello, standing) = (worker.hello, standings[worker.hello.worker] ?? Standing())
          return hello.worker != avoided && hello.slots > 0 && isAlive(hello.worker) && !standing.isDrained
            && standing.canaryAt == nil && hello.capabilities.cover(needs)
        }
    }
  }

  // MARK: Trust

  func judgeWorkers() {
    for worker in standings.filter({ $0.value.canaryAt != nil }).keys.sorted() { judgeCanary(of: worker) }
    for worker in registered.keys.sorted() where standings[worker]?.canaryAt == nil {
      let windowStart = clock.now - .milliseconds(trust.window)
      let start = max(windowStart, standings[worker]?.trustedAt ?? windowStart)
      let failed = attempts.values.filter { attempt in
        attempt.worker == worker && [.failed, .expired].contains(attempt.outcome)
          && [.content, .worker, .source, .bug].contains(attempt.failure?.class)
          && (attempt.endedAt ?? .zero) > start && isContradicted(attempt)
      }
      let blamed = failed.filter { isBlamed($0, among: failed) }
      guard Set(blamed.map(\.key.task)).count >= trust.mostFailures else { continue }
      standings[worker, default: Standing()].canaryAt = clock.now + .milliseconds(trust.pause(setAsides: 0))
      standings[worker]?.setAsides = 1
    }
  }

  /// Whether a failure is evidence against its worker: between an earlier failure of the worker and this attempt, another worker
  /// had begun the task that failed earlier, and then won it.
  private func isBlamed(_ attempt: Attempt, among failed: [Attempt]) -> Bool {
    let length = (attempt.endedAt ?? attempt.startedAt) - attempt.startedAt
    let earliest = attempt.startedAt - .milliseconds(trust.evidence) - length * 2
    return failed.contains { earlier in
      attempts.values.contains {
        $0.key.task == earlier.key.task && $0.outcome == .won && $0.worker != attempt.worker
          && $0.start > earlier.end && $0.start < attempt.start && $0.startedAt >= earliest
      }
    }
  }

  private func judgeCanary(of worker: String) {
    guard let standing = standings[worker], let canaryAt = standing.canaryAt else { return }
    let trials = attempts.values.filter { $0.worker == worker && $0.isCanary && $0.startedAt >= canaryAt }
    if trials.contains(where: { $0.outcome == .won }) {
      standings[worker] = Standing(isDrained: standing.isDrained, trustedAt: clock.now)
    } else if trials.contains(where: hasFailed) {
      standings[worker]?.canaryAt = clock.now + .milliseconds(trust.pause(setAsides: standing.setAsides))
      standings[worker]?.setAsides += 1
    }
  }

  private func hasFailed(_ trial: Attempt) -> Bool {
    guard [.failed, .expired].contains(trial.outcome) else { return false }
    return ![.content, .store].contains(trial.failure?.class) || trial.failure?.class == .content && isContradicted(trial)
  }

  /// Whether another worker did the task that this attempt failed.
  private func isContradicted(_ attempt: Attempt) -> Bool {
    attempts.values.contains { $0.key.task == attempt.key.task && $0.outcome == .won && $0.worker != attempt.worker }
  }
}

extension [MemoryLedger.Task] {
  /// The tasks in the order in which they are given out, from that of their job.
  fileprivate var inPrecedence: [MemoryLedger.Task] {
    enumerated().sorted { ($0.element.precedence, $0.offset) < ($1.element.precedence, $1.offset) }.map(\.element)
  }
}

extension Dictionary {
  fileprivate func mapValuesWithKeys<Result>(_ transform: (Key, Value) -> Result) -> [Key: Result] {
    Dictionary<Key, Result>(uniqueKeysWithValues: map { ($0.key, transform($0.key, $0.value)) })
  }
}
