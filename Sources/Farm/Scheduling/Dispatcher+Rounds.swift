internal import Messages

// The order of requests to the ledger. One request is open at a time. A due renewal of the lead goes before all else. Each kind
// of work then has its turn once in a round, with a group of bounded size. So neither a thousand registrations nor a thousand
// results delay the lead or each other.
extension Dispatcher {
  /// The steps of a round in their order: first who is there, then what ended and what is given out, for which workers wait, then
  /// everything else.
  enum Step: CaseIterable, Sendable {
    case halves, history, register, retire, lose, lookUp, fail
    case commit, claim, flush
    case heartbeat, expire, review, log, sweep, over, seek, follow, news, split, speculate, learn, slots
  }

  /// The most items of one request, unless it says otherwise. Such a request takes some tens of milliseconds; the lead's lease
  /// lasts seconds.
  package static let mostTogether = 500
  /// The most results of which paces are learned at once. A busy farm has more in a second, and so many tell the paces as well. To learn
  /// from 500 makes a round 15 ms longer.
  static let mostLearned = 100
  /// The number of results for which a round does not wait longer than `shortestPause`. What a round costs is then
  /// mostly their own work.
  static let goodBatch = 100
  /// The most attempts that leaving, lost or restarted workers may hold in one request. One transaction ends them all.
  static let mostEndsTogether = 1000
  /// The most failures in one request. Each takes several statements.
  static let mostFailuresTogether = 100

  /// Goes on with the round until a step has a request for the ledger.
  mutating func proceed(_ now: Duration) -> [Action] {
    if now >= (outage?.retryDue ?? timetable[.lead]) { return askForLead(now) }
    guard term != nil, !isLedgerAway else { return [] }
    var actions: [Action] = []
    while let step = round.popFirst() {
      actions += take(step, now)
      if case .ask = actions.last { return actions }
    }
    if isInRound {
      (isInRound, roundEnded) = (false, now)
      if waiting.completions.count < Self.mostTogether { timetable[.round] = now + timing.gatheringRounds }
      hastenRound()
    }
    return actions
  }

  /// Shortens the pause before the next round where many results wait.
  mutating func hastenRound() {
    if waiting.completions.count >= Self.goodBatch { timetable.hasten(.round, to: roundEnded + timing.shortestPause) }
  }

  /// Asks for the lead, or renews it. This request is the cheapest, and also finds out whether the ledger is back.
  private mutating func askForLead(_ now: Duration) -> [Action] {
    (polled, timetable[.lead]) = (now, now + timing.polling)
    members = members.filter { now - $0.value.heard <= timing.forgetting }
    return [.ask(.lead(candidate))]
  }

  private mutating func take(_ step: Step, _ now: Duration) -> [Action] {
    func ask<Element>(_ group: [Element], _ request: ([Element]) -> LedgerRequest) -> [Action] {
      group.isEmpty ? [] : [.ask(request(group))]
    }
    let most = Self.mostTogether
    switch step {
    case .halves: return waiting.halves.isEmpty ? [] : [.ask(waiting.halves.removeFirst())]
    case .history: return keepHistory(now)
    case .register:
      let hellos = waiting.hellos.removeFirst(most, weighing: Self.mostEndsTogether) { max($0.slots, $0.running.count) }
      return ask(hellos.map(\.value), LedgerRequest.register)
    case .retire:
      return ask(waiting.farewells.removeFirst(most, weighing: Self.mostEndsTogether, \.self).map(\.key), LedgerRequest.retire)
    case .lose:
      return ask(waiting.lost.removeFirst(most, weighing: Self.mostEndsTogether, \.self).map(\.key), LedgerRequest.lose)
    case .lookUp: return ask(waiting.lookups.removeFirst(most), LedgerRequest.openAttempts)
    case .heartbeat: return noteHeartbeats(now)
    case .expire:
      defer { waiting.mustExpire = false }
      return waiting.mustExpire ? [.ask(.expire)] : []
    case .review:
      defer { waiting.mustReview = false }
      return waiting.mustReview ? ask(held, LedgerRequest.review) : []
    case .log: return ask(waiting.takeLogs(), LedgerRequest.keep)
    case .fail: return ask(waiting.failures.removeFirst(Self.mostFailuresTogether), LedgerRequest.fail)
    case .sweep: return sweep(now)
    case .over: return askForOver()
    case .seek: return askForFonts(now)
    case .commit: return ask(waiting.completions.removeFirst(most), LedgerRequest.commit)
    case .claim: return claim(now)
    // Mostly the claim has flushed already, with its own commit.
    case .flush: return untold.isEmpty ? [] : [.ask(.flush)]
    case .split: return split(now)
    case .follow:
      defer { waiting.mustFollow = false }
      return waiting.mustFollow ? [.ask(.follow)] : []
    case .news:
      defer { waiting.mustTell = false }
      return waiting.mustTell ? [.ask(.news)] : []
    case .speculate: return speculate(now)
    case .learn: return learn(now)
    case .slots:
      guard timetable.isDue(.slots, now) else { return [] }
      timetable[.slots] = now + timing.countingSlots
      return [.ask(.countSlots)]
    }
  }

  private mutating func keepHistory(_ now: Duration) -> [Action] {
    guard timetable.isDue(.history, now) else { return [] }
    timetable[.history] = now + timing.historyKeeping
    return [.ask(.keepHistory)]
  }

  private mutating func noteHeartbeats(_ now: Duration) -> [Action] {
    guard timetable.isDue(.heartbeats, now), !waiting.heartbeats.isEmpty else { return [] }
    let noted = waiting.heartbeats.removeNext(Offer.limit, after: &lastNoted)
    // Each heartbeat costs a write. On a large farm the newest of each worker is noted a few times within a lease, and not all of them.
    let rate = max(timing.notedHeartbeats, Double(members.count) / (timing.notingWithin / .seconds(1)))
    timetable[.heartbeats] = now + max(timing.gathering, .seconds(Double(noted.count) / rate))
    return [.ask(.heartbeat(noted))]
  }

  /// The attempts that workers are believed to run.
  private var held: [ExpiredAttempt] {
    members.sorted { $0.key < $1.key }.flatMap { name, member in
      member.given.keys.sorted().map { ExpiredAttempt(worker: name, key: $0) }
    }
  }

  private mutating func claim(_ now: Duration) -> [Action] {
    guard mayClaim else { return [] }
    (mayClaim, hasSpareSlots) = (false, false)
    let free = (freeSlots(now, ahead: true) + laneOffers(now)).map { (members[$0.worker]?.lastGiven ?? .zero, $0) }
    guard !free.isEmpty else { return [] }
    // Among equals the first one is chosen. One that was just given an attempt still starts the process that waits for the next.
    return [.ask(.claim(free.sorted { ($0.0, $0.1.worker) < ($1.0, $1.1.worker) }.map(\.1)))]
  }

  private mutating func learn(_ now: Duration) -> [Action] {
    guard timetable.isDue(.learning, now), !waiting.winners.isEmpty else { return [] }
    timetable[.learning] = now + timing.learning
    defer { waiting.winners = [] }
    return [.ask(.learn(waiting.winners))]
  }

  /// - Parameter ahead: whether attempts count that workers may be given ahead of their slots.
  func freeSlots(_ now: Duration, ahead: Bool = false) -> [FreeSlots] {
    func free(_ member: Member) -> Int { ahead ? member.freeSlotsAhead(now) : member.freeSlots }
    // Most members have none, so each is looked at in its place instead of being copied first.
    return members.indices.filter { free(members.values[$0]) > 0 }.compactMap { index in
      let (name, member) = members[index]
      guard isServing(member, now) else { return nil }
      return FreeSlots(worker: name, epoch: member.epoch, slots: free(member), lanes: member.freeLanes)
    }.sorted { $0.worker < $1.worker }
  }

  func isServing(_ member: Member, _ now: Duration) -> Bool {
    member.standing == .known && now - member.heard <= timing.silence
  }
}
