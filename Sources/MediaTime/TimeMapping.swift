/// A source range played over a target range at a constant rate (CMTimeMapping), forwards or backwards. A source range
/// without duration is one moment, held.
package struct TimeMapping: Hashable, Sendable {
  package let source: MediaTimeRange
  package let target: MediaTimeRange
  /// From the source's end to its start. A held moment has no direction.
  package let isReversed: Bool

  /// - Throws: `TimeError.notPositive` when the target is empty.
  package init(source: MediaTimeRange, target: MediaTimeRange, isReversed: Bool = false) throws(TimeError) {
    guard !target.isEmpty else { throw .notPositive("target duration") }
    self.source = source
    self.target = target
    self.isReversed = isReversed && !source.isEmpty
  }

  package var isIdentityRate: Bool { source.duration == target.duration }

  /// Source seconds that pass per target second, in either direction; zero when a moment is held.
  package var rate: Rational {
    get throws(TimeError) { try Rational(source.duration) / Rational(target.duration) }
  }

  /// The source time at target time `time`: `source.start + (time - target.start) * rate`, or, reversed,
  /// `source.end - (time - target.start) * rate`.
  ///
  /// Reversed, what is shown is what the source shows just before that time: the mirror image of a half-open range is
  /// open at its start. So a frame of the source is shown exactly as long as forwards, the last one first, and reversing
  /// twice changes nothing.
  ///
  /// - Returns: a rational, since a stretch can need finer ticks than a `MediaTime` has.
  package func sourceTime(at time: MediaTime) throws(TimeError) -> Rational {
    let passed = try (Rational(time) - Rational(target.start)) * rate
    return isReversed ? try Rational(source.end) - passed : try Rational(source.start) + passed
  }
}
