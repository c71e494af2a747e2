extension MediaTime {
  /// Reads an exact decimal (`"12.5"`, `"-0.04"`) or a fraction (`"1001/30000"`) of seconds.
  ///
  /// - Throws: `TimeError.malformed` for anything else (exponents, NaN, spaces), `.overflow` when it does not fit.
  package init(parsing text: String) throws(TimeError) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    if parts.count == 2 {
      guard let numerator = Self.integer(parts[0]), let denominator = Self.integer(parts[1]) else { throw .malformed(text) }
      try self.init(Rational(numerator, over: denominator))
    } else {
      try self.init(Self.decimal(text))
    }
  }

  private static func decimal(_ text: String) throws(TimeError) -> Rational {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    let fraction = parts.count == 2 ? parts[1] : ""
    guard parts.count == 1 || isDigits(fraction), let digits = integer(parts[0] + fraction),
      isDigits(parts[0].first == "-" ? parts[0].dropFirst() : parts[0])
    else { throw .malformed(text) }
    var scale: Int128 = 1
    for _ in fraction { scale *= 10 }
    return try Rational(digits, over: scale)
  }

  private static func isDigits(_ text: Substring) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
  }

  /// The decimal integer in `text`, which may be negative and has at most 31 characters, so that 128 bits always hold it; nil for
  /// other text.
  private static func integer(_ text: some StringProtocol) -> Int128? {
    guard text.utf8.count <= 31, text.first != "+" else { return nil }
    return Int128(text)
  }
}

extension MediaTime: CustomStringConvertible {
  /// The canonical text: a decimal number when seconds have one of at most nine places (`"12.5"`), else a fraction
  /// (`"1001/30000"`).
  package var description: String {
    var (rest, twos, fives) = (timescale, 0, 0)
    while rest % 2 == 0 { (rest, twos) = (rest / 2, twos + 1) }
    while rest % 5 == 0 { (rest, fives) = (rest / 5, fives + 1) }
    let places = max(twos, fives)
    guard rest == 1, places <= 9 else { return "\(value)/\(timescale)" }
    guard places > 0 else { return "\(value)" }
    var scale: Int128 = 1
    for _ in 0..<places { scale *= 10 }
    let magnitude = (Int128(value) * scale / Int128(timescale)).magnitude
    let fraction = String(magnitude % scale.magnitude)
    return (value < 0 ? "-" : "") + "\(magnitude / scale.magnitude)." + String(repeating: "0", count: places - fraction.count)
      + fraction
  }
}

extension MediaTime: Codable {
  package init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}
