/// A half-open range of time: `start` belongs to it and `end` does not.
package struct MediaTimeRange: Hashable, Sendable, Codable {
  package let start: MediaTime
  /// The duration; never negative.
  package let duration: MediaTime
  /// The end, `start + duration`. The initialiser checks that it fits.
  package let end: MediaTime

  /// - Throws: `TimeError.negativeDuration`, `.overflow` when the end does not fit.
  package init(start: MediaTime, duration: MediaTime) throws(TimeError) {
    guard duration >= .zero else { throw .negativeDuration }
    self.start = start
    self.duration = duration
    self.end = try start + duration
  }

  package init(start: MediaTime, end: MediaTime) throws(TimeError) {
    try self.init(start: start, duration: end - start)
  }

  package var isEmpty: Bool { duration == .zero }

  package func contains(_ time: MediaTime) -> Bool { start <= time && time < end }

  package func contains(_ other: MediaTimeRange) -> Bool { start <= other.start && other.end <= end }

  /// Whether some time belongs to both ranges. An empty range overlaps nothing.
  package func overlaps(_ other: MediaTimeRange) -> Bool { max(start, other.start) < min(end, other.end) }

  /// The place of `time` in the range as a fraction of it: the progress of a ramp or a transition. It is in [0, 1) for times that
  /// the range contains.
  ///
  /// - Throws: `TimeError.notPositive` for an empty range.
  package func progress(at time: MediaTime) throws(TimeError) -> Double {
    let progress = try ((Rational(time) - Rational(start)) / Rational(duration)).approximation
    // Floating point may round the last ticks of a very long range to 1.
    return time < end ? min(progress, 1.0.nextDown) : progress
  }

  private enum CodingKeys: String, CodingKey { case start, duration }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    try self.init(
      start: container.decode(MediaTime.self, forKey: .start), duration: container.decode(MediaTime.self, forKey: .duration))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(start, forKey: .start)
    try container.encode(duration, forKey: .duration)
  }
}

extension MediaTimeRange: CustomStringConvertible {
  package var description: String { "[\(start), \(end))" }
}
