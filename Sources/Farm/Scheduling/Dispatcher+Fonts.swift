internal import Messages

// Fonts that jobs need. A machine may have thousands of font files, and a farm's jobs need only a few, so workers are asked for
// just those. A font that a worker found becomes one of its tags. Only then does the worker get tasks of a job that needs it.
extension Dispatcher {
  /// Has the ledger asked after news of jobs: at once, unless it was just asked. A coordinator that has just begun to lead has asked, and the job
  /// for which it was started comes right behind that.
  mutating func askForFontsSoon(_ now: Duration) {
    timetable.hasten(.fonts, to: max(now, askedForFonts.map { $0 + seekPause } ?? now))
  }

  /// Asks the ledger which fonts are needed: after news of jobs, and once in each `seeking` interval.
  mutating func askForFonts(_ now: Duration) -> [Action] {
    guard timetable.isDue(.fonts, now) else { return [] }
    let isCalm = askedForFonts.map { now - $0 > timing.lastSeek * 2 } ?? true
    seekPause = isCalm ? timing.firstSeek : min(seekPause * 2, timing.lastSeek)
    (askedForFonts, timetable[.fonts]) = (now, now + timing.seeking)
    return [.ask(.wantedFonts)]
  }

  mutating func seek(_ tags: [String], _ now: Duration) -> [Action] {
    wantedFonts = tags
    return members.keys.sorted().flatMap { seek(from: $0, now) }
  }

  /// Asks a worker for the fonts that it lacks, unless it was asked for them within the `seeking` interval.
  mutating func seek(from worker: String, _ now: Duration) -> [Action] {
    guard let member = members[worker], member.slots > 0 else { return [] }
    let missing = Set(wantedFonts).subtracting(member.fonts)
    let isAsked = member.askedForFonts.map { now - $0 < timing.seeking } ?? false
    guard !missing.isEmpty, !(isAsked && missing.isSubset(of: member.askedFonts)) else { return [] }
    members[worker]?.askedFonts = missing
    members[worker]?.askedForFonts = now
    return [.send(.seek(fonts: wantedFonts), route: Self.route(worker, member.epoch))]
  }
}
