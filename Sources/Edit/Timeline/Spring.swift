internal import Formats

/// The motion of a mass on a damped spring that is released at a distance of 1 from its place (CASpringAnimation).
package struct Spring: Hashable, Sendable, Encodable {
  /// The mass in kilograms, the stiffness in newtons a metre and the damping in newton seconds a metre. All are above 0.
  package var mass: Double
  package var stiffness: Double
  package var damping: Double
  /// The speed with which it is released towards its place, in distances a second.
  package var velocity: Double

  package init(mass: Double = 1, stiffness: Double = 100, damping: Double = 10, velocity: Double = 0) {
    (self.mass, self.stiffness, self.damping, self.velocity) = (mass, stiffness, damping, velocity)
  }

  /// The share of the way that is behind it: 0 when it is released, about 1 in the end. It may overshoot.
  ///
  /// With the frequency w = sqrt(stiffness / mass) and the damping ratio z = damping / (2 sqrt(stiffness mass)), the rest u of the
  /// way obeys u'' + 2 z w u' + w² u = 0, u(0) = 1, u'(0) = -velocity.
  ///
  /// - Parameter seconds: since it was released, at least 0.
  package func progress(after seconds: Double) -> Double {
    let frequency = (stiffness / mass).squareRoot()
    let ratio = damping / (2 * (stiffness * mass).squareRoot())
    let rest: Double
    if ratio < 1 {
      let turning = frequency * (1 - ratio * ratio).squareRoot()
      let (sine, cosine) = Trigonometry.sineAndCosine(degrees: turning * seconds * (180 / Double.pi))
      rest = Exponential.power(-ratio * frequency * seconds) * (cosine + (ratio * frequency - velocity) / turning * sine)
    } else if ratio == 1 {
      rest = Exponential.power(-frequency * seconds) * (1 + (frequency - velocity) * seconds)
    } else {
      let root = (ratio * ratio - 1).squareRoot()
      let (slow, fast) = (-frequency * (ratio - root), -frequency * (ratio + root))
      let share = (-velocity - fast) / (slow - fast)
      rest = share * Exponential.power(slow * seconds) + (1 - share) * Exponential.power(fast * seconds)
    }
    return 1 - rest
  }
}
