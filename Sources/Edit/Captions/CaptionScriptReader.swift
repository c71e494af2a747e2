/// Reads the lines of a script as libass does: its sections, its styles, and the times and tags of its events.
struct CaptionScriptReader {
  private enum Section { case none, info, styles, events, fonts }

  private(set) var events: [CaptionScript.Event] = []
  private(set) var log = CaptionLog()
  private var section = Section.none
  private var lines: [String] = []
  private var length = 0
  private var styleFields: [String]?
  private var eventFields: [String]?
  private var eventFormat = ""
  private var styles = ScriptStyles()
  private var found: [CaptionScript.Face: Int] = [:]
  private(set) var letters: [CaptionScript.Letters] = []

  /// All lines before the events. The section of events is the last one, wherever its first line stood.
  var setup: String { (lines + ["[Events]", eventFormat]).joined(separator: "\n") }

  mutating func read(_ text: [String]) throws(CaptionFault) {
    for (index, line) in text.enumerated() { try read(line.drop { $0 == " " }, index + 1) }
    guard eventFields != nil else { throw CaptionFault("has no section [Events] with a line \"Format:\"") }
  }

  private mutating func read(_ line: Substring, _ number: Int) throws(CaptionFault) {
    if let header = Self.section(line) { return try begin(header, line, number) }
    switch section {
    case .none, .fonts: break
    case .info: if !line.hasPrefix(";"), !line.isEmpty { try keep(line) }
    case .styles: try readStyle(line)
    case .events: try readEvent(line, number)
    }
  }

  /// The section that a line begins; nil for a line that begins none. Sections that libass does not know belong to those before them.
  private static func section(_ line: Substring) -> Section? {
    guard line.hasPrefix("[") else { return nil }
    let name = line.prefix(16).lowercased()
    let known: [(String, Section)] = [
      ("[script info]", .info), ("[v4 styles]", .styles), ("[v4+ styles]", .styles), ("[events]", .events), ("[fonts]", .fonts),
    ]
    return known.first { name.hasPrefix($0.0) }?.1
  }

  private mutating func begin(_ section: Section, _ line: Substring, _ number: Int) throws(CaptionFault) {
    self.section = section
    switch section {
    case .none: break
    case .fonts: log.note(number, "the fonts in the file are not used: state them as assets of the kind \"font\"")
    case .info, .styles:
      guard events.isEmpty else { throw CaptionFault("line \(number): a section of styles or properties behind events") }
      try keep(line)
    case .events: break
    }
  }

  private mutating func keep(_ line: Substring) throws(CaptionFault) {
    length += line.utf8.count + 1
    guard length <= CaptionLimits.scriptSetup else {
      throw CaptionFault("has more than \(CaptionLimits.scriptSetup >> 10) KiB of styles and properties")
    }
    lines.append(String(line))
  }

  // MARK: - Styles

  private static let usualFields = [
    "name", "fontname", "fontsize", "primarycolour", "secondarycolour", "outlinecolour", "backcolour", "bold", "italic",
  ]

  private mutating func readStyle(_ line: Substring) throws(CaptionFault) {
    if line.hasPrefix("Format:") {
      styleFields = Self.fields(line)
    } else if line.hasPrefix("Style:") {
      let values = Self.values(line.dropFirst(6), styleFields ?? Self.usualFields, lastTakesRest: false)
      let name = values["name"] ?? "Default"
      styles.add(
        ScriptStyles.Style(
          family: values["fontname"].flatMap { $0.isEmpty ? nil : $0 } ?? "Arial", isBold: Self.flag(values["bold"]),
          isItalic: Self.flag(values["italic"])), name: String(name.drop { $0 == "*" }))
    } else {
      return
    }
    try keep(line)
  }

  private static func flag(_ value: String?) -> Bool { value.map { ScriptNumbers.integer($0) != 0 } ?? false }

  private static func fields(_ line: Substring) -> [String] {
    line.drop { $0 != ":" }.dropFirst().split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmed.lowercased() }
  }

  private static func values(_ line: Substring, _ fields: [String], lastTakesRest: Bool) -> [String: String] {
    let parts = line.split(
      separator: ",", maxSplits: lastTakesRest ? max(fields.count - 1, 0) : Int.max, omittingEmptySubsequences: false)
    return Dictionary(zip(fields, parts.map(\.trimmed))) { first, _ in first }
  }

  // MARK: - Events

  private mutating func readEvent(_ line: Substring, _ number: Int) throws(CaptionFault) {
    if line.hasPrefix("Format:") {
      let fields = Self.fields(line)
      guard eventFields == nil || eventFields == fields else {
        throw CaptionFault("line \(number): another \"Format:\" of events")
      }
      guard fields.last == "text", fields.contains("start"), fields.contains("end") else {
        throw CaptionFault("line \(number): events have the fields Start and End, and Text at last")
      }
      if eventFields == nil { eventFormat = String(line) }
      eventFields = fields
      return
    }
    guard line.hasPrefix("Dialogue:") else { return }
    guard let fields = eventFields else { throw CaptionFault("line \(number): an event before the line \"Format:\"") }
    guard events.count < CaptionLimits.scriptEvents else {
      throw CaptionFault("has more than \(CaptionLimits.scriptEvents) events")
    }
    let values = Self.values(line.dropFirst(9), fields, lastTakesRest: true)
    guard let start = values["start"].flatMap(ScriptNumbers.milliseconds),
      let end = values["end"].flatMap(ScriptNumbers.milliseconds), let text = values["text"]
    else { return log.note(number, "the event cannot be read, and is left out: '\(line.prefix(60))'") }
    guard start < end else { return log.note(number, "the event ends before it has begun, and is left out") }
    var reading = ScriptText(styles, of: values["style"] ?? "Default")
    reading.read(text)
    add(reading.letters, number)
    let hasEffect = values["effect"].map { !$0.isEmpty } ?? false
    events.append(
      CaptionScript.Event(
        number: number, line: String(line), start: start, end: end, layer: values["layer"].map(ScriptNumbers.integer) ?? 0,
        change: hasEffect ? .always : reading.change, isPlaced: reading.isPlaced && !hasEffect))
  }

  private mutating func add(_ used: [CaptionScript.Face: Set<Unicode.Scalar>], _ number: Int) {
    for (face, characters) in used.sorted(by: { ($0.key.family, $0.key.weight) < ($1.key.family, $1.key.weight) }) {
      if found[face] == nil {
        found[face] = letters.count
        letters.append(CaptionScript.Letters(face: face, number: number))
      }
      if let index = found[face] { letters[index].characters.formUnion(characters) }
    }
  }
}

/// The fonts of a script's styles.
struct ScriptStyles {
  struct Style {
    var family = "Arial"
    var isBold = false
    var isItalic = false
  }

  private var styles: [String: Style] = [:]
  /// The style of events whose own one is not there.
  private(set) var usual = Style()

  mutating func add(_ style: Style, name: String) {
    styles[name] = style
    if name == "Default" { usual = style }
  }

  /// The style of an event.
  func style(ofEvent name: String) -> Style {
    let name = String(name.drop { $0 == "*" })
    return name.lowercased() == "default" ? usual : styles[name] ?? usual
  }

  /// The style with exactly this name.
  subscript(name: String) -> Style? { styles[name] }
}

/// Numbers as libass reads them.
enum ScriptNumbers {
  /// The milliseconds of `H:MM:SS.cc`, whose last part counts hundredths of a second; nil where it is no such time, or later than
  /// 100 hours.
  static func milliseconds(_ text: String) -> Int64? {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count == 3 else { return nil }
    let last = parts[2].split(separator: ".", omittingEmptySubsequences: false)
    guard last.count == 2 else { return nil }
    var numbers: [Int64] = []
    for part in [parts[0], parts[1], last[0], last[1]] {
      guard let number = CaptionClock.number(part, digits: 1...6) else { return nil }
      numbers.append(Int64(number))
    }
    let time = ((numbers[0] * 60 + numbers[1]) * 60 + numbers[2]) * 1000 + numbers[3] * 10
    return time <= 360_000_000 ? time : nil
  }

  /// The whole number at the text's beginning; 0 where there is none.
  static func integer(_ text: some StringProtocol) -> Int {
    let text = text.drop { $0 == " " }
    let sign = text.first.map { "+-".contains($0) } ?? false ? text.prefix(1) : ""
    let digits = text.dropFirst(sign.count).prefix { ("0"..."9").contains($0) }.prefix(10)
    return (Int(digits) ?? 0) * (sign == "-" ? -1 : 1)
  }
}
