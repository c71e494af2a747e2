/// The logarithm by additions, multiplications and divisions in a fixed order. It has the same bits on every machine, which the C
/// library's does not promise.
package enum Logarithm {
  /// The level of a linear gain in decibels.
  ///
  /// - Precondition: it is a normal number above 0.
  package static func decibels(_ gain: Double) -> Double { natural(gain) * (20 / 0x1.26bb1bbb55516p1) }

  /// The natural logarithm, to within some units of the last place.
  ///
  /// - Precondition: the number is normal and above 0.
  package static func natural(_ number: Double) -> Double {
    precondition(number.isNormal && number > 0, "a number that has a logarithm")
    // The significand lies around 1, so that the series converges fast: ln m = 2 artanh((m - 1) / (m + 1)).
    let isHigh = number.significand > 0x1.6a09e667f3bcdp0
    let significand = isHigh ? number.significand / 2 : number.significand
    let doublings = Double(isHigh ? number.exponent + 1 : number.exponent)
    let ratio = (significand - 1) / (significand + 1)
    let square = ratio * ratio
    var sum = 0.0
    for n in stride(from: 23.0, through: 1, by: -2) { sum = 1 / n + square * sum }
    // The natural logarithm of 2 in two parts, the first of which has 32 bits: its product with the exponent is exact.
    return doublings * 0x1.62e42feep-1 + (doublings * 0x1.a39ef35793c76p-33 + 2 * ratio * sum)
  }
}
