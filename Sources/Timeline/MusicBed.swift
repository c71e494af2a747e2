package import MediaTime

/// How an audio track is made as long as the picture that it lies under. What is longer is cut off either way.
package enum MusicBed: String, Hashable, Sendable, CaseIterable {
  /// Silence follows what is shorter.
  case pad
  /// What is shorter begins again, from its first segment on.
  case loop
}

extension CompositionTrack {
  /// Makes the track end at `end`; where it is padded it may end before, since a track does not end with a gap.
  ///
  /// - Throws: `CompositionError.tooManySegments` when looping would take more than a document may have.
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
