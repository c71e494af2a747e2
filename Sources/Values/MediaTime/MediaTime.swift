/// An exact time in seconds: `value / timescale`, as CMTime counts it.
///
/// It is kept in lowest terms, so equal times are equal values, whatever timescale they were written with. All arithmetic is
/// exact, and a result that does not fit throws. No floating point carries time.
package struct MediaTime: Hashable, Sendable {
  package let value: Int64
  /// Ticks per second; always positive.
  package let timescale: Int32

  package static let zero = MediaTime(lowest: 0, 1)
  package static let oneSecond = MediaTime(lowest: 1, 1)

  /// - Throws: `TimeError.notPositive` for a timescale of zero or less.
  package init(_ value: Int64, _ timescale: Int32 = 1) throws(TimeError) {
    guard timescale > 0 else { throw .notPositive("timescale") }
    try self.init(Rational(Int128(value), over: Int128(timescale)))
  }

  package init(seconds: Int64) { self.init(lowest: seconds, 1) }

  package init(milliseconds: Int64) {
    var (value, timescale) = (milliseconds, Int32(1_000))
    for prime in [2, 2, 2, 5, 5, 5] where value % Int64(prime) == 0 && timescale % Int32(prime) == 0 {
      (value, timescale) = (value / Int64(prime), timescale / Int32(prime))
    }
    self.init(lowest: value, timescale)
  }

  /// - Throws: `TimeError.overflow` when the number needs more than an `Int64` over an `Int32`.
  package init(_ exact: Rational) throws(TimeError) {
    guard let value = Int64(exactly: exact.numerator), let timescale = Int32(exactly: exact.denominator) else {
      throw .overflow("\(exact.numerator)/\(exact.denominator) s")
    }
    self.init(lowest: value, timescale)
  }

  private init(lowest value: Int64, _ timescale: Int32) {
    self.value = value
    self.timescale = timescale
  }

  package static func + (a: MediaTime, b: MediaTime) throws(TimeError) -> MediaTime {
    try MediaTime(Rational(a) + Rational(b))
  }

  package static func - (a: MediaTime, b: MediaTime) throws(TimeError) -> MediaTime {
    try MediaTime(Rational(a) - Rational(b))
  }

  package static func * (a: MediaTime, count: Int64) throws(TimeError) -> MediaTime {
    try MediaTime(Rational(a) * Rational(count))
  }

  /// The number of whole `unit`s in this time, rounded down: the index of the frame, sample or tick shown at this time.
  ///
  /// - Throws: `TimeError.notPositive` when `unit` is not positive, `.overflow` beyond `Int64`.
  package func wholeUnits(of unit: MediaTime) throws(TimeError) -> Int64 {
    try Self.narrow(quotient(by: unit).floor)
  }

  /// The number of `unit`s that cover this time, rounded up: a duration's frame count.
  ///
  /// - Throws: `TimeError.notPositive` when `unit` is not positive, `.overflow` beyond `Int64`.
  package func coveringUnits(of unit: MediaTime) throws(TimeError) -> Int64 {
    try Self.narrow(quotient(by: unit).ceiling)
  }

  /// The index of the nearest sample at `rate` samples per second; halves are rounded up.
  ///
  /// - Throws: `TimeError.notPositive` when `rate` is not positive, `.overflow` beyond `Int64`.
  package func samples(at rate: Int32) throws(TimeError) -> Int64 {
    guard rate > 0 else { throw .notPositive("sample rate") }
    return try Self.narrow((Rational(self) * Rational(Int64(rate))).rounded())
  }

  /// The seconds as floating point, for pixels, gain and reports only. Time is never computed from it.
  package var seconds: Double { Double(value) / Double(timescale) }

  private func quotient(by unit: MediaTime) throws(TimeError) -> Rational {
    guard unit > .zero else { throw .notPositive("unit") }
    return try Rational(self) / Rational(unit)
  }

  private static func narrow(_ integer: Int128) throws(TimeError) -> Int64 {
    guard let narrow = Int64(exactly: integer) else { throw .overflow("\(integer) units") }
    return narrow
  }
}

extension MediaTime: Comparable {
  package static func < (a: MediaTime, b: MediaTime) -> Bool {
    // The products fit 128 bits, because |value| <= 2^63 and timescale < 2^31.
    Int128(a.value) * Int128(b.timescale) < Int128(b.value) * Int128(a.timescale)
  }
}
