internal import Messages

// Messages of workers.
extension Dispatcher {
  static func route(_ worker: String, _ epoch: String) -> String { "\(worker)/\(epoch)" }

  /// The member with this route. Names contain no slash.
  func member(at route: String) -> WorkerProcess? {
    let parts = route.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let member = members[String(parts[0])], member.epoch == parts[1] else { return nil }
    return WorkerProcess(worker: String(parts[0]), epoch: member.epoch)
  }

  mutating func receive(_ message: WorkerMessage, _ route: String, _ now: Duration) -> [Action] {
    let (worker, epoch) = message.sender
    guard WorkerHello.isName(worker), WorkerHello.isName(epoch), route == Self.route(worker, epoch) else {
      return [.note(Note("forged", ["route": route, "worker": worker, "epoch": epoch]))]
    }
    guard term != nil else { return [.send(.notLeading, route: route)] }
    let member = members[worker]
    if member?.formerEpochs.contains(epoch) == true {
      return [.send(.refused(reason: "another process took the name \(worker)"), route: route)]
    }
    let isMember = member?.epoch == epoch
    let isSure = isMember && member?.standing != .unsure
    let process = WorkerProcess(worker: worker, epoch: epoch)
    if isMember {
      members[worker]?.heard = now
      members[worker]?.disconnected = nil
    }
    // While the ledger is away nothing is kept. Workers repeat what they have to say.
    guard !isLedgerAway else { return [] }
    switch message {
    case .hello(let hello):
      guard isMember || members.count + waiting.hellos.count < Self.mostMembers else {
        return [.note(Note("full", ["worker": worker]))]
      }
      waiting.hellos[worker] = hello
      return []
    case .heartbeat(_, _, let running):
      guard isSure else { return [.send(.whoAreYou, route: route)] }
      for progress in running where members[worker]?.given[progress.key] != nil { members[worker]?.given[progress.key] = now }
      waiting.heartbeats[worker] = Heartbeat(worker: worker, epoch: epoch, running: running)
      return []
    case .finished(_, _, let key, let proof):
      let completion = Completion(worker: worker, epoch: epoch, key: key, proof: proof)
      waiting.completions.note(completion, as: Waiting.Ending(key: key, teller: process))
      hastenRound()
      noteEnd(of: key, process, now)
      if isMember, !proof.kind.isLight { members[worker]?.findings.finished(isFound: proof.isFound, now) }
      return introduction(isSure, route)
    case .returned(_, _, let key):
      if isMember { members[worker]?.findings.returned(now) }
      noteEnd(of: key, process, now)
      waiting.failures.note(FailedAttempt(returning: key, by: process), as: Waiting.Ending(key: key, teller: process))
      return introduction(isSure, route)
    case .failed(_, _, let key, let failure):
      fail(key, of: process, with: failure, now: now)
      return introduction(isSure, route)
    case .logged(_, _, let key, let log):
      waiting.note(LoggedAttempt(worker: worker, epoch: epoch, key: key, log: log))
      return []
    case .stored(_, _, let jobs):
      if isMember, !jobs.isEmpty { waiting.stored[process] = jobs }
      return introduction(isMember, route)
    case .goodbye:
      waiting.farewells[process] = isMember ? member?.mostAttempts ?? 1 : 1
      return []
    }
  }

  /// Removes an ended attempt from the worker's waiting heartbeat. Otherwise the heartbeat would be noted after the end, and the
  /// ledger would answer that the attempt is to be killed. A worker that tells an end had the order, so it is not sent again, however
  /// long the end waits for the ledger.
  private mutating func noteEnd(of key: AttemptKey, _ process: WorkerProcess, _ now: Duration) {
    waiting.heartbeats[process.worker]?.running.removeAll { $0.key == key }
    guard members[process.worker]?.epoch == process.epoch, members[process.worker]?.given[key] != nil else { return }
    members[process.worker]?.given[key] = now
  }

  mutating func fail(_ key: AttemptKey, of process: WorkerProcess, with failure: Failure, now: Duration) {
    noteEnd(of: key, process, now)
    let failed = FailedAttempt(worker: process.worker, epoch: process.epoch, key: key, failure: failure)
    waiting.failures.note(failed, as: Waiting.Ending(key: key, teller: process))
  }

  /// Tells a sender that its key does not fit the worker's name. When the route belongs to a member, nothing is sent, because
  /// that member would receive it.
  mutating func refuseName(_ worker: String, _ route: String) -> [Action] {
    let note = Action.note(Note("misnamed", ["route": route, "worker": worker]))
    guard member(at: route) == nil else { return [note] }
    return [note, .send(.refused(reason: "the key is not for a worker named '\(worker)'"), route: route)]
  }

  /// Forgets a worker whose key is not allowed any more, and gives its attempts to others. What it says later is only logged.
  mutating func lockOut(_ route: String) -> [Action] {
    let note = Action.note(Note("locked_out", ["route": route]))
    guard let process = member(at: route), let member = members.removeValue(forKey: process.worker) else { return [note] }
    // The worker is lost, not retired: its key may be allowed again.
    waiting.lost[process] = member.mostAttempts
    return [note]
  }

  /// Notes when the worker's connection ended. A worker that lives connects again and is heard.
  mutating func disconnect(_ route: String, _ now: Duration) {
    guard let worker = member(at: route)?.worker, members[worker]?.disconnected == nil else { return }
    members[worker]?.disconnected = now
  }

  /// Forgets the workers that did not connect again in time, and gives their attempts to others.
  mutating func loseDisconnected(_ now: Duration) -> [Action] {
    let lost = members.filter { now - ($0.value.disconnected ?? now) >= timing.reconnecting }.sorted { $0.key < $1.key }
    for (worker, member) in lost {
      members[worker] = nil
      waiting.lost[WorkerProcess(worker: worker, epoch: member.epoch)] = member.mostAttempts
    }
    return lost.map { .note(Note("lost", ["worker": $0, "epoch": $1.epoch])) }
  }

  /// Asks an unknown sender to introduce itself. Its result is still taken, because the ledger checks each result itself; this
  /// happens after a restart of the coordinator.
  private func introduction(_ isMember: Bool, _ route: String) -> [Action] {
    isMember ? [] : [.send(.whoAreYou, route: route)]
  }
}
