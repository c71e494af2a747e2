internal import Messages

// The ledger's answers. Workers are told only after the ledger has committed.
extension Dispatcher {
  mutating func settle(_ answer: LedgerAnswer, _ now: Duration) -> [Action] {
    switch answer {
    case .stood(let leadership): return stand(leadership, now)
    case .followed(let tasks):
      if tasks != nil { waiting.mustFollow = true }
      if tasks == .readied { mayClaim = true }
      return []
    case .keptHistory, .kept, .countedSlots: return []
    case .news(let news):
      if news.count >= News.mostTogether { waiting.mustTell = true }
      return news.map { .note(Note($0)) }
    case .resigned: return [.note(Note("resigned"))]
    case .registered(let hellos): return hellos.flatMap { join($0, now) }
    case .heard(let workers): return workers.flatMap { heard($0, now) }
    case .retired(let workers):
      for left in workers where members[left.worker]?.epoch == left.epoch { members[left.worker] = nil }
      mayClaim = true
      return workers.map { .note(Note("left", ["worker": $0.worker, "epoch": $0.epoch])) }
    case .open(let workers, let attempts):
      let held = Dictionary(grouping: attempts, by: \.worker)
      return workers.flatMap { reconcile($0, held[$0.worker] ?? [], now) }
    case .claimed(let attempts):
      // More tasks may be ready than fit one claim.
      if attempts.count >= Offer.limit { mayClaim = true } else { hasSpareSlots = true }
      // More light tasks may be ready than lanes were offered.
      if attempts.contains(where: \.order.work.kind.isLight) { mayClaim = true }
      return tell() + attempts.flatMap { give($0, now) }
    case .splits(let splits): return ask(for: splits, now)
    case .speculated(let attempts):
      return attempts.flatMap { attempt in
        [.note(Note("speculates", ["attempt": "\(attempt.order.key)", "worker": attempt.worker]))] + give(attempt, now)
      }
    case .learned: return []
    case .committed(let completions, let committed):
      // A segment that was found tells nothing of how fast such work is.
      let won = zip(completions, committed.verdicts).filter {
        $0.1 == .won && !committed.repeated.contains($0.0.key) && !$0.0.proof.isFound
      }.map(\.0.key)
      waiting.winners += won.prefix(Self.mostLearned - waiting.winners.count)
      // The slots are free at once. The workers are told after the next request, which makes the commit durable.
      untold += zip(completions, committed.verdicts).flatMap { done, verdict in
        settled(
          done.key, by: done.worker, done.epoch,
          note: Note(
            "finished",
            [
              "attempt": "\(done.key)", "worker": done.worker,
              "verdict": verdict == .won && committed.repeated.contains(done.key) ? "repeated" : "\(verdict)",
            ]))
      }
      untold += committed.superseded.flatMap { end($0, now) }
      return []
    case .flushed: return tell()
    case .failed(let failures, let verdicts):
      return zip(failures, verdicts).flatMap { failed, verdict in
        let event = failed.isReturned ? "returned" : "failed"
        let note = Note(event, ["attempt": "\(failed.key)", "worker": failed.worker, "verdict": verdict.word])
        let actions = settled(failed.key, by: failed.worker, failed.epoch, note: note)
        guard case .jobFailed(let others) = verdict else { return actions }
        return actions + others.flatMap { end($0, now) }
      }
    case .over(let worker, let epoch, let jobs): return clear(jobs, worker, epoch)
    case .wantedFonts(let tags): return seek(tags, now)
    case .closed(let attempts): return attempts.flatMap { end($0, now) }
    case .expired(let attempts):
      // More attempts may be overdue than one transaction ends.
      if attempts.count >= ExpiredAttempt.mostTogether { waiting.mustExpire = true }
      waiting.mustTell = true
      // Their tasks need the slots that the last claim left.
      if !attempts.isEmpty { hasSpareSlots = false }
      return attempts.flatMap { end($0, now) }
    }
  }

  private mutating func tell() -> [Action] {
    defer { untold = [] }
    return untold
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
    member?.lanes = hello.lanes
    member?.findings.most = hello.ahead ?? 0
    member?.kind = hello.kind
    member?.fonts = Set(hello.capabilities.tags.filter { FontTag($0) != nil })
    member?.standing = .registered
    for progress in hello.running { member?.given[progress.key] = now }
    members[worker] = member
    waiting.lookups.insert(WorkerProcess(worker: worker, epoch: epoch))
    let (seconds, attoseconds) = timing.heartbeat.components
    let milliseconds = Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000)
    return actions + [.send(.welcome(heartbeatMilliseconds: milliseconds), route: Self.route(worker, epoch))]
      + seek(from: worker, now)
  }

  /// Takes over the ledger's list of the attempts that the worker holds, and sends those that the worker does not list.
  private mutating func reconcile(_ process: WorkerProcess, _ attempts: [ClaimedAttempt], _ now: Duration) -> [Action] {
    guard let member = members[process.worker], member.epoch == process.epoch else { return [] }
    members[process.worker]?.given = [:]
    members[process.worker]?.light = []
    members[process.worker]?.standing = .known
    mayClaim = true
    return attempts.flatMap { attempt in
      if let listed = member.given[attempt.order.key], now - listed < timing.resending {
        hold(attempt.order, process.worker, since: listed)
        return [Action]()
      }
      return give(attempt, now)
    }
  }

  private mutating func give(_ attempt: ClaimedAttempt, _ now: Duration) -> [Action] {
    // The worker was forgotten between the claim and its answer. The ledger's clock ends the attempt.
    guard let member = members[attempt.worker] else { return [] }
    let order = attempt.order
    hold(order, attempt.worker, since: now)
    members[attempt.worker]?.lastGiven = now
    return [
      .send(.assign(order), route: Self.route(attempt.worker, member.epoch)),
      .note(
        Note(
          "assigned", ["attempt": "\(order.key)", "job": order.job, "kind": order.work.kind.rawValue, "worker": attempt.worker])),
    ]
  }

  private mutating func hold(_ order: AttemptOrder, _ worker: String, since time: Duration) {
    members[worker]?.given[order.key] = time
    if order.work.kind.isLight { members[worker]?.light.insert(order.key) }
  }

  private mutating func settled(_ key: AttemptKey, by worker: String, _ epoch: String, note: Note) -> [Action] {
    mayClaim = true
    if members[worker]?.epoch == epoch { _ = members[worker]?.forget(key) }
    return [.send(.settled(key), route: Self.route(worker, epoch)), .note(note)]
  }

  private mutating func end(_ attempt: ExpiredAttempt, _ now: Duration) -> [Action] {
    mayClaim = true
    guard let member = members[attempt.worker], member.given[attempt.key] != nil else { return [] }
    return cancel(attempt.key, at: attempt.worker, member.epoch, now)
  }

  private mutating func cancel(_ key: AttemptKey, at worker: String, _ epoch: String, _ now: Duration) -> [Action] {
    sweepSoon(now)
    if members[worker]?.epoch == epoch, members[worker]?.forget(key) == true { mayClaim = true }
    return [
      .send(.cancel(key), route: Self.route(worker, epoch)), .note(Note("cancelled", ["attempt": "\(key)", "worker": worker])),
    ]
  }

  private mutating func heard(_ beat: HeardWorker, _ now: Duration) -> [Action] {
    let (worker, epoch) = (beat.worker, beat.epoch)
    doubt(worker, epoch, now)
    return [.send(.heard, route: Self.route(worker, epoch))] + beat.closed.flatMap { cancel($0, at: worker, epoch, now) }
      + beat.divided.map { noteDivided($0, worker) }
  }

  /// Has the worker's attempts looked up in two cases. When the worker does not list an attempt that it was given, the order may
  /// be lost. When the worker is registered but not known yet, the ledger may have refused to tell its attempts.
  private mutating func doubt(_ worker: String, _ epoch: String, _ now: Duration) {
    guard let member = members[worker], member.epoch == epoch else { return }
    guard member.standing == .registered || member.given.contains(where: { now - $0.value >= timing.resending }) else { return }
    waiting.lookups.insert(WorkerProcess(worker: worker, epoch: epoch))
  }
}

extension WorkerHello {
  /// A hash of the worker's capabilities and output roots. Different workers may have the same hash by chance; that only delays
  /// some light tasks.
  fileprivate var kind: Int {
    var hasher = Hasher()
    hasher.combine(capabilities)
    hasher.combine(outputRoots)
    return hasher.finalize()
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
