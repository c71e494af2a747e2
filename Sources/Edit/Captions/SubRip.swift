internal import MediaTime

/// SubRip files (.srt): numbered blocks of a line of times and lines of text, parted by empty lines.
enum SubRip {
  static func cues(of lines: [String], _ log: inout CaptionLog) -> [CaptionCue] {
    var cues: [CaptionCue] = []
    var index = 0
    while index < lines.count, !log.isFull {
      defer { index += 1 }
      let line = lines[index].trimmed
      guard !line.isEmpty else { continue }
      guard line.contains("-->") else {
        let next = index + 1 < lines.count ? lines[index + 1] : ""
        if !line.isDigits || !next.contains("-->") {
          log.note(index + 1, "belongs to no cue, and is left out: '\(line.prefix(60))'")
        }
        continue
      }
      let first = index
      while index + 1 < lines.count, !lines[index + 1].trimmed.isEmpty, !beginsCue(lines, at: index + 1) { index += 1 }
      guard let (start, end) = times(line, first + 1, &log) else { continue }
      var text = TaggedText(isWebVTT: false)
      text.read(lines[(first + 1)..<(index + 1)].joined(separator: "\n"), first + 1, &log)
      if var cue = text.runs.cue(from: start, to: end, line: first + 1, &log) {
        if let place = text.place { (cue.place, cue.align) = place }
        cues.append(cue)
      }
    }
    return cues
  }

  /// Whether a cue begins at a line with no empty line before it, with its number or with its times alone.
  private static func beginsCue(_ lines: [String], at index: Int) -> Bool {
    if times(lines[index]) != nil { return true }
    return lines[index].trimmed.isDigits && index + 1 < lines.count && times(lines[index + 1]) != nil
  }

  /// The times of a line, and what stands behind them.
  private static func times(_ line: String) -> (start: MediaTime, end: MediaTime, rest: [Substring])? {
    let sides = line.split(separator: "-->", maxSplits: 1, omittingEmptySubsequences: false)
    let fields = sides.count == 2 ? sides[1].split(separator: " ") : []
    guard let last = fields.first, let start = CaptionClock.time(sides[0].trimmed), let end = CaptionClock.time(last) else {
      return nil
    }
    return (start, end, Array(fields.dropFirst()))
  }

  private static func times(_ line: String, _ number: Int, _ log: inout CaptionLog) -> (MediaTime, MediaTime)? {
    guard let times = times(line) else {
      log.note(number, "the times of the cue cannot be read, and it is left out: '\(line.prefix(60))'")
      return nil
    }
    if !times.rest.isEmpty {
      log.note(number, "the cue's coordinates are left out: '\(times.rest.joined(separator: " ").prefix(60))'")
    }
    return (times.start, times.end)
  }
}
