internal import Messages

// Work for slots for which nothing is ready: they take the rest of an expensive chunk, or a second attempt at a slow one.
extension Dispatcher {
  mutating func split(_ now: Duration) -> [Action] {
    guard let interval = timing.splitting, hasSpareSlots, timetable.isDue(.splitting, now) else { return [] }
    timetable[.splitting] = now + interval
    let held = Set(members.values.flatMap(\.given.keys))
    wishes = wishes.filter { held.contains($0.key) }
    // Each wish that may soon be granted needs one of the free slots.
    let free = freeSlots(now).dropping(pendingWishes(now).count)
    let asked = wishes.keys.filter { isAsked($0, now) }.sorted()
    return free.isEmpty ? [] : [.ask(.split(free, asked: asked))]
  }

  /// Sends the wishes to their workers. A later heartbeat says whether a wish was granted. A wish that got lost is sent again.
  mutating func ask(for splits: [Split], _ now: Duration) -> [Action] {
    splits.flatMap { split -> [Action] in
      guard let member = members[split.worker], member.given[split.key] != nil else { return [] }
      wishes[split.key] = Wish(told: now, times: (wishes[split.key]?.times ?? 0) + 1)
      return [
        .send(.shorten(split.key, before: split.before), route: Self.route(split.worker, member.epoch)),
        .note(Note("splits", ["attempt": "\(split.key)", "worker": split.worker, "before": "\(split.before)"])),
      ]
    }
  }

  /// Notes that the ledger divided the attempt's chunk. The new chunk is ready, and the attempt may be asked to divide again.
  mutating func noteDivided(_ key: AttemptKey, _ worker: String) -> Action {
    wishes[key] = nil
    (mayClaim, hasSpareSlots) = (true, false)
    return .note(Note("divided", ["attempt": "\(key)", "worker": worker]))
  }

  mutating func speculate(_ now: Duration) -> [Action] {
    guard let interval = timing.speculating, hasSpareSlots, timetable.isDue(.speculation, now) else { return [] }
    (hasSpareSlots, timetable[.speculation]) = (false, now + interval)
    let (free, slots) = (freeSlots(now), members.values.reduce(0) { $0 + $1.slots })
    guard !free.isEmpty else { return [] }
    return [.ask(.speculate(free, most: max(1, slots / timing.slotsPerSpeculation), sparing: pendingWishes(now)))]
  }

  private func isAsked(_ key: AttemptKey, _ now: Duration) -> Bool {
    wishes[key].map { now - $0.told < timing.promising || $0.times >= timing.mostWishes } ?? false
  }

  /// The attempts whose processes were asked recently and may still promise.
  private func pendingWishes(_ now: Duration) -> [AttemptKey] {
    wishes.filter { now - $0.value.told < timing.promising }.keys.sorted()
  }
}

extension [FreeSlots] {
  /// The free slots without the first `count` of them.
  fileprivate func dropping(_ count: Int) -> [FreeSlots] {
    var left = count
    return compactMap { free in
      let taken = Swift.min(left, free.slots)
      left -= taken
      return taken == free.slots
        ? nil : FreeSlots(worker: free.worker, epoch: free.epoch, slots: free.slots - taken, lanes: free.lanes)
    }
  }
}
