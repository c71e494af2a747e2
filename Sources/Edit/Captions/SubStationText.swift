internal import Formats
internal import MediaTime

/// Reads the text of an event with its override tags, such as `{\b1}` and `{\k20}`.
struct SubStationText {
  private(set) var runs = CueRuns()
  private(set) var alignment: Int?
  /// The position in the script's pixels.
  private(set) var position: Point?
  /// The point at which a movement ends, in the script's pixels, and its milliseconds since the event's start; nil for all of them.
  private(set) var move: (to: Point, times: (Int64, Int64)?)?
  /// The milliseconds of fading in and out.
  private(set) var fade: (Int64, Int64)?
  /// The tags that are not drawn.
  private(set) var lost: [String] = []
  private let style: SubStation.Style
  private let styles: [String: SubStation.Style]
  /// The time at which the next syllable begins.
  private var syllable: MediaTime
  private var (hasSyllables, isDrawing) = (false, false)

  init(start: MediaTime, style: SubStation.Style, styles: [String: SubStation.Style]) {
    (syllable, self.style, self.styles) = (start, style, styles)
    runs.look = style.look
  }

  mutating func read(_ text: Substring) {
    // A text that is much too long is refused as a cue, and not read.
    guard text.utf8.count <= 8 * CaptionLimits.cueLength else { return runs.append(String(text)) }
    var rest = text
    while let open = rest.firstIndex(of: "{") {
      guard let close = rest[open...].firstIndex(of: "}") else { break }
      plain(rest[..<open])
      for tag in Self.tags(rest[rest.index(after: open)..<close]) { take(tag) }
      rest = rest[rest.index(after: close)...]
    }
    plain(rest)
    // The last syllable lasts as long as it says.
    if hasSyllables { runs.begin(at: syllable) }
  }

  private mutating func plain(_ text: Substring) {
    guard !isDrawing else { return }
    var (plain, isEscape) = ("", false)
    for character in text {
      if isEscape {
        switch character {
        case "N": plain += "\n"
        case "n": plain += " "
        case "h": plain += "\u{a0}"
        default: plain += "\\\(character)"
        }
        isEscape = false
      } else if character == "\\" {
        isEscape = true
      } else {
        plain.append(character)
      }
    }
    runs.append(isEscape ? plain + "\\" : plain)
  }

  /// The tags of a block, without their backslashes. A tag's parentheses may hold other tags.
  private static func tags(_ block: Substring) -> [Substring] {
    var tags: [Substring] = []
    var (start, depth): (Substring.Index?, Int) = (nil, 0)
    for index in block.indices {
      switch block[index] {
      case "(": depth += 1
      case ")": depth = max(0, depth - 1)
      case "\\" where depth == 0:
        if let start { tags.append(block[start..<index]) }
        start = block.index(after: index)
      default: break
      }
    }
    if let start { tags.append(block[start...]) }
    return tags
  }

  /// The names of tags; a longer one comes before those that it begins with.
  private static let names = [
    "alpha", "iclip", "clip", "fade", "xbord", "ybord", "xshad", "yshad", "blur", "bord", "fscx", "fscy", "move", "shad", "fax",
    "fay", "frx", "fry", "frz", "fsp", "org", "pbo", "pos", "fad", "an", "be", "fe", "fn", "fr", "fs", "kf", "ko", "kt", "1a",
    "2a",
    "3a", "4a", "1c", "2c", "3c", "4c", "a", "b", "c", "i", "k", "K", "p", "q", "r", "s", "t", "u",
  ]

  private mutating func take(_ tag: Substring) {
    let tag = tag.trimmed
    guard let name = Self.names.first(where: tag.hasPrefix) else { return lose(tag) }
    let value = tag.dropFirst(name.count)
    switch name {
    case "b": runs.look.isBold = value.isEmpty ? style.look.isBold : value == "1" || (Int(value) ?? 0) >= 600
    case "i": runs.look.isItalic = value.isEmpty ? style.look.isItalic : value == "1"
    case "u": runs.look.isUnderlined = value == "1"
    case "s": runs.look.isStruck = value == "1"
    case "c", "1c": runs.look.color = value.isEmpty ? style.look.color : SubStation.color(value) ?? style.look.color
    case "an": if let number = Int(value), 1...9 ~= number { alignment = alignment ?? number }
    case "a": if let number = Int(value) { alignment = alignment ?? SubStation.numpad(ofLegacy: number) }
    case "pos": position = position ?? Self.numbers(value, count: 2).map { Point($0[0], $0[1]) }
    case "move": take(movement: value)
    case "fad":
      guard let times = Self.numbers(value, count: 2), times.allSatisfy({ 0...1e9 ~= $0 }) else { return lose("fad") }
      fade = fade ?? (Int64(times[0]), Int64(times[1]))
    case "k", "K", "kf", "ko": karaoke(value)
    case "r": runs.look = (styles[String(value)] ?? style).look
    case "p": isDrawing = (Int(value) ?? 0) > 0
    case "q": break  // Lines are broken by their measured width.
    default: lose(name)
    }
    if name == "p", isDrawing { lose("p") }
  }

  private mutating func take(movement value: Substring) {
    guard let numbers = Self.numbers(value, count: 4) ?? Self.numbers(value, count: 6) else { return lose("move") }
    let times = numbers.count == 6 ? (numbers[4], numbers[5]) : (0, 0)
    guard 0...1e9 ~= times.0, 0...1e9 ~= times.1 else { return lose("move") }
    if position != nil { return }
    position = Point(numbers[0], numbers[1])
    move = (Point(numbers[2], numbers[3]), times.0 < times.1 ? (Int64(times.0), Int64(times.1)) : nil)
  }

  private mutating func lose(_ tag: String) {
    let name = String(tag.prefix(12))
    if !lost.contains(name), lost.count < 12 { lost.append(name) }
  }

  /// Begins a syllable of so many hundredths of a second.
  private mutating func karaoke(_ value: Substring) {
    let whole = value.split(separator: ".").first ?? ""
    guard let count = CaptionClock.number(whole, digits: 1...7) else { return lose("k") }
    runs.begin(at: syllable)
    hasSyllables = true
    // Times of seven digits fit many times over; one that does not fit stays where it is, and the cue's words are refused by it.
    if let length = try? MediaTime(count, 100), let next = try? syllable + length { syllable = next }
  }

  private static func numbers(_ value: Substring, count: Int) -> [Double]? {
    guard value.hasPrefix("("), value.hasSuffix(")") else { return nil }
    let numbers = value.dropFirst().dropLast().split(separator: ",").map { Double($0.trimmed) }
    guard numbers.count == count, numbers.allSatisfy({ $0.map { $0.isFinite } ?? false }) else { return nil }
    return numbers.compactMap(\.self)
  }
}
