internal import Formats
internal import MediaTime

/// SubStation Alpha files (.ass, .ssa): sections of styles and events. What a style says beyond colour, bold, italic and alignment
/// is not drawn.
struct SubStation {
  struct Style {
    var look = CueRuns.Look()
    /// The alignment by the number block of a keyboard: 7 8 9 on top, 1 2 3 at the bottom.
    var alignment = 2
  }

  private var size = Point(384, 288)
  private var styles: [String: Style] = [:]
  private var section = ""
  private var fields: [String] = []
  private var cues: [CaptionCue] = []

  /// - Throws: `CaptionFault` when the file has no section, and so is none of this format.
  static func cues(of lines: [String], _ log: inout CaptionLog) throws(CaptionFault) -> [CaptionCue] {
    var file = SubStation()
    for (index, line) in lines.enumerated() where !log.isFull { file.read(line.trimmed, index + 1, &log) }
    guard !file.section.isEmpty else { throw CaptionFault("has no section such as [Events]") }
    return file.cues
  }

  private mutating func read(_ line: String, _ number: Int, _ log: inout CaptionLog) {
    if line.hasPrefix("["), line.hasSuffix("]") {
      section = line.dropFirst().dropLast().lowercased()
      fields = []
      if ["fonts", "graphics"].contains(section) { log.note(number, "the file's \(section) are not used") }
      return
    }
    guard !line.isEmpty, !line.hasPrefix(";"), !line.hasPrefix("!:"), !["fonts", "graphics"].contains(section) else { return }
    guard let colon = line.firstIndex(of: ":") else {
      if section == "events" { log.note(number, "cannot be read, and is left out: '\(line.prefix(60))'") }
      return
    }
    let (key, value) = (line[..<colon].lowercased(), line[line.index(after: colon)...].trimmed)
    switch (section, key) {
    case ("script info", "playresx"): if let side = CaptionClock.number(value, digits: 1...5), side > 0 { size.x = Double(side) }
    case ("script info", "playresy"): if let side = CaptionClock.number(value, digits: 1...5), side > 0 { size.y = Double(side) }
    case (_, "format"): fields = value.split(separator: ",").map { $0.trimmed.lowercased() }
    case ("v4+ styles", "style"), ("v4 styles", "style"): style(value, number, &log)
    case ("events", "dialogue"): event(value, number, &log)
    case ("events", "comment"): break
    case ("events", _): log.note(number, "'\(key.prefix(20))' is not shown")
    default: break
    }
  }

  /// The values of a line by the names in the section's format. The last field takes the rest of the line.
  private func values(_ line: String) -> [String: Substring]? {
    let parts = line.split(separator: ",", maxSplits: max(fields.count - 1, 0), omittingEmptySubsequences: false)
    guard parts.count == fields.count else { return nil }
    return Dictionary(zip(fields, parts)) { first, _ in first }
  }

  // MARK: - Styles

  private mutating func style(_ line: String, _ number: Int, _ log: inout CaptionLog) {
    guard let values = values(line), let name = values["name"]?.trimmed, styles.count < 1000 else {
      return log.note(number, "the style cannot be read, and is left out")
    }
    if styles.isEmpty { log.note(number, "fonts, sizes and borders of styles are not used: the track's style says them") }
    var style = Style()
    style.look.isBold = values["bold"].map { $0.trimmed != "0" } ?? false
    style.look.isItalic = values["italic"].map { $0.trimmed != "0" } ?? false
    style.look.isUnderlined = values["underline"].map { $0.trimmed != "0" } ?? false
    style.look.isStruck = values["strikeout"].map { $0.trimmed != "0" } ?? false
    style.look.color = values["primarycolour"].flatMap { Self.color($0.trimmed) } ?? .white
    if let alignment = values["alignment"].flatMap({ Int($0.trimmed) }) {
      style.alignment = section == "v4 styles" ? Self.numpad(ofLegacy: alignment) : 1...9 ~= alignment ? alignment : 2
    }
    styles[name] = style
  }

  /// The colour of `&HAABBGGRR`, or of a decimal number of the same. An alpha of 0 is opaque there.
  static func color(_ text: some StringProtocol) -> RGBAColor? {
    let name = text.lowercased().filter { $0 != "&" }
    let bits: UInt32?
    if name.hasPrefix("h") {
      bits = name.dropFirst().utf8.count <= 8 && !name.hasPrefix("h+") ? UInt32(name.dropFirst(), radix: 16) : nil
    } else {
      bits = Int64(name).map { UInt32(truncatingIfNeeded: $0) }
    }
    guard let bits else { return nil }
    let rgb = (bits & 0xff) << 16 | bits & 0xff00 | bits >> 16 & 0xff
    return RGBAColor(bits: rgb, alpha: 1 - Double(bits >> 24) / 255)
  }

  /// The number of an alignment as SSA counts them: 1 2 3 at the bottom, 5 6 7 on top, 9 10 11 in the middle.
  static func numpad(ofLegacy number: Int) -> Int {
    switch number {
    case 1...3: number
    case 5...7: number + 2
    case 9...11: number - 5
    default: 2
    }
  }

  static func place(ofNumpad number: Int) -> (CaptionPlace, CaptionAlignment) {
    let places = [CaptionPlace.bottom, .middle, .top]
    return (places[(number - 1) / 3], [.left, .center, .right][(number - 1) % 3])
  }

  // MARK: - Events

  private mutating func event(_ line: String, _ number: Int, _ log: inout CaptionLog) {
    guard fields.last == "text", let values = values(line), let text = values["text"],
      let start = values["start"].flatMap({ CaptionClock.time($0.trimmed) }),
      let end = values["end"].flatMap({ CaptionClock.time($0.trimmed) })
    else { return log.note(number, "the event cannot be read, and is left out: '\(line.prefix(60))'") }
    let name = (values["style"] ?? "").trimmed
    let style = styles[name] ?? styles["Default"] ?? Style()
    if styles[name] == nil, !styles.isEmpty { log.note(number, "no style '\(name.prefix(40))': the default is taken") }
    if ["marginl", "marginr", "marginv"].contains(where: { key in values[key]?.contains { "123456789".contains($0) } ?? false }) {
      log.note(number, "the margins are not used: the track's margins are")
    }
    if let effect = values["effect"]?.trimmed, !effect.isEmpty, effect.lowercased() != "karaoke" {
      log.note(number, "the effect '\(effect.prefix(40))' is not drawn")
    }
    var reading = SubStationText(start: start, style: style, styles: styles)
    reading.read(text)
    if !reading.lost.isEmpty {
      log.note(number, "not drawn: \(reading.lost.map { "\\\($0)" }.joined(separator: ", "))")
    }
    let usual = CueRuns.Look(color: .white)
    guard var cue = reading.runs.cue(from: start, to: end, line: number, usual: usual, &log) else { return }
    if let alignment = reading.alignment ?? (style.alignment == 2 ? nil : style.alignment) {
      (cue.place, cue.align) = Self.place(ofNumpad: alignment)
    }
    if let outside = [reading.position, reading.move?.to].compactMap(\.self).first(where: { isOutside($0) }) {
      log.note(number, "(\(outside.x), \(outside.y)) lies outside of the picture: its nearest edge is taken")
    }
    if let position = reading.position {
      (cue.place, cue.align) = Self.place(ofNumpad: reading.alignment ?? style.alignment)
      cue.position = share(position)
      if let move = reading.move { cue.move = movement(to: share(move.to), move.times, of: cue, number, &log) }
    }
    fade(&cue, by: reading.fade, line: number, log: &log)
    cues.append(cue)
  }

  private func isOutside(_ point: Point) -> Bool { !(0...size.x).contains(point.x) || !(0...size.y).contains(point.y) }

  private func share(_ point: Point) -> Point {
    Point(min(max(point.x / size.x, 0), 1), min(max(point.y / size.y, 0), 1))
  }

  private func movement(
    to point: Point, _ times: (Int64, Int64)?, of cue: CaptionCue, _ number: Int, _ log: inout CaptionLog
  ) -> CaptionCue.Move? {
    guard let times else { return cue.range.duration > .zero ? CaptionCue.Move(to: point, cue.range) : nil }
    do throws(TimeError) {
      let (start, end) = try (cue.range.start + MediaTime(times.0, 1000), cue.range.start + MediaTime(times.1, 1000))
      return CaptionCue.Move(to: point, try MediaTimeRange(start: start, end: end))
    } catch {
      log.note(number, "\(error): the movement is left out")
      return nil
    }
  }

  private func fade(
    _ cue: inout CaptionCue, by fade: (Int64, Int64)?, line number: Int, log: inout CaptionLog
  ) {
    guard let fade, fade != (0, 0) else { return }
    do throws(TimeError) {
      let (fadeIn, fadeOut) = try (MediaTime(fade.0, 1000), MediaTime(fade.1, 1000))
      guard try fadeIn + fadeOut <= cue.range.duration else {
        return log.note(number, "the fades take longer than the cue, and are left out")
      }
      (cue.fadeIn, cue.fadeOut) = (fadeIn, fadeOut)
    } catch { log.note(number, "\(error): the fades are left out") }
  }
}
