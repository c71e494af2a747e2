package import MediaTime

/// How an audio track is made as long as the picture that it lies under. A longer track is cut off in all cases.
package enum MusicBed: Hashable, Sendable {
  /// Silence follows a shorter track.
  case pad
  /// A shorter track begins again.
  case loop(MusicLoop)

  /// The names of the cases in documents.
  package enum Kind: String, Hashable, Sendable, CaseIterable { case pad, loop }
}

/// The part of a track that is played again and again: what comes before it is played once.
package struct MusicLoop: Hashable, Sendable {
  /// The time in the track to which it goes back; nil is the start of its first segment.
  package var start: MediaTime?
  /// The time in the track from which it goes back; nil is the track's end.
  package var end: MediaTime?

  package init(start: MediaTime? = nil, end: MediaTime? = nil) { (self.start, self.end) = (start, end) }
}

extension CompositionTrack {
  /// Makes the track end at `end`. A padded track may end earlier, since a track does not end with a gap.
  ///
  /// - Throws: `CompositionError.tooManySegments` when looping would take more segments than a document may have; `.noLoop` when the
  ///   track has no such part, or one too short for its crossfade; `.time` when a time does not fit.
  package mutating func lay(_ bed: MusicBed, until end: MediaTime) throws(CompositionError) {
    var laid = self
    if case .loop(let loop) = bed { try laid.repeat(loop, until: end) }
    if laid.duration > end {
      try laid.removeTimeRange(exact { () throws(TimeError) in try .init(start: end, end: laid.duration) })
    }
    self = laid
  }

  private mutating func `repeat`(_ loop: MusicLoop, until end: MediaTime) throws(CompositionError) {
    let leading = if case .empty(let gap)? = segments.first { gap.end } else { MediaTime.zero }
    let (first, last) = (loop.start ?? leading, loop.end ?? duration)
    guard !segments.isEmpty else { return }
    guard leading <= first, first < last, last <= duration else { throw .noLoop(first, last, duration) }
    // With a crossfade the part begins again while its end is still heard.
    let back = try exact { () throws(TimeError) in try last - crossfade }
    try requireCrossfade(from: first, to: last, back: back)
    guard end > back else { return }
    if back < duration {
      try removeTimeRange(exact { () throws(TimeError) in try .init(start: back, end: duration) })
    }
    var part = self
    if first > .zero { try part.removeTimeRange(exact { () throws(TimeError) in try .init(start: .zero, end: first) }) }
    let period = try exact { () throws(TimeError) in try back - first }
    let rounds = try exact { () throws(TimeError) in try (end - back).coveringUnits(of: period) }
    guard !part.segments.isEmpty else { throw .noLoop(first, last, duration) }
    guard rounds <= DocumentLimits.segments / part.segments.count else { throw .tooManySegments }
    segments = try exact { () throws(TimeError) in
      var all = segments
      for round in 0..<rounds {
        let start = try back + period * round
        // A part that ends with a gap has lost it.
        if let end = all.last?.timeRange.end, end < start { all.append(.empty(try MediaTimeRange(start: end, end: start))) }
        all += try Self.moved(part.segments, from: .zero, to: start)
      }
      return try Self.normalized(all)
    }
  }

  /// Checks that a loop's last segment plays through the crossfade, and its first one, too.
  private func requireCrossfade(from first: MediaTime, to last: MediaTime, back: MediaTime) throws(CompositionError) {
    guard crossfade > .zero else { return }
    guard first < back, let segment = segment(at: back), case .media = segment, segment.timeRange.end >= last else {
      throw .noLoop(first, last, duration)
    }
  }
}
