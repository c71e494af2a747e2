internal import MediaTime

/// The times of TTML: `HH:MM:SS.fff`, `HH:MM:SS:FF`, and offsets such as `12.5s`, `300ms`, `45f` and `9000t`.
///
/// Where the time base is `smpte`, clock times are labels of frames (SMPTE ST 12-1): at 29.97 frames a second such a clock is slower
/// than others, unless it drops labels.
struct TimedTextClock {
  private enum Base { case media, smpte(drops: Bool) }

  private var base = Base.media
  /// The labels of a second.
  private var rate: Int64 = 30
  private var frame = Rational(1)
  private var tick = Rational(1)

  init(_ attributes: [String: String] = [:]) {
    func number(_ key: String) -> Int64? {
      attributes[key].flatMap { CaptionClock.number($0, digits: 1...9) }.flatMap { $0 > 0 ? $0 : nil }
    }
    rate = number("frameRate") ?? 30
    let terms = (attributes["frameRateMultiplier"] ?? "").split { $0 == " " || $0 == ":" }.map {
      CaptionClock.number($0, digits: 1...9) ?? 0
    }
    let (up, down) = terms.count == 2 && terms[0] > 0 && terms[1] > 0 ? (terms[0], terms[1]) : (1, 1)
    // Numbers of nine digits cannot overflow, and none is zero.
    frame = (try? Rational(Int128(down), over: Int128(rate) * Int128(up))) ?? frame
    let ticks = number("tickRate") ?? (attributes["frameRate"] == nil ? 1 : rate)
    tick = (try? Rational(1, over: Int128(ticks))) ?? tick  // above zero, as said
    if attributes["timeBase"] == "smpte" { base = .smpte(drops: attributes["dropMode"] == "dropNTSC") }
  }

  func time(_ text: String) throws(TimeError) -> MediaTime {
    let text = text.trimmed
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    if fields.count == 3 || fields.count == 4, let start = CaptionClock.time(fields[..<3].joined(separator: ":")) {
      let frames = fields.count == 4 ? CaptionClock.number(fields[3], digits: 1...6) : 0
      guard let frames else { throw .malformed(text) }
      return try time(Rational(start), frames)
    }
    for (unit, length) in try units where text.hasSuffix(unit) {
      if let count = CaptionClock.decimal(text.dropLast(unit.count)) { return try MediaTime(Rational(count) * length) }
    }
    throw .malformed(text)
  }

  /// The time of a clock that shows so many seconds and frames.
  private func time(_ seconds: Rational, _ frames: Int64) throws(TimeError) -> MediaTime {
    guard case .smpte(let drops) = base else { return try MediaTime(seconds + Rational(frames) * frame) }
    var count = try seconds * Rational(rate) + Rational(frames)
    if drops {
      // Each minute but every tenth lacks its first labels: two of thirty, four of sixty.
      let minutes = try (seconds / Rational(60)).wholePart
      count = try count - Rational((minutes - minutes / 10) * Int128(rate / 15), over: 1)
    }
    return try MediaTime(count * frame)
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
