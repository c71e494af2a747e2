internal import MediaTime

/// Lyrics (.lrc): lines that begin with the times at which they are sung. Enhanced ones have times before words, too.
enum Lyrics {
  private struct Line {
    var start: MediaTime
    var words: [CaptionCue.Word]
    var text: String
    var number: Int
  }

  static func cues(of lines: [String], _ log: inout CaptionLog) -> [CaptionCue] {
    var found: [Line] = []
    var offset = MediaTime.zero
    var length: MediaTime?
    for (index, line) in lines.enumerated() {
      guard found.count <= CaptionLimits.cues else { break }
      let text = line.trimmed
      guard !text.isEmpty else { continue }
      let (times, rest) = stamps(text)
      guard times.isEmpty else {
        found += times.map { Self.line($0, text: String(rest), number: index + 1, log: &log) }
        continue
      }
      guard let (key, value) = tag(text) else {
        log.note(index + 1, "belongs to no cue, and is left out: '\(text.prefix(60))'")
        continue
      }
      switch key {
      case "offset":
        if let time = milliseconds(value) {
          offset = time
        } else {
          log.note(index + 1, "the offset cannot be read: '\(value.prefix(40))'")
        }
      case "length": length = CaptionClock.time(value.trimmed)
      default: break  // the title, the artist and who made the file
      }
    }
    return cues(
      of: found.enumerated().sorted { ($0.element.start, $0.offset) < ($1.element.start, $1.offset) }.map(\.element),
      earlier: offset, length, &log)
  }

  /// The cues of the lines, each of which ends where the next one begins. An empty line only ends the one before it.
  ///
  /// - Parameter offset: the time by which all is sung earlier than the lines say.
  private static func cues(
    of lines: [Line], earlier offset: MediaTime, _ length: MediaTime?, _ log: inout CaptionLog
  ) -> [CaptionCue] {
    var cues: [CaptionCue] = []
    for (index, line) in lines.enumerated() where !line.text.isEmpty {
      do throws(TimeError) {
        // Two languages of one line begin together, and end together.
        let next = lines[(index + 1)...].first { $0.start > line.start }?.start
        let last = try line.start + CaptionLimits.lastLine
        let end = next ?? length.map { max($0, line.start) } ?? line.words.last.map { max(last, $0.end ?? $0.time) } ?? last
        func shifted(_ time: MediaTime) throws(TimeError) -> MediaTime { try max(time - offset, .zero) }
        var words: [CaptionCue.Word] = []
        for word in line.words { words.append(.init(try shifted(word.time), word.text, until: try word.end.map(shifted))) }
        if let cue = log.cue(from: try shifted(line.start), to: try shifted(end), line.text, words: words, line: line.number) {
          cues.append(cue)
        }
      } catch { log.note(line.number, "the line is left out: \(error)") }
    }
    return cues
  }

  /// The times at the start of a line, and the rest of it.
  private static func stamps(_ text: String) -> ([MediaTime], Substring) {
    var (times, rest): ([MediaTime], Substring) = ([], text[...])
    while rest.hasPrefix("["), times.count < 100, let end = rest.firstIndex(of: "]") {
      guard let time = stamp(rest[rest.index(after: rest.startIndex)..<end]) else { break }
      times.append(time)
      rest = rest[rest.index(after: end)...]
      while rest.first == " " { rest.removeFirst() }
    }
    return (times, rest)
  }

  /// The time of `mm:ss.xx`, which some programs write as `mm:ss:xx`.
  private static func stamp(_ text: Substring) -> MediaTime? {
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    if fields.count == 3, !text.contains("."), fields[2].utf8.count == 2 {
      return CaptionClock.time("\(fields[0]):\(fields[1]).\(fields[2])")
    }
    return fields.count == 2 || fields.count == 3 ? CaptionClock.time(text) : nil
  }

  private static func line(_ start: MediaTime, text: String, number: Int, log: inout CaptionLog) -> Line {
    var words: [CaptionCue.Word] = []
    var (plain, pending, hasTimes): (String, MediaTime, Bool) = ("", start, false)
    for (index, part) in text.split(separator: "<", omittingEmptySubsequences: false).enumerated() {
      var part = part
      if index > 0 {
        if let end = part.firstIndex(of: ">"), let time = stamp(part[..<end]) {
          (pending, hasTimes) = (time, true)
          part = part[part.index(after: end)...]
        } else {
          part = "<" + part
        }
      }
      plain += part
      if words.last?.time == pending { words[words.count - 1].text += part } else { words.append(.init(pending, String(part))) }
    }
    words = words.map { .init($0.time, $0.text.trimmed) }.spoken
    return Line(start: start, words: hasTimes ? words : [], text: plain.trimmed, number: number)
  }

  /// The key and the value of `[key:value]`.
  private static func tag(_ text: String) -> (String, String)? {
    guard text.hasPrefix("["), text.hasSuffix("]"), let colon = text.firstIndex(of: ":") else { return nil }
    return (text[text.index(after: text.startIndex)..<colon].lowercased(), String(text[text.index(after: colon)...].dropLast()))
  }

  private static func milliseconds(_ text: String) -> MediaTime? {
    let text = text.trimmed
    let digits = text.hasPrefix("-") || text.hasPrefix("+") ? String(text.dropFirst()) : text
    guard let number = CaptionClock.number(digits, digits: 1...9) else { return nil }
    return try? MediaTime(text.hasPrefix("-") ? -number : number, 1000)  // always fits
  }
}
