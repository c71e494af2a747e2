package import MediaTime

/// A stretch of one audio track of one asset among the movie's samples: what mixing is made of, nested compositions
/// unfolded. Like scenes, a pure function of the edit.
package struct SoundSpan: Hashable, Sendable {
  package let asset: AssetID
  package let trackPosition: Int
  /// On the movie's sample clock, from the start of the exported range; never empty.
  package let samples: Range<Int64>
  /// The source time of the first sample; reversed, of the end of the last one.
  package let sourceStart: Rational
  /// Source seconds per movie second; positive.
  package let rate: Rational
  /// Sample `samples.upperBound - 1 - n` is the one that would stand at `samples.lowerBound + n` forwards.
  package let isReversed: Bool
  /// All are applied; those that are 1 throughout are left out.
  package let volumes: [Volume]

  /// An envelope on the movie's clock.
  package struct Volume: Hashable, Sendable {
    package let envelope: Envelope<Double>
    /// The movie's time, from the start of the exported range, is `origin + scale * time` of the envelope; scale is not zero.
    package let origin: Rational
    package let scale: Rational

    package init(envelope: Envelope<Double>, origin: Rational, scale: Rational) {
      (self.envelope, self.origin, self.scale) = (envelope, origin, scale)
    }
  }
}

extension ResolvedTimeline {
  /// The sound in order of time; spans of one moment in the order of their tracks. Empty without sound.
  ///
  /// - Throws: also when speeds multiply to more than resampling is made for.
  package func soundSpans() throws(TimeError) -> [SoundSpan] {
    guard let audio else { return [] }
    let shift = try Rational(0) - Rational(exportRange.start)
    let window = (start: Rational(0), end: Rational(exportRange.duration))
    var unfolding = SoundUnfolding(sampleRate: audio.sampleRate)
    try unfolding.add(self, SoundUnfolding.Frame(origin: shift, scale: Rational(1), window: window, volumes: []))
    return unfolding.spans.enumerated().sorted {
      ($0.element.samples.lowerBound, $0.offset) < ($1.element.samples.lowerBound, $1.offset)
    }.map(\.element)
  }
}

private struct SoundUnfolding {
  /// A nested edit's clock on the movie's: the movie's time is `origin + scale * time`.
  struct Frame {
    let origin: Rational
    let scale: Rational
    /// The part of the movie in which the edit is heard.
    let window: (start: Rational, end: Rational)
    let volumes: [SoundSpan.Volume]
  }

  let sampleRate: Int32
  var spans: [SoundSpan] = []

  init(sampleRate: Int32) { self.sampleRate = sampleRate }

  mutating func add(_ edit: ResolvedTimeline, _ frame: Frame) throws(TimeError) {
    for track in edit.timeline.composition.tracks where track.media == .audio {
      let volume = edit.timeline.audioMix.volume(of: track.id)
      let own = SoundSpan.Volume(envelope: volume, origin: frame.origin, scale: frame.scale)
      let volumes = volume == Envelope() ? frame.volumes : frame.volumes + [own]
      for (source, mapping) in track.clips { try add(source, mapping, of: edit, frame, volumes) }
    }
  }

  private mutating func add(
    _ source: SegmentSource, _ mapping: TimeMapping, of edit: ResolvedTimeline, _ frame: Frame, _ volumes: [SoundSpan.Volume]
  ) throws(TimeError) {
    let ends = try (frame.movieTime(mapping.target.start), frame.movieTime(mapping.target.end))
    let start = max(min(ends.0, ends.1), frame.window.start)
    let end = min(max(ends.0, ends.1), frame.window.end)
    guard start < end else { return }
    // Source time = offset + slope * movie time; its inverse is the source's own frame.
    let slope = try (mapping.isReversed ? Rational(0) - mapping.rate : mapping.rate) / frame.scale
    let anchor = mapping.isReversed ? mapping.source.end : mapping.source.start
    let offset = try Rational(anchor) - slope * ends.0
    switch source {
    case .composition(let id):
      let scale = try Rational(1) / slope
      let inner = try Frame(
        origin: Rational(0) - offset * scale, scale: scale, window: (start, end), volumes: volumes)
      try add(edit.edit(of: id), inner)
    case .asset(let asset, let position):
      let isReversed = slope < Rational(0)
      let rate = isReversed ? try Rational(0) - slope : slope
      guard rate <= Rational(DocumentLimits.speed) else {
        throw .overflow("sound \(rate.approximation) times as fast, more than \(DocumentLimits.speed)")
      }
      let samples = try sample(start)..<sample(end)
      guard !samples.isEmpty else { return }
      // The first sample stands at the nearest tick of the sample clock, up to half a sample from `start`; the source is
      // read from its exact start, so that what is heard first is what the edit names first.
      spans.append(
        SoundSpan(
          asset: asset, trackPosition: position, samples: samples,
          sourceStart: try offset + slope * (isReversed ? end : start), rate: rate, isReversed: isReversed, volumes: volumes))
    }
  }

  private func sample(_ time: Rational) throws(TimeError) -> Int64 {
    Int64(clamping: try (time * Rational(Int64(sampleRate))).rounded())
  }
}

extension SoundUnfolding.Frame {
  func movieTime(_ time: MediaTime) throws(TimeError) -> Rational { try origin + scale * Rational(time) }
}
