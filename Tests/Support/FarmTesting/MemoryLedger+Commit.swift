package import Ledger
internal import Messages
package import Scheduling

extension MemoryLedger {
  /// Commits results in the order of PostgreSQLLedger: first those of whole tasks, then those of first parts, then those that fit
  /// neither.
  package func commit(_ completions: [Completion]) throws(LedgerError) -> Committed {
    try requireTerm()
    defer { endWaits() }
    var (superseded, unfit) = ([ExpiredAttempt](), Set<Int>())
    let repeated = Set(completions.filter(hasWon).map(\.key))
    for done in completions where fit(of: done) == .whole { win(done, &superseded) }
    for done in completions {
      guard case .firstPart(let border) = fit(of: done), divide(done.key, before: border, isAlone: false) else { continue }
      win(done, &superseded)
    }
    for (place, done) in completions.enumerated() {
      guard case .other(let failure) = fit(of: done) else { continue }
      unfit.insert(place)
      let failed = FailedAttempt(worker: done.worker, epoch: done.epoch, key: done.key, failure: failure)
      if case .jobFailed(let others) = fail(failed) { superseded += others }
    }
    let verdicts = completions.enumerated().map { place, done -> CommitVerdict in
      hasWon(done) ? .won : unfit.contains(place) ? .unfit : .stale
    }
    return Committed(verdicts: verdicts, superseded: superseded, repeated: repeated)
  }

  package func keep(_ logs: [LoggedAttempt]) throws(LedgerError) {
    try requireTerm()
    for logged in logs where self.logs[logged.key]?.byteCount ?? -1 < logged.log.byteCount {
      guard let attempt = attempts[logged.key], attempt.worker == logged.worker, attempt.epoch == logged.epoch else { continue }
      self.logs[logged.key] = logged.log
    }
  }

  /// The fit of a result to its task; nil when the attempt is not open any more.
  private func fit(of done: Completion) -> ResultFit? {
    guard isOpen(done.key, done.worker, done.epoch) else { return nil }
    let task = self[done.key.task]
    return ResultFit(of: done.proof, to: task.kind, task.frames, task.samples)
  }

  /// Takes back an open attempt of which nothing was made. Its task is ready as it was before, unless another attempt at it is open.
  func takeBack(_ key: AttemptKey) -> FailVerdict {
    end(key, as: .returned, nil)
    let others = open(at: key.task)
    for other in others { attempts[other.key]?.isSpeculative = false }
    if others.isEmpty {
      update(key.task) { ($0.state, $0.readyAt) = (isLive($0.job) ? .ready : .cancelled, clock.now) }
    }
    return .retries
  }

  private func hasWon(_ done: Completion) -> Bool {
    guard let attempt = attempts[done.key] else { return false }
    return attempt.outcome == .won && attempt.worker == done.worker && attempt.epoch == done.epoch
  }

  private func win(_ done: Completion, _ superseded: inout [ExpiredAttempt]) {
    attempts[done.key]?.outcome = .won
    attempts[done.key]?.endedAt = clock.now
    attempts[done.key]?.end = nextMoment()
    attempts[done.key]?.proof = done.proof
    for other in open(at: done.key.task) {
      attempts[other.key]?.outcome = .superseded
      attempts[other.key]?.endedAt = clock.now
      superseded.append(ExpiredAttempt(worker: other.worker, key: other.key))
    }
    let task = update(done.key.task) { $0.state = .done }
    if !done.proof.concealed.isEmpty { jobs[task.job]?.isDamaged = true }
    switch task.kind {
    case .picture, .sound:
      let isLast = siblings(of: task).allSatisfy { !$0.kind.isPart || isDone($0) }
      if isLast { ready(.mux, of: task.job) }
    case .mux: ready(.publish, of: task.job)
    case .publish: end(task.job, as: .done)
    }
  }
}
