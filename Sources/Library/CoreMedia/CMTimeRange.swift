/// A range of time. The start belongs to it, the end does not.
public struct CMTimeRange: Hashable, Sendable {
  public var start: CMTime
  public var duration: CMTime

  /// Makes the invalid range.
  public init() { (start, duration) = (.invalid, .invalid) }

  public init(start: CMTime, duration: CMTime) { (self.start, self.duration) = (start, duration) }

  /// Makes the range from a start to an end; the invalid one where either is no number or the end comes first.
  public init(start: CMTime, end: CMTime) { self = CMTimeRangeFromTimeToTime(start: start, end: end) }

  public static let zero = CMTimeRange(start: .zero, duration: .zero)
  public static let invalid = CMTimeRange()

  public var isValid: Bool {
    start.isValid && duration.isValid && duration.epoch == 0 && (!duration.isNumeric || duration.value >= 0)
      && !duration.isNegativeInfinity
  }
  public var isIndefinite: Bool { isValid && (start.isIndefinite || duration.isIndefinite) }
  public var isEmpty: Bool { isValid && duration == .zero }
  public var end: CMTime { isValid ? start + duration : .invalid }

  public func union(_ other: CMTimeRange) -> CMTimeRange {
    guard isValid, other.isValid else { return .invalid }
    let first = CMTimeMinimum(start, other.start)
    return CMTimeRange(start: first, duration: CMTimeMaximum(end, other.end) - first)
  }

  /// The times in both ranges; the empty range at zero where there are none.
  public func intersection(_ other: CMTimeRange) -> CMTimeRange {
    guard isValid, other.isValid else { return .invalid }
    let (first, last) = (CMTimeMaximum(start, other.start), CMTimeMinimum(end, other.end))
    return first <= last ? CMTimeRange(start: first, duration: last - first) : .zero
  }

  public func containsTime(_ time: CMTime) -> Bool { isValid && time.isValid && start <= time && time < end }
  public func containsTimeRange(_ range: CMTimeRange) -> Bool {
    isValid && range.isValid && start <= range.start && range.end <= end
  }
}

/// A range of a source, and the range over which it is played.
public struct CMTimeMapping: Hashable, Sendable {
  public var source: CMTimeRange
  public var target: CMTimeRange

  public init() { (source, target) = (.invalid, .invalid) }
  public init(source: CMTimeRange, target: CMTimeRange) { (self.source, self.target) = (source, target) }
}

public func CMTimeRangeMake(start: CMTime, duration: CMTime) -> CMTimeRange { CMTimeRange(start: start, duration: duration) }

public func CMTimeRangeFromTimeToTime(start: CMTime, end: CMTime) -> CMTimeRange {
  guard start.isValid, end.isValid, start <= end else { return .invalid }
  return CMTimeRange(start: start, duration: end - start)
}

public func CMTimeRangeGetUnion(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange { range.union(otherRange) }
public func CMTimeRangeGetIntersection(_ range: CMTimeRange, otherRange: CMTimeRange) -> CMTimeRange {
  range.intersection(otherRange)
}
public func CMTimeRangeGetEnd(_ range: CMTimeRange) -> CMTime { range.end }
public func CMTimeRangeEqual(_ range1: CMTimeRange, _ range2: CMTimeRange) -> Bool { range1 == range2 }
public func CMTimeRangeContainsTime(_ range: CMTimeRange, time: CMTime) -> Bool { range.containsTime(time) }
public func CMTimeRangeContainsTimeRange(_ range: CMTimeRange, otherRange: CMTimeRange) -> Bool {
  range.containsTimeRange(otherRange)
}
public func CMTimeMappingMake(source: CMTimeRange, target: CMTimeRange) -> CMTimeMapping {
  CMTimeMapping(source: source, target: target)
}

/// The time in the range that is nearest to `time`.
public func CMTimeClampToRange(_ time: CMTime, range: CMTimeRange) -> CMTime {
  guard time.isValid, range.isValid else { return .invalid }
  return CMTimeMinimum(CMTimeMaximum(time, range.start), range.end)
}

/// The time in the range to which `time` comes where the range is repeated on both sides, as a loop is.
public func CMTimeFoldIntoRange(_ time: CMTime, foldRange: CMTimeRange) -> CMTime {
  let length = foldRange.duration
  guard time.isNumeric, foldRange.start.isNumeric, length.isNumeric, length > .zero else { return .invalid }
  let passed = time - foldRange.start
  let (top, bottom) = (Int128(passed.value) * Int128(length.timescale), Int128(length.value) * Int128(passed.timescale))
  guard let rounds = Int32(exactly: top / bottom - (top % bottom < 0 ? 1 : 0)) else { return .invalid }
  return foldRange.start + (passed - CMTimeMultiply(length, multiplier: rounds))
}

// The macros of C that ask what a time is.
public func CMTIME_IS_VALID(_ time: CMTime) -> Bool { time.isValid }
public func CMTIME_IS_INVALID(_ time: CMTime) -> Bool { !time.isValid }
public func CMTIME_IS_POSITIVEINFINITY(_ time: CMTime) -> Bool { time.isPositiveInfinity }
public func CMTIME_IS_NEGATIVEINFINITY(_ time: CMTime) -> Bool { time.isNegativeInfinity }
public func CMTIME_IS_INDEFINITE(_ time: CMTime) -> Bool { time.isIndefinite }
public func CMTIME_IS_NUMERIC(_ time: CMTime) -> Bool { time.isNumeric }
public func CMTIME_HAS_BEEN_ROUNDED(_ time: CMTime) -> Bool { time.hasBeenRounded }
public func CMTIMERANGE_IS_VALID(_ range: CMTimeRange) -> Bool { range.isValid }
public func CMTIMERANGE_IS_INVALID(_ range: CMTimeRange) -> Bool { !range.isValid }
public func CMTIMERANGE_IS_INDEFINITE(_ range: CMTimeRange) -> Bool { range.isIndefinite }
public func CMTIMERANGE_IS_EMPTY(_ range: CMTimeRange) -> Bool { range.isEmpty }

// The names that Swift had for these before version 4.2.
@available(*, deprecated, renamed: "CMTime.zero") public let kCMTimeZero = CMTime.zero
@available(*, deprecated, renamed: "CMTime.invalid") public let kCMTimeInvalid = CMTime.invalid
@available(*, deprecated, renamed: "CMTime.indefinite") public let kCMTimeIndefinite = CMTime.indefinite
@available(*, deprecated, renamed: "CMTime.positiveInfinity") public let kCMTimePositiveInfinity = CMTime.positiveInfinity
@available(*, deprecated, renamed: "CMTime.negativeInfinity") public let kCMTimeNegativeInfinity = CMTime.negativeInfinity
@available(*, deprecated, renamed: "CMTimeRange.zero") public let kCMTimeRangeZero = CMTimeRange.zero
@available(*, deprecated, renamed: "CMTimeRange.invalid") public let kCMTimeRangeInvalid = CMTimeRange.invalid
@available(*, deprecated, renamed: "CMTimeMake(value:timescale:)")
public func CMTimeMake(_ value: CMTimeValue, _ timescale: CMTimeScale) -> CMTime { CMTime(value: value, timescale: timescale) }
@available(*, deprecated, renamed: "CMTimeMakeWithSeconds(_:preferredTimescale:)")
public func CMTimeMakeWithSeconds(_ seconds: Double, _ timescale: CMTimeScale) -> CMTime {
  CMTimeMakeWithSeconds(seconds, preferredTimescale: timescale)
}
@available(*, deprecated, renamed: "CMTimeRangeMake(start:duration:)")
public func CMTimeRangeMake(_ start: CMTime, _ duration: CMTime) -> CMTimeRange { CMTimeRange(start: start, duration: duration) }
@available(*, deprecated, renamed: "CMTimeRangeFromTimeToTime(start:end:)")
public func CMTimeRangeFromTimeToTime(_ start: CMTime, _ end: CMTime) -> CMTimeRange { CMTimeRange(start: start, end: end) }
