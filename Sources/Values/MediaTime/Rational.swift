/// An exact rational number with 128-bit terms. It serves for the steps between two media times in a formula, and for a source
/// time that a time mapping makes too fine for a `MediaTime`.
///
/// It is always in lowest terms with a positive denominator, so equal numbers are equal values.
package struct Rational: Hashable, Sendable, Encodable {
  package let numerator: Int128
  package let denominator: Int128

  /// - Throws: `TimeError.notPositive` when `denominator` is not positive.
  package init(_ numerator: Int128, over denominator: Int128) throws(TimeError) {
    guard denominator > 0 else { throw .notPositive("denominator") }
    let divisor = Self.greatestCommonDivisor(numerator.magnitude, denominator.magnitude)
    self.numerator = numerator / Int128(divisor)
    self.denominator = denominator / Int128(divisor)
  }

  package init(_ time: MediaTime) {
    numerator = Int128(time.value)
    denominator = Int128(time.timescale)
  }

  package init(_ integer: Int64) {
    numerator = Int128(integer)
    denominator = 1
  }

  package static func + (a: Rational, b: Rational) throws(TimeError) -> Rational {
    // The sum uses the least common denominator, so intermediate terms are hardly larger than the result.
    let shared = Int128(greatestCommonDivisor(a.denominator.magnitude, b.denominator.magnitude))
    return try Rational(
      add(multiply(a.numerator, b.denominator / shared), multiply(b.numerator, a.denominator / shared)),
      over: multiply(a.denominator / shared, b.denominator))
  }

  package static func - (a: Rational, b: Rational) throws(TimeError) -> Rational {
    try a + Rational(multiply(-1, b.numerator), over: b.denominator)
  }

  package static func * (a: Rational, b: Rational) throws(TimeError) -> Rational {
    // Both fractions are reduced crosswise first. The product is then in lowest terms, and overflows only when the result does
    // not fit.
    let (left, right) = try (Rational(a.numerator, over: b.denominator), Rational(b.numerator, over: a.denominator))
    return try Rational(
      lowest: multiply(left.numerator, right.numerator), multiply(left.denominator, right.denominator))
  }

  /// - Throws: `TimeError.notPositive` when `b` is zero.
  package static func / (a: Rational, b: Rational) throws(TimeError) -> Rational {
    guard b.numerator != 0 else { throw .notPositive("divisor") }
    let sign: Int128 = b.numerator < 0 ? -1 : 1
    return try a * Rational(lowest: sign * b.denominator, multiply(sign, b.numerator))
  }

  /// The largest integer not above the number.
  package var floor: Int128 { floorAndRest.floor }

  /// The smallest integer not below the number.
  package var ceiling: Int128 {
    let (floor, rest) = floorAndRest
    return rest > 0 ? floor + 1 : floor
  }

  /// The largest integer that is not above the number.
  package var wholePart: Int128 { floorAndRest.floor }

  /// The nearest integer; halves are rounded up.
  package func rounded() throws(TimeError) -> Int128 {
    try (self + Rational(1, over: 2)).floor
  }

  /// The number as floating point, for pixels, gain and reports only. Time is never computed from it.
  package var approximation: Double { Double(numerator) / Double(denominator) }

  /// The floor, and the rest above it in units of 1 / denominator, which is in 0 ..< denominator.
  private var floorAndRest: (floor: Int128, rest: Int128) {
    let (quotient, remainder) = numerator.quotientAndRemainder(dividingBy: denominator)
    return remainder < 0 ? (quotient - 1, remainder + denominator) : (quotient, remainder)
  }

  private static func multiply(_ a: Int128, _ b: Int128) throws(TimeError) -> Int128 {
    let (product, overflow) = a.multipliedReportingOverflow(by: b)
    guard !overflow else { throw .overflow("\(a) * \(b)") }
    return product
  }

  private static func add(_ a: Int128, _ b: Int128) throws(TimeError) -> Int128 {
    let (sum, overflow) = a.addingReportingOverflow(b)
    guard !overflow else { throw .overflow("\(a) + \(b)") }
    return sum
  }

  private static func greatestCommonDivisor(_ a: UInt128, _ b: UInt128) -> UInt128 {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a
  }
}

extension Rational: Comparable {
  /// Compares exactly for all values. It compares integer parts first, then the remainders as continued fractions, so that no
  /// product can overflow.
  package static func < (a: Rational, b: Rational) -> Bool {
    var (a, b) = (a, b)
    while true {
      let ((whole, rest), (other, otherRest)) = (a.floorAndRest, b.floorAndRest)
      if whole != other { return whole < other }
      // Both remainders lie in [0, 1): r < s exactly when 1/s < 1/r.
      if otherRest == 0 { return false }
      if rest == 0 { return true }
      (a, b) = (Rational(lowest: b.denominator, otherRest), Rational(lowest: a.denominator, rest))
    }
  }

  /// Makes a number of terms that have no common divisor, with a positive denominator.
  private init(lowest numerator: Int128, _ denominator: Int128) {
    self.numerator = numerator
    self.denominator = denominator
  }
}
