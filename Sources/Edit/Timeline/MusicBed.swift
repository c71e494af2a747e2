package import MediaTime

/// How an audio track is made as long as the picture that it lies under. A longer track is cut off in both cases.
package enum MusicBed: String, Hashable, Sendable, CaseIterable {
  /// Silence follows a shorter track.
  case pad
  /// A shorter track begins again, from its first segment on.
  case loop
}

extension CompositionTrack {
  /// Makes the track end at `end`. A padded track may end earlier, since a track does not end with a gap.
  ///
  /// - Throws: `CompositionError.tooManySegments` when looping would take more segments than a document may have; `.time` when a
  ///   time does not fit.
  package mutating func lay(_ bed: MusicBed, until end: MediaTime) throws(CompositionError) {
    var laid = self
    if bed == .loop { try laid.loop(until: end) }
    if laid.duration > end {
      try laid.removeTimeRange(exact { () throws(TimeError) in try .init(start: end, end: laid.duration) })
    }
    self = laid
  }

  private mutating func loop(until end: MediaTime) throws(CompositionError) {
    let once = if case .empty? = segments.first { segments.dropFirst() } else { segments[...] }
    guard let first = once.first?.timeRange.start, end > duration else { return }
    let (start, period) = (duration, try exact { () throws(TimeError) in try duration - first })
    let rounds = try exact { () throws(TimeError) in try (end - start).coveringUnits(of: period) }
    guard rounds <= DocumentLimits.segments / once.count else { throw .tooManySegments }
    for round in 0..<rounds {
      segments += try exact { () throws(TimeError) in try Self.moved(Array(once), from: first, to: start + period * round) }
    }
  }
}
