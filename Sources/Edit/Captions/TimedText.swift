internal import Formats
internal import MediaTime

/// Timed text (.ttml, IMSC): paragraphs and spans with times, and the simple parts of their styles and regions.
struct TimedText {
  private struct Level {
    var begin: MediaTime
    var end: MediaTime?
    var look = CueRuns.Look()
    var region: String?
    var align: CaptionAlignment?
    var keepsSpace = false
    /// The part that the element has in a ruby, such as "base" or "text".
    var ruby: String?
    /// Whether the element begins and ends what is said or sung, as a span with a time does.
    var name = ""
  }

  fileprivate struct Region {
    var mode: WritingMode?
    var align: CaptionAlignment?
    /// The side at which lines begin, the middle or the other side, as a share: 0, 0.5 or 1.
    var side: Double?
    var origin: Point?
    var extent: Point?
  }

  /// The base of a ruby: the number of runs before it; and the ruby's text, while that is read.
  private var ruby: (base: Int, text: String?)?

  private var clock = TimedTextClock()
  private var styles: [String: [String: String]] = [:]
  private var regions: [String: Region] = [:]
  private var levels: [Level] = []
  private var paragraph: (runs: CueRuns, line: Int)?
  private var cues: [CaptionCue] = []
  /// The region that is being read.
  private var region: String?

  static func cues(of text: String, _ log: inout CaptionLog) throws(CaptionFault) -> [CaptionCue] {
    var (xml, reader) = (XMLReader(text), TimedText())
    while let token = try xml.next(), !log.isFull {
      switch token {
      case .start(let name, let attributes): try reader.start(name, attributes: attributes, line: xml.line, log: &log)
      case .end(let name): reader.end(name, &log)
      case .text(let text): reader.text(text)
      }
    }
    return reader.cues
  }

  private mutating func start(
    _ name: String, attributes: [String: String], line: Int, log: inout CaptionLog
  ) throws(CaptionFault) {
    if levels.isEmpty {
      guard name == "tt" else { throw CaptionFault("line \(line): the root element is <\(name.prefix(40))>, not <tt>") }
      clock = TimedTextClock(attributes)
    }
    switch name {
    case "style":
      if let id = region { regions[id]?.take(attributes) } else if let id = attributes["xml:id"] { styles[id] = attributes }
    case "region":
      if let id = attributes["xml:id"] {
        (region, regions[id]) = (id, Region())
        regions[id]?.take(attributes)
      }
    case "br": paragraph?.runs.append("\n")
    case "set", "animate": log.note(line, "<\(name)> is not drawn")
    default: break
    }
    let level = level(name, own: attributes, line: line, log: &log)
    if name == "p" { paragraph = (CueRuns(), line) }
    beginRuby(level, line, &log)
    if name == "span", attributes["begin"] != nil { paragraph?.runs.begin(at: level.begin) }
    levels.append(level)
    paragraph?.runs.look = level.look
  }

  private func level(_ name: String, own: [String: String], line: Int, log: inout CaptionLog) -> Level {
    var level = levels.last ?? Level(begin: .zero)
    level.name = name
    var attributes: [String: String] = [:]
    for id in (own["style"] ?? "").split(separator: " ").prefix(16) { attributes.merge(styles[String(id)] ?? [:]) { $1 } }
    attributes.merge(own) { $1 }
    if let text = attributes["color"] {
      level.look.color = NamedColor.color(text) ?? level.look.color
      if NamedColor.color(text) == nil { log.note(line, "color \"\(text.prefix(40))\" is not known") }
    }
    if let weight = attributes["fontWeight"] { level.look.isBold = weight == "bold" }
    if let style = attributes["fontStyle"] { level.look.isItalic = style != "normal" }
    if let line = attributes["textDecoration"] { level.look.isUnderlined = line.split(separator: " ").contains("underline") }
    level.look.isCombined = attributes["textCombine"].map { $0 != "none" } ?? level.look.isCombined
    if let marks = attributes["textEmphasis"] {
      level.look.emphasis = TextEmphasis(timedText: marks)
      if level.look.emphasis == nil { log.note(line, "textEmphasis \"\(marks.prefix(40))\" is not drawn") }
    }
    level.ruby = attributes["ruby"]
    if let id = own["region"] { level.region = id }
    if let align = Region.alignment(attributes["textAlign"]) { level.align = align }
    if let space = own["xml:space"] { level.keepsSpace = space == "preserve" }
    if own["timeContainer"] == "seq" { log.note(line, "timeContainer \"seq\" is read as \"par\"") }
    do throws(TimeError) {
      let outer = level
      if let begin = own["begin"] { level.begin = try outer.begin + clock.time(begin) }
      var ends: [MediaTime] = outer.end.map { [$0] } ?? []
      if let end = own["end"] { ends.append(try outer.begin + clock.time(end)) }
      if let duration = own["dur"] { ends.append(try level.begin + clock.time(duration)) }
      level.end = ends.min()
    } catch { log.note(line, "\(error): the time is left out") }
    return level
  }

  private mutating func end(_ name: String, _ log: inout CaptionLog) {
    guard let level = levels.popLast() else { return }
    if name == "region" { region = nil }
    if level.ruby == "text", let base = ruby?.base, let text = ruby?.text {
      ruby = (paragraph?.runs.count ?? 0, nil)
      if paragraph?.runs.lay(text.trimmed, over: base) != true || text.utf8.count > CaptionLimits.rubyLength {
        log.note(paragraph?.line ?? 1, "the ruby '\(text.prefix(40))' has no text that it could stand over, and is left out")
      }
    }
    paragraph?.runs.look = levels.last?.look ?? CueRuns.Look()
    guard name == "p", let (runs, line) = paragraph else { return }
    paragraph = nil
    guard let end = level.end else { return log.note(line, "the paragraph has no end, and is left out") }
    guard var cue = runs.cue(from: level.begin, to: end, line: line, &log) else { return }
    if let region = level.region.flatMap({ regions[$0] }) {
      cue.writingMode = region.mode
      (cue.place, cue.position) = region.place
      cue.align = region.align
    }
    cue.align = level.align ?? cue.align
    cues.append(cue)
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

extension TimedText.Region {
  static func alignment(_ value: String?) -> CaptionAlignment? {
    switch value {
    case "left", "start": .left
    case "center": .center
    case "right", "end": .right
    default: nil
    }
  }

  /// Takes the place from the attributes of a region, or of a style in it: `origin` and `extent` in percent, `displayAlign`,
  /// `textAlign` and `writingMode`.
  mutating func take(_ attributes: [String: String]) {
    switch attributes["writingMode"] {
    case "tbrl", "tb": mode = .verticalRightToLeft
    case "tblr": mode = .verticalLeftToRight
    case "lrtb", "lr", "rltb", "rl": mode = nil
    default: break
    }
    switch attributes["displayAlign"] {
    case "before": side = 0
    case "center": side = 0.5
    case "after": side = 1
    default: break
    }
    align = Self.alignment(attributes["textAlign"]) ?? align
    origin = Self.shares(attributes["origin"]) ?? origin
    extent = Self.shares(attributes["extent"]) ?? extent
  }

  /// The place of the region's cues, and their point in the picture.
  var place: (CaptionPlace?, Point?) {
    let mode = mode ?? .horizontal
    let places: [CaptionPlace] =
      switch mode {
      case .horizontal: [.top, .middle, .bottom]
      case .verticalRightToLeft: [.right, .middle, .left]
      case .verticalLeftToRight: [.left, .middle, .right]
      }
    guard let origin else { return (side.map { places[Int($0 * 2)] }, nil) }
    let extent = extent ?? Point(1 - origin.x, 1 - origin.y)
    let along = align == .left ? 0.0 : align == .right ? 1 : 0.5
    let across = mode == .verticalRightToLeft ? 1 - (side ?? 0) : side ?? 0
    let (x, y) = mode.isVertical ? (across, along) : (along, across)
    return (
      places[Int((side ?? 0) * 2)], Point(min(origin.x + extent.x * x, 1), min(origin.y + extent.y * y, 1))
    )
  }

  private static func shares(_ value: String?) -> Point? {
    let shares = (value ?? "").split(separator: " ").map { WebVTT.share($0) }
    guard shares.count == 2, let x = shares[0], let y = shares[1] else { return nil }
    return Point(x, y)
  }
}

/// The times of TTML: `HH:MM:SS.fff`, `HH:MM:SS:FF`, and offsets such as `12.5s`, `300ms`, `45f` and `9000t`.
struct TimedTextClock {
  private var frame = Rational(1)
  private var tick = Rational(1)

  init(_ attributes: [String: String] = [:]) {
    func number(_ key: String) -> Int64? {
      attributes[key].flatMap { CaptionClock.number($0, digits: 1...9) }.flatMap { $0 > 0 ? $0 : nil }
    }
    let rate = number("frameRate") ?? 30
    let terms = (attributes["frameRateMultiplier"] ?? "").split(separator: " ").map {
      CaptionClock.number($0, digits: 1...9) ?? 0
    }
    let (up, down) = terms.count == 2 && terms[0] > 0 && terms[1] > 0 ? (terms[0], terms[1]) : (1, 1)
    // Numbers of nine digits cannot overflow, and none is zero.
    frame = (try? Rational(Int128(down), over: Int128(rate) * Int128(up))) ?? frame
    let ticks = number("tickRate") ?? (attributes["frameRate"] == nil ? 1 : rate)
    tick = (try? Rational(1, over: Int128(ticks))) ?? tick  // above zero, as said
  }

  func time(_ text: String) throws(TimeError) -> MediaTime {
    let text = text.trimmed
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    if fields.count == 4, let frames = CaptionClock.number(fields[3], digits: 1...6),
      let start = CaptionClock.time(fields[..<3].joined(separator: ":"))
    {
      return try MediaTime(Rational(start) + Rational(frames) * frame)
    }
    if fields.count == 3, let time = CaptionClock.time(text) { return time }
    for (unit, length) in try units where text.hasSuffix(unit) {
      if let count = CaptionClock.decimal(text.dropLast(unit.count)) { return try MediaTime(Rational(count) * length) }
    }
    throw .malformed(text)
  }

  private var units: [(String, Rational)] {
    get throws(TimeError) {
      [
        ("ms", try Rational(1, over: 1000)), ("h", Rational(3600)), ("m", Rational(60)), ("s", Rational(1)), ("f", frame),
        ("t", tick),
      ]
    }
  }
}
