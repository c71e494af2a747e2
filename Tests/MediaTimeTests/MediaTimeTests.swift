import FarmTesting
import MediaTime
import Testing

@Suite struct `Exact time` {
  static let ntsc = (frame: 1001 as Int64, scale: 30_000 as Int32)

  @Test func `equal times are the same value whatever their timescale`() throws {
    #expect(try MediaTime(2002, 60_000) == MediaTime(1001, 30_000))
    #expect(try MediaTime(0, 600) == .zero)
    #expect(try Set([MediaTime(1, 2), MediaTime(300, 600)]).count == 1)
  }

  @Test(arguments: [0, -1, Int32.min])
  func `a timescale must be positive`(timescale: Int32) {
    #expect(throws: TimeError.notPositive("timescale")) { try MediaTime(1, timescale) }
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func `sums and differences are exact`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<2_000 {
      let (a, b) = try (Self.time(&random), Self.time(&random))
      let sum = try a + b
      // The expected sum is one fraction, compared by cross-multiplication. Without a division it shares no rounding with the
      // code under test.
      let numerator = Int128(a.value) * Int128(b.timescale) + Int128(b.value) * Int128(a.timescale)
      #expect(Int128(sum.value) * Int128(a.timescale) * Int128(b.timescale) == numerator * Int128(sum.timescale))
      #expect(try sum - b == a)
      #expect(try b + a == sum)
    }
  }

  @Test(arguments: [4, 5] as [UInt64])
  func `times are ordered as their fractions are`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<2_000 {
      let (a, b) = try (Self.time(&random), Self.time(&random))
      let difference = try a - b
      #expect((a < b) == (difference < .zero))
      #expect((a == b) == (difference == .zero))
    }
  }

  @Test func `the extremes are ordered without overflow`() throws {
    let extremes = try [
      MediaTime(.min), MediaTime(.min, .max), MediaTime(-1, .max), .zero, MediaTime(1, .max), MediaTime(.max, .max),
      MediaTime(.max),
    ]
    #expect(extremes.shuffled().sorted() == extremes)
  }

  @Test func `a value beyond 64 bits is an overflow`() throws {
    let (most, least) = try (MediaTime(.max), MediaTime(.min))
    #expect(throws: TimeError.self) { try most + MediaTime(1) }
    #expect(throws: TimeError.self) { try least - MediaTime(1) }
    #expect(throws: TimeError.self) { try most * 2 }
  }

  @Test func `a timescale beyond 32 bits is an overflow, not a rounding`() throws {
    let (a, b) = try (MediaTime(1, 2_147_483_647), MediaTime(1, 2_147_483_629))
    #expect(throws: TimeError.self) { try a + b }
    #expect(try a * 2_147_483_647 == MediaTime(1))
  }

  // MARK: - 29.97 frames a second

  @Test func `each frame of a 29.97 edit starts where it is found`() throws {
    let frame = try MediaTime(Self.ntsc.frame, Self.ntsc.scale)
    var random = SeededRandom(seed: 29_97)
    for _ in 0..<5_000 {
      let index = Int64.random(in: 0..<10_000_000, using: &random)
      #expect(try (frame * index).wholeUnits(of: frame) == index)
      #expect(try (frame * (index + 1) - MediaTime(1, 30_000)).wholeUnits(of: frame) == index)
    }
  }

  @Test func `an hour at 29.97 has 107 892 whole frames and 107 893 to cover it`() throws {
    let frame = try MediaTime(Self.ntsc.frame, Self.ntsc.scale)
    #expect(try MediaTime(3600).wholeUnits(of: frame) == 107_892)
    #expect(try MediaTime(3600).coveringUnits(of: frame) == 107_893)
  }

  @Test func `29.97 is not 30000/1001`() throws {
    #expect(try MediaTime(parsing: "29.97") != MediaTime(30_000, 1001))
  }

  @Test func `a thousand frames added one by one are a thousand frames`() throws {
    let frame = try MediaTime(Self.ntsc.frame, Self.ntsc.scale)
    var sum = MediaTime.zero
    for _ in 0..<1_000 { sum = try sum + frame }
    #expect(sum == (try MediaTime(1001, 30)))
  }

  // MARK: - Units

  @Test func `units are counted downwards below zero`() throws {
    let (time, unit) = try (MediaTime(-1, 4), MediaTime(1, 2))
    #expect(try time.wholeUnits(of: unit) == -1)
    #expect(try time.coveringUnits(of: unit) == 0)
  }

  @Test func `a duration that is a whole number of frames needs no frame more`() throws {
    #expect(try MediaTime(10).coveringUnits(of: MediaTime(1, 25)) == 250)
    #expect(try MediaTime(250_001, 25_000).coveringUnits(of: MediaTime(1, 25)) == 251)
  }

  @Test(arguments: [0, -1] as [Int64])
  func `a unit must be positive`(seconds: Int64) throws {
    let unit = try MediaTime(seconds)
    #expect(throws: TimeError.notPositive("unit")) { try MediaTime(1).wholeUnits(of: unit) }
    #expect(throws: TimeError.notPositive("unit")) { try MediaTime(1).coveringUnits(of: unit) }
  }

  @Test func `samples round to the nearest, halves upwards`() throws {
    #expect(try MediaTime(1, 96_000).samples(at: 48_000) == 1)
    #expect(try MediaTime(-1, 96_000).samples(at: 48_000) == 0)
    #expect(try MediaTime(1, 96_001).samples(at: 48_000) == 0)
    #expect(try MediaTime(1001, 30_000).samples(at: 44_100) == 1471)
  }

  @Test func `a sample rate must be positive`() {
    #expect(throws: TimeError.notPositive("sample rate")) { try MediaTime(1).samples(at: 0) }
  }

  /// A random time: a value of up to 40 bits, and a timescale so small that the product of two fits 31 bits.
  private static func time(_ random: inout SeededRandom) throws -> MediaTime {
    try MediaTime(Int64.random(in: -(1 << 40)...1 << 40, using: &random), Int32.random(in: 1...46_340, using: &random))
  }
}
