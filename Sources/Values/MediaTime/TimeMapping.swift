/// A source range played over a target range (CMTimeMapping): at a constant rate, forwards or backwards, or along a retiming curve.
/// An empty source range is a single moment, held.
package struct TimeMapping: Hashable, Sendable {
  /// The range of the source that is played.
  package let source: MediaTimeRange
  package let target: MediaTimeRange
  /// Whether the source plays from its end to its start. It is false for a held moment, and along a curve.
  package let isReversed: Bool
  /// The curve along which the source plays; nil where its rate is constant.
  package let curve: TimeCurve?

  /// - Throws: `TimeError.notPositive` when the target is empty.
  package init(source: MediaTimeRange, target: MediaTimeRange, isReversed: Bool = false) throws(TimeError) {
    guard !target.isEmpty else { throw .notPositive("target duration") }
    self.source = source
    self.target = target
    self.isReversed = isReversed && !source.isEmpty
    curve = nil
  }

  /// Plays a source along a curve, from `start` on.
  package init(along curve: TimeCurve, from start: MediaTime) throws(TimeError) {
    source = try curve.source
    target = try MediaTimeRange(start: start, duration: curve.duration)
    isReversed = false
    self.curve = curve
  }

  package var isIdentityRate: Bool { curve == nil && source.duration == target.duration }

  /// The source seconds that pass in each target second, in either direction; zero for a held moment. Along a curve it is the part of
  /// the source that is played over the target's length, which says little.
  package var rate: Rational {
    get throws(TimeError) { try Rational(source.duration) / Rational(target.duration) }
  }

  /// The source time at target time `time`. Forwards it is `source.start + (time - target.start) * rate`; reversed it is
  /// `source.end - (time - target.start) * rate`. Along a curve it is the curve's.
  ///
  /// Reversed, the picture is the one that the source shows just before that time, because the mirror image of a half-open range
  /// is open at its start. So each source frame is shown exactly as long as forwards, the last one first, and reversing twice
  /// changes nothing.
  ///
  /// - Returns: a rational number, because a stretch can need finer ticks than a `MediaTime` has.
  package func sourceTime(at time: MediaTime) throws(TimeError) -> Rational {
    if let curve { return try curve.sourceTime(at: time - target.start) }
    let passed = try (Rational(time) - Rational(target.start)) * rate
    return isReversed ? try Rational(source.end) - passed : try Rational(source.start) + passed
  }

  /// Whether the source plays backwards at target time `time`.
  package func isReversed(at time: MediaTime) throws(TimeError) -> Bool {
    guard let curve else { return isReversed }
    return curve.piece(at: try time - target.start).isReversed
  }
}
