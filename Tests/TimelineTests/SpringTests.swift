import Document
import Formats
import Glibc
import MediaTime
import Testing
import Timeline

@Suite struct `A spring` {
  /// The rest of the way by Runge and Kutta's method of the fourth order, with steps of a thousandth of a second.
  private func integrated(_ spring: Spring, until end: Int) -> Double {
    var (place, speed) = (1.0, -spring.velocity)
    func force(_ place: Double, _ speed: Double) -> Double { -(spring.stiffness * place + spring.damping * speed) / spring.mass }
    let step = 0.001
    for _ in 0..<end {
      let (p1, s1) = (speed, force(place, speed))
      let (p2, s2) = (speed + step / 2 * s1, force(place + step / 2 * p1, speed + step / 2 * s1))
      let (p3, s3) = (speed + step / 2 * s2, force(place + step / 2 * p2, speed + step / 2 * s2))
      let (p4, s4) = (speed + step * s3, force(place + step * p3, speed + step * s3))
      place += step / 6 * (p1 + 2 * p2 + 2 * p3 + p4)
      speed += step / 6 * (s1 + 2 * s2 + 2 * s3 + s4)
    }
    return place
  }

  @Test(arguments: [
    Spring(), Spring(mass: 2, stiffness: 300, damping: 4, velocity: 5), Spring(stiffness: 100, damping: 20),
    Spring(stiffness: 100, damping: 20, velocity: -3), Spring(stiffness: 90, damping: 60, velocity: 2),
    Spring(mass: 0.5, stiffness: 1_000, damping: 45),
  ])
  func `swings as its equation of motion says, whether it is under, over or critically damped`(spring: Spring) {
    for milliseconds in [0, 1, 50, 120, 333, 900, 2_500] {
      let found = spring.progress(after: Double(milliseconds) / 1_000)
      #expect(abs(found - (1 - integrated(spring, until: milliseconds))) < 1e-6, "\(milliseconds) ms")
    }
  }

  @Test func `powers of e are those of the C library, to some units of the last place`() {
    for step in -4_000...700 {
      let exponent = Double(step) / 7
      if exponent > 700 || exponent < -700 { continue }
      #expect(abs(Exponential.power(exponent) / exp(exponent) - 1) < 1e-15)
    }
    #expect(Exponential.power(0) == 1 && Exponential.power(-1e9) == 0)
  }

  @Test func `moves a value between two keyframes, and ends at the second`() throws {
    let spring = Spring(stiffness: 200, damping: 8)
    let envelope = try Envelope<Double>([
      .init(MediaTime(1), 10, easing: .spring(spring)), .init(MediaTime(3), 20),
    ])
    #expect(try envelope.value(at: MediaTime(1), neutral: 0) == 10 && envelope.value(at: MediaTime(3), neutral: 0) == 20)
    let found = try envelope.value(at: MediaTime(5, 4), neutral: 0)
    #expect(abs(found - (10 + 10 * spring.progress(after: 0.25))) < 1e-12 && found > 20)
  }
}
