internal import Messages

// One coordinator leads, in a term. The others know nobody, tell whoever asks to ask elsewhere, and stand for the lead at each poll.
extension Dispatcher {
  mutating func stand(_ leadership: Leadership, _ now: Duration) -> [Action] {
    candidate.isNew = false
    // Counted from the answer: one that comes late must not be all that there is time for.
    pollDue = now + pace.polling
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

  /// A term of its own may follow another of its own, when nobody took the lead meanwhile.
  private mutating func lead(_ term: Int, _ now: Duration) -> [Action] {
    var actions: [Action] = []
    defer { renewed = now }
    if self.term != term {
      if self.term != nil { actions.append(loseLead("its lease had passed, and it leads on in term \(term)", now)) }
      (self.term, followed) = (term, nil)
      doubtAll()
      (historyDue, seekDue) = (now, now)
      actions.append(.note(Note("leads", ["coordinator": candidate.name, "term": "\(term)"])))
    }
    // Only now, in the term that was answered: whose own lease had passed leads in a new one. And not at once where nobody could be
    // heard for a while: who lives says so in that time, and goes on with what it runs.
    let due = overdueSince ?? now + pace.silence
    overdueSince = due
    waiting.mustExpire = now >= due
    (waiting.mustFollow, waiting.mustTell, mayClaim) = (true, true, true)
    return actions + loseDisconnected(now)
  }

  /// Says that the lead was lost, as it is learned: for how long the lease had not been renewed tells a stall of this process or of the
  /// database from another coordinator's haste.
  func loseLead(_ reason: String, _ now: Duration) -> Action {
    let silence = (now - renewed) / .milliseconds(1)
    return .note(
      Note(
        "lead_lost",
        ["term": term.map { "\($0)" } ?? "none", "reason": reason, "unrenewed_ms": "\(Int(silence))"]))
  }

  /// Sends its workers away and forgets them; their attempts go on, and are in the ledger.
  mutating func stepDown(_ now: Duration) -> [Action] {
    let routes = members.sorted { $0.key < $1.key }.map { Self.route($0.key, $0.value.epoch) }
    (term, members, waiting, round, untold, wishes) = (nil, [:], Waiting(), [], [], [:])
    pollDue = now + pace.polling
    return routes.map { .send(.notLeading, route: $0) }
  }
}

extension LedgerRequest {
  /// For the log, which needs not hold thousands of heartbeats.
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
    case .expire: "expire"
    case .over: "over"
    case .wantedFonts: "wanted_fonts"
    case .review: "review"
    case .follow: "follow"
    case .keepHistory: "keep_history"
    case .news: "news"
    case .flush: "flush"
    }
  }
}
