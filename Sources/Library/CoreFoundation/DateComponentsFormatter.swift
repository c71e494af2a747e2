/// Writes durations, such as "1:05" or "1 minute, 5 seconds". Foundation has none on Linux.
// Its settings are the owner's, who must not change them while others use it.
/// - Partly: words are English, and units are whole
open class DateComponentsFormatter: Formatter, @unchecked Sendable {
  public enum UnitsStyle: Int, Sendable { case positional = 0, abbreviated, short, full, spellOut, brief }

  /// The units of zero that are left out, and whether numbers have two digits.
  public struct ZeroFormattingBehavior: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// Positions leave out what leads, and have two digits behind the first number. Words leave out all.
    public static let `default` = ZeroFormattingBehavior(rawValue: 1)
    public static let dropLeading = ZeroFormattingBehavior(rawValue: 2)
    public static let dropMiddle = ZeroFormattingBehavior(rawValue: 4)
    public static let dropTrailing = ZeroFormattingBehavior(rawValue: 8)
    public static let dropAll: ZeroFormattingBehavior = [.dropLeading, .dropMiddle, .dropTrailing]
    public static let pad = ZeroFormattingBehavior(rawValue: 1 << 16)
  }

  open var unitsStyle = UnitsStyle.positional
  /// The units that are written, of years, months, weeks, days, hours, minutes and seconds; all but weeks where none is named.
  open var allowedUnits: NSCalendar.Unit = []
  open var zeroFormattingBehavior = ZeroFormattingBehavior.default
  /// The most units that are written, the largest first; 0 for all. What is smaller is cut off.
  open var maximumUnitCount = 0
  /// Whether a largest unit of 1 is written in the next smaller one.
  open var collapsesLargestUnit = false
  open var includesApproximationPhrase = false
  open var includesTimeRemainingPhrase = false
  open var calendar: Calendar? = .current
  /// The date from which months and years are counted.
  open var referenceDate: Date?

  public override init() { super.init() }
  public required init?(coder: NSCoder) { super.init(coder: coder) }

  /// A unit, its component of a date, its names for one and for several, in full, short and as a letter, and how many of it are one of the unit
  /// before it; 0 where that differs.
  private struct Unit {
    let unit: NSCalendar.Unit
    let component: Calendar.Component
    let one: String
    let many: String
    let shortOne: String
    let shortMany: String
    let letter: String
    let perLarger: Int
  }

  private static let all = [
    Unit(
      unit: .year, component: .year, one: "year", many: "years", shortOne: "yr", shortMany: "yrs", letter: "y", perLarger: 0),
    Unit(
      unit: .month, component: .month, one: "month", many: "months", shortOne: "mth", shortMany: "mths", letter: "mo",
      perLarger: 12),
    Unit(
      unit: .weekOfMonth, component: .weekOfMonth, one: "week", many: "weeks", shortOne: "wk", shortMany: "wks", letter: "w",
      perLarger: 0),
    Unit(unit: .day, component: .day, one: "day", many: "days", shortOne: "day", shortMany: "days", letter: "d", perLarger: 7),
    Unit(unit: .hour, component: .hour, one: "hour", many: "hours", shortOne: "hr", shortMany: "hr", letter: "h", perLarger: 24),
    Unit(
      unit: .minute, component: .minute, one: "minute", many: "minutes", shortOne: "min", shortMany: "min", letter: "m",
      perLarger: 60),
    Unit(
      unit: .second, component: .second, one: "second", many: "seconds", shortOne: "sec", shortMany: "sec", letter: "s",
      perLarger: 60),
  ]

  private var units: [Unit] {
    let named = Self.all.filter { allowedUnits.contains($0.unit) }
    return named.isEmpty ? Self.all.filter { $0.unit != .weekOfMonth } : named
  }

  /// - Returns: nil where the duration is not finite.
  open func string(from ti: TimeInterval) -> String? {
    guard ti.isFinite, abs(ti) < 1e12 else { return nil }
    let start = referenceDate ?? Date(timeIntervalSinceReferenceDate: 0)
    // A day has 24 hours here, whatever the clocks of a place do.
    var calendar = self.calendar ?? .current
    calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? calendar.timeZone
    let parts = calendar.dateComponents(Set(units.map(\.component)), from: start, to: start + abs(ti).rounded(.down))
    return string(of: parts, isNegative: ti <= -1)
  }

  open func string(from startDate: Date, to endDate: Date) -> String? {
    let (start, end) = (min(startDate, endDate), max(startDate, endDate))
    let parts = (calendar ?? .current).dateComponents(Set(units.map(\.component)), from: start, to: end)
    return string(of: parts, isNegative: endDate < startDate)
  }

  open func string(from components: DateComponents) -> String? { string(of: components, isNegative: false) }

  open override func string(for obj: Any?) -> String? {
    switch obj {
    case let components as DateComponents: string(from: components)
    case let seconds as Double: string(from: seconds)
    case let seconds as Int: string(from: Double(seconds))
    default: nil
    }
  }

  open class func localizedString(from components: DateComponents, unitsStyle: UnitsStyle) -> String? {
    let formatter = DateComponentsFormatter()
    formatter.unitsStyle = unitsStyle
    return formatter.string(from: components)
  }

  private func string(of components: DateComponents, isNegative: Bool) -> String {
    var values = units.map { (unit: $0, value: components.value(for: $0.component) ?? 0) }
    if collapsesLargestUnit, let first = values.firstIndex(where: { $0.value != 0 }), values[first].value == 1,
      values.indices.contains(first + 1), values[first + 1].unit.perLarger > 0, values[first + 1].value > 0
    {
      values[first + 1].value += values[first + 1].unit.perLarger
      values[first].value = 0
    }
    values = written(values)
    if maximumUnitCount > 0 { values = Array(values.prefix(maximumUnitCount)) }
    let text = (isNegative ? "-" : "") + joined(values)
    return (includesApproximationPhrase ? "About " : "") + text + (includesTimeRemainingPhrase ? " remaining" : "")
  }

  /// The units without those of zero that are left out. One is always there.
  private func written(_ values: [(unit: Unit, value: Int)]) -> [(unit: Unit, value: Int)] {
    var behavior = zeroFormattingBehavior
    if behavior.contains(.default) { behavior = unitsStyle == .positional ? .dropLeading : .dropAll }
    let known = values.indices.filter { values[$0].value != 0 }
    guard let first = known.first, let last = known.last else {
      return behavior.isDisjoint(with: .dropAll) ? values : Array(values.suffix(1))
    }
    return values.indices.filter { index in
      if index < first { return !behavior.contains(.dropLeading) }
      // Positions would be taken for other ones without what lies between and behind them.
      guard unitsStyle != .positional, values[index].value == 0 else { return true }
      return !behavior.contains(index > last ? .dropTrailing : .dropMiddle)
    }.map { values[$0] }
  }

  private func joined(_ values: [(unit: Unit, value: Int)]) -> String {
    if unitsStyle == .positional {
      return values.enumerated().map { index, part in
        let isPadded = zeroFormattingBehavior.contains(.pad) || (zeroFormattingBehavior.contains(.default) && index > 0)
        return isPadded && (0..<10).contains(part.value) ? "0\(part.value)" : "\(part.value)"
      }.joined(separator: ":")
    }
    let words = values.map { unit, value in
      switch unitsStyle {
      case .positional, .abbreviated: "\(value)\(unit.letter)"
      case .short: "\(value) \(value == 1 ? unit.shortOne : unit.shortMany)"
      case .brief: "\(value)\(value == 1 ? unit.shortOne : unit.shortMany)"
      case .full: "\(value) \(value == 1 ? unit.one : unit.many)"
      case .spellOut: "\(Self.spelled(value)) \(value == 1 ? unit.one : unit.many)"
      }
    }
    return words.joined(separator: [.abbreviated, .brief].contains(unitsStyle) ? " " : ", ")
  }

  private static func spelled(_ value: Int) -> String {
    let formatter = NumberFormatter()
    (formatter.locale, formatter.numberStyle) = (Locale(identifier: "en_US"), .spellOut)
    return formatter.string(from: NSNumber(value: value)) ?? "\(value)"
  }
}
