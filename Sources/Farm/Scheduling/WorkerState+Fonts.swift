internal import Messages

// The search for fonts that jobs need. A process of its own does it, one at a time: a machine may have thousands of font files,
// and a folder that hangs then blocks nothing else.
extension WorkerState {
  struct Search: Hashable, Sendable {
    var wanted: [String]
    var started: Duration
    var isDoomed = false
  }

  /// The worker's own tags with those of the fonts that it found, for a hello.
  var capabilitiesWithFonts: Capabilities {
    Capabilities(tags: capabilities.tags + fonts.sorted(), memory: capabilities.memory)
  }

  /// Begins a search for the fonts that are missing here. Known fonts are told again anyway, because the coordinator may be a new
  /// one.
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
    // The coordinator may have asked for other fonts during the search.
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
    guard let running = search, !running.isDoomed, now - running.started >= timing.longestSearch else { return [] }
    search?.isDoomed = true
    return [.endSearch, .note(Note("font_search_stalled", ["seconds": "\(timing.longestSearch.components.seconds)"]))]
  }
}
