internal import Messages

// Fonts are looked for when a job needs them, by a process of its own, one at a time: a machine may have thousands of font files, and a
// folder that hangs holds up nothing else.
extension WorkerState {
  struct Search: Hashable, Sendable {
    var wanted: [String]
    var started: Duration
    var isDoomed = false
  }

  /// What it has and what it found, for a hello.
  var capabilitiesWithFonts: Capabilities {
    Capabilities(tags: capabilities.tags + fonts.sorted(), memory: capabilities.memory)
  }

  /// What is here already is not looked for again. It is told nevertheless: the coordinator may be another one.
  mutating func seek(_ tags: [String], _ now: Duration) -> [Action] {
    guard mode == .serving else { return [] }
    wantedFonts = Array(Set(tags.filter { FontTag($0) != nil }).sorted().prefix(FontTag.mostAtOnce))
    fonts.formIntersection(wantedFonts)
    return search == nil ? beginSearch(now) : []
  }

  mutating func concludeSearch(_ found: [String], _ now: Duration) -> [Action] {
    guard let ended = search else { return [] }
    search = nil
    fonts.formUnion(Set(found).intersection(ended.wanted).intersection(wantedFonts))
    // Others may have been asked for meanwhile.
    let isLate = !Set(wantedFonts).subtracting(fonts).isSubset(of: ended.wanted)
    return hello(now) + (isLate && mode == .serving ? beginSearch(now) : [])
  }

  private mutating func beginSearch(_ now: Duration) -> [Action] {
    let missing = wantedFonts.filter { !fonts.contains($0) }
    guard !missing.isEmpty else { return hello(now) }
    search = Search(wanted: missing, started: now)
    return [.seek(FontOrder(wanted: missing))]
  }

  mutating func endSearch(_ now: Duration) -> [Action] {
    guard let running = search, !running.isDoomed, now - running.started >= pace.longestSearch else { return [] }
    search?.isDoomed = true
    return [.endSearch, .note(Note("font_search_stalled", ["seconds": "\(pace.longestSearch.components.seconds)"]))]
  }
}
