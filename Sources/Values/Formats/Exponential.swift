/// The exponential function by additions, multiplications and divisions in a fixed order. It has the same bits on every machine,
/// which the C library's does not promise.
package enum Exponential {
  /// The natural logarithm of 2 in two parts, the first of which has 32 bits: its product with a whole number up to 2^20 is exact.
  private static let (coarse, fine) = (0x1.62e42feep-1, 0x1.a39ef35793c76p-33)

  /// The linear gain of a number of decibels; 0 from -2000 dB on, where nothing of any sample is left.
  package static func gain(decibels: Double) -> Double { power(max(decibels, -2_000) * (0x1.26bb1bbb55516p1 / 20)) }

  /// The number e to the power of `exponent`, to within some units of the last place; 0 where it is below the normal numbers.
  ///
  /// - Parameter exponent: at most 700.
  package static func power(_ exponent: Double) -> Double {
    precondition(exponent <= 700, "an exponent whose power is finite")
    if exponent < -700 { return 0 }
    let halvings = (exponent * 0x1.71547652b82fep0).rounded()
    let rest = exponent - halvings * coarse - halvings * fine
    var sum = 1.0
    for n in stride(from: 16.0, to: 0, by: -1) { sum = 1 + rest / n * sum }
    return Double(sign: .plus, exponent: Int(halvings), significand: sum)
  }
}
