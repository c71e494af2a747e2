internal import Formats

/// The style sheets of a WebVTT file, as far as cues can have their looks: colours, bold, italics, lines under and through the
/// letters, for whole cues, tags, classes and voices.
struct WebVTTStyles {
  /// The tags that a rule is for. What is nil matters not.
  private struct Selector: Hashable {
    var tag: String?
    var classes: [String] = []
    var voice: String?
    /// Whether it is for whole cues.
    var isCue = false
  }

  private enum Change {
    case color(RGBAColor)
    case bold(Bool)
    case italic(Bool)
    case lines(isUnderlined: Bool, isStruck: Bool)
  }

  private var rules: [(selector: Selector, changes: [Change])] = []
  /// The rules of a file that are read.
  private static let most = 200

  /// Reads a style sheet.
  ///
  /// - Parameter line: its place in the file, for remarks.
  mutating func read(_ sheet: String, _ line: Int, _ log: inout CaptionLog) {
    var lost: [String] = []
    var rest = sheet[...]
    while let open = rest.firstIndex(of: "{") {
      let selectors = rest[..<open].split(separator: ",").map(\.trimmed)
      rest = rest[rest.index(after: open)...]
      let close = rest.firstIndex(of: "}") ?? rest.endIndex
      let changes = rest[..<close].split(separator: ";").compactMap { Self.change($0, &lost) }
      rest = close == rest.endIndex ? "" : rest[rest.index(after: close)...]
      for text in selectors {
        guard let selector = Self.selector(text), rules.count < Self.most else {
          Self.lose(text, &lost)
          continue
        }
        rules.append((selector, changes))
      }
    }
    if !rest.trimmed.isEmpty { Self.lose(rest.trimmed, &lost) }
    if !lost.isEmpty { log.note(line, "of the style sheet, not used: \(lost.joined(separator: ", "))") }
  }

  /// The look of a tag's content, or of a whole cue.
  ///
  /// - Parameter tag: the tag's name; nil for the cue.
  func look(_ tag: String?, classes: [Substring] = [], voice: String = "", on ground: CueRuns.Look) -> CueRuns.Look {
    var look = ground
    for (selector, changes) in rules {
      if selector.isCue ? tag != nil : tag == nil { continue }
      if let wanted = selector.tag, wanted != tag { continue }
      if let wanted = selector.voice, wanted != voice { continue }
      guard selector.classes.allSatisfy({ classes.contains(Substring($0)) }) else { continue }
      for change in changes {
        switch change {
        case .color(let color): look.color = color
        case .bold(let isBold): look.isBold = isBold
        case .italic(let isItalic): look.isItalic = isItalic
        case .lines(let isUnderlined, let isStruck): (look.isUnderlined, look.isStruck) = (isUnderlined, isStruck)
        }
      }
    }
    return look
  }

  private static func lose(_ text: some StringProtocol, _ lost: inout [String]) {
    let text = String(text.prefix(40))
    if !lost.contains(text), lost.count < 8 { lost.append(text) }
  }

  /// `::cue`, `::cue(b)`, `::cue(.class)`, `::cue(c.one.two)` or `::cue(v[voice="Ann"])`.
  private static func selector(_ text: String) -> Selector? {
    guard text.hasPrefix("::cue") else { return nil }
    var inner = text.dropFirst(5)
    guard !inner.isEmpty else { return Selector(isCue: true) }
    guard inner.hasPrefix("("), inner.hasSuffix(")") else { return nil }
    inner = inner.dropFirst().dropLast()
    var selector = Selector()
    if let open = inner.firstIndex(of: "[") {
      let attribute = inner[open...].dropFirst().dropLast()
      guard inner.hasSuffix("]"), attribute.hasPrefix("voice=") else { return nil }
      selector.voice = attribute.dropFirst(6).filter { $0 != "\"" && $0 != "'" }
      inner = inner[..<open]
    }
    let parts = inner.split(separator: ".", omittingEmptySubsequences: false)
    if let tag = parts.first, !tag.isEmpty { selector.tag = String(tag) }
    selector.classes = parts.dropFirst().map(String.init)
    let names = [selector.tag ?? "c"] + selector.classes
    return names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(\.isNameByte) }) ? selector : nil
  }

  private static func change(_ declaration: Substring, _ lost: inout [String]) -> Change? {
    let pair = declaration.split(separator: ":", maxSplits: 1).map { $0.trimmed.lowercased() }
    guard pair.count == 2 else {
      if !declaration.trimmed.isEmpty { lose(declaration.trimmed, &lost) }
      return nil
    }
    switch pair[0] {
    case "color":
      if let color = NamedColor.color(pair[1]) { return .color(color) }
    case "font-weight":
      if pair[1] == "bold" || pair[1] == "normal" { return .bold(pair[1] == "bold") }
      if let weight = Int(pair[1]) { return .bold(weight >= 600) }
    case "font-style":
      if ["italic", "oblique", "normal"].contains(pair[1]) { return .italic(pair[1] != "normal") }
    case "text-decoration":
      let words = pair[1].split(separator: " ")
      if words.allSatisfy({ ["underline", "line-through", "none"].contains($0) }) {
        return .lines(isUnderlined: words.contains("underline"), isStruck: words.contains("line-through"))
      }
    default: break
    }
    lose("\(pair[0]): \(pair[1])", &lost)
    return nil
  }
}

extension UInt8 {
  /// Whether a class or a tag may have this byte in its name, as far as such names are read.
  fileprivate var isNameByte: Bool {
    0x30...0x39 ~= self || 0x41...0x5a ~= self || 0x61...0x7a ~= self || self == 0x2d || self == 0x5f || self >= 0x80
  }
}
