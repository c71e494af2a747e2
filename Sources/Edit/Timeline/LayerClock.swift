package import MediaTime

/// The clock of a layer, on which its keyframes and all times of the layers on it count (CAMediaTiming). It is driven by the clock
/// of what the layer stands on, and is exact.
package struct LayerClock: Hashable, Sendable {
  /// The time on the driving clock at which this clock starts. It stands still before.
  package var begin: MediaTime
  /// The seconds of this clock for each second of the driving one. It is above 0.
  package var speed: Rational
  /// The time at which this clock starts.
  package var offset: MediaTime
  /// The repetition; nil for a clock that goes on for ever.
  package var cycle: Cycle?

  /// A stretch of a clock's time that is run through again and again.
  package struct Cycle: Hashable, Sendable {
    /// The length on the clock itself. It is positive.
    package var duration: MediaTime
    /// The number of cycles, at least 1; nil for no end. After the last one the clock stands where that one ended.
    package var count: Int64?
    /// Whether each cycle runs back to its start, and so lasts twice as long.
    package var autoreverses: Bool

    package init(duration: MediaTime, count: Int64? = nil, autoreverses: Bool = false) {
      (self.duration, self.count, self.autoreverses) = (duration, count, autoreverses)
    }
  }

  package init(
    begin: MediaTime = .zero, speed: Rational = Rational(1), offset: MediaTime = .zero, cycle: Cycle? = nil
  ) {
    (self.begin, self.speed, self.offset, self.cycle) = (begin, speed, offset, cycle)
  }

  /// The time of this clock at a time of the driving one.
  package func time(at driving: MediaTime) throws(TimeError) -> MediaTime {
    guard driving > begin else { return offset }
    let passed = try Rational(driving - begin) * speed
    return try MediaTime(Rational(offset) + (cycle?.place(after: passed) ?? passed))
  }
}

extension LayerClock.Cycle {
  /// The place in the cycle, from 0 to its duration, when `passed` seconds have passed.
  fileprivate func place(after passed: Rational) throws(TimeError) -> Rational {
    let length = Rational(duration)
    let round = try autoreverses ? length * Rational(2) : length
    if let count, try passed >= round * Rational(count) { return autoreverses ? Rational(0) : length }
    let rounds = try Rational((passed / round).wholePart, over: 1)
    let place = try passed - round * rounds
    return place > length ? try round - place : place
  }
}
