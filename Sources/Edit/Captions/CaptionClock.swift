internal import MediaTime

/// Reads the times of caption files, exactly.
enum CaptionClock {
  /// The time of a clock: `MM:SS`, `HH:MM:SS`, and a fraction after a point or a comma. It is nil where the text has another form.
  static func time(_ text: some StringProtocol) -> MediaTime? {
    let fields = text.split(separator: ":", omittingEmptySubsequences: false)
    guard fields.count == 2 || fields.count == 3, let last = fields.last else { return nil }
    let whole = last.split(omittingEmptySubsequences: false) { $0 == "." || $0 == "," }
    guard whole.count <= 2, let seconds = number(whole[0], digits: 1...2),
      let minutes = number(fields[fields.count - 2], digits: 1...3)
    else { return nil }
    let hours = fields.count == 3 ? number(fields[0], digits: 1...4) : 0
    guard let hours, seconds < 60, fields.count == 2 || minutes < 60 else { return nil }
    return sum(hours * 3600 + minutes * 60 + seconds, fraction: whole.count == 2 ? whole[1] : nil)
  }

  /// The number of seconds that a decimal such as `12.5` says; nil for another form.
  static func decimal(_ text: some StringProtocol) -> MediaTime? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, let whole = number(parts[0], digits: 1...9) else { return nil }
    return sum(whole, fraction: parts.count == 2 ? parts[1] : nil)
  }

  private static func sum(_ seconds: Int64, fraction: (some StringProtocol)?) -> MediaTime? {
    guard let fraction else { return MediaTime(seconds: seconds) }
    guard let part = number(fraction, digits: 1...9) else { return nil }
    let scale = (0..<fraction.utf8.count).reduce(Int32(1)) { scale, _ in scale * 10 }
    // Too long a time is none that a file can mean.
    return try? MediaTime(seconds: seconds) + MediaTime(part, scale)
  }

  static func number(_ text: some StringProtocol, digits: ClosedRange<Int>) -> Int64? {
    digits.contains(text.utf8.count) && text.isDigits ? Int64(text) : nil
  }
}
