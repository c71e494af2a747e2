package import Messages

/// A part of the time of the farm's slots: what a slot did, or why it did nothing.
package enum SlotPart: String, Hashable, Sendable, CaseIterable {
  /// An attempt had the slot.
  case busy
  /// A task that the worker may take waited, and was being given out.
  case handingOut = "handing out"
  /// The tasks that the worker may take belonged to submitters who ran as much as their quotas let them.
  case quota
  /// Tasks waited, and the worker lacks what each of them needs.
  case unfit = "no fitting worker"
  /// The tasks that the worker may take had failed, and were to be tried again later.
  case retrying
  /// The tasks that the worker may take belonged to paused jobs.
  case paused
  /// The farm or the worker was drained.
  case drained
  /// The worker had failed what others did, so it was given nothing.
  case setAside = "set aside"
  /// No coordinator led.
  case leaderless = "no leader"
  /// No task waited.
  case unqueued = "nothing queued"
}

/// The slots of a worker at one moment.
package struct SlotHolder: Hashable, Sendable {
  package enum Standing: Hashable, Sendable { case serving, drained, setAside }

  package var slots: Int
  /// The slots that attempts have. A worker that stops has no slots, and what it still runs counts as its slots.
  package var busy: Int
  package var standing: Standing
  package var capabilities: Capabilities

  package init(slots: Int, busy: Int, standing: Standing, capabilities: Capabilities) {
    (self.slots, self.busy, self.standing, self.capabilities) = (slots, busy, standing, capabilities)
  }

  /// The slots in which nothing runs.
  package var idle: Int { max(0, slots - busy) }
}

/// Work that waits for a slot: tasks of jobs that need the same, with what keeps them from being given out.
package struct WaitingWork: Hashable, Sendable {
  package enum Obstacle: String, Hashable, Sendable { case none, quota, retrying, paused }

  package var needs: Capabilities
  package var obstacle: Obstacle

  package init(needs: Capabilities, obstacle: Obstacle) { (self.needs, self.obstacle) = (needs, obstacle) }
}

/// The count of the farm's slots at one moment, by what each of them does. Pure; every ledger uses it.
///
/// The leading coordinator counts every few seconds, and what it counts stands for the time since the last count. So the parts of a time add up
/// to the slots that there were, whatever happened in between, and no part is negative.
package struct SlotCount: Hashable, Sendable {
  package private(set) var slots: [SlotPart: Int] = [:]

  /// The longest time for which a count stands, in microseconds. A longer time in which nobody counted is not counted: the farm was switched off.
  package static let longestGap = 60_000_000

  /// - Parameters:
  ///   - waiting: what waits; it is asked for only where a slot of a worker that serves is free.
  ///   - isDrained: whether the whole farm is.
  package init<Failure>(
    of holders: [SlotHolder], isDrained: Bool, waiting: () throws(Failure) -> Set<WaitingWork>
  ) throws(Failure) {
    // Attempts that a worker was given ahead of its slots have none.
    slots[.busy] = holders.reduce(0) { $0 + ($1.slots > 0 ? min($1.busy, $1.slots) : $1.busy) }
    for holder in holders where holder.idle > 0 && (isDrained || holder.standing != .serving) {
      slots[holder.standing == .setAside && !isDrained ? .setAside : .drained, default: 0] += holder.idle
    }
    let free = isDrained ? [] : holders.filter { $0.standing == .serving && $0.idle > 0 }
    guard !free.isEmpty else { return }
    let waiting = try waiting()
    for (capabilities, alike) in Dictionary(grouping: free, by: \.capabilities) {
      slots[Self.reason(capabilities, waiting), default: 0] += alike.reduce(0) { $0 + $1.idle }
    }
  }

  /// The reason why a worker that serves is given nothing.
  private static func reason(_ capabilities: Capabilities, _ waiting: Set<WaitingWork>) -> SlotPart {
    let fitting = Set(waiting.filter { capabilities.cover($0.needs) }.map(\.obstacle))
    if fitting.contains(.none) { return .handingOut }
    if fitting.contains(.quota) { return .quota }
    if fitting.contains(.retrying) { return .retrying }
    if fitting.contains(.paused) { return .paused }
    return waiting.contains { $0.obstacle == .none } ? .unfit : .unqueued
  }

  /// The time of each part, in microseconds of a slot, where the count stands for a time.
  ///
  /// - Parameters:
  ///   - microseconds: the time since the last count. More than `longestGap` counts nothing.
  ///   - leaderless: how much of it nobody led. What was idle then was so for that.
  package func time(of microseconds: Int, leaderless: Int) -> [SlotPart: Int] {
    guard 1...Self.longestGap ~= microseconds else { return [.busy: 0] }
    let led = microseconds - min(max(leaderless, 0), microseconds)
    var time: [SlotPart: Int] = [.busy: 0]
    for (part, count) in slots {
      let own = part == .busy ? microseconds : led
      time[part, default: 0] += count * own
      if own < microseconds { time[.leaderless, default: 0] += count * (microseconds - own) }
    }
    return time
  }
}
