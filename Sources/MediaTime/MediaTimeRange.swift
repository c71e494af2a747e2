/// A half-open range of time: `start` belongs to it, `end` does not.
package struct MediaTimeRange: Hashable, Sendable, Codable {
  package let start: MediaTime
  /// Never negative.
  package let duration: MediaTime
  /// `start + duration`; the initialiser proves that it fits.
  package let end: MediaTime

  /// - Throws: `TimeError.notPositive` for a negative duration, `.overflow` when the end does not fit.
  package init(start: MediaTime, duration: MediaTime) throws(TimeError) {
    guard duration >= .zero else { throw .notPositive("duration") }
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

  package func overlaps(_ other: MediaTimeRange) -> Bool { start < other.end && other.start < end }

  /// Where `time` stands in the range, 0 at its start and 1 at its end: the progress of a ramp or a transition.
  ///
  /// - Precondition: the range is not empty.
  package func progress(at time: MediaTime) throws(TimeError) -> Double {
    try ((Rational(time) - Rational(start)) / Rational(duration)).approximation
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
