/// Adds two times exactly. The result has the common timescale of the least size. Where that is too large for a timescale, or the
/// value too large, the result is rounded to the finest timescale that holds it, and marked.
public func CMTimeAdd(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { sum(lhs, rhs, sign: 1) }

public func CMTimeSubtract(_ lhs: CMTime, _ rhs: CMTime) -> CMTime { sum(lhs, rhs, sign: -1) }

private func sum(_ a: CMTime, _ b: CMTime, sign: Int128) -> CMTime {
  guard a.rank != .invalid, b.rank != .invalid else { return .invalid }
  let b = sign < 0 && b.rank != .number ? CMTimeMultiply(b, multiplier: -1) : b
  guard a.rank == .number, b.rank == .number else {
    let ranks = Set([a.rank, b.rank])
    if ranks.isSuperset(of: [.positiveInfinity, .negativeInfinity]) { return .invalid }
    if ranks.contains(.positiveInfinity) { return .positiveInfinity }
    return ranks.contains(.negativeInfinity) ? .negativeInfinity : .indefinite
  }
  // A duration has the epoch 0. Times of two epochs cannot be added.
  guard a.epoch == b.epoch || a.epoch == 0 || b.epoch == 0 else { return .invalid }
  let epoch = sign < 0 && a.epoch == b.epoch ? 0 : a.epoch == 0 ? b.epoch : a.epoch
  let (x, y) = (Int128(a.timescale), Int128(b.timescale))
  let common = x / Int128(greatestCommonDivisor(UInt64(x), UInt64(y))) * y
  let total = Int128(a.value) * (common / x) + sign * Int128(b.value) * (common / y)
  let isRounded = a.hasBeenRounded || b.hasBeenRounded
  return CMTime(total, over: common, isRounded: isRounded, epoch: epoch)
}

public func CMTimeMultiply(_ time: CMTime, multiplier: Int32) -> CMTime {
  switch time.rank {
  case .invalid: return .invalid
  case .indefinite: return .indefinite
  case .positiveInfinity, .negativeInfinity:
    guard multiplier != 0 else { return .invalid }
    return (time.rank == .positiveInfinity) == (multiplier > 0) ? .positiveInfinity : .negativeInfinity
  case .number:
    return CMTime(
      Int128(time.value) * Int128(multiplier), over: Int128(time.timescale), isRounded: time.hasBeenRounded, epoch: time.epoch)
  }
}

/// Multiplies a time by a fraction: exactly, if the result has a timescale.
public func CMTimeMultiplyByRatio(_ time: CMTime, multiplier: Int32, divisor: Int32) -> CMTime {
  guard divisor != 0 else { return .invalid }
  let sign: Int128 = divisor < 0 ? -1 : 1
  guard time.rank == .number else {
    return CMTimeMultiply(time, multiplier: multiplier == 0 ? 0 : (multiplier < 0) == (divisor < 0) ? 1 : -1)
  }
  let (value, timescale) = (
    sign * Int128(time.value) * Int128(multiplier), Int128(time.timescale) * Int128(divisor.magnitude)
  )
  if timescale > kCMTimeMaxTimescale || Int64(exactly: value) == nil {
    let common = Int128(greatestCommonDivisor(value.magnitude, timescale.magnitude))
    return CMTime(value / common, over: timescale / common, isRounded: time.hasBeenRounded, epoch: time.epoch)
  }
  return CMTime(value, over: timescale, isRounded: time.hasBeenRounded, epoch: time.epoch)
}

/// Multiplies a time by a floating-point number. The result has the time's timescale where it is exact so; else the timescale is
/// doubled until it is, or as far as it goes.
public func CMTimeMultiplyByFloat64(_ time: CMTime, multiplier: Double) -> CMTime {
  guard time.rank == .number else {
    guard !multiplier.isNaN else { return .invalid }
    return CMTimeMultiply(time, multiplier: multiplier == 0 ? 0 : multiplier < 0 ? -1 : 1)
  }
  guard !multiplier.isNaN else { return .invalid }
  guard multiplier.isFinite else {
    guard time.value != 0 else { return .invalid }
    return (time.value > 0) == (multiplier > 0) ? .positiveInfinity : .negativeInfinity
  }
  guard multiplier != 0, time.value != 0 else {
    return CMTime(0, over: Int128(time.timescale), isRounded: time.hasBeenRounded, epoch: time.epoch)
  }
  // A finite number is an integer of at most 53 bits times a power of two.
  var power = Int(multiplier.exponent) - 52
  var product = Int128(multiplier.significand * 0x1p52) * (multiplier < 0 ? -1 : 1) * Int128(time.value)
  while power < 0, product % 2 == 0 { (product, power) = (product / 2, power + 1) }
  var timescale = Int128(time.timescale)
  var isRounded = time.hasBeenRounded
  while power > 0 {
    guard product.magnitude < 1 << 120 else { return product > 0 ? .positiveInfinity : .negativeInfinity }
    (product, power) = (product * 2, power - 1)
  }
  while power < 0, timescale * 2 <= kCMTimeMaxTimescale { (timescale, power) = (timescale * 2, power + 1) }
  if power < 0 {
    product = rounded(product, over: power < -120 ? 1 << 120 : Int128(1) << Int128(-power), .default)
    isRounded = true
  }
  return CMTime(product, over: timescale, isRounded: isRounded, epoch: time.epoch)
}

public func CMTimeAbsoluteValue(_ time: CMTime) -> CMTime {
  switch time.rank {
  case .negativeInfinity: .positiveInfinity
  case .number where time.value < 0: CMTimeMultiply(time, multiplier: -1)
  default: time
  }
}

/// Expresses a time in another timescale. Where that is not exact, the value is rounded as asked, and marked.
public func CMTimeConvertScale(_ time: CMTime, timescale: CMTimeScale, method: CMTimeRoundingMethod) -> CMTime {
  guard timescale > 0 else { return .invalid }
  guard time.rank == .number else { return time }
  let (product, divisor) = (Int128(time.value) * Int128(timescale), Int128(time.timescale))
  var value = rounded(product, over: divisor, method.resolved(from: time.timescale, to: timescale))
  if method == .quickTime, value == 0, product != 0 { value = product > 0 ? 1 : -1 }
  guard let narrow = Int64(exactly: value) else { return value > 0 ? .positiveInfinity : .negativeInfinity }
  var result = CMTime(value: narrow, timescale: timescale, flags: time.flags, epoch: time.epoch)
  if product % divisor != 0 { result.flags.insert(.hasBeenRounded) }
  return result
}

extension CMTimeRoundingMethod {
  fileprivate func resolved(from: Int32, to: Int32) -> CMTimeRoundingMethod {
    self == .quickTime ? (from > to ? .roundTowardZero : .roundAwayFromZero) : self
  }
}

extension CMTime {
  /// Makes the time `value / timescale`. A timescale that is too large becomes the largest one. It is then halved until the value
  /// fits.
  init(_ value: Int128, over timescale: Int128, isRounded: Bool, epoch: CMTimeEpoch) {
    var (scale, isRounded) = (min(timescale, Int128(kCMTimeMaxTimescale)), isRounded)
    while true {
      let whole = rounded(timesRatio: value, scale, timescale)
      if let narrow = Int64(exactly: whole.value) {
        isRounded = isRounded || !whole.isExact
        self.init(
          value: narrow, timescale: Int32(scale), flags: isRounded ? [.valid, .hasBeenRounded] : .valid, epoch: epoch)
        return
      }
      guard scale > 1 else {
        self = value > 0 ? .positiveInfinity : .negativeInfinity
        return
      }
      scale /= 2
    }
  }
}

/// The number `value * multiplier / divisor`, rounded. Whole part and rest are multiplied apart, so that the product of a large
/// value does not overflow.
private func rounded(timesRatio value: Int128, _ multiplier: Int128, _ divisor: Int128) -> (value: Int128, isExact: Bool) {
  let (whole, rest) = value.quotientAndRemainder(dividingBy: divisor)
  let (product, overflow) = whole.multipliedReportingOverflow(by: multiplier)
  guard !overflow else { return (value > 0 ? .max : .min, false) }
  let (part, overflowOfRest) = rest.multipliedReportingOverflow(by: multiplier)
  guard !overflowOfRest else { return (value > 0 ? .max : .min, false) }
  let (sum, overflowOfSum) = product.addingReportingOverflow(rounded(part, over: divisor, .default))
  return overflowOfSum ? (value > 0 ? .max : .min, false) : (sum, part % divisor == 0)
}

/// The quotient as an integer.
private func rounded(_ value: Int128, over divisor: Int128, _ method: CMTimeRoundingMethod) -> Int128 {
  let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
  guard rest != 0 else { return quotient }
  let away: Int128 = value > 0 ? 1 : -1
  switch method {
  case .roundHalfAwayFromZero: return rest.magnitude >= divisor.magnitude - rest.magnitude ? quotient + away : quotient
  case .roundTowardZero, .quickTime: return quotient
  case .roundAwayFromZero: return quotient + away
  case .roundTowardPositiveInfinity: return value > 0 ? quotient + 1 : quotient
  case .roundTowardNegativeInfinity: return value < 0 ? quotient - 1 : quotient
  }
}
