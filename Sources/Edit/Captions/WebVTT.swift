internal import Formats
internal import MediaTime

/// WebVTT files (.vtt), as the W3C's "WebVTT: The Web Video Text Tracks Format" states them.
enum WebVTT {
  /// - Throws: `CaptionFault` when the file does not begin as a WebVTT file must.
  static func cues(of lines: [String], _ log: inout CaptionLog) throws(CaptionFault) -> [CaptionCue] {
    let first = lines.first ?? ""
    guard first == "WEBVTT" || first.hasPrefix("WEBVTT ") else { throw CaptionFault("does not begin with 'WEBVTT'") }
    var (cues, styles): ([CaptionCue], WebVTTStyles) = ([], WebVTTStyles())
    var index = 1
    // The header goes on to the first empty line.
    while index < lines.count, !lines[index].isEmpty, !lines[index].contains("-->") { index += 1 }
    while index < lines.count, !log.isFull {
      guard !lines[index].trimmed.isEmpty else {
        index += 1
        continue
      }
      index = block(lines, from: index, &cues, &styles, &log)
    }
    return cues
  }

  /// Reads one block of lines, and returns the index of the line after it.
  private static func block(
    _ lines: [String], from first: Int, _ cues: inout [CaptionCue], _ styles: inout WebVTTStyles, _ log: inout CaptionLog
  ) -> Int {
    var index = first
    if !lines[index].contains("-->") {
      if index + 1 < lines.count, lines[index + 1].contains("-->") {
        index += 1
      } else {
        return pass(lines, from: index, &styles, &log)
      }
    }
    let timing = index
    index += 1
    let start = index
    while index < lines.count, !lines[index].isEmpty, !lines[index].contains("-->") { index += 1 }
    guard let (from, to, settings) = times(lines[timing], timing + 1, &log) else { return index }
    var text = TaggedText(isWebVTT: true, styles: styles)
    text.read(lines[start..<index].joined(separator: "\n"), timing + 1, &log)
    if var cue = text.runs.cue(from: from, to: to, line: timing + 1, &log) {
      place(&cue, by: settings, timing + 1, &log)
      cues.append(cue)
    }
    return index
  }

  /// Passes over a block that is no cue.
  private static func pass(
    _ lines: [String], from first: Int, _ styles: inout WebVTTStyles, _ log: inout CaptionLog
  ) -> Int {
    var index = first
    while index < lines.count, !lines[index].isEmpty, !lines[index].contains("-->") { index += 1 }
    switch lines[first].split(separator: " ").first {
    case "NOTE": break
    case "STYLE": styles.read(lines[(first + 1)..<index].joined(separator: " "), first + 1, &log)
    case "REGION": log.note(first + 1, "the region is not used: its cues stand in the track's place")
    default: log.note(first + 1, "belongs to no cue, and is left out: '\(lines[first].prefix(60))'")
    }
    return index
  }

  private static func times(
    _ line: String, _ number: Int, _ log: inout CaptionLog
  ) -> (MediaTime, MediaTime, [Substring])? {
    let parts = line.split(separator: "-->", maxSplits: 1, omittingEmptySubsequences: false)
    let rest = parts.count == 2 ? parts[1].split(separator: " ") : []
    guard let first = parts.first, let end = rest.first, let from = CaptionClock.time(first.trimmed),
      let to = CaptionClock.time(end)
    else {
      log.note(number, "the times of the cue cannot be read, and it is left out: '\(line.prefix(60))'")
      return nil
    }
    return (from, to, Array(rest.dropFirst()))
  }

  // MARK: - Settings

  /// The margins that a cue at the picture's edge keeps, as shares of its sides.
  private static let (near, far) = (0.05, 0.95)

  private static func place(
    _ cue: inout CaptionCue, by settings: [Substring], _ number: Int, _ log: inout CaptionLog
  ) {
    var (x, y): (Double?, Double?)
    var lost: [Substring] = []
    for setting in settings {
      let pair = setting.split(separator: ":", maxSplits: 1)
      let values = pair.count == 2 ? pair[1].split(separator: ",") : []
      guard let value = values.first else {
        lost.append(setting)
        continue
      }
      switch pair[0] {
      case "align" where alignment(value) != nil: cue.align = alignment(value)
      case "position" where share(value) != nil: x = share(value)
      case "line" where share(value) != nil:
        y = share(value)
        cue.place = values.count == 1 ? .top : values[1] == "center" ? .middle : values[1] == "end" ? .bottom : .top
      case "line" where Int(value) != nil:
        cue.place = value.hasPrefix("-") ? .bottom : .top
        if value != "0" && value != "-1" { lost.append(setting) }
      case "size" where (share(value) ?? 0) > 0: cue.width = share(value).flatMap { $0 < 1 ? max($0, 0.01) : nil }
      default: lost.append(setting)
      }
    }
    if x != nil || y != nil {
      let align = cue.align ?? .center
      if y == nil { cue.place = cue.place ?? .bottom }
      cue.position = Point(
        x ?? (align == .left ? near : align == .right ? far : 0.5), y ?? (cue.place == .top ? near : far))
    }
    if !lost.isEmpty { log.note(number, "not used, or not exactly: \(lost.joined(separator: " ").prefix(100))") }
  }

  private static func alignment(_ value: Substring) -> CaptionAlignment? {
    switch value {
    case "start", "left": .left
    case "center", "middle": .center
    case "end", "right": .right
    default: nil
    }
  }

  /// The share of a percentage in 0...100.
  static func share(_ value: some StringProtocol) -> Double? {
    guard value.hasSuffix("%"), value.utf8.count < 12, value.utf8.dropLast().allSatisfy({ 0x30...0x39 ~= $0 || $0 == 0x2e }),
      let number = Double(value.dropLast()), 0...100 ~= number
    else { return nil }
    return number / 100
  }
}
