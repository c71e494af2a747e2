import CoreMedia
import FarmTesting
import MediaTime
import Testing

@Suite struct `Core Media's times` {
  @Test func `a sum keeps the timescale, or has the least common one`() {
    let same = CMTime(value: 1, timescale: 30) + CMTime(value: 2, timescale: 30)
    #expect((same.value, same.timescale) == (3, 30))
    let sum = CMTime(value: 1, timescale: 30) + CMTime(value: 1, timescale: 24)
    #expect((sum.value, sum.timescale, sum.hasBeenRounded) == (9, 120, false))
  }

  @Test func `a common timescale that is too large rounds, and says so`() {
    let sum = CMTime(value: 1, timescale: 2_147_483_647) + CMTime(value: 1, timescale: 2_147_483_646)
    #expect(sum.timescale == kCMTimeMaxTimescale)
    #expect((sum.value, sum.hasBeenRounded) == (2, true))
  }

  @Test func `a value that does not fit gets a coarser timescale, and at last infinity`() {
    let sum = CMTime(value: .max, timescale: 4) + CMTime(value: .max, timescale: 4)
    #expect((sum.value, sum.timescale) == (.max, 2))
    #expect((CMTime(value: .max, timescale: 1) + CMTime(value: .max, timescale: 1)).isPositiveInfinity)
    #expect((CMTime(value: .min, timescale: 1) - CMTime(value: .max, timescale: 1)).isNegativeInfinity)
  }

  @Test func `times that are no numbers add up as documented`() {
    #expect(!(CMTime.positiveInfinity + .negativeInfinity).isValid)
    #expect((CMTime.positiveInfinity + .indefinite).isPositiveInfinity)
    #expect((CMTime.zero - .positiveInfinity).isNegativeInfinity)
    #expect((CMTime.indefinite + .zero).isIndefinite)
    #expect(!(CMTime.invalid + .zero).isValid)
    #expect(CMTime(seconds: .nan, preferredTimescale: 600) == .invalid)
    #expect(CMTime(seconds: .infinity, preferredTimescale: 600).isPositiveInfinity)
    #expect(!CMTime(value: 1, timescale: 0).isValid)
  }

  @Test func `all times have an order`() {
    let times: [CMTime] = [
      .negativeInfinity, CMTime(value: -1, timescale: 3), .zero, CMTime(value: 1, timescale: 3), .indefinite, .positiveInfinity,
      .invalid,
    ]
    for (index, time) in times.enumerated() {
      for (other, second) in times.enumerated() { #expect(CMTimeCompare(time, second) == (index - other).signum()) }
    }
    #expect(CMTime(value: 1, timescale: 2) == CMTime(value: 300, timescale: 600))
    #expect(Set([CMTime(value: 1, timescale: 2), CMTime(value: 300, timescale: 600)]).count == 1)
  }

  @Test(arguments: [
    (CMTimeRoundingMethod.roundHalfAwayFromZero, 3, -3), (.roundTowardZero, 2, -2), (.roundAwayFromZero, 3, -3),
    (.roundTowardPositiveInfinity, 3, -2), (.roundTowardNegativeInfinity, 2, -3), (.quickTime, 2, -2),
  ])
  func `another timescale rounds as asked`(method: CMTimeRoundingMethod, up: Int64, down: Int64) {
    let half = CMTime(value: 5, timescale: 20)
    #expect(half.convertScale(10, method: method).value == up)
    #expect((-half).convertScale(10, method: method).value == down)
    #expect(half.convertScale(10, method: method).hasBeenRounded)
    #expect(!half.convertScale(40, method: method).hasBeenRounded)
  }

  @Test func `seconds become ticks, rounded to the nearest`() {
    let tenth = CMTime(seconds: 0.1, preferredTimescale: 600)
    #expect((tenth.value, tenth.timescale, tenth.hasBeenRounded) == (60, 600, false))
    #expect(CMTime(seconds: 1.0 / 3, preferredTimescale: 10).hasBeenRounded)
    #expect(CMTime(seconds: 5, preferredTimescale: 30_000).seconds == 5)
    #expect(CMTimeCopyDescription(allocator: nil, time: CMTime(value: 1, timescale: 30)) == "{1/30 = 0.033}")
  }

  @Test func `products by fractions and by numbers are exact where they can be`() {
    let time = CMTime(value: 7, timescale: 30)
    #expect(CMTimeMultiplyByRatio(time, multiplier: 2, divisor: 3) == CMTime(value: 14, timescale: 90))
    #expect(CMTimeMultiplyByFloat64(time, multiplier: 1.5) == CMTime(value: 21, timescale: 60))
    #expect(!CMTimeMultiplyByFloat64(time, multiplier: 1.5).hasBeenRounded)
    #expect(CMTimeMultiplyByFloat64(time, multiplier: 0.1).hasBeenRounded)
    #expect(abs(CMTimeMultiplyByFloat64(time, multiplier: 0.1).seconds - 7.0 / 300) < 1e-8)
    #expect(CMTimeMultiply(.positiveInfinity, multiplier: -2).isNegativeInfinity)
  }

  @Test(arguments: 0..<4)
  func `sums of random times are those of exact media times`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<500 {
      let scales: [Int32] = [1, 24, 25, 30, 600, 1000, 12_800, 30_000, 44_100, 48_000, 90_000]
      func time() throws -> (CMTime, MediaTime) {
        let value = Int64.random(in: -1_000_000_000...1_000_000_000, using: &random)
        let scale = scales.randomElement(using: &random) ?? 1
        return (CMTime(value: value, timescale: scale), try MediaTime(value, scale))
      }
      let (a, b) = (try time(), try time())
      let (sum, difference) = (a.0 + b.0, a.0 - b.0)
      #expect(try MediaTime(sum.value, sum.timescale) == a.1 + b.1, "seed \(seed)")
      #expect(try MediaTime(difference.value, difference.timescale) == a.1 - b.1, "seed \(seed)")
      #expect((a.0 < b.0) == (a.1 < b.1) && (a.0 == b.0) == (a.1 == b.1), "seed \(seed)")
    }
  }

  @Test func `ranges meet, join and contain`() {
    func range(_ start: Int64, _ end: Int64) -> CMTimeRange {
      CMTimeRange(start: CMTime(value: start, timescale: 10), end: CMTime(value: end, timescale: 10))
    }
    #expect(range(0, 10).intersection(range(5, 20)) == range(5, 10))
    #expect(range(0, 10).union(range(15, 20)) == range(0, 20))
    #expect(range(0, 10).intersection(range(15, 20)) == .zero)
    #expect(range(0, 10).containsTime(CMTime(value: 9, timescale: 10)))
    #expect(!range(0, 10).containsTime(CMTime(value: 1, timescale: 1)))
    #expect(!range(10, 0).isValid && !CMTimeRange(start: .zero, duration: CMTime(value: -1, timescale: 1)).isValid)
    #expect(CMTimeRange(start: .zero, duration: .positiveInfinity).containsTimeRange(range(0, 10)))
    #expect(CMTimeRange(start: .zero, duration: .positiveInfinity).end.isPositiveInfinity)
  }

  @Test func `a time is folded into a range, as into a loop`() {
    func time(_ value: Int64) -> CMTime { CMTime(value: value, timescale: 10) }
    let loop = CMTimeRange(start: time(20), end: time(50))
    for (given, folded) in [(20, 20), (49, 49), (50, 20), (123, 33), (19, 49), (-10, 20), (-11, 49)] as [(Int64, Int64)] {
      #expect(CMTimeFoldIntoRange(time(given), foldRange: loop) == time(folded), "\(given)")
    }
    let third = CMTimeRange(start: .zero, duration: CMTime(value: 1, timescale: 3))
    #expect(CMTimeFoldIntoRange(time(10), foldRange: third) == .zero)
    #expect(!CMTimeFoldIntoRange(time(10), foldRange: .zero).isValid)
  }
}
