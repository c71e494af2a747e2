internal import Messages

// What slots do for which nothing is ready: they take the rests of dear chunks, or second attempts at slow ones.
extension Dispatcher {
  mutating func split(_ now: Duration) -> [Action] {
    guard let interval = pace.splitting, hasSpareSlots, now >= splitDue else { return [] }
    splitDue = now + interval
    let held = Set(members.values.flatMap(\.given.keys))
    wishes = wishes.filter { held.contains($0.key) }
    // Each wish that may come true soon is for one of them.
    let free = freeSlots(now).dropping(pendingWishes(now).count)
    let asked = wishes.keys.filter { isAsked($0, now) }.sorted()
    return free.isEmpty ? [] : [.ask(.split(free, asked: asked))]
  }

  /// Sends the wishes. Whether they come true a heartbeat tells; one that is lost is told again.
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

  /// The ledger divided the attempt's chunk: the rest is ready, and what is left of it may be divided again.
  mutating func noteDivided(_ key: AttemptKey, _ worker: String) -> Action {
    wishes[key] = nil
    mayClaim = true
    return .note(Note("divided", ["attempt": "\(key)", "worker": worker]))
  }

  mutating func speculate(_ now: Duration) -> [Action] {
    guard let interval = pace.speculating, hasSpareSlots, now >= speculationDue else { return [] }
    (hasSpareSlots, speculationDue) = (false, now + interval)
    let (free, slots) = (freeSlots(now), members.values.reduce(0) { $0 + $1.slots })
    guard !free.isEmpty else { return [] }
    return [.ask(.speculate(free, most: max(1, slots / pace.slotsPerSpeculation), sparing: pendingWishes(now)))]
  }

  private func isAsked(_ key: AttemptKey, _ now: Duration) -> Bool {
    wishes[key].map { now - $0.told < pace.promising || $0.times >= pace.mostWishes } ?? false
  }

  /// Attempts whose processes may still promise it.
  private func pendingWishes(_ now: Duration) -> [AttemptKey] {
    wishes.filter { now - $0.value.told < pace.promising }.keys.sorted()
  }
}

extension [FreeSlots] {
  /// Without so many of the slots.
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
