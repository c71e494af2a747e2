/// A source range played over a target range at a constant rate (CMTimeMapping).
package struct TimeMapping: Hashable, Sendable {
  package let source: MediaTimeRange
  package let target: MediaTimeRange

  /// - Throws: `TimeError.notPositive` when either range is empty.
  package init(source: MediaTimeRange, target: MediaTimeRange) throws(TimeError) {
    guard !source.isEmpty else { throw .notPositive("source duration") }
    guard !target.isEmpty else { throw .notPositive("target duration") }
    self.source = source
    self.target = target
  }

  package var isIdentityRate: Bool { source.duration == target.duration }

  /// Source seconds that pass per target second.
  package var rate: Rational {
    get throws(TimeError) { try Rational(source.duration) / Rational(target.duration) }
  }

  /// The source time shown at target time `time`: `source.start + (time - target.start) * source.duration / target.duration`.
  ///
  /// - Returns: a rational, since a stretch can need finer ticks than a `MediaTime` has.
  package func sourceTime(at time: MediaTime) throws(TimeError) -> Rational {
    try Rational(source.start) + (Rational(time) - Rational(target.start)) * rate
  }
}
