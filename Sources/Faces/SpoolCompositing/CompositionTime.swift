package import MediaTime

/// An exact time of an edit: `value / timescale` seconds (CMTime).
public struct CompositionTime: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The numerator. The fraction is in lowest terms.
  public let value: Int64
  /// The denominator: units in a second. It is positive.
  public let timescale: Int32
  let time: MediaTime

  package init(_ time: MediaTime) { (value, timescale, self.time) = (time.value, time.timescale, time) }

  /// The time in seconds, as the nearest floating-point number. Do not use it to decide between frames.
  public var seconds: Double { Double(value) / Double(timescale) }

  /// The time in seconds as documents have it, such as "12.5" or "1001/30000".
  public var description: String { time.description }

  public static func < (a: CompositionTime, b: CompositionTime) -> Bool { a.time < b.time }
}

/// A half-open range of times of an edit (CMTimeRange).
public struct CompositionTimeRange: Hashable, Sendable {
  public let start: CompositionTime
  public let duration: CompositionTime
  /// The end of the range, which is not in it.
  public let end: CompositionTime
  let range: MediaTimeRange

  package init(_ range: MediaTimeRange) {
    (start, duration) = (CompositionTime(range.start), CompositionTime(range.duration))
    (end, self.range) = (CompositionTime(range.end), range)
  }
}
