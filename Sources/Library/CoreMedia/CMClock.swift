/// A clock that always runs.
public final class CMClock: Sendable {
  private init() {}

  /// The clock of this machine, which counts from its start.
  public static let hostTimeClock = CMClock()

  public var time: CMTime {
    // The clock counts nanoseconds, and so does the time.
    CMTime(value: Int64(clamping: DispatchTime.now().uptimeNanoseconds), timescale: 1_000_000_000)
  }
}

public func CMClockGetHostTimeClock() -> CMClock { .hostTimeClock }
public func CMClockGetTime(_ clock: CMClock) -> CMTime { clock.time }

/// Moves a time from one range to the place that it has in another one.
public func CMTimeMapTimeFromRangeToRange(_ t: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange) -> CMTime {
  guard t.isNumeric, fromRange.isValid, toRange.isValid else { return .invalid }
  return toRange.start + CMTimeMapDurationFromRangeToRange(t - fromRange.start, fromRange: fromRange, toRange: toRange)
}

/// Scales a duration as one range is to another one.
public func CMTimeMapDurationFromRangeToRange(_ dur: CMTime, fromRange: CMTimeRange, toRange: CMTimeRange) -> CMTime {
  guard let part = dur.exact, let from = fromRange.duration.exact, let to = toRange.duration.exact, from.numerator != 0 else {
    return .invalid
  }
  let (top, over) = (part.numerator * to.numerator).multipliedReportingOverflow(by: from.denominator)
  let (bottom, under) = (part.denominator * to.denominator).multipliedReportingOverflow(by: from.numerator)
  guard !over, !under, bottom > 0 else {
    return CMTimeMultiplyByFloat64(dur, multiplier: toRange.duration.seconds / fromRange.duration.seconds)
  }
  let common = Int128(greatestCommonDivisor(top.magnitude, bottom.magnitude))
  return CMTime(top / common, over: bottom / common, isRounded: dur.hasBeenRounded, epoch: 0)
}

public func CMTimeRangeCopyDescription(allocator: CFAllocator?, range: CMTimeRange) -> CFString? {
  let texts = [range.start, range.duration].map { CMTimeCopyDescription(allocator: nil, time: $0) ?? "" }
  return "{\(texts[0]), \(texts[1])}"
}
public func CMTimeRangeShow(_ range: CMTimeRange) {
  print(CMTimeRangeCopyDescription(allocator: nil, range: range) ?? "")
}
