internal import Messages

// What the ledger did: only now is anything told to workers.
extension Dispatcher {
  mutating func settle(_ answer: LedgerAnswer, _ now: Duration) -> [Action] {
    switch answer {
    case .stood(let leadership): return stand(leadership, now)
    case .keptHistory: return []
    case .resigned: return [.note(Note("resigned"))]
    case .registered(let hello): return join(hello, now)
    case .heard(let workers): return workers.flatMap { heard($0, now) }
    case .retired(let worker, let epoch):
      if members[worker]?.epoch == epoch { members[worker] = nil }
      mayClaim = true
      return [.note(Note("left", ["worker": worker, "epoch": epoch]))]
    case .open(let worker, let epoch, let attempts): return reconcile(worker, epoch, attempts, now)
    case .claimed(let attempts): return attempts.flatMap { give($0, now) }
    case .committed(let completions, let verdicts):
      let settlements = zip(completions, verdicts).flatMap { done, verdict in
        settled(
          done.key, done.worker, done.epoch,
          Note("finished", ["attempt": "\(done.key)", "worker": done.worker, "verdict": "\(verdict)"]))
      }
      return settlements + claim(now)
    case .failed(let key, let worker, let epoch, let verdict):
      var actions = settled(key, worker, epoch, Note("failed", ["attempt": "\(key)", "worker": worker, "verdict": verdict.word]))
      if case .jobFailed(let others) = verdict { actions += others.flatMap { end($0, now) } }
      return actions
    case .over(let worker, let epoch, let jobs): return clear(jobs, worker, epoch)
    case .closed(let attempts): return attempts.flatMap { end($0, now) }
    case .expired(let attempts):
      return attempts.flatMap { [.note(Note("expired", ["attempt": "\($0.key)", "worker": $0.worker]))] + end($0, now) }
    }
  }

  private mutating func join(_ hello: WorkerHello, _ now: Duration) -> [Action] {
    let (worker, epoch) = (hello.worker, hello.epoch)
    var (member, actions) = (members[worker], [Action]())
    if member?.epoch != epoch {
      let former = member.map { ($0.formerEpochs + [$0.epoch]).suffix(Member.mostFormerEpochs) } ?? []
      member = Member(epoch: epoch, slots: hello.slots, heard: now, formerEpochs: Array(former))
      actions.append(.note(Note("joined", ["worker": worker, "epoch": epoch, "host": hello.host, "slots": "\(hello.slots)"])))
    }
    member?.slots = hello.slots
    for progress in hello.running { member?.given[progress.key] = now }
    members[worker] = member
    let (seconds, attoseconds) = pace.heartbeat.components
    let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    return actions + [
      .send(.welcome(heartbeatMilliseconds: milliseconds), route: Self.route(worker, epoch)),
      .ask(.openAttempts(worker: worker, epoch: epoch)),
    ]
  }

  /// Makes what the worker is believed to hold equal to what the ledger knows, and sends what it does not list.
  private mutating func reconcile(
    _ worker: String, _ epoch: String, _ attempts: [ClaimedAttempt], _ now: Duration
  ) -> [Action] {
    guard let member = members[worker], member.epoch == epoch else { return [] }
    members[worker]?.given = [:]
    members[worker]?.isInDoubt = false
    mayClaim = true
    return attempts.flatMap { attempt in
      if let listed = member.given[attempt.order.key], now - listed < pace.resending {
        members[worker]?.given[attempt.order.key] = listed
        return [Action]()
      }
      return give(attempt, now)
    }
  }

  private mutating func give(_ attempt: ClaimedAttempt, _ now: Duration) -> [Action] {
    // Gone between the claim and its answer: the ledger's own clock ends the attempt.
    guard let member = members[attempt.worker] else { return [] }
    let order = attempt.order
    members[attempt.worker]?.given[order.key] = now
    return [
      .send(.assign(order), route: Self.route(attempt.worker, member.epoch)),
      .note(
        Note(
          "assigned", ["attempt": "\(order.key)", "job": order.job, "kind": order.work.kind.rawValue, "worker": attempt.worker])),
    ]
  }

  private mutating func settled(_ key: AttemptKey, _ worker: String, _ epoch: String, _ note: Note) -> [Action] {
    mayClaim = true
    if members[worker]?.epoch == epoch { members[worker]?.given[key] = nil }
    return [.send(.settled(key), route: Self.route(worker, epoch)), .note(note)]
  }

  private mutating func end(_ attempt: ExpiredAttempt, _ now: Duration) -> [Action] {
    mayClaim = true
    guard let member = members[attempt.worker], member.given[attempt.key] != nil else { return [] }
    return cancel(attempt.key, attempt.worker, member.epoch, now)
  }

  private mutating func cancel(_ key: AttemptKey, _ worker: String, _ epoch: String, _ now: Duration) -> [Action] {
    sweepSoon(now)
    if members[worker]?.epoch == epoch, members[worker]?.given.removeValue(forKey: key) != nil { mayClaim = true }
    return [
      .send(.cancel(key), route: Self.route(worker, epoch)), .note(Note("cancelled", ["attempt": "\(key)", "worker": worker])),
    ]
  }

  private mutating func heard(_ beat: HeardWorker, _ now: Duration) -> [Action] {
    let (worker, epoch) = (beat.worker, beat.epoch)
    return [.send(.heard, route: Self.route(worker, epoch))] + beat.closed.flatMap { cancel($0, worker, epoch, now) }
      + doubts(worker, epoch, now)
  }

  /// Asks the ledger what the worker holds, when that is not sure: an order may be lost, or a request's answer.
  private func doubts(_ worker: String, _ epoch: String, _ now: Duration) -> [Action] {
    guard let member = members[worker], member.epoch == epoch else { return [] }
    guard member.isInDoubt || member.given.contains(where: { now - $0.value >= pace.resending }) else { return [] }
    return [.ask(.openAttempts(worker: worker, epoch: epoch))]
  }
}

extension FailVerdict {
  fileprivate var word: String {
    switch self {
    case .retries: "retries"
    case .jobFailed: "job_failed"
    case .stale: "stale"
    }
  }
}
