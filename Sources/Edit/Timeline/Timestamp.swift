package import MediaTime

/// The numbers that a text shows for the moment of its frame, in place of names in braces such as `{timecode}`. They count on the
/// clock of the text's layer.
package struct Timestamp: Hashable, Sendable, Encodable {
  /// The names that stand in texts.
  package enum Field: String, Hashable, Sendable, CaseIterable {
    /// The label of the frame by SMPTE ST 12-1.
    case timecode
    /// Hours, minutes and seconds with decimals, cut off and not rounded.
    case time
    /// The number of whole frames since the clock's zero.
    case frame
    /// The day, as year, month and day.
    case date
    /// The time of day.
    case clock
    /// The name of the source that a track shows.
    case source
    /// The label of the source's frame, from the label of its first one on.
    case sourceTimecode
    /// The time in the source.
    case sourceTime
    /// The number of the frame in the source.
    case sourceFrame

    /// Whether it tells of a track's source.
    package var isOfSource: Bool { [.source, .sourceTimecode, .sourceTime, .sourceFrame].contains(self) }
  }

  /// The time that is added to the clock's.
  package var start: MediaTime
  /// Whether timecode drops labels.
  package var dropsFrames: Bool
  /// The decimals of `{time}`, 0...6.
  package var decimals: Int
  /// The moment at which the clock shows zero, for `{date}` and `{clock}`.
  package var date: CalendarDate?
  /// The video track whose source is told.
  package var track: TrackID?

  package init(
    start: MediaTime = .zero, dropsFrames: Bool = false, decimals: Int = 3, date: CalendarDate? = nil, track: TrackID? = nil
  ) {
    (self.start, self.dropsFrames, self.decimals, self.date) = (start, dropsFrames, decimals, date)
    self.track = track
  }

  /// The text of a field.
  ///
  /// - Parameters:
  ///   - time: on the clock of the text's layer.
  ///   - frameDuration: the movie's.
  ///   - source: what the track shows; nil where it shows nothing, of which nothing is told.
  /// - Throws: `TimeError.timecode` for a rate or labels that timecode does not have.
  package func text(
    of field: Field, at time: MediaTime, frameDuration: MediaTime, source: SourceMoment? = nil
  ) throws(TimeError) -> String {
    // A copy whose clock is behind stands at zero until it begins, as clocks do.
    let counted = try max(time, .zero) + start
    switch field {
    case .timecode:
      return try Timecode(frameDuration: frameDuration).label(
        ofFrame: counted.wholeUnits(of: frameDuration), dropping: dropsFrames)
    case .frame: return "\(try counted.wholeUnits(of: frameDuration))"
    case .time: return try Self.time(Rational(counted), decimals: decimals)
    case .date: return try date?.adding(seconds: Self.wholeSeconds(counted)).day ?? ""
    case .clock: return try date?.adding(seconds: Self.wholeSeconds(counted)).timeOfDay ?? ""
    case .source: return source?.name ?? ""
    case .sourceTimecode: return try source?.timecode ?? ""
    case .sourceTime: if let source { return try Self.time(source.time, decimals: decimals) } else { return "" }
    case .sourceFrame: return try source?.frame.map { "\($0)" } ?? ""
    }
  }

  private static func wholeSeconds(_ time: MediaTime) throws(TimeError) -> Int64 { try time.wholeUnits(of: MediaTime(1)) }

  private static func time(_ time: Rational, decimals: Int) throws(TimeError) -> String {
    var scale: Int64 = 1
    for _ in 0..<decimals { scale *= 10 }
    let parts = try (time * Rational(scale)).wholePart
    let (seconds, fraction) = (Int64(parts) / scale, Int64(parts) % scale)
    let whole = [seconds / 3600, seconds / 60 % 60, seconds % 60].map { $0.padded(to: 2) }.joined(separator: ":")
    return decimals == 0 ? whole : whole + "." + fraction.padded(to: decimals)
  }
}

/// A day and a time of day in the proleptic Gregorian calendar, without a time zone and without leap seconds.
package struct CalendarDate: Hashable, Sendable, Encodable {
  /// The seconds since the start of 1970.
  private let seconds: Int64

  private init(seconds: Int64) { self.seconds = seconds }

  /// Reads the form `2026-11-24T14:03:05` of ISO 8601. Nil for anything else, or a day that does not exist.
  package init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard bytes.count == 19, [4, 7, 10, 13, 16].map({ bytes[$0] }) == Array("--T::".utf8) else { return nil }
    func number(_ range: Range<Int>) -> Int64? {
      let digits = bytes[range]
      return digits.allSatisfy { 0x30...0x39 ~= $0 } ? digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) } : nil
    }
    guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
      let minute = number(14..<16), let second = number(17..<19), 1...12 ~= month, day >= 1, hour < 24, minute < 60, second < 60
    else { return nil }
    seconds = (Self.days(year, month, day) * 24 + hour) * 3600 + minute * 60 + second
    // A day that the month does not have would come out as one of the next month.
    guard self.day == String(text.prefix(10)) else { return nil }
  }

  package var text: String { "\(day)T\(timeOfDay)" }

  func adding(seconds more: Int64) -> CalendarDate { CalendarDate(seconds: seconds + more) }

  /// The day, as `2026-11-24`.
  var day: String {
    // The calendar's cycle is 400 years of 146,097 days. Years are counted from March, so that the leap day is the last.
    let days = Self.floor(seconds, 86_400) + 719_468
    let era = Self.floor(days, 146_097)
    let dayOfEra = days - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let fromMarch = (5 * dayOfYear + 2) / 153
    let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return "\(year.padded(to: 4))-\(month.padded(to: 2))-\((dayOfYear - (153 * fromMarch + 2) / 5 + 1).padded(to: 2))"
  }

  /// The time of day, as `14:03:05`.
  var timeOfDay: String {
    let second = seconds - Self.floor(seconds, 86_400) * 86_400
    return [second / 3600, second / 60 % 60, second % 60].map { $0.padded(to: 2) }.joined(separator: ":")
  }

  /// The days from the start of 1970 to a day, which may be one that its month does not have.
  private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
    let counted = month <= 2 ? year - 1 : year
    let era = floor(counted, 400)
    let yearOfEra = counted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func floor(_ number: Int64, _ divisor: Int64) -> Int64 {
    number / divisor - (number % divisor < 0 ? 1 : 0)
  }
}

extension Int64 {
  fileprivate func padded(to width: Int) -> String {
    let digits = "\(self)"
    return String(repeating: "0", count: Swift.max(width - digits.count, 0)) + digits
  }
}

extension TextContent {
  /// The text as it is at a moment, with its fields filled in.
  ///
  /// - Parameters:
  ///   - time: on the clock of the text's layer.
  ///   - frameDuration: the movie's.
  ///   - source: what the timestamp's track shows.
  package func stamped(
    at time: @autoclosure () -> MediaTime, frameDuration: MediaTime, source: SourceMoment? = nil
  ) throws(TimeError) -> TextContent {
    guard let timestamp else { return self }
    var values: [Timestamp.Field: String] = [:]
    for field in fields {
      values[field] = try timestamp.text(of: field, at: time(), frameDuration: frameDuration, source: source)
    }
    return filled(values)
  }

  /// The text with every character that its fields may show, to find fonts for it.
  ///
  /// - Parameter source: the name of the source that is told.
  package func withEveryDigit(source: String) -> TextContent {
    guard timestamp != nil else { return self }
    let values = Timestamp.Field.allCases.map { ($0, $0 == .source ? source : "0123456789:;.-") }
    return filled(Dictionary(uniqueKeysWithValues: values))
  }
}
