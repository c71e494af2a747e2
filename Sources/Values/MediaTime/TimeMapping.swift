/// A source range played over a target range at a constant rate (CMTimeMapping), forwards or backwards. An empty source range is
/// a single moment, held.
package struct TimeMapping: Hashable, Sendable {
  package let source: MediaTimeRange
  package let target: MediaTimeRange
  /// Whether the source plays from its end to its start. It is false for a held moment.
  package let isReversed: Bool

  /// - Throws: `TimeError.notPositive` when the target is empty.
  package init(source: MediaTimeRange, target: MediaTimeRange, isReversed: Bool = false) throws(TimeError) {
    guard !target.isEmpty else { throw .notPositive("target duration") }
    self.source = source
    self.target = target
    self.isReversed = isReversed && !source.isEmpty
  }

  package var isIdentityRate: Bool { source.duration == target.duration }

  /// The source seconds that pass in each target second, in either direction; zero for a held moment.
  package var rate: Rational {
    get throws(TimeError) { try Rational(source.duration) / Rational(target.duration) }
  }

  /// The source time at target time `time`. Forwards it is `source.start + (time - target.start) * rate`; reversed it is
  /// `source.end - (time - target.start) * rate`.
  ///
  /// Reversed, the picture is the one that the source shows just before that time, because the mirror image of a half-open range
  /// is open at its start. So each source frame is shown exactly as long as forwards, the last one first, and reversing twice
  /// changes nothing.
  ///
  /// - Returns: a rational number, because a stretch can need finer ticks than a `MediaTime` has.
  package func sourceTime(at time: MediaTime) throws(TimeError) -> Rational {
    let passed = try (Rational(time) - Rational(target.start)) * rate
    return isReversed ? try Rational(source.end) - passed : try Rational(source.start) + passed
  }
}
