internal import Messages

// What workers say.
extension Dispatcher {
  static func route(_ worker: String, _ epoch: String) -> String { "\(worker)/\(epoch)" }

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
    if isMember {
      members[worker]?.heard = now
      members[worker]?.disconnected = nil
    }
    // Without a ledger nothing is asked for: whoever speaks repeats it.
    guard !isLedgerAway else { return [] }
    switch message {
    case .hello(let hello):
      guard isMember || members.count < Self.mostMembers else { return [.note(Note("full", ["worker": worker]))] }
      return [.ask(.register(hello))]
    case .heartbeat(_, _, let running):
      guard isMember else { return [.send(.whoAreYou, route: route)] }
      for progress in running where members[worker]?.given[progress.key] != nil { members[worker]?.given[progress.key] = now }
      heartbeats[worker] = Heartbeat(worker: worker, epoch: epoch, running: running)
      return []
    case .finished(_, _, let key, let proof):
      completions[route, default: [:]][key] = Completion(worker: worker, epoch: epoch, key: key, proof: proof)
      return introduction(isMember, route)
    case .failed(_, _, let key, let failure):
      return introduction(isMember, route) + [.ask(.fail(key, worker: worker, epoch: epoch, failure))]
    case .stored(_, _, let jobs): return isMember ? stored(jobs, worker, epoch) : [.send(.whoAreYou, route: route)]
    case .goodbye: return [.ask(.retire(worker: worker, epoch: epoch))]
    }
  }

  /// Who names himself wrongly is told so, unless he has taken the route of a worker, who would be told instead.
  mutating func refuseName(_ worker: String, _ route: String) -> [Action] {
    let note = Action.note(Note("misnamed", ["route": route, "worker": worker]))
    guard !members.contains(where: { Self.route($0.key, $0.value.epoch) == route }) else { return [note] }
    return [note, .send(.refused(reason: "the key is not for a worker named '\(worker)'"), route: route)]
  }

  /// Forgets the sender and gives its attempts to others. What it says later is only noted.
  mutating func lockOut(_ route: String) -> [Action] {
    let note = Action.note(Note("locked_out", ["route": route]))
    guard let (worker, member) = members.first(where: { Self.route($0.key, $0.value.epoch) == route }) else { return [note] }
    members[worker] = nil
    // Not retired: its key may be listed again.
    return [note, .ask(.lose(worker: worker, epoch: member.epoch))]
  }

  /// A worker that lives connects again, and is heard.
  mutating func disconnect(_ route: String, _ now: Duration) {
    guard let (worker, member) = members.first(where: { Self.route($0.key, $0.value.epoch) == route }) else { return }
    if member.disconnected == nil { members[worker]?.disconnected = now }
  }

  /// Gives the attempts of workers that did not connect again to others.
  mutating func loseDisconnected(_ now: Duration) -> [Action] {
    let lost = members.filter { now - ($0.value.disconnected ?? now) >= pace.reconnecting }.sorted { $0.key < $1.key }
    for (worker, _) in lost { members[worker] = nil }
    return lost.flatMap { worker, member in
      [.note(Note("lost", ["worker": worker, "epoch": member.epoch])), .ask(.lose(worker: worker, epoch: member.epoch))]
    }
  }

  /// A result is fenced by the ledger, so it is taken from a worker that is not known yet, as after a restart.
  private func introduction(_ isMember: Bool, _ route: String) -> [Action] {
    isMember ? [] : [.send(.whoAreYou, route: route)]
  }
}
