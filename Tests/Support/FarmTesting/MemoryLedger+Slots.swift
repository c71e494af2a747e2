package import Ledger
internal import Messages
package import Scheduling

extension MemoryLedger {
  /// The time of slots that was counted, in microseconds of a slot, and all that there was to count.
  struct SlotBook {
    var time: [SlotPart: Int] = [:]
    /// The slots times the time for which they were there, summed apart from the parts.
    var whole = 0
    var countedAt: Duration?
  }

  /// The time of slots that was counted, in microseconds of a slot.
  package var slotTime: [SlotPart: Int] { book.time }
  /// The slots times the time for which they were there, as far as it was counted, in microseconds.
  package var countedSlotTime: Int { book.whole }
  /// The time for which attempts at pictures and sound ran, in microseconds.
  package var attemptTime: Int {
    attempts.values.filter { self[$0.key.task].kind.isPart }.reduce(0) {
      $0 + (($1.endedAt ?? clock.now) - $1.startedAt).microseconds
    }
  }

  package func countSlots() throws(LedgerError) {
    try requireTerm()
    let now = clock.now
    defer { book.countedAt = now }
    guard let last = book.countedAt else { return }
    let holders = registered.values.filter { isAlive($0.hello.worker) }.map(holder)
    let count = SlotCount(of: holders, isDrained: isDrained) { waitingWork }
    let microseconds = (now - last).microseconds
    for (part, time) in count.time(of: microseconds, leaderless: (leader.takenAt - last).microseconds) {
      book.time[part, default: 0] += time
    }
    guard microseconds <= SlotCount.longestGap else { return }
    for holder in holders { book.whole += (holder.slots > 0 ? holder.slots : holder.busy) * microseconds }
  }

  private func holder(_ worker: Registration) -> SlotHolder {
    let (hello, standing) = (worker.hello, standings[worker.hello.worker] ?? Standing())
    let open = attempts.values.filter { $0.outcome == nil && $0.worker == hello.worker }
    let light = open.count { self[$0.key.task].kind.isLight }
    return SlotHolder(
      slots: hello.slots, busy: open.count - min(light, hello.lanes),
      standing: standing.isDrained ? .drained : standing.canaryAt != nil ? .setAside : .serving, capabilities: hello.capabilities)
  }

  private var waitingWork: Set<WaitingWork> {
    Set(
      jobs.values.filter { $0.endedAt == nil }.compactMap { job -> WaitingWork? in
        let ready = job.tasks.map { self[$0] }.filter { $0.state == .ready }
        guard !ready.isEmpty else { return nil }
        let quota = quotas[job.submission.submitter]?.slots
        let obstacle: WaitingWork.Obstacle =
          if job.isPaused { .paused } else if !ready.contains(where: { $0.readyAt <= clock.now }) {
            .retrying
          } else if let quota,
            quota <= running(of: job.submission.submitter)
          { .quota } else { .none }
        return WaitingWork(needs: job.submission.needs, obstacle: obstacle)
      })
  }
}

extension Duration {
  fileprivate var microseconds: Int { Int(self / .microseconds(1)) }
}
