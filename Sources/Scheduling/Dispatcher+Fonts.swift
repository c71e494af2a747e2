internal import Messages

// Which workers have the fonts that jobs need. A machine may have thousands of font files, and a farm's jobs need a few: workers are asked
// for those alone, once jobs need them. What a worker has is among its tags from then on, and only then is it given such a job's tasks.
extension Dispatcher {
  /// Asks the ledger when jobs came, and now and then.
  mutating func askForFonts(_ now: Duration) -> [Action] {
    guard now >= seekDue else { return [] }
    seekDue = now + pace.seeking
    return [.ask(.wantedFonts)]
  }

  mutating func seek(_ tags: [String], _ now: Duration) -> [Action] {
    wantedFonts = tags
    return members.keys.sorted().flatMap { seek(from: $0, now) }
  }

  /// Asks a worker that lacks some, unless it was asked just now.
  mutating func seek(from worker: String, _ now: Duration) -> [Action] {
    guard let member = members[worker], member.slots > 0 else { return [] }
    let missing = Set(wantedFonts).subtracting(member.fonts)
    let isAsked = member.askedForFonts.map { now - $0 < pace.seeking } ?? false
    guard !missing.isEmpty, !(isAsked && missing.isSubset(of: member.askedFonts)) else { return [] }
    members[worker]?.askedFonts = missing
    members[worker]?.askedForFonts = now
    return [.send(.seek(fonts: wantedFonts), route: Self.route(worker, member.epoch))]
  }
}
