internal import Formats
internal import MediaTime

/// Reads the text of a cue with tags, as SubRip and WebVTT have them.
struct TaggedText {
  let isWebVTT: Bool
  private let styles: WebVTTStyles
  private(set) var runs = CueRuns()
  /// The place that a `{\an8}` says, which SubRip has from SubStation.
  private(set) var place: (CaptionPlace, CaptionAlignment)?
  private var open: [(name: String, before: CueRuns.Look)] = []
  private var unknown: [String] = []
  /// The number of runs before the base of a ruby that is open; nil outside of one.
  private var base: Int?
  /// The ruby that is being read; nil outside of one.
  private var rubyText: String?

  init(isWebVTT: Bool, styles: WebVTTStyles = WebVTTStyles()) {
    (self.isWebVTT, self.styles) = (isWebVTT, styles)
    if isWebVTT { runs.look = styles.look(nil, on: runs.look) }
  }

  mutating func read(_ text: String, _ line: Int, _ log: inout CaptionLog) {
    // A text that is much too long is refused as a cue, and not read.
    guard text.utf8.count <= 4 * CaptionLimits.cueLength else { return runs.append(text) }
    let scalars = Array(text.unicodeScalars)
    var (index, plain) = (0, String.UnicodeScalarView())
    func end(_ closing: Unicode.Scalar) -> Int? { scalars[index..<min(index + 500, scalars.count)].firstIndex(of: closing) }
    while index < scalars.count {
      switch scalars[index] {
      case "<":
        // A tag that is not closed hides the rest in WebVTT, and is text in SubRip.
        guard let end = end(">") ?? (isWebVTT && index + 500 > scalars.count ? scalars.count : nil) else {
          plain.append("<")
          break
        }
        let body = Self.string(scalars[(index + 1)..<end])
        guard isWebVTT || Self.isTag(body) else {
          plain.append("<")
          break
        }
        flush(&plain)
        tag(body, line, &log)
        index = end
      case "{" where !isWebVTT && index + 1 < scalars.count && scalars[index + 1] == "\\":
        guard let end = end("}") else {
          plain.append("{")
          break
        }
        flush(&plain)
        override(Self.string(scalars[(index + 1)..<end]))
        index = end
      case "&" where isWebVTT:
        guard let end = end(";"), end - index <= 10, let meant = Self.entity(Self.string(scalars[(index + 1)..<end])) else {
          plain.append("&")
          break
        }
        plain.append(meant)
        index = end
      case let scalar: plain.append(scalar)
      }
      index += 1
    }
    flush(&plain)
    if rubyText != nil { endRuby(line, &log) }
    if !unknown.isEmpty { log.note(line, "not drawn: \(unknown.map { "<\($0)>" }.joined(separator: ", "))") }
  }

  private mutating func flush(_ plain: inout String.UnicodeScalarView) {
    if rubyText == nil { runs.append(String(plain)) } else { rubyText! += String(plain) }
    plain.removeAll()
  }

  private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }

  /// Whether SubRip has a tag there, and not a comparison.
  private static func isTag(_ body: String) -> Bool {
    let name = body.unicodeScalars.first == "/" ? body.unicodeScalars.dropFirst().first : body.unicodeScalars.first
    return name.map { 0x41...0x5a ~= $0.value || 0x61...0x7a ~= $0.value } ?? false
  }

  private mutating func tag(_ body: String, _ line: Int, _ log: inout CaptionLog) {
    if isWebVTT, let first = body.utf8.first, 0x30...0x39 ~= first {
      guard let time = CaptionClock.time(body.trimmed) else {
        return log.note(line, "a time in the text cannot be read: '\(body.prefix(40))'")
      }
      return runs.begin(at: time)
    }
    let isEnd = body.hasPrefix("/")
    let head = (isEnd ? body.dropFirst() : body[...]).split { $0 == " " || $0 == "\n" }.first ?? ""
    let parts = head.split(separator: ".", omittingEmptySubsequences: false)
    let name = parts.first.map { $0.lowercased() } ?? ""
    guard !isEnd else { return close(name, line, &log) }
    if open.count < 100 { open.append((name, runs.look)) }
    switch name {
    case "b": runs.look.isBold = true
    case "i": runs.look.isItalic = true
    case "u": runs.look.isUnderlined = true
    case "s" where !isWebVTT: runs.look.isStruck = true
    case "font" where !isWebVTT: font(body, line, &log)
    case "v": break
    case "lang" where isWebVTT: language(Self.annotation(body))
    case "ruby" where isWebVTT: base = runs.count
    case "rt" where isWebVTT:
      if rubyText != nil { endRuby(line, &log) }
      rubyText = ""
    case "c":
      // Classes with the names of colours are coloured without a style sheet.
      for name in parts.dropFirst() { if let color = NamedColor.color(name) { runs.look.color = color } }
    default: noteUnknown(name)
    }
    if isWebVTT {
      let voice = name == "v" ? Self.annotation(body) : ""
      runs.look = styles.look(name, classes: Array(parts.dropFirst()), voice: voice, on: runs.look)
    }
  }

  /// The text behind a tag's name.
  private static func annotation(_ body: String) -> String {
    body.split(maxSplits: 1, whereSeparator: { $0 == " " || $0 == "\n" }).dropFirst().first.map { $0.trimmed } ?? ""
  }

  /// Begins letters of a language. One that is empty is not known, and that of the cue counts.
  private mutating func language(_ tag: String) {
    runs.look.language = LanguageCode.isTag(tag) ? LanguageCode.canonical(tag) : nil
    if runs.look.language == nil, !tag.isEmpty { noteUnknown("lang \(tag)") }
  }

  private mutating func noteUnknown(_ name: String) {
    if !unknown.contains(name), unknown.count < 8 { unknown.append(String(name.prefix(20))) }
  }

  private mutating func close(_ name: String, _ line: Int, _ log: inout CaptionLog) {
    guard let index = open.lastIndex(where: { $0.name == name }) else { return }
    if isWebVTT, name == "rt" || name == "ruby" {
      if rubyText != nil { endRuby(line, &log) }
      if name == "ruby" { base = nil }
    }
    runs.look = open[index].before
    open.removeSubrange(index...)
  }

  /// Lays the ruby that was read over its base: what stands between the last ruby, or the beginning of all of them, and this one.
  private mutating func endRuby(_ line: Int, _ log: inout CaptionLog) {
    let ruby = (rubyText ?? "").split(whereSeparator: \.isNewline).joined(separator: " ").trimmed
    rubyText = nil
    guard !ruby.isEmpty else { return base = base.map { _ in runs.count } }
    guard let base, ruby.utf8.count <= CaptionLimits.rubyLength, runs.lay(ruby, over: base) else {
      return log.note(
        line, "the ruby '\(ruby.prefix(40))' has no text in one line that it could stand over, or is too long: it is left out")
    }
    self.base = runs.count
  }

  /// The colour of `<font color="…">`. Its face and size are left out.
  private mutating func font(_ body: String, _ line: Int, _ log: inout CaptionLog) {
    for attribute in body.split(separator: " ").dropFirst() {
      let pair = attribute.split(separator: "=", maxSplits: 1)
      guard pair.count == 2 else { continue }
      let value = pair[1].filter { $0 != "\"" && $0 != "'" }
      guard pair[0].lowercased() == "color" else {
        noteUnknown("font \(pair[0].lowercased())")
        continue
      }
      if let color = NamedColor.color(value) { runs.look.color = color } else { noteUnknown("font color \(value)") }
    }
  }

  private mutating func override(_ body: String) {
    if body.hasPrefix("\\an"), let digit = body.dropFirst(3).first, let number = Int(String(digit)), 1...9 ~= number {
      place = SubStation.place(ofNumpad: number)
    } else {
      noteUnknown("{\(body)}")
    }
  }

  private static func entity(_ name: String) -> Unicode.Scalar? {
    switch name {
    case "amp": return "&"
    case "lt": return "<"
    case "gt": return ">"
    case "nbsp": return "\u{a0}"
    case "lrm": return "\u{200e}"
    case "rlm": return "\u{200f}"
    case "quot": return "\""
    case "apos": return "'"
    default: return XMLReader.character(name)
    }
  }
}
