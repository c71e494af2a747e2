import MediaTime
import Testing

@Suite struct `A retiming curve` {
  /// Slows from 1 to 1/4 in two seconds, goes on so for one, stands still for one, and speeds up backwards to -1 in two.
  private static func curve() throws -> TimeCurve {
    let ramp = try TimeCurve.Piece(
      from: .zero, at: MediaTime(10), speed: Rational(1), to: MediaTime(2), speed: Rational(1, over: 4))
    let steady = try TimeCurve.Piece(from: ramp.end, at: ramp.sourceEnd, to: MediaTime(3), at: MediaTime(23, 2))
    let still = try TimeCurve.Piece(from: steady.end, at: steady.sourceEnd, to: MediaTime(4), at: steady.sourceEnd)
    let back = try TimeCurve.Piece(
      from: still.end, at: still.sourceEnd, speed: Rational(0), to: MediaTime(6), speed: Rational(-1))
    return TimeCurve([ramp, steady, still, back])
  }

  @Test func `the source time is the integral of the speed, exactly`() throws {
    let curve = try Self.curve()
    #expect(curve.pieces[0].sourceEnd == (try MediaTime(45, 4)))
    // 10 + t - 3 t² / 16, at a time whose square has a large denominator.
    let time = try MediaTime(1001 * 29, 30_000)
    let (t, share) = (Rational(time), try Rational(3, over: 16))
    #expect(try curve.sourceTime(at: time) == Rational(10) + t - share * t * t)
    #expect(try curve.sourceTime(at: MediaTime(5, 2)) == Rational(91, over: 8))
    #expect(try curve.sourceTime(at: MediaTime(7, 2)) == Rational(23, over: 2))
    #expect(try curve.sourceTime(at: MediaTime(5)) == Rational(45, over: 4))
    #expect(curve.pieces[3].sourceEnd == (try MediaTime(21, 2)))
    #expect(try curve.source == MediaTimeRange(start: MediaTime(10), end: MediaTime(23, 2)))
    #expect(try curve.duration == MediaTime(6))
  }

  @Test func `a piece holds its start and not its end, also for the direction`() throws {
    let mapping = try TimeMapping(along: Self.curve(), from: MediaTime(100))
    #expect(try mapping.target == MediaTimeRange(start: MediaTime(100), duration: MediaTime(6)))
    #expect(try !mapping.isReversed(at: MediaTime(1039, 10)))
    #expect(try mapping.isReversed(at: MediaTime(104)))
    #expect(try mapping.sourceTime(at: MediaTime(105)) == Rational(45, over: 4))
    #expect(!mapping.isIdentityRate)
  }

  @Test func `its two parts and the whole say the same`() throws {
    let curve = try Self.curve()
    for time in try [MediaTime(1, 3), MediaTime(2), MediaTime(5, 2), MediaTime(9, 2)] {
      let (head, tail) = try curve.cut(at: time)
      #expect(head.duration == time)
      #expect(try tail.duration == curve.duration - time)
      for tick in Int64(0)..<60 {
        let place = try MediaTime(tick, 10)
        let part = try place < time ? head.sourceTime(at: place) : tail.sourceTime(at: place - time)
        #expect(try part == curve.sourceTime(at: place), "\(place), cut at \(time)")
      }
    }
  }

  @Test func `it is played at another speed and backwards`() throws {
    let curve = try Self.curve()
    let (slow, back) = (try curve.scaled(to: MediaTime(15)), try curve.reversed())
    for tick in Int64(0)...60 {
      let place = try MediaTime(tick, 10)
      #expect(try slow.sourceTime(at: MediaTime(tick, 4)) == curve.sourceTime(at: place))
      #expect(try back.sourceTime(at: curve.duration - place) == curve.sourceTime(at: place))
    }
    #expect(slow.pieces[0].speed == (try Rational(2, over: 5)))
    #expect(try back.reversed() == curve)
  }
}
