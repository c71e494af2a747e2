internal import Formats
internal import MediaTime

/// WebVTT files (.vtt), as the W3C's "WebVTT: The Web Video Text Tracks Format" states them.
enum WebVTT {
  /// - Throws: `CaptionFault` when the file does not begin as a WebVTT file must.
  static func cues(of lines: [String], _ log: inout CaptionLog) throws(CaptionFault) -> [CaptionCue] {
    let first = lines.first ?? ""
    guard first == "WEBVTT" || first.hasPrefix("WEBVTT ") else { throw CaptionFault("does not begin with 'WEBVTT'") }
    var (cues, head): ([CaptionCue], Head) = ([], Head())
    var index = 1
    // The header goes on to the first empty line.
    while index < lines.count, !lines[index].isEmpty, !lines[index].contains("-->") {
      // A piece of a stream counts its times from there.
      if lines[index].hasPrefix("X-TIMESTAMP-MAP") {
        log.note(index + 1, "'\(lines[index].prefix(60))' is not used: times count from the file's zero, or give \"offset\"")
      }
      index += 1
    }
    while index < lines.count, !log.isFull {
      guard !lines[index].trimmed.isEmpty else {
        index += 1
        continue
      }
      index = block(lines, from: index, cues: &cues, head: &head, log: &log)
    }
    return cues
  }

  /// The style sheets and the regions that a file states before its cues.
  private struct Head {
    var styles = WebVTTStyles()
    var regions: [String: CaptionCue.Region] = [:]
  }

  /// Reads one block of lines, and returns the index of the line after it.
  private static func block(
    _ lines: [String], from first: Int, cues: inout [CaptionCue], head: inout Head, log: inout CaptionLog
  ) -> Int {
    var index = first
    if !lines[index].contains("-->") {
      if index + 1 < lines.count, lines[index + 1].contains("-->") {
        index += 1
      } else {
        return pass(lines, from: index, &head, &log)
      }
    }
    let timing = index
    index += 1
    let start = index
    while index < lines.count, !lines[index].isEmpty, !lines[index].contains("-->") { index += 1 }
    guard let (from, to, settings) = times(lines[timing], timing + 1, &log) else { return index }
    var text = TaggedText(isWebVTT: true, styles: head.styles)
    text.read(lines[start..<index].joined(separator: "\n"), timing + 1, &log)
    if var cue = text.runs.cue(from: from, to: to, line: timing + 1, &log) {
      WebVTTSettings(settings, head.regions).apply(to: &cue, timing + 1, &log)
      cues.append(cue)
    }
    return index
  }

  /// Passes over a block that is no cue.
  private static func pass(
    _ lines: [String], from first: Int, _ head: inout Head, _ log: inout CaptionLog
  ) -> Int {
    var index = first
    while index < lines.count, !lines[index].isEmpty, !lines[index].contains("-->") { index += 1 }
    switch lines[first].split(separator: " ").first {
    case "NOTE": break
    case "STYLE": head.styles.read(lines[(first + 1)..<index].joined(separator: " "), first + 1, &log)
    case "REGION":
      let (name, region) = WebVTTSettings.region(lines[(first + 1)..<index].flatMap { $0.split(separator: " ") }, first + 1, &log)
      if !name.isEmpty, head.regions.count < most { head.regions[name] = region }
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

  /// The regions of a file that are read.
  private static let most = 1000

  /// The share of a percentage in 0...100.
  static func share(_ value: some StringProtocol) -> Double? {
    guard value.hasSuffix("%"), value.utf8.count < 12, value.utf8.dropLast().allSatisfy({ 0x30...0x39 ~= $0 || $0 == 0x2e }),
      let number = Double(value.dropLast()), 0...100 ~= number
    else { return nil }
    return number / 100
  }
}
