import FarmTesting
import MediaTime
import Testing

@Suite struct `Ranges and mappings of time` {
  private func range(_ start: Int64, _ end: Int64) throws -> MediaTimeRange {
    try MediaTimeRange(start: MediaTime(start), end: MediaTime(end))
  }

  @Test func `a range holds its start and not its end`() throws {
    let range = try range(1, 3)
    #expect(try range.contains(MediaTime(1)))
    #expect(try range.contains(MediaTime(299, 100)))
    #expect(try !range.contains(MediaTime(3)))
  }

  @Test func `ranges that touch do not overlap`() throws {
    #expect(try !range(0, 2).overlaps(range(2, 4)))
    #expect(try range(0, 2).overlaps(MediaTimeRange(start: MediaTime(199, 100), end: MediaTime(4))))
  }

  @Test func `an empty range overlaps nothing and holds no time`() throws {
    #expect(try !range(2, 2).overlaps(range(1, 3)))
    #expect(try !range(2, 2).contains(MediaTime(2)))
    #expect(try range(2, 2).isEmpty)
  }

  @Test func `a range holds another of the same borders`() throws {
    #expect(try range(1, 3).contains(range(1, 3)))
    #expect(try !range(1, 3).contains(range(1, 4)))
  }

  @Test func `a duration cannot be negative`() {
    #expect(throws: TimeError.negativeDuration) { try range(3, 2) }
    #expect("\(TimeError.negativeDuration)" == "duration must not be negative")
  }

  @Test func `an end that does not fit is an overflow`() throws {
    #expect(throws: TimeError.self) { try MediaTimeRange(start: MediaTime(.max), duration: MediaTime(1)) }
  }

  @Test func `progress goes from 0 at the start to less than 1`() throws {
    let range = try range(2, 6)
    #expect(try range.progress(at: MediaTime(2)) == 0)
    #expect(try range.progress(at: MediaTime(3)) == 0.25)
    #expect(try range.progress(at: MediaTime(6)) == 1)
  }

  @Test func `progress stays below 1 at the last tick of the longest range`() throws {
    let range = try MediaTimeRange(start: .zero, duration: MediaTime(.max))
    #expect(try range.progress(at: MediaTime(.max - 1)) < 1)
  }

  @Test func `an empty range has no progress`() throws {
    #expect(throws: TimeError.notPositive("divisor")) { try range(2, 2).progress(at: MediaTime(2)) }
  }

  // MARK: - Mapping

  @Test func `a mapping of equal durations only moves`() throws {
    let mapping = try TimeMapping(source: range(10, 14), target: range(2, 6))
    #expect(mapping.isIdentityRate)
    #expect(try mapping.sourceTime(at: MediaTime(5, 2)) == Rational(MediaTime(21, 2)))
  }

  @Test func `a stretch reaches source times between any ticks exactly`() throws {
    let mapping = try TimeMapping(source: range(0, 10), target: range(0, 3))
    #expect(try mapping.rate == Rational(10, over: 3))
    #expect(try mapping.sourceTime(at: MediaTime(1001, 30_000)) == Rational(1001, over: 9000))
  }

  @Test(arguments: [9, 10] as [UInt64])
  func `a mapping takes borders to borders and keeps the order`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    func time(_ range: ClosedRange<Int64>) throws -> MediaTime { try MediaTime(Int64.random(in: range, using: &random), 30_000) }
    for _ in 0..<500 {
      let source = try MediaTimeRange(start: time(0...9_000_000), duration: time(1...9_000_000))
      let target = try MediaTimeRange(start: time(0...9_000_000), duration: time(1...9_000_000))
      let mapping = try TimeMapping(source: source, target: target)
      #expect(try mapping.sourceTime(at: target.start) == Rational(source.start))
      #expect(try mapping.sourceTime(at: target.end) == Rational(source.end))
      #expect(try mapping.sourceTime(at: target.start) < mapping.sourceTime(at: target.start + MediaTime(1, 30_000)))
    }
  }

  @Test func `a source without duration is a moment held`() throws {
    let mapping = try TimeMapping(source: range(1, 1), target: range(2, 5), isReversed: true)
    #expect(try mapping.sourceTime(at: MediaTime(2)) == Rational(1))
    #expect(try mapping.sourceTime(at: MediaTime(9, 2)) == Rational(1))
    #expect(try mapping == TimeMapping(source: range(1, 1), target: range(2, 5)))
  }

  @Test func `reversed, a source is read from its end to its start`() throws {
    let mapping = try TimeMapping(source: range(10, 14), target: range(2, 4), isReversed: true)
    #expect(try mapping.sourceTime(at: MediaTime(2)) == Rational(14))
    #expect(try mapping.sourceTime(at: MediaTime(5, 2)) == Rational(13))
    #expect(try mapping.sourceTime(at: MediaTime(4)) == Rational(10))
  }

  @Test func `a mapping needs time to be shown in`() throws {
    #expect(throws: TimeError.notPositive("target duration")) { try TimeMapping(source: range(0, 1), target: range(1, 1)) }
  }
}
