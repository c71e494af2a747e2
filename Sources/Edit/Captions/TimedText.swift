internal import Formats
internal import MediaTime

/// Timed text (.ttml, IMSC): paragraphs and spans with times, and the simple parts of their styles and regions.
struct TimedText {
  private struct Level {
    var begin: MediaTime
    var end: MediaTime?
    /// The time from which the next element in it counts, where they follow each other; nil where all count from its beginning.
    var next: MediaTime?
    /// The style by what this element and those around it say.
    var style = TimedTextStyle()
    /// The style with what the region says.
    var whole = TimedTextStyle()
    var region: String?
    /// The language, where it decides how Han characters are drawn.
    var language: String?
    var keepsSpace = false
    /// Whether nothing in it is shown.
    var isLeftOut = false
    /// The part that the element has in a ruby, such as "base" or "text".
    var ruby: String?
    /// The character that ends what it embeds in its paragraph; nil where it does not.
    var mark: String?
    /// Whether the element begins and ends what is said or sung, as a span with a time does.
    var name = ""

    var isShown: Bool { !isLeftOut && whole.isShown }
  }

  private struct Paragraph {
    var runs = CueRuns()
    let line: Int
    /// Whether it says itself when it begins.
    let saysBegin: Bool
    /// The language, where it decides how Han characters are drawn.
    let language: String?
    /// The latest end of the spans in it that have times.
    var end: MediaTime?

    mutating func goOn(to time: MediaTime) { end = max(end ?? time, time) }
  }

  /// A region that is being read: what it says, and what the styles say that it refers to or holds.
  private struct OpenRegion {
    let id: String
    let line: Int
    let own: [String: String]
    var styles: [String: String]
    /// The times at which it is there.
    var begin = MediaTime.zero
    var end: MediaTime?
  }

  /// The base of a ruby: the number of runs before it; and the ruby's text, while that is read.
  private var ruby: (base: Int, text: String?)?

  private var clock = TimedTextClock()
  private var measures = TimedTextRegion.Measures()
  /// The styles that have names, with what they refer to.
  private var styles: [String: [String: String]] = [:]
  private var regions: [String: TimedTextRegion] = [:]
  /// The times at which regions are there, where they say some.
  private var regionTimes: [String: (begin: MediaTime, end: MediaTime?)] = [:]
  private var levels: [Level] = []
  private var paragraph: Paragraph?
  private var flow = TimedTextFlow()
  private var region: OpenRegion?
  /// The styles and elements that were told as not drawn, each once.
  private var told: Set<String> = []

  static func cues(of text: String, _ log: inout CaptionLog) throws(CaptionFault) -> [CaptionCue] {
    var (xml, reader) = (XMLReader(text), TimedText())
    while let token = try xml.next(), !log.isFull {
      switch token {
      case .start(let name, let attributes): try reader.start(name, attributes: attributes, line: xml.line, log: &log)
      case .end(let name): reader.end(name, &log)
      case .text(let text): reader.text(text)
      }
    }
    return reader.flow.cues(&log)
  }

  private mutating func start(
    _ name: String, attributes: [String: String], line: Int, log: inout CaptionLog
  ) throws(CaptionFault) {
    if levels.isEmpty {
      guard name == "tt" else { throw CaptionFault("line \(line): the root element is <\(name.prefix(40))>, not <tt>") }
      (clock, measures) = (TimedTextClock(attributes), TimedTextRegion.Measures(attributes))
      if attributes["timeBase"] == "clock" { log.note(line, "the times of day count from the beginning of the edit") }
    }
    tell(name, attributes: attributes, line, &log)
    let said = resolved(attributes)
    switch (name, attributes["xml:id"]) {
    case ("style", _) where region != nil: region?.styles.merge(said) { $1 }
    case ("style", let id?): styles[id] = said
    case ("region", let id?): region = OpenRegion(id: id, line: line, own: attributes, styles: said)
    case ("br", _) where levels.last?.isShown ?? false: paragraph?.runs.append("\n")
    default: break
    }
    var level = level(name, own: attributes, said, line: line, log: &log)
    if name == "region" {
      region?.begin = level.begin
      region?.end = level.end
    }
    let saysBegin = attributes["begin"] != nil || levels.last?.next != nil
    if name == "p" { paragraph = Paragraph(line: line, saysBegin: saysBegin, language: level.language) }
    beginRuby(level, line, &log)
    if name == "span", saysBegin { paragraph?.runs.begin(at: level.begin) }
    if name == "span", let end = level.end {
      paragraph?.goOn(to: end)
      if saysBegin { paragraph?.runs.endWord(from: level.begin, at: end) }
    }
    beginLook(of: level)
    if name == "span" || said["unicodeBidi"] == "bidiOverride", paragraph != nil, level.isShown,
      let marks = level.whole.marks(said)
    {
      paragraph?.runs.append(marks.before)
      level.mark = marks.after
    }
    levels.append(level)
  }

  /// Tells what of an element is not drawn, each name once.
  private mutating func tell(_ name: String, attributes: [String: String], _ line: Int, _ log: inout CaptionLog) {
    if ["animate", "image", "initial", "set"].contains(name), told.insert("<\(name)>").inserted {
      log.note(line, "<\(name)> is not drawn")
    }
    for style in TimedTextStyle.lost(of: attributes) where told.insert(style).inserted {
      log.note(line, "\(style) is not taken over: the track's style says how captions look")
    }
  }

  /// The attributes of an element and of the styles to which it refers: later ones go before earlier ones, and its own before all.
  private func resolved(_ own: [String: String]) -> [String: String] {
    var all: [String: String] = [:]
    for id in (own["style"] ?? "").split(separator: " ").prefix(16) { all.merge(styles[String(id)] ?? [:]) { $1 } }
    return all.merging(own.filter { TimedTextStyle.names.contains($0.key) }) { $1 }
  }

  /// - Parameter said: what the element says with the styles to which it refers.
  private func level(
    _ name: String, own: [String: String], _ said: [String: String], line: Int, log: inout CaptionLog
  ) -> Level {
    let outer = levels.last ?? Level(begin: .zero)
    var level = outer
    (level.name, level.next, level.mark) = (name, nil, nil)
    if let id = own["region"] { level.region = id }
    // Regions and their styles are told of where they end.
    if self.region == nil, name != "style" {
      var style = TimedTextStyle()
      style.take(said, line, &log)
      level.style = style.over(level.style)
    }
    let region = level.region.flatMap { regions[$0] }
    level.whole = level.style.over(region?.style ?? TimedTextStyle())
    level.isLeftOut = level.isLeftOut || TimedTextStyle.isLeftOut(said) || region?.isLeftOut ?? false
    level.ruby = said["ruby"]
    if let space = own["xml:space"] { level.keepsSpace = space == "preserve" }
    if let tag = own["xml:lang"] { level.language = Self.hanLanguage(tag) }
    do throws(TimeError) {
      level.begin = outer.next ?? outer.begin
      if let begin = own["begin"] { level.begin = try level.begin + clock.time(begin) }
      var ends: [MediaTime] = outer.end.map { [$0] } ?? []
      if let end = own["end"] { ends.append(try (outer.next ?? outer.begin) + clock.time(end)) }
      if let duration = own["dur"] { ends.append(try level.begin + clock.time(duration)) }
      level.end = ends.min()
      level.next = own["timeContainer"] == "seq" ? level.begin : nil
    } catch { log.note(line, "\(error): the time is left out") }
    return level
  }

  /// The elements that follow each other in time.
  private let timed: Set<String> = ["body", "div", "p", "span"]

  private mutating func end(_ name: String, _ log: inout CaptionLog) {
    guard let level = levels.popLast() else { return }
    if levels.last?.next != nil, timed.contains(name) { levels[levels.count - 1].next = level.end ?? level.begin }
    if name == "region", let open = region {
      if open.begin > .zero || open.end != nil { regionTimes[open.id] = (open.begin, open.end) }
      // What it says itself goes before the styles in it.
      let said = open.styles.merging(open.own) { $1 }
      regions[open.id] = TimedTextRegion(said, measures, line: open.line, &log)
      region = nil
    }
    if level.ruby == "text", let base = ruby?.base, let text = ruby?.text {
      ruby = (paragraph?.runs.count ?? 0, nil)
      if paragraph?.runs.lay(text.trimmed, over: base) != true || text.utf8.count > CaptionLimits.rubyLength {
        log.note(paragraph?.line ?? 1, "the ruby '\(text.prefix(40))' has no text that it could stand over, and is left out")
      }
    }
    if let mark = level.mark { paragraph?.runs.append(mark) }
    beginLook(of: levels.last ?? Level(begin: .zero))
    guard name == "p", let whole = paragraph else { return }
    paragraph = nil
    let (runs, line, there) = (whole.runs, whole.line, level.region.flatMap { regionTimes[$0] })
    guard let end = [level.end ?? whole.end, there?.end].compactMap(\.self).min() else {
      return log.note(line, "the paragraph has no end, and is left out")
    }
    // A paragraph that says nothing is there when the first of its spans is.
    let begin = max(whole.saysBegin ? level.begin : runs.firstTime ?? level.begin, there?.begin ?? .zero)
    guard there == nil || begin < end else {
      return log.note(line, "the paragraph stands in a region that is not there at its time, and is left out")
    }
    guard var cue = runs.cue(from: begin, to: end, line: line, &log) else { return }
    (cue.language, cue.direction) = (level.language, level.whole.direction)
    if let region = level.region.flatMap({ regions[$0] }) {
      region.place(&cue, level.whole.alignment)
    } else {
      cue.align = level.whole.alignment
    }
    flow.add(cue, region: level.region, line: line)
  }

  /// Gives what follows the look of an element's letters. A language is one of its own where its paragraph has another one, or none.
  private mutating func beginLook(of level: Level) {
    var look = level.whole.look
    if level.language != paragraph?.language { look.language = level.language }
    paragraph?.runs.look = look
  }

  /// A language's tag where it decides how Han characters are drawn. Most files say some language, whatever their text is in.
  private static func hanLanguage(_ tag: String) -> String? {
    let parts = tag.lowercased().split(separator: "-")
    switch parts.first {
    case "ja", "jpn": return "ja"
    case "ko", "kor": return "ko"
    case "zh", "zho", "yue":
      if parts.contains("hant") { return "zh-Hant" }
      if parts.contains("hans") { return "zh-Hans" }
      return ["tw": "zh-Hant", "hk": "zh-Hant", "mo": "zh-Hant", "cn": "zh-Hans", "sg": "zh-Hans"][parts.last ?? ""]
    default: return nil
    }
  }

  private mutating func beginRuby(_ level: Level, _ line: Int, _ log: inout CaptionLog) {
    switch level.ruby {
    case "base"?: ruby = (paragraph?.runs.count ?? 0, nil)
    case "text"? where ruby != nil: ruby?.text = ""
    case "container"?, "none"?, nil: break
    case let part?: log.note(line, "the ruby's part '\(part.prefix(40))' is read as plain text")
    }
  }

  private mutating func text(_ text: String) {
    guard levels.last?.isShown ?? true else { return }
    if let read = ruby?.text {
      ruby?.text = read + text
      return
    }
    guard paragraph != nil, let level = levels.last, level.name == "p" || level.name == "span" else { return }
    if level.keepsSpace { return paragraph!.runs.append(text) }
    var words = text.split { $0 == " " || $0 == "\n" || $0 == "\t" || $0 == "\r" || $0 == "\r\n" }.joined(separator: " ")
    if text.unicodeScalars.first?.isSpace == true { words = " " + words }
    if words != " ", text.unicodeScalars.last?.isSpace == true { words += " " }
    paragraph!.runs.append(words)
  }
}
