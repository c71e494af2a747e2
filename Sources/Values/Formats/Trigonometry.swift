/// Sine, cosine and arctangent by additions, multiplications, divisions and square roots in a fixed order. They have the same
/// bits on every machine, which the C library's do not promise: it picks other code for processors with fused multiplication.
/// The results are within two units of the last place.
package enum Trigonometry {
  private static let radiansPerDegree = Double.pi / 180

  /// The sine and cosine of an angle in degrees. They are exact at multiples of 90 degrees.
  package static func sineAndCosine(degrees: Double) -> (sine: Double, cosine: Double) {
    // Both steps are exact: a remainder always is, and so is the difference of two numbers that are close to each other.
    let turned = degrees.truncatingRemainder(dividingBy: 360)
    let quarters = (turned / 90).rounded()
    let rest = (turned - quarters * 90) * radiansPerDegree
    let (sine, cosine) = (sine(rest), cosine(rest))
    return switch (Int(quarters) % 4 + 4) % 4 {
    case 0: (sine, cosine)
    case 1: (cosine, -sine)
    case 2: (-sine, -cosine)
    default: (-cosine, sine)
    }
  }

  /// The angle of the vector (x, y) in degrees, from -180 to 180; 0 for the vector (0, 0).
  package static func degrees(y: Double, x: Double) -> Double {
    guard x != 0 || y != 0 else { return 0 }
    let (low, high) = (min(abs(x), abs(y)), max(abs(x), abs(y)))
    var angle = arctangent(low / high) / radiansPerDegree
    if abs(y) > abs(x) { angle = 90 - angle }
    if x < 0 { angle = 180 - angle }
    return y < 0 ? -angle : angle
  }

  /// The Taylor series, for an angle of at most an eighth of a turn.
  private static func sine(_ x: Double) -> Double {
    let square = x * x
    var sum = 1.0
    for n in stride(from: 18.0, to: 0, by: -2) { sum = 1 - square / (n * (n + 1)) * sum }
    return x * sum
  }

  private static func cosine(_ x: Double) -> Double {
    let square = x * x
    var sum = 1.0
    for n in stride(from: 18.0, to: 0, by: -2) { sum = 1 - square / (n * (n - 1)) * sum }
    return sum
  }

  /// The arctangent of 0...1 in radians. The angle is halved twice, then follows the Taylor series.
  private static func arctangent(_ x: Double) -> Double {
    var x = x
    for _ in 0..<2 { x = x / (1 + (1 + x * x).squareRoot()) }
    let square = x * x
    var sum = 0.0
    for n in stride(from: 25.0, through: 1, by: -2) { sum = 1 / n - square * sum }
    return 4 * x * sum
  }
}
