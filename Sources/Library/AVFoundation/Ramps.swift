internal import MediaTime
internal import Timeline

/// Values that are set from a time on, and ramps over ranges, in the order in which they were given.
struct Ramps<Value: Sendable>: Sendable {
  private struct Ramp: Sendable {
    var range: CMTimeRange
    var start: Value
    var end: Value
  }

  private var ramps: [Ramp] = []

  mutating func set(_ value: Value, at time: CMTime) {
    ramp(from: value, to: value, CMTimeRange(start: time, duration: .zero))
  }

  /// Adds a ramp. It takes the place of one that begins at the same time.
  mutating func ramp(from start: Value, to end: Value, _ range: CMTimeRange) {
    ramps.removeAll { $0.range.start == range.start }
    ramps.append(Ramp(range: range, start: start, end: end))
  }

  /// Adds the ramps of another list. They take the place of those that begin at the same times.
  mutating func add(_ other: Ramps) { for ramp in other.ramps { self.ramp(from: ramp.start, to: ramp.end, ramp.range) } }

  /// The ramp that includes a time, else the first one after it; nil where there is none. A value that is set and held is a ramp from its
  /// time to the next one's, or without end.
  func ramp(at time: CMTime) -> (start: Value, end: Value, range: CMTimeRange)? {
    let sorted = ramps.sorted { $0.range.start < $1.range.start }
    let spans = sorted.indices.map { index in
      let next = index + 1 < sorted.count ? sorted[index + 1].range.start : .positiveInfinity
      let held = CMTimeRange(start: sorted[index].range.start, duration: next - sorted[index].range.start)
      return (ramp: sorted[index], range: sorted[index].range.duration > .zero ? sorted[index].range : held)
    }
    let isOver = { (range: CMTimeRange) in range.duration.isNumeric && range.end <= time }
    let isIncluding = { (range: CMTimeRange) in range.start <= time && !isOver(range) }
    let found = spans.last { isIncluding($0.range) } ?? spans.first { $0.range.start > time }
    return found.map { ($0.ramp.start, $0.ramp.end, $0.range) }
  }

  /// Gives the ramp that includes a time, else the first one after it, through pointers.
  ///
  /// - Returns: false where there is none.
  func give(
    _ time: CMTime, _ start: UnsafeMutablePointer<Value>?, _ end: UnsafeMutablePointer<Value>?,
    _ range: UnsafeMutablePointer<CMTimeRange>?
  ) -> Bool {
    guard let found = ramp(at: time) else { return false }
    unsafe start?.pointee = found.start
    unsafe end?.pointee = found.end
    unsafe range?.pointee = found.range
    return true
  }

  /// The ramps as keyframes.
  ///
  /// - Parameters:
  ///   - property: the name that faults have.
  ///   - convert: the value as documents have it.
  /// - Throws: an `AVError` for a time that is no number, and for a ramp that goes on when the next one begins.
  func envelope<Result: Interpolable>(
    _ property: String, _ code: AVError.Code, _ convert: (Value) throws(AVError) -> Result
  ) throws(AVError) -> Envelope<Result> {
    var keyframes: [Envelope<Result>.Keyframe] = []
    var end: MediaTime?
    for ramp in ramps.sorted(by: { $0.range.start < $1.range.start }) {
      let range = try MediaTimeRange(ramp.range, property, code)
      guard range.start >= .zero else {
        throw AVError(code, "\(property): \(range.start) lies before zero", property: property, time: ramp.range.start)
      }
      if let end, range.start < end {
        throw AVError(
          code, "\(property): a ramp begins at \(range.start), while another one goes on until \(end)", property: property,
          time: ramp.range.start)
      }
      end = range.end
      if range.isEmpty {
        keyframes.append(.init(range.start, try convert(ramp.end), holds: true))
      } else {
        keyframes.append(.init(range.start, try convert(ramp.start)))
        keyframes.append(.init(range.end, try convert(ramp.end), holds: true))
      }
    }
    return Envelope(keyframes)
  }
}

extension Ramps: Codable where Value: Codable {
  private struct Coded: Codable {
    let range: CodedRange
    let start: Value
    let end: Value
  }

  init(from decoder: any Decoder) throws {
    let coded = try decoder.singleValueContainer().decode([Coded].self)
    ramps = coded.map { Ramp(range: $0.range.range, start: $0.start, end: $0.end) }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(ramps.map { Coded(range: CodedRange($0.range), start: $0.start, end: $0.end) })
  }
}
