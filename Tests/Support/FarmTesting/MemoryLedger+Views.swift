package import Ledger
package import Messages
package import Scheduling

extension MemoryLedger {
  package func status(job: String) throws(LedgerError) -> JobStatus? {
    try requireAvailable()
    return jobs[job].map(status)
  }

  package func jobs(limit: Int) throws(LedgerError) -> [JobStatus] {
    try requireAvailable()
    return jobs.values.sorted { $0.number > $1.number }.prefix(limit).map(status)
  }

  package func workers() throws(LedgerError) -> [WorkerStatus] {
    try requireAvailable()
    return registered.values.sorted { $0.hello.worker < $1.hello.worker }.map { worker in
      let own = attempts.values.filter { $0.worker == worker.hello.worker }
      let open = own.filter { $0.outcome == nil }
      return WorkerStatus(
        name: worker.hello.worker, host: worker.hello.host, slots: worker.hello.slots, running: open.count,
        isAlive: isAlive(worker.hello.worker), state: state(of: worker), capabilities: worker.hello.capabilities,
        outputRoots: worker.hello.outputRoots, secondsSinceHeartbeat: (clock.now - worker.heartbeatAt) / .seconds(1),
        failuresLastHour: own.count(where: isRecentFailure),
        jobs: open.isEmpty ? nil : Set(open.map { self[$0.key.task].job }).sorted())
    }
  }

  /// Whether the attempt failed within the last hour and may be its worker's fault.
  private func isRecentFailure(_ attempt: Attempt) -> Bool {
    guard let failure = attempt.failure, let ended = attempt.endedAt, [.failed, .expired].contains(attempt.outcome) else {
      return false
    }
    return [.content, .worker, .source, .bug].contains(failure.class) && clock.now - ended < .seconds(3600)
  }

  private func state(of worker: Registration) -> String {
    let standing = standings[worker.hello.worker] ?? Standing()
    if worker.isRetired { return "left" }
    guard isAlive(worker.hello.worker) else {
      return leader.leaseUntil <= clock.now && worker.leaseUntil >= leader.renewedAt ? "unheard" : "silent"
    }
    if standing.isDrained { return "drained" }
    if standing.canaryAt != nil { return "set aside" }
    return worker.hello.slots == 0 ? "stopping" : "alive"
  }

  package func tasks(job: String) throws(LedgerError) -> [TaskStatus] {
    try requireAvailable()
    let tasks = (jobs[job]?.tasks ?? []).map { self[$0] }
    return (tasks.filter { $0.kind == .picture }.inFrameOrder + tasks.filter { $0.kind != .picture }).map { task in
      let id = task.id
      let open = open(at: id)
      let shown = open.first { !$0.isSpeculative } ?? attempts.values.first { $0.key.task == id && $0.outcome == .won }
      return TaskStatus(
        id: id, kind: task.kind, state: task.state, frames: task.frames, samples: task.samples, attempts: task.attempts,
        worker: shown?.worker, workerBeside: open.first(where: \.isSpeculative)?.worker, splitFrom: task.splitFrom,
        framesDone: task.state == .done ? task.frames?.count ?? Int(shown?.done ?? 0) : Int(shown?.done ?? 0),
        failure: task.failure)
    }
  }

  package var notificationDescriptor: Int32? { nil }
  package func takeNotifications() throws(LedgerError) -> LedgerNews? { nil }

  /// The order of an open attempt.
  func claimed(_ attempt: Attempt) -> ClaimedAttempt {
    let task = self[attempt.key.task]
    guard let job = jobs[task.job] else { preconditionFailure("a task of a job") }
    let winners = siblings(of: task).inFrameOrder.compactMap { sibling -> Winner<Proof>? in
      let won = attempts.values.first { $0.key.task == sibling.id && $0.outcome == .won }
      return won.flatMap { won in won.proof.map { Winner(key: won.key, proof: $0) } }
    }
    let work: Work
    switch (task.kind, task.frames) {
    case (.picture, let frames?): work = .picture(frames)
    case (.sound, _): work = task.samples.map { .soundPart($0) } ?? .sound
    case (.mux, _): work = .mux(of: winners.filter(\.proof.kind.isPart))
    default:
      guard let muxed = winners.first(where: { $0.proof.kind == .mux }) else { preconditionFailure("publishing follows the mux") }
      work = .publish(of: muxed)
    }
    return ClaimedAttempt(
      worker: attempt.worker,
      order: AttemptOrder(
        job: task.job, key: attempt.key, work: work, spec: job.submission.spec,
        patience: Int(attempt.patience.components.seconds), isAwaited: task.precedence < 0))
  }

  func status(_ job: Job) -> JobStatus {
    let chunks = job.tasks.map { self[$0] }.filter { $0.kind == .picture }
    let frames = chunks.map { chunk -> Int in
      let (count, running) = (chunk.frames?.count ?? 0, open(at: chunk.id).first { !$0.isSpeculative })
      return isDone(chunk) ? count : min(Int(running?.done ?? 0), count)
    }
    var status = JobStatus(
      id: job.submission.id, state: job.state, priority: job.priority, isPaused: job.isPaused,
      output: job.submission.spec.output, submitter: job.submission.submitter,
      frameCount: job.submission.frameCount, framesDone: frames.reduce(0, +), chunkCount: chunks.count,
      chunksDone: chunks.count(where: isDone), retries: job.retries, failure: job.failure,
      submittedAt: "\(job.submittedAt)",
      waitedSeconds: ((job.startedAt ?? job.endedAt ?? clock.now) - job.submittedAt) / .seconds(1),
      elapsedSeconds: job.startedAt.map { ((job.endedAt ?? clock.now) - $0) / .seconds(1) },
      running: [.running, .cancelled, .failed].contains(job.state) ? job.tasks.reduce(0) { $0 + open(at: $1).count } : 0,
      isDamaged: job.isDamaged)
    status.copies = copies(job)
    return status
  }

  /// The further places of a job's movie, with their states.
  func copies(_ job: Job) -> [CopiedMovie]? {
    let published = job.tasks.map { self[$0] }.filter { $0.kind == .publish }.compactMap { task in
      attempts.values.first { $0.key.task == task.id && $0.outcome == .won }?.proof?.file.copies
    }
    return job.submission.spec.copies?.map { output in
      let end = published.joined().first { $0.output == output }
      return CopiedMovie(output: output, error: end?.error, state: end.map { $0.error == nil ? .done : .failed } ?? .waiting)
    }
  }
}

extension [MemoryLedger.Task] {
  /// The tasks in the order of their frames; those without frames come first, parts of sound in the order of their samples.
  var inFrameOrder: [MemoryLedger.Task] {
    sorted {
      ($0.frames?.first ?? -1, $0.samples?.first ?? -1, $0.id) < ($1.frames?.first ?? -1, $1.samples?.first ?? -1, $1.id)
    }
  }
}

extension MemoryLedger {
  /// The workers of all attempts so far.
  package var workersOfAttempts: Set<String> { Set(attempts.values.map(\.worker)) }

  /// The longest time that a task of one of these kinds was ready before its first attempt began.
  package func longestWait(for kinds: Set<TaskKind>) -> Duration? {
    tasks.filter { kinds.contains($0.kind) }.compactMap { task in
      attempts[AttemptKey(task: task.id, attempt: 1)].map { $0.startedAt - task.readyAt }
    }.max()
  }
}
