@_exported public import CoreMedia.CMTime
@_exported public import CoreVideo
@_exported public import Foundation

public typealias CMTimeValue = Int64
public typealias CMTimeScale = Int32
public typealias CMTimeEpoch = Int64
public typealias CMPersistentTrackID = Int32

public let kCMPersistentTrackID_Invalid: CMPersistentTrackID = 0
/// The largest timescale.
public let kCMTimeMaxTimescale: CMTimeScale = 0x7fff_ffff

public struct CMTimeFlags: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let valid = CMTimeFlags(rawValue: 1)
  public static let hasBeenRounded = CMTimeFlags(rawValue: 2)
  public static let positiveInfinity = CMTimeFlags(rawValue: 4)
  public static let negativeInfinity = CMTimeFlags(rawValue: 8)
  public static let indefinite = CMTimeFlags(rawValue: 16)
  public static let impliedValueFlagsMask: CMTimeFlags = [.positiveInfinity, .negativeInfinity, .indefinite]
}

public enum CMTimeRoundingMethod: UInt32, Hashable, Sendable {
  case roundHalfAwayFromZero = 1
  case roundTowardZero = 2
  case roundAwayFromZero = 3
  /// Toward zero when the timescale becomes smaller, away from zero when it becomes larger, and never to zero.
  case quickTime = 4
  case roundTowardPositiveInfinity = 5
  case roundTowardNegativeInfinity = 6

  public static let `default` = CMTimeRoundingMethod.roundHalfAwayFromZero
}

/// A time: `value / timescale` seconds, or one of the times that are no number.
public struct CMTime: Sendable {
  public var value: CMTimeValue
  public var timescale: CMTimeScale
  public var flags: CMTimeFlags
  public var epoch: CMTimeEpoch

  /// Makes the invalid time.
  public init() { self.init(value: 0, timescale: 0, flags: [], epoch: 0) }

  public init(value: CMTimeValue, timescale: CMTimeScale, flags: CMTimeFlags, epoch: CMTimeEpoch) {
    (self.value, self.timescale, self.flags, self.epoch) = (value, timescale, flags, epoch)
  }

  /// Makes a time; the invalid one where the timescale is not positive.
  public init(value: CMTimeValue, timescale: CMTimeScale) {
    self = timescale > 0 ? CMTime(value: value, timescale: timescale, flags: .valid, epoch: 0) : CMTime()
  }

  /// Makes the time nearest to so many seconds. The timescale is halved until the value fits.
  public init(seconds: Double, preferredTimescale: CMTimeScale) {
    self = CMTimeMakeWithSeconds(seconds, preferredTimescale: preferredTimescale)
  }

  public static let invalid = CMTime()
  public static let indefinite = CMTime(value: 0, timescale: 0, flags: [.valid, .indefinite], epoch: 0)
  public static let positiveInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .positiveInfinity], epoch: 0)
  public static let negativeInfinity = CMTime(value: 0, timescale: 0, flags: [.valid, .negativeInfinity], epoch: 0)
  public static let zero = CMTime(value: 0, timescale: 1, flags: .valid, epoch: 0)

  public var isValid: Bool { flags.contains(.valid) }
  public var isPositiveInfinity: Bool { isValid && flags.contains(.positiveInfinity) }
  public var isNegativeInfinity: Bool { isValid && flags.contains(.negativeInfinity) }
  public var isIndefinite: Bool { isValid && flags.contains(.indefinite) }
  public var isNumeric: Bool { isValid && flags.isDisjoint(with: .impliedValueFlagsMask) }
  public var hasBeenRounded: Bool { isNumeric && flags.contains(.hasBeenRounded) }

  /// The seconds: not a number for an invalid or indefinite time.
  public var seconds: Double { CMTimeGetSeconds(self) }

  public func convertScale(_ newTimescale: CMTimeScale, method: CMTimeRoundingMethod) -> CMTime {
    CMTimeConvertScale(self, timescale: newTimescale, method: method)
  }

  public static prefix func - (time: CMTime) -> CMTime { CMTimeMultiply(time, multiplier: -1) }
  public static func + (a: CMTime, b: CMTime) -> CMTime { CMTimeAdd(a, b) }
  public static func - (a: CMTime, b: CMTime) -> CMTime { CMTimeSubtract(a, b) }
}

extension CMTime: Hashable, Comparable {
  public static func == (a: CMTime, b: CMTime) -> Bool { CMTimeCompare(a, b) == 0 }
  public static func < (a: CMTime, b: CMTime) -> Bool { CMTimeCompare(a, b) < 0 }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(rank)
    guard let exact else { return }
    hasher.combine(epoch)
    hasher.combine(exact.numerator)
    hasher.combine(exact.denominator)
  }
}

public func CMTimeMake(value: CMTimeValue, timescale: CMTimeScale) -> CMTime { CMTime(value: value, timescale: timescale) }

public func CMTimeMakeWithEpoch(value: CMTimeValue, timescale: CMTimeScale, epoch: CMTimeEpoch) -> CMTime {
  var time = CMTime(value: value, timescale: timescale)
  if time.isValid { time.epoch = epoch }
  return time
}

public func CMTimeMakeWithSeconds(_ seconds: Double, preferredTimescale: CMTimeScale) -> CMTime {
  guard !seconds.isNaN, preferredTimescale > 0 else { return .invalid }
  guard seconds.isFinite else { return seconds > 0 ? .positiveInfinity : .negativeInfinity }
  var timescale = preferredTimescale
  while true {
    if let value = Int64(exactly: (seconds * Double(timescale)).rounded(.toNearestOrAwayFromZero)) {
      var time = CMTime(value: value, timescale: timescale)
      if Double(value) / Double(timescale) != seconds { time.flags.insert(.hasBeenRounded) }
      return time
    }
    guard timescale > 1 else { return seconds > 0 ? .positiveInfinity : .negativeInfinity }
    timescale /= 2
  }
}

public func CMTimeGetSeconds(_ time: CMTime) -> Double {
  if time.isNumeric { return time.timescale > 0 ? Double(time.value) / Double(time.timescale) : .nan }
  if time.isPositiveInfinity { return .infinity }
  return time.isNegativeInfinity ? -.infinity : .nan
}

/// Compares two times: −1, 0 or 1. All times have an order: negative infinity, numbers, indefinite, positive infinity, invalid.
public func CMTimeCompare(_ time1: CMTime, _ time2: CMTime) -> Int32 {
  guard time1.rank == time2.rank else { return time1.rank < time2.rank ? -1 : 1 }
  guard let a = time1.exact, let b = time2.exact else { return 0 }
  guard time1.epoch == time2.epoch else { return time1.epoch < time2.epoch ? -1 : 1 }
  // The products fit 128 bits, because |value| <= 2^63 and timescale < 2^31.
  let (left, right) = (a.numerator * b.denominator, b.numerator * a.denominator)
  return left == right ? 0 : left < right ? -1 : 1
}

public func CMTimeMinimum(_ time1: CMTime, _ time2: CMTime) -> CMTime { CMTimeCompare(time1, time2) <= 0 ? time1 : time2 }
public func CMTimeMaximum(_ time1: CMTime, _ time2: CMTime) -> CMTime { CMTimeCompare(time1, time2) >= 0 ? time1 : time2 }

/// The text that Core Media shows for a time, such as "{1/30 = 0.033}".
public func CMTimeCopyDescription(allocator: Any?, time: CMTime) -> String? {
  switch time.rank {
  case .invalid: "{INVALID}"
  case .indefinite: "{INDEFINITE}"
  case .positiveInfinity: "{+INFINITY}"
  case .negativeInfinity: "{-INFINITY}"
  case .number:
    "{\(time.value)/\(time.timescale) = \(String(format: "%.3f", time.seconds))\(time.hasBeenRounded ? ", rounded" : "")}"
  }
}

public func CMTimeShow(_ time: CMTime) { print(CMTimeCopyDescription(allocator: nil, time: time) ?? "") }

extension CMTime {
  /// The kinds of time, in the order of their comparison.
  enum Rank: Int, Comparable {
    case negativeInfinity, number, indefinite, positiveInfinity, invalid
    static func < (a: Rank, b: Rank) -> Bool { a.rawValue < b.rawValue }
  }

  var rank: Rank {
    guard isValid else { return .invalid }
    if flags.contains(.positiveInfinity) { return .positiveInfinity }
    if flags.contains(.negativeInfinity) { return .negativeInfinity }
    // A number with a timescale that is not positive cannot be made by this module's functions.
    return flags.contains(.indefinite) ? .indefinite : timescale > 0 ? .number : .invalid
  }

  /// The number of seconds in lowest terms; nil for a time that is no number.
  var exact: (numerator: Int128, denominator: Int128)? {
    guard rank == .number else { return nil }
    let divisor = Int128(greatestCommonDivisor(value.magnitude, UInt64(timescale.magnitude)))
    return (Int128(value) / divisor, Int128(timescale) / divisor)
  }
}

func greatestCommonDivisor<Number: UnsignedInteger>(_ a: Number, _ b: Number) -> Number {
  var (a, b) = (a, b)
  while b != 0 { (a, b) = (b, a % b) }
  return a
}
