package import Ledger
package import Messages
package import Scheduling

/// The ledger's twin in memory, on a virtual clock. It serves the simulation, and is the model that PostgreSQLLedger is compared
/// with. The coordinators of a simulation share one, as they would share a database.
package final class MemoryLedger: Ledger, FarmDesk {
  /// Whether the ledger can be reached. While it cannot, calls throw `.unavailable` and change nothing.
  package var isAvailable = true
  package var term: Int?

  let clock: VirtualClock
  let timing: LedgerTiming
  private let retryPolicy: RetryPolicy
  let trust: TrustPolicy
  let speculation: SpeculationPolicy
  let splitting: SplitPolicy
  var paces = Paces()
  var jobs: [String: Job] = [:]
  /// The tasks by id: `tasks[id - 1]`, because ids begin with 1.
  var tasks: [Task] = []
  var attempts: [AttemptKey: Attempt] = [:]
  /// Whether a task ever waited for attempts of a replaced job.
  var hasAwaited = false
  package internal(set) var logs: [AttemptKey: AttemptLog] = [:]
  var registered: [String: Registration] = [:]
  var leader = Leader()
  var standings: [String: Standing] = [:]
  var quotas: [String: Quota] = [:]
  var isDrained = false
  /// A counter of attempts' starts and ends.
  private var moments = 0
  /// The times at which a task of each line was last given out.
  var lines: [Line: Duration] = [:]
  /// The time of slots, as it was counted. A crash of the ledger does not undo it here, because nothing depends on it.
  var book = SlotBook()
  /// The contents after a crash.
  var saved: Contents?

  package init(
    clock: VirtualClock, timing: LedgerTiming = LedgerTiming(), retryPolicy: RetryPolicy = RetryPolicy(),
    trust: TrustPolicy = TrustPolicy(), speculation: SpeculationPolicy = SpeculationPolicy(),
    splitting: SplitPolicy = SplitPolicy()
  ) {
    (self.clock, self.timing, self.retryPolicy, self.trust) = (clock, timing, retryPolicy, trust)
    (self.speculation, self.splitting) = (speculation, splitting)
  }

  // MARK: Leadership

  package func lead(_ candidate: Candidate) throws(LedgerError) -> Leadership {
    try requireAvailable()
    let isOurs = leader.epoch == candidate.epoch
    let isFree = leader.leaseUntil <= clock.now || candidate.isNew && leader.name == candidate.name && !isOurs
    guard isOurs || isFree else { return .follows(leader: leader.name, term: leader.term) }
    if isFree {
      for (name, worker) in registered where !worker.isRetired && worker.leaseUntil >= leader.renewedAt {
        registered[name]?.leaseUntil = max(worker.leaseUntil, clock.now + .milliseconds(timing.lease))
      }
      for (key, attempt) in attempts where attempt.outcome == nil {
        attempts[key]?.progressDeadline = max(attempt.progressDeadline, clock.now + attempt.patience)
      }
      leader.term += 1
      leader.takenAt = clock.now
    }
    (leader.name, leader.epoch, leader.renewedAt) = (candidate.name, candidate.epoch, clock.now)
    leader.leaseUntil = clock.now + .milliseconds(timing.leadership)
    return .leads(term: leader.term)
  }

  package func resign(_ candidate: Candidate) throws(LedgerError) {
    try requireAvailable()
    if leader.epoch == candidate.epoch { leader.leaseUntil = min(leader.leaseUntil, clock.now) }
  }

  /// Does nothing: a simulation keeps no history.
  package func keepHistory() throws(LedgerError) { try requireTerm() }
  package func flush() throws(LedgerError) { try requireTerm() }
  /// Returns nothing: a simulation keeps no log.
  package func news() throws(LedgerError) -> [News] {
    try requireTerm()
    return []
  }

  // MARK: Jobs

  package func submit(_ submission: JobSubmission) throws(LedgerError) -> String {
    try requireAvailable()
    submission.requireWhole()
    guard jobs[submission.id] == nil else { return submission.id }
    try requireFree(submission.spec, beside: submission.replaces ?? submission.id)
    if quotas[submission.submitter] == nil { quotas[submission.submitter] = Quota() }
    let replaced = submission.replaces.flatMap { isLive($0) ? $0 : nil }
    if let replaced { end(replaced, as: .cancelled) }
    let firstTask = Int64(tasks.count + 1)
    for task in submission.tasks {
      let awaited = replaced.flatMap { running(twinOf: task, in: $0) }
      tasks.append(
        Task(
          id: Int64(tasks.count + 1), job: submission.id, kind: task.kind, frames: task.frames, samples: task.samples,
          awaited: awaited, cost: task.cost,
          state: task.kind.isPart && awaited == nil ? .ready : .waiting, readyAt: clock.now))
    }
    jobs[submission.id] = Job(
      submission: submission, number: jobs.count, tasks: Array(firstTask..<Int64(tasks.count + 1)), submittedAt: clock.now,
      priority: submission.priority, servedAt: clock.now)
    if let replaced { _ = cancelTasks(of: replaced) }
    return submission.id
  }

  /// Checks that no other job which has not ended writes in one of a job's places.
  func requireFree(_ spec: JobSpec, beside job: String) throws(LedgerError) {
    for place in spec.places {
      let writer = jobs.values.first {
        $0.endedAt == nil && $0.submission.id != job && $0.submission.spec.places.contains(place)
      }
      if let writer { throw .outputTaken(place, job: writer.submission.id) }
    }
  }

  package func cancel(job: String) throws(LedgerError) -> [ExpiredAttempt]? {
    try requireAvailable()
    guard let found = jobs[job] else { return nil }
    guard found.endedAt == nil else { return [] }
    end(job, as: .cancelled)
    return cancelTasks(of: job)
  }

  // MARK: Workers

  package func register(_ hellos: [WorkerHello]) throws(LedgerError) {
    try requireTerm()
    for hello in hellos { register(hello) }
    endWaits()
  }

  private func register(_ hello: WorkerHello) {
    let older = registered[hello.worker]
    let isSame = older?.hello.epoch == hello.epoch
    registered[hello.worker] = Registration(
      hello: hello, heartbeatAt: clock.now, leaseUntil: clock.now + .milliseconds(timing.lease),
      isRetired: isSame && older?.isRetired == true,
      findsSegments: hello.ahead != nil || isSame && older?.findsSegments == true)
    guard !isSame else { return }
    let failure = Failure(.transient, at: "worker \(hello.worker)", "its worker was started again")
    settle(
      endOpen(as: .expired) { $0.worker == hello.worker && $0.epoch != hello.epoch ? failure : nil })
  }

  package func heartbeat(_ heartbeats: [Heartbeat]) throws(LedgerError) -> [HeardWorker] {
    try requireTerm()
    defer { endWaits() }
    let divided = heartbeats.map { beat in beat.running.filter { divide($0, of: beat.worker, beat.epoch) }.map(\.key) }
    return zip(heartbeats, divided).map { beat, divided in
      HeardWorker(
        worker: beat.worker, epoch: beat.epoch, closed: note(beat.running, of: beat.worker, beat.epoch), divided: divided)
    }
  }

  private func divide(_ report: AttemptProgress, of worker: String, _ epoch: String) -> Bool {
    guard let end = report.end, isOpen(report.key, worker, epoch) else { return false }
    return divide(report.key, before: end, isAlone: true)
  }

  private func note(_ running: [AttemptProgress], of worker: String, _ epoch: String) -> [AttemptKey] {
    if let known = registered[worker], known.hello.epoch == epoch, !known.isRetired {
      registered[worker]?.heartbeatAt = clock.now
      registered[worker]?.leaseUntil = clock.now + .milliseconds(timing.lease)
    }
    var vain: [AttemptKey] = []
    for report in running {
      guard isOpen(report.key, worker, epoch) else {
        vain.append(report.key)
        continue
      }
      guard let known = attempts[report.key], report.done > known.done else { continue }
      attempts[report.key]?.done = report.done
      attempts[report.key]?.total = max(report.total, report.done)
      attempts[report.key]?.progressAt = clock.now
      attempts[report.key]?.progressDeadline = clock.now + known.patience
    }
    return vain
  }

  package func retire(_ workers: [WorkerProcess]) throws(LedgerError) {
    try requireTerm()
    for left in workers.filter(isServing) {
      registered[left.worker]?.isRetired = true
      registered[left.worker]?.leaseUntil = clock.now
      let failure = Failure(.transient, at: "worker \(left.worker)", "its worker left")
      settle(endOpen(as: .released) { $0.worker == left.worker ? failure : nil })
    }
    endWaits()
  }

  package func lose(_ workers: [WorkerProcess]) throws(LedgerError) {
    try requireTerm()
    for lost in workers.filter(isServing) {
      let leaseUntil = registered[lost.worker]?.leaseUntil ?? clock.now
      registered[lost.worker]?.leaseUntil = min(leaseUntil, clock.now)
      let failure = Failure(.transient, at: "worker \(lost.worker)", "its connection was lost")
      settle(endOpen(as: .expired) { $0.worker == lost.worker ? failure : nil })
    }
    endWaits()
  }

  private func isServing(_ process: WorkerProcess) -> Bool {
    guard let known = registered[process.worker] else { return false }
    return known.hello.epoch == process.epoch && !known.isRetired
  }

  package func expire() throws(LedgerError) -> [ExpiredAttempt] {
    try requireTerm()
    judgeWorkers()
    let now = clock.now
    let ended = endOpen(as: .expired) { attempt in
      let worker = registered[attempt.worker]
      if let worker, worker.leaseUntil < now {
        return Failure(
          .transient, at: "worker \(attempt.worker)", "silent for \((now - worker.heartbeatAt).components.seconds) s")
      }
      guard attempt.progressDeadline < now else { return nil }
      return Failure(
        .worker, at: "worker \(attempt.worker)", "no progress for \((now - attempt.progressAt).components.seconds) s")
    }
    defer { endWaits() }
    return ended.map { ExpiredAttempt(worker: $0.worker, key: $0.key) } + settle(ended).cancelled
  }

  // MARK: Orders

  package func openAttempts(of workers: [WorkerProcess]) throws(LedgerError) -> [ClaimedAttempt] {
    try requireTerm()
    let workers = Set(workers)
    return attempts.values.filter { $0.outcome == nil && workers.contains(WorkerProcess(worker: $0.worker, epoch: $0.epoch)) }
      .sorted { ($0.key.task, $0.key.attempt) < ($1.key.task, $1.key.attempt) }
      .map(claimed)
  }

  // MARK: Ends

  package func fail(_ failures: [FailedAttempt]) throws(LedgerError) -> [FailVerdict] {
    try requireTerm()
    defer { endWaits() }
    return failures.map(fail)
  }

  func fail(_ failed: FailedAttempt) -> FailVerdict {
    let (key, failure) = (failed.key, failed.failure)
    guard isOpen(key, failed.worker, failed.epoch) else { return .stale }
    if failed.isReturned { return takeBack(key) }
    let revoked = revoke(failure, reportedBy: self[key.task])
    let ended = end(key, as: revoked.isEmpty ? .failed : .released, failure)
    if !revoked.isEmpty { update(key.task) { ($0.state, $0.failure) = (.waiting, failure) } }
    let settlement = settle(revoked.isEmpty ? [ended] : revoked)
    return settlement.failedJobs.contains(self[key.task].job) ? .jobFailed(settlement.cancelled) : .retries
  }

  // MARK: What it holds

  subscript(task: Int64) -> Task { tasks[Int(task) - 1] }

  @discardableResult func update(_ task: Int64, _ change: (inout Task) -> Void) -> Task {
    change(&tasks[Int(task) - 1])
    return self[task]
  }

  func siblings(of task: Task) -> [Task] { jobs[task.job]?.tasks.map { self[$0] } ?? [] }

  /// Whether the task is done and need not be done again.
  func isDone(_ task: Task) -> Bool { task.state == .done && !isCleared(task) }

  /// Whether the task was done by an attempt whose files may have been cleared away, and has not followed its job's retry yet.
  func isCleared(_ task: Task) -> Bool {
    guard let job = jobs[task.job], let dead = job.dead, !job.isCutShort, job.state != .done else { return false }
    return dead.contains(AttemptKey(task: task.id, attempt: task.attempts))
  }

  func nextMoment() -> Int {
    moments += 1
    return moments
  }

  func requireAvailable() throws(LedgerError) {
    guard isAvailable else { throw .unavailable("the memory ledger is switched off") }
  }

  func requireTerm() throws(LedgerError) {
    try requireAvailable()
    guard let term, term != leader.term else { return }
    throw .deposed("another coordinator leads: term \(term) is over")
  }

  func isOpen(_ key: AttemptKey, _ worker: String, _ epoch: String) -> Bool {
    guard let attempt = attempts[key] else { return false }
    return attempt.outcome == nil && attempt.worker == worker && attempt.epoch == epoch
  }

  /// The open attempts at a task: at most two, one of them a second attempt.
  func open(at task: Int64) -> [Attempt] {
    (0...self[task].attempts).compactMap { attempts[AttemptKey(task: task, attempt: $0)] }.filter { $0.outcome == nil }
  }

  func isAlive(_ worker: String) -> Bool {
    registered[worker].map { !$0.isRetired && $0.leaseUntil > clock.now } ?? false
  }

  // MARK: Changes

  func end(_ job: String, as state: JobState, _ failure: Failure? = nil) {
    jobs[job]?.state = state
    jobs[job]?.endedAt = clock.now
    jobs[job]?.failure = failure
    if state != .done { jobs[job]?.followedTo = 0 }
  }

  @discardableResult func end(_ key: AttemptKey, as outcome: Outcome, _ failure: Failure?) -> Attempt {
    attempts[key]?.outcome = outcome
    attempts[key]?.endedAt = clock.now
    attempts[key]?.end = nextMoment()
    attempts[key]?.failure = failure
    guard let ended = attempts[key] else { preconditionFailure("there is no attempt \(key)") }
    return ended
  }

  func ready(_ kind: TaskKind, of job: String) {
    for id in jobs[job]?.tasks ?? [] where self[id].kind == kind && self[id].state == .waiting {
      update(id) { ($0.state, $0.readyAt) = (.ready, clock.now) }
    }
  }

  /// Ends the open attempts for which the closure returns a failure.
  private func endOpen(as outcome: Outcome, _ failure: (Attempt) -> Failure?) -> [Attempt] {
    attempts.values.filter { $0.outcome == nil }.sorted { $0.key < $1.key }.compactMap { attempt in
      failure(attempt).map { end(attempt.key, as: outcome, $0) }
    }
  }

  private func revoke(_ failure: Failure, reportedBy task: Task) -> [Attempt] {
    failure.damaged.compactMap { key in
      guard attempts[key]?.outcome == .won, self[key.task].job == task.job else { return nil }
      switch (task.kind, self[key.task].kind) {
      case (.mux, .picture), (.mux, .sound), (.publish, .mux):
        let cause = Failure(.worker, at: attempts[key]?.proof?.file.path ?? "", failure.reason)
        return end(key, as: .revoked, cause)
      default: return nil
      }
    }
  }

  /// Lets the retry policy decide about each task of the ended attempts that has no other open attempt.
  @discardableResult private func settle(_ ended: [Attempt]) -> Settlement {
    var (settlement, settled, failed) = (Settlement(), Set<Int64>(), [(task: Int64, failure: Failure)]())
    for left in ended.flatMap({ open(at: $0.key.task) }) {
      attempts[left.key]?.isSpeculative = false
      settled.insert(left.key.task)
    }
    for attempt in ended.filter({ $0.outcome != .released }) + ended.filter({ $0.outcome == .released }) {
      guard let failure = attempt.failure?.believed(fromCanary: attempt.isCanary) else {
        preconditionFailure("it ended with a failure")
      }
      let (id, job) = (attempt.key.task, self[attempt.key.task].job)
      guard settled.insert(id).inserted else { continue }
      var wait = 0
      switch decision(on: attempt, failure) {
      case .retry(let pause):
        wait = pause
        if isLive(job) { jobs[job]?.retries += 1 }
      case .giveUp:
        guard !settlement.failedJobs.insert(job).inserted else {
          failed.append((id, failure))
          continue
        }
      }
      // Other tasks of a job that fails become ready here, and are cancelled with the job.
      update(id) { task in
        (task.state, task.readyAt) = (isLive(job) ? .ready : .cancelled, clock.now + .milliseconds(wait))
        (task.avoidedWorker, task.failure) = (attempt.outcome == .released ? nil : attempt.worker, failure)
      }
    }
    for (id, failure) in failed {
      update(id) { ($0.state, $0.failure) = (.failed, failure) }
      if isLive(self[id].job) { end(self[id].job, as: .failed, failure) }
      settlement.cancelled += cancelTasks(of: self[id].job)
    }
    return settlement
  }

  private func decision(on attempt: Attempt, _ failure: Failure) -> RetryPolicy.Decision {
    guard attempt.outcome != .released else { return .retry(afterMilliseconds: 0) }
    let faults = attempts.values.filter {
      $0.key.task == attempt.key.task && $0.key.attempt > self[attempt.key.task].forgiven
        && [.failed, .expired, .revoked].contains($0.outcome)
    }
    let classes = faults.compactMap { fault in fault.failure.map { ($0.believed(fromCanary: fault.isCanary).class, 1) } }
    let counts = Dictionary(classes, uniquingKeysWith: +)
    return retryPolicy.decide(after: failure.class, counts: counts)
  }
}
