internal import MediaTime

/// The forms of caption files.
package enum CaptionFormat: String, Hashable, Sendable, CaseIterable {
  case srt, vtt, lrc, ass, ttml

  /// The format by the end of a file's name; nil when it tells none.
  package init?(fileName: String) {
    switch fileName.split(separator: ".").last?.lowercased() {
    case "srt": self = .srt
    case "vtt": self = .vtt
    case "lrc": self = .lrc
    case "ass", "ssa": self = .ass
    case "ttml", "dfxp", "xml", "imsc": self = .ttml
    default: return nil
    }
  }

  /// The names that files of these formats end with, for messages.
  package static let extensions = ".srt, .vtt, .lrc, .ass, .ssa or .ttml"
}

/// A part of a caption file that is not shown, or not as it was written.
package struct CaptionRemark: Hashable, Sendable, CustomStringConvertible {
  /// The line in the file, from 1.
  package let line: Int
  package let message: String

  package init(_ line: Int, _ message: String) { (self.line, self.message) = (line, message) }

  package var description: String { "line \(line): \(message)" }
}

/// The reason for which a whole caption file is refused.
package struct CaptionFault: Error, Hashable, Sendable, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}

/// The cues of a caption file, and what of the file they leave out.
package struct CaptionFile: Hashable, Sendable {
  /// The cues by their start; those that start together in the file's order. A cue may be empty in time, and cues may overlap.
  package let cues: [CaptionCue]
  /// The remarks, at most `CaptionLimits.remarks`.
  package let remarks: [CaptionRemark]
  /// The number of further remarks.
  package let omittedRemarks: Int

  /// Reads a file's text.
  ///
  /// - Throws: the reason for which the file cannot be read at all.
  package init(_ text: String, _ format: CaptionFormat) throws(CaptionFault) {
    var log = CaptionLog()
    var cues: [CaptionCue]
    switch format {
    case .srt: cues = SubRip.cues(of: CaptionText.lines(of: text), &log)
    case .vtt: cues = try WebVTT.cues(of: CaptionText.lines(of: text), &log)
    case .lrc: cues = Lyrics.cues(of: CaptionText.lines(of: text), &log)
    case .ass: cues = try SubStation.cues(of: CaptionText.lines(of: text), &log)
    case .ttml: cues = try TimedText.cues(of: text, &log)
    }
    if log.isFull { throw CaptionFault("has more than \(CaptionLimits.cues) cues") }
    cues = cues.enumerated().sorted {
      ($0.element.range.start, $0.offset) < ($1.element.range.start, $1.offset)
    }.map(\.element)
    self.cues = cues
    (remarks, omittedRemarks) = (log.remarks, log.omitted)
  }
}

/// Collects the remarks on a file while it is read, and checks its cues.
struct CaptionLog {
  private(set) var remarks: [CaptionRemark] = []
  private(set) var omitted = 0
  private var cueCount = 0

  /// Whether there were more cues than a file may have. The rest is not read then.
  var isFull: Bool { cueCount > CaptionLimits.cues }

  mutating func note(_ line: Int, _ message: String) {
    guard remarks.count < CaptionLimits.remarks else { return omitted += 1 }
    remarks.append(CaptionRemark(line, message))
  }

  /// The cue, or nil and a remark where it cannot be shown.
  mutating func cue(
    from start: MediaTime, to end: MediaTime, _ text: String, words: [CaptionCue.Word] = [], line: Int
  ) -> CaptionCue? {
    cueCount += 1
    guard !isFull else { return nil }
    guard !text.isEmpty else { return nothing(line, "the cue has no text, and is left out") }
    guard text.utf8.count <= CaptionLimits.cueLength else {
      return nothing(line, "the cue is longer than \(CaptionLimits.cueLength) bytes, and is left out")
    }
    guard end >= start else { return nothing(line, "the cue ends at \(end), before it starts at \(start), and is left out") }
    guard end <= CaptionLimits.latest else { return nothing(line, "the cue ends after 100 hours, and is left out") }
    if start == end { note(line, "the cue starts and ends at \(start), and is never shown") }
    // The end is not before the start, so the range is one.
    guard let range = try? MediaTimeRange(start: start, end: end) else {
      return nothing(line, "the times of the cue cannot be counted, and it is left out")
    }
    var kept: [CaptionCue.Word] = []
    for var word in words where !word.text.isEmpty {
      guard word.time >= (kept.last?.time ?? start), word.time <= end else {
        note(line, "the time \(word.time) of '\(word.text)' is not between those around it: the words' times are left out")
        return CaptionCue(range, text)
      }
      if let stop = word.end, stop < word.time || stop >= end { word.end = nil }
      if let last = kept.last?.end, last > word.time { kept[kept.count - 1].end = nil }
      kept.append(word)
    }
    return CaptionCue(range, text, words: kept)
  }

  private mutating func nothing(_ line: Int, _ message: String) -> CaptionCue? {
    note(line, message)
    return nil
  }
}
