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
      while index + 1 < lines.count, !lines[index + 1].trimmed.isEmpty { index += 1 }
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

  private static func times(_ line: String, _ number: Int, _ log: inout CaptionLog) -> (MediaTime, MediaTime)? {
    let fields = line.split(separator: " ")
    guard let arrow = fields.firstIndex(of: "-->"), arrow == 1, fields.count > 2,
      let start = CaptionClock.time(fields[0]), let end = CaptionClock.time(fields[2])
    else {
      log.note(number, "the times of the cue cannot be read, and it is left out: '\(line.prefix(60))'")
      return nil
    }
    if fields.count > 3 {
      log.note(number, "the cue's coordinates are left out: '\(fields[3...].joined(separator: " ").prefix(60))'")
    }
    return (start, end)
  }
}
