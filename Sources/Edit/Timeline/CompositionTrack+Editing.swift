package import MediaTime

/// The edits of AVMutableCompositionTrack. Each either succeeds, or throws and leaves the track as it was. `append` takes
/// constant time; the others take at most a few passes over the segments.
extension CompositionTrack {
  /// Plays `range` of `source` from `time` on. Everything at or after `time` moves back by the range's duration. A time past the
  /// end leaves a gap before the new segment (insertTimeRange(_:of:at:)).
  package mutating func insert(
    _ range: MediaTimeRange, of source: SegmentSource, at time: MediaTime
  ) throws(CompositionError) {
    try insert(at: time, lasting: range) { (target) throws(TimeError) in
      try .media(source, TimeMapping(source: range, target: target))
    }
  }

  /// Shows the picture of `source` at `sourceTime` for `duration`, from `time` on. Everything at or after `time` moves back.
  package mutating func insertFreezeFrame(
    at sourceTime: MediaTime, of source: SegmentSource, at time: MediaTime, lasting duration: MediaTime
  ) throws(CompositionError) {
    let moment = try exact { () throws(TimeError) in try MediaTimeRange(start: sourceTime, duration: .zero) }
    try insert(at: time, lasting: exact { () throws(TimeError) in try MediaTimeRange(start: sourceTime, duration: duration) }) {
      (target) throws(TimeError) in try .media(source, TimeMapping(source: moment, target: target))
    }
  }

  /// Plays `range` of `source` after everything else.
  package mutating func append(_ range: MediaTimeRange, of source: SegmentSource) throws(CompositionError) {
    try requirePositive(range)
    segments.append(
      try exact { () throws(TimeError) in
        try .media(source, TimeMapping(source: range, target: MediaTimeRange(start: duration, duration: range.duration)))
      })
  }

  /// Inserts an empty range: everything at or after its start moves back by its duration (insertEmptyTimeRange(_:)).
  ///
  /// - Throws: `CompositionError.beyondEnd` when the range starts at or after the track's end, since a track does not end with a
  ///   gap.
  package mutating func insertEmptyTimeRange(_ range: MediaTimeRange) throws(CompositionError) {
    guard range.start < duration else { throw .beyondEnd(range.start, end: duration) }
    try insert(at: range.start, lasting: range) { .empty($0) }
  }

  /// Removes the range. Everything after it moves forward (removeTimeRange(_:)).
  ///
  /// - Throws: `CompositionError.beyondEnd` when part of the range lies after the track's end.
  package mutating func removeTimeRange(_ range: MediaTimeRange) throws(CompositionError) {
    try checkWithin(range)
    segments = try exact { () throws(TimeError) in
      let (before, _, after) = try parts(of: range)
      return try Self.normalized(before + Self.moved(after, from: range.end, to: range.start))
    }
  }

  /// Plays the range faster or slower, so that it lasts `duration`. Everything after it moves (scaleTimeRange(_:toDuration:)).
  ///
  /// - Throws: `CompositionError.beyondEnd` when part of the range lies after the track's end.
  package mutating func scaleTimeRange(_ range: MediaTimeRange, toDuration duration: MediaTime) throws(CompositionError) {
    try checkWithin(range)
    let scaled = try exact { () throws(TimeError) in try MediaTimeRange(start: range.start, duration: duration) }
    try requirePositive(scaled)
    segments = try exact { () throws(TimeError) in
      let (before, inside, after) = try parts(of: range)
      let mapping = try TimeMapping(source: scaled, target: range)
      let stretched = try inside.map { (segment) throws(TimeError) in
        let (start, end) = try (mapping.sourceTime(at: segment.timeRange.start), mapping.sourceTime(at: segment.timeRange.end))
        return try segment.placed(MediaTimeRange(start: MediaTime(start), end: MediaTime(end)))
      }
      return try Self.normalized(before + stretched + Self.moved(after, from: range.end, to: scaled.end))
    }
  }

  /// Plays the range backwards: its segments in reverse order, each reversed. Reversing a range twice restores it.
  ///
  /// - Throws: `CompositionError.beyondEnd` when part of the range lies after the track's end.
  package mutating func reverseTimeRange(_ range: MediaTimeRange) throws(CompositionError) {
    try checkWithin(range)
    segments = try exact { () throws(TimeError) in
      let (before, inside, after) = try parts(of: range)
      let mirrored = try inside.reversed().map { (segment) throws(TimeError) in
        let start = try range.start + (range.end - segment.timeRange.end)
        return try segment.reversed(MediaTimeRange(start: start, duration: segment.timeRange.duration))
      }
      return try Self.normalized(before + mirrored + after)
    }
  }

  /// Edits the track as if an empty segment followed it, to `time` at least.
  mutating func withGap(
    until time: MediaTime, _ edit: (inout CompositionTrack) throws(CompositionError) -> Void
  ) throws(CompositionError) {
    var padded = try exact { () throws(TimeError) in try time <= duration ? self : paddedWithGap(until: time) }
    try edit(&padded)
    self = padded
  }

  // MARK: - Parts

  private mutating func insert(
    at time: MediaTime, lasting range: MediaTimeRange, _ segment: (MediaTimeRange) throws(TimeError) -> TrackSegment
  ) throws(CompositionError) {
    guard time >= .zero else { throw .negativeTime(time) }
    try requirePositive(range)
    segments = try exact { () throws(TimeError) in
      let target = try MediaTimeRange(start: time, duration: range.duration)
      let padded = try time <= duration ? self : paddedWithGap(until: time)
      let (before, after) = try padded.split(at: time)
      return try Self.normalized(before + [segment(target)] + Self.moved(after, from: time, to: target.end))
    }
  }

  private func paddedWithGap(until time: MediaTime) throws(TimeError) -> CompositionTrack {
    var track = self
    track.segments.append(.empty(try MediaTimeRange(start: duration, end: time)))
    return track
  }

  private func requirePositive(_ range: MediaTimeRange) throws(CompositionError) {
    guard !range.isEmpty else { throw .emptyRange(range) }
  }

  private func checkWithin(_ range: MediaTimeRange) throws(CompositionError) {
    try requirePositive(range)
    guard range.start >= .zero else { throw .negativeTime(range.start) }
    guard range.end <= duration else { throw .beyondEnd(range.end, end: duration) }
  }

  func exact<Value>(_ compute: () throws(TimeError) -> Value) throws(CompositionError) -> Value {
    do { return try compute() } catch { throw .time(error) }
  }

  /// The segments before the range, in it and after it. A segment on one of the range's borders is cut in two.
  private func parts(
    of range: MediaTimeRange
  ) throws(TimeError) -> (before: [TrackSegment], inside: [TrackSegment], after: [TrackSegment]) {
    let (start, after) = try split(at: range.end)
    var head = self
    head.segments = start
    let (before, inside) = try head.split(at: range.start)
    return (before, inside, after)
  }

  /// The segments before `time` and those from `time` on. A segment around `time` is cut in two.
  private func split(at time: MediaTime) throws(TimeError) -> (before: [TrackSegment], after: [TrackSegment]) {
    let before = segments.prefix { $0.timeRange.end <= time }
    let after = segments[before.endIndex...]
    guard let around = after.first, around.timeRange.start < time else { return (Array(before), Array(after)) }
    let (head, tail) = try around.cut(at: time)
    return (before + [head], [tail] + after.dropFirst())
  }

  static func moved(_ segments: [TrackSegment], from: MediaTime, to: MediaTime) throws(TimeError) -> [TrackSegment] {
    let shift = try to - from
    return try segments.map { (segment) throws(TimeError) in
      try segment.placed(MediaTimeRange(start: segment.timeRange.start + shift, duration: segment.timeRange.duration))
    }
  }
}

extension TrackSegment {
  /// The same media in another range of the track, perhaps at another speed.
  fileprivate func placed(_ target: MediaTimeRange) throws(TimeError) -> TrackSegment {
    guard case .media(let source, let mapping) = self else { return .empty(target) }
    if let curve = mapping.curve {
      return .media(source, try TimeMapping(along: curve.scaled(to: target.duration), from: target.start))
    }
    return .media(source, try TimeMapping(source: mapping.source, target: target, isReversed: mapping.isReversed))
  }

  /// The same media in the other direction, in another range of the track.
  fileprivate func reversed(_ target: MediaTimeRange) throws(TimeError) -> TrackSegment {
    guard case .media(let source, let mapping) = self else { return .empty(target) }
    if let curve = mapping.curve {
      return .media(source, try TimeMapping(along: curve.scaled(to: target.duration).reversed(), from: target.start))
    }
    return .media(source, try TimeMapping(source: mapping.source, target: target, isReversed: !mapping.isReversed))
  }

  /// Cuts the segment in two at `time`.
  ///
  /// - Throws: `TimeError.overflow` when the source time at `time` is too fine for a media time.
  fileprivate func cut(at time: MediaTime) throws(TimeError) -> (TrackSegment, TrackSegment) {
    let targets = try (
      MediaTimeRange(start: timeRange.start, end: time), MediaTimeRange(start: time, end: timeRange.end)
    )
    switch self {
    case .empty: return (.empty(targets.0), .empty(targets.1))
    case .media(let source, let mapping):
      if let curve = mapping.curve {
        let (head, tail) = try curve.cut(at: time - targets.0.start)
        return try (
          .media(source, TimeMapping(along: head, from: targets.0.start)),
          .media(source, TimeMapping(along: tail, from: targets.1.start))
        )
      }
      let border = try MediaTime(mapping.sourceTime(at: time))
      let (first, second) = try (
        MediaTimeRange(start: mapping.source.start, end: border), MediaTimeRange(start: border, end: mapping.source.end)
      )
      let isReversed = mapping.isReversed
      return try (
        .media(source, TimeMapping(source: isReversed ? second : first, target: targets.0, isReversed: isReversed)),
        .media(source, TimeMapping(source: isReversed ? first : second, target: targets.1, isReversed: isReversed))
      )
    }
  }
}
