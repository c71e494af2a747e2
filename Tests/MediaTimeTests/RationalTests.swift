import FarmTesting
import MediaTime
import Testing

@Suite struct `Exact rational numbers` {
  @Test func `numbers are kept in lowest terms`() throws {
    let number = try Rational(-6, over: 4)
    #expect((number.numerator, number.denominator) == (-3, 2))
    #expect(try Rational(0, over: 7) == Rational(0))
  }

  @Test(arguments: [1, 2] as [UInt64])
  func `arithmetic agrees with whole numbers over a common denominator`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<2_000 {
      let (n, m) = (
        Int128.random(in: -1_000_000...1_000_000, using: &random), Int128.random(in: -1_000_000...1_000_000, using: &random)
      )
      let d = Int128.random(in: 1...1_000_000, using: &random)
      let (a, b) = try (Rational(n, over: d), Rational(m, over: d))
      #expect(try a + b == Rational(n + m, over: d))
      #expect(try a - b == Rational(n - m, over: d))
      #expect(try a * b == Rational(n * m, over: d * d))
      if m != 0 { #expect(try a / b == Rational(m < 0 ? -n : n, over: abs(m))) }
      #expect((a < b) == (n < m))
    }
  }

  @Test(arguments: [3, 4] as [UInt64])
  func `numbers whose products need 200 bits are still ordered`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<1_000 {
      // Whenever p/q < r/s, the mediant lies between them: p/q < (p + r)/(q + s) < r/s. So the order is known without multiplying
      // the large terms.
      let (p, q) = (Self.large(&random), Self.large(&random))
      let lower = try Rational(p, over: q)
      let upper = try Rational(p, over: q - 1)
      let mediant = try Rational(p + p, over: q + q - 1)
      #expect(lower < mediant && mediant < upper && lower < upper)
      #expect(!(mediant < lower) && !(upper < mediant) && !(lower < lower))
    }
  }

  @Test(
    arguments: [(7, 2, 3, 4, 4), (-7, 2, -4, -3, -3), (6, 2, 3, 3, 3), (-6, 2, -3, -3, -3), (1, 3, 0, 1, 0), (-2, 3, -1, 0, -1)]
      as [(Int128, Int128, Int128, Int128, Int128)])
  func `floor, ceiling and nearest, below zero too`(n: Int128, d: Int128, floor: Int128, ceiling: Int128, nearest: Int128) throws
  {
    let number = try Rational(n, over: d)
    #expect(number.floor == floor)
    #expect(number.ceiling == ceiling)
    #expect(try number.rounded() == nearest)
  }

  @Test func `a product overflows only when its result does not fit`() throws {
    let huge: Int128 = 1 << 100
    #expect(try Rational(huge, over: 3) * Rational(3, over: huge) == Rational(1))
    #expect(try Rational(huge, over: 3) / Rational(huge, over: 9) == Rational(3))
    #expect(throws: TimeError.self) { try Rational(huge, over: 3) * Rational(huge, over: 5) }
  }

  @Test func `a sum overflows only when its result does not fit`() throws {
    let huge: Int128 = 1 << 100
    #expect(try Rational(1, over: huge) + Rational(1, over: huge) == Rational(2, over: huge))
    #expect(throws: TimeError.self) { try Rational(.max, over: 1) + Rational(1) }
  }

  @Test func `the least number has no opposite, which is an overflow and no crash`() throws {
    let least = try Rational(.min, over: 1)
    #expect(throws: TimeError.self) { try Rational(0) - least }
    #expect(throws: TimeError.self) { try Rational(1) / least }
    #expect(least.floor == .min && least.ceiling == .min)
    #expect(least < Rational(0))
  }

  @Test func `nothing is divided by zero`() throws {
    #expect(throws: TimeError.notPositive("divisor")) { try Rational(1) / Rational(0) }
    #expect(throws: TimeError.notPositive("denominator")) { try Rational(1, over: 0) }
  }

  private static func large(_ random: inout SeededRandom) -> Int128 {
    Int128.random(in: (1 << 99)...(1 << 100), using: &random)
  }
}
