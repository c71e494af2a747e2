internal import Messages

// What workers say.
extension Dispatcher {
  static func route(_ worker: String, _ epoch: String) -> String { "\(worker)/\(epoch)" }

  /// The member whose route that is; names hold no slash.
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
    // Without a ledger nothing is asked for: whoever speaks repeats it.
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
      waiting.completions[Waiting.Ending(key: key, teller: process)] = completion
      noteEnd(of: key, by: worker)
      return introduction(isSure, route)
    case .failed(_, _, let key, let failure):
      fail(key, process, failure)
      return introduction(isSure, route)
    case .stored(_, _, let jobs):
      if isMember, !jobs.isEmpty { waiting.stored[process] = jobs }
      return introduction(isMember, route)
    case .goodbye:
      waiting.farewells[process] = isMember ? member?.mostAttempts ?? 1 : 1
      return []
    }
  }

  /// It has ended since its worker was heard last. A heartbeat that lists it still and is noted after its end would have it killed.
  private mutating func noteEnd(of key: AttemptKey, by worker: String) {
    waiting.heartbeats[worker]?.running.removeAll { $0.key == key }
  }

  mutating func fail(_ key: AttemptKey, _ process: WorkerProcess, _ failure: Failure) {
    noteEnd(of: key, by: process.worker)
    waiting.failures[Waiting.Ending(key: key, teller: process)] = FailedAttempt(
      worker: process.worker, epoch: process.epoch, key: key, failure: failure)
  }

  /// Who names himself wrongly is told so, unless he has taken the route of a worker, who would be told instead.
  mutating func refuseName(_ worker: String, _ route: String) -> [Action] {
    let note = Action.note(Note("misnamed", ["route": route, "worker": worker]))
    guard member(at: route) == nil else { return [note] }
    return [note, .send(.refused(reason: "the key is not for a worker named '\(worker)'"), route: route)]
  }

  /// Forgets the sender and gives its attempts to others. What it says later is only noted.
  mutating func lockOut(_ route: String) -> [Action] {
    let note = Action.note(Note("locked_out", ["route": route]))
    guard let process = member(at: route), let member = members.removeValue(forKey: process.worker) else { return [note] }
    // Not retired: its key may be listed again.
    waiting.lost[process] = member.mostAttempts
    return [note]
  }

  /// A worker that lives connects again, and is heard.
  mutating func disconnect(_ route: String, _ now: Duration) {
    guard let worker = member(at: route)?.worker, members[worker]?.disconnected == nil else { return }
    members[worker]?.disconnected = now
  }

  /// Gives the attempts of workers that did not connect again to others.
  mutating func loseDisconnected(_ now: Duration) -> [Action] {
    let lost = members.filter { now - ($0.value.disconnected ?? now) >= pace.reconnecting }.sorted { $0.key < $1.key }
    for (worker, member) in lost {
      members[worker] = nil
      waiting.lost[WorkerProcess(worker: worker, epoch: member.epoch)] = member.mostAttempts
    }
    return lost.map { .note(Note("lost", ["worker": $0, "epoch": $1.epoch])) }
  }

  /// A result is fenced by the ledger, so it is taken from a worker that is not known yet, as after a restart.
  private func introduction(_ isMember: Bool, _ route: String) -> [Action] {
    isMember ? [] : [.send(.whoAreYou, route: route)]
  }
}
