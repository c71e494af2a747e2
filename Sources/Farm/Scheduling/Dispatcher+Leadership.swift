internal import Messages

// Leadership. One coordinator leads, in a term. The others know no workers, tell whoever speaks to them to ask elsewhere, and
// stand for the lead at each poll.
extension Dispatcher {
  mutating func stand(_ leadership: Leadership, _ now: Duration) -> [Action] {
    candidate.isNew = false
    // The next poll counts from the answer, so that a late answer still leaves time for other work.
    timetable[.lead] = now + timing.polling
    switch leadership {
    case .leads(let term): return lead(term, now)
    case .follows(let leader, let term):
      defer { followed = leader }
      let actions = self.term == nil ? [] : [loseLead(loss(to: leader, term), now)] + stepDown(now)
      return followed == leader ? actions : actions + [.note(Note("follows", ["leader": leader, "term": "\(term)"]))]
    }
  }

  private func loss(to leader: String, _ term: Int) -> String {
    leader == candidate.name
      ? "another process is named \(leader) as well, and leads term \(term)" : "\(leader) leads term \(term)"
  }

  /// Begins or renews the lead. The term may be new although this coordinator led before: its lease had ended and nobody else
  /// took the lead.
  private mutating func lead(_ term: Int, _ now: Duration) -> [Action] {
    var actions: [Action] = []
    defer { renewed = now }
    if self.term != term {
      if self.term != nil { actions.append(loseLead("its lease had passed, and it leads on in term \(term)", now)) }
      (self.term, followed) = (term, nil)
      doubtAll()
      (timetable[.history], timetable[.fonts], timetable[.slots]) = (now, now, now + timing.countingSlots)
      actions.append(.note(Note("leads", ["coordinator": candidate.name, "term": "\(term)"])))
    }
    // Attempts expire only in a term that the ledger has confirmed. After a time in which no worker could be heard, they get
    // `silence` longer: workers that live report in that time and keep their attempts.
    let due = overdueSince ?? now + timing.silence
    overdueSince = due
    waiting.mustExpire = now >= due
    (waiting.mustFollow, waiting.mustTell, mayClaim) = (true, true, true)
    return actions + loseDisconnected(now)
  }

  /// Logs that the lead was lost, with the time since it was last renewed. A long time points to a stall of this process or of
  /// the database; a short one, to a coordinator that took the lead too early.
  func loseLead(_ reason: String, _ now: Duration) -> Action {
    let silence = (now - renewed) / .milliseconds(1)
    return .note(
      Note(
        "lead_lost",
        ["term": term.map { "\($0)" } ?? "none", "reason": reason, "unrenewed_ms": "\(Int(silence))"]))
  }

  /// Tells all workers that this coordinator does not lead, and forgets them. Their attempts go on and stay in the ledger.
  mutating func stepDown(_ now: Duration) -> [Action] {
    let routes = members.sorted { $0.key < $1.key }.map { Self.route($0.key, $0.value.epoch) }
    (term, members, waiting, round, untold, wishes) = (nil, [:], Waiting(), [], [], [:])
    timetable[.lead] = now + timing.polling
    return routes.map { .send(.notLeading, route: $0) }
  }
}

extension LedgerRequest {
  /// The request's name for the log, without its contents.
  var word: String {
    switch self {
    case .lead: "lead"
    case .resign: "resign"
    case .register: "register"
    case .heartbeat: "heartbeat"
    case .retire: "retire"
    case .lose: "lose"
    case .openAttempts: "open_attempts"
    case .claim: "claim"
    case .split: "split"
    case .speculate: "speculate"
    case .learn: "learn"
    case .commit: "commit"
    case .fail: "fail"
    case .keep: "keep"
    case .expire: "expire"
    case .over: "over"
    case .wantedFonts: "wanted_fonts"
    case .review: "review"
    case .follow: "follow"
    case .keepHistory: "keep_history"
    case .countSlots: "count_slots"
    case .news: "news"
    case .flush: "flush"
    }
  }
}
