package import Formats
package import MediaTime
package import Timeline

/// A stretch of one audio track of one asset, and the movie's samples that it fills. Mixing adds up such spans. Nested
/// compositions are unfolded into the spans of their assets. Like scenes, spans are a pure function of the edit.
package struct SoundSpan: Hashable, Sendable, Encodable {
  package let asset: AssetID
  package let trackPosition: Int
  /// The samples of the movie, counted from the start of the exported range; never empty. Negative ones come before it: they are mixed for
  /// effects that remember them.
  package private(set) var samples: Range<Int64>
  /// The source time of the first sample. When reversed, it is the source time at the end of the last sample, so it is the
  /// earliest source time in both cases.
  package let sourceStart: Rational
  /// The source seconds per movie second; positive.
  package let rate: Rational
  /// The part of `rate` that leaves the pitch as it is; positive, and 1 where none is. The rest, `rate / stretch`, raises or lowers
  /// the pitch.
  package let stretch: Rational
  /// The curve along which the source plays; nil where its speed is constant. Along a curve `sourceStart`, `rate` and `isReversed` say
  /// nothing.
  package let curve: SoundCurve?
  /// Whether the source is played backwards. The sample at `samples.upperBound - 1 - n` is then the one that would stand at
  /// `samples.lowerBound + n` if it were played forwards.
  package let isReversed: Bool
  /// The source's channels that are heard; nil is all, as they are.
  package let channels: ChannelMap?
  /// The track of the edit with effects to which the sound goes; nil where it goes into the mix.
  package let bus: TrackID?
  /// The volumes and balances that apply, all multiplied, those of `bus` apart. Those that change nothing are left out.
  package private(set) var volumes: [Volume]

  /// The span of `count` samples that is stretched to this one, without volumes: it plays at the part of the speed that changes the
  /// pitch.
  ///
  /// - Throws: `TimeError` when the speed does not fit.
  package func unstretched(count: Int64) throws(TimeError) -> SoundSpan {
    SoundSpan(
      asset: asset, trackPosition: trackPosition, samples: 0..<count, sourceStart: sourceStart, rate: try rate / stretch,
      stretch: Rational(1), curve: nil, isReversed: isReversed, channels: channels, bus: nil, volumes: [])
  }

  /// The span of `count` samples of a curve's source, forwards or backwards, at the pitch that the curve keeps, without volumes.
  ///
  /// - Parameter start: the earliest source time.
  /// - Precondition: the span follows a curve that keeps its pitch.
  package func stretch(of count: Int64, from start: Rational, isReversed: Bool) -> SoundSpan {
    guard let pitch = curve?.pitch else { preconditionFailure("the pitch is kept") }
    return SoundSpan(
      asset: asset, trackPosition: trackPosition, samples: 0..<count, sourceStart: start, rate: pitch, stretch: Rational(1),
      curve: nil, isReversed: isReversed, channels: channels, bus: nil, volumes: [])
  }

  /// The span without its volumes, and without the samples from `end` on that cannot change earlier ones. Sound that is played
  /// backwards is read from its end, and along a curve it may be read from anywhere, so such spans keep all.
  ///
  /// - Precondition: the span begins before `end`.
  package func bare(until end: Int64) -> SoundSpan {
    var span = self
    span.volumes = []
    if !isReversed && curve == nil { span.samples = samples.lowerBound..<min(samples.upperBound, end) }
    return span
  }

  /// An envelope, and how its clock maps to the movie's.
  package struct Volume: Hashable, Sendable, Encodable {
    package enum Kind: Hashable, Sendable, Encodable {
      /// A linear gain of all channels.
      case gain
      /// A balance between left and right, -1...1.
      case balance
    }

    package let kind: Kind
    package let envelope: Envelope<Double>
    /// The two terms of the map: the movie's time, from the start of the exported range, is `origin + scale * time`, where `time`
    /// is the envelope's. `scale` is not zero; it is negative where the envelope runs backwards.
    package let origin: Rational
    package let scale: Rational

    package init(_ kind: Kind = .gain, envelope: Envelope<Double>, origin: Rational, scale: Rational) {
      (self.kind, self.envelope, self.origin, self.scale) = (kind, envelope, origin, scale)
    }
  }
}

extension ResolvedTimeline {
  /// The spans of the sound, in order of time. Spans that start at one sample are in the order of their tracks. The result is
  /// empty without sound.
  ///
  /// - Parameter measures: the results of all `soundStudies`.
  /// - Throws: `TimeError` when times do not fit, or when speeds of nested compositions multiply to more than
  ///   `DocumentLimits.speed`, or than `DocumentLimits.preservedSpeed` where the pitch is preserved.
  package func soundSpans(_ measures: SoundMeasures) throws(TimeError) -> [SoundSpan] {
    guard let audio else { return [] }
    let shift = try Rational(0) - Rational(exportRange.start)
    let window = (start: Rational(0), end: Rational(exportRange.duration))
    var unfolding = SoundUnfolding(sampleRate: audio.sampleRate, measures: measures)
    try unfolding.add(
      self, nil, SoundUnfolding.Frame(origin: shift, scale: Rational(1), window: window, stretch: Rational(1), volumes: []))
    return unfolding.sorted
  }

  /// The spans of a study's tracks, on their composition's own clock.
  ///
  /// - Parameter measures: the results of the studies before this one.
  /// - Returns: the spans in order of time, and the number of samples from the composition's start to its end.
  package func soundSpans(
    of study: SoundStudy, _ measures: SoundMeasures
  ) throws(TimeError) -> (spans: [SoundSpan], sampleCount: Int64) {
    guard let audio else { return ([], 0) }
    let edit = study.composition.map(edit(of:)) ?? self
    let duration = edit.timeline.composition.duration
    let window = (start: Rational(0), end: Rational(duration))
    var unfolding = SoundUnfolding(sampleRate: audio.sampleRate, measures: measures, study: study)
    try unfolding.add(
      edit, study.composition,
      SoundUnfolding.Frame(origin: Rational(0), scale: Rational(1), window: window, stretch: Rational(1), volumes: []))
    return (unfolding.sorted, try duration.samples(at: audio.sampleRate))
  }
}

private struct SoundUnfolding {
  /// The place of a nested edit's clock on the movie's: the movie's time is `origin + scale * time`.
  struct Frame {
    let origin: Rational
    let scale: Rational
    /// The part of the movie in which the edit is heard.
    let window: (start: Rational, end: Rational)
    /// The product of the speeds, so far, at which the pitch is preserved.
    let stretch: Rational
    let volumes: [SoundSpan.Volume]
  }

  let sampleRate: Int32
  let measures: SoundMeasures
  /// The study that the spans are for; nil for the movie.
  let study: SoundStudy?
  private var spans: [SoundSpan] = []
  private var nesting = 0
  /// The track with effects of the outermost edit whose sound is being added.
  private var bus: TrackID?
  /// Whether the whole sound has effects.
  private var hasMasterEffects = false
  /// The envelopes of the movie's tracks. A composition that is played many times has them once.
  private var envelopes: [TrackPlace: [(SoundSpan.Volume.Kind, Envelope<Double>)]] = [:]

  /// A track of a composition, or of the edit itself.
  private struct TrackPlace: Hashable {
    let composition: CompositionID?
    let track: TrackID
  }

  init(sampleRate: Int32, measures: SoundMeasures, study: SoundStudy? = nil) {
    (self.sampleRate, self.measures, self.study) = (sampleRate, measures, study)
  }

  var sorted: [SoundSpan] {
    spans.enumerated().sorted {
      ($0.element.samples.lowerBound, $0.offset) < ($1.element.samples.lowerBound, $1.offset)
    }.map(\.element)
  }

  mutating func add(_ edit: ResolvedTimeline, _ id: CompositionID?, _ frame: Frame) throws(TimeError) {
    // A study leaves tracks out of its own composition only. What that one plays is heard as it is in the movie.
    let study = nesting == 0 ? study : nil
    if nesting == 0 { hasMasterEffects = self.study == nil && !edit.timeline.export.effects.isEmpty }
    nesting += 1
    defer { nesting -= 1 }
    for track in edit.timeline.composition.tracks where track.media == .audio {
      guard edit.timeline.audioMix.isHeard(track.id), study?.tracks.contains(track.id) ?? true else { continue }
      // Effects remember all that came before. Only tracks of the outermost edit have some.
      let bus = nesting == 1 && !edit.timeline.audioMix.effects(on: track.id).isEmpty ? track.id : nil
      let heard = nesting == 1 && (bus != nil || hasMasterEffects) ? frame.fromBeginning : frame
      self.bus = nesting == 1 ? bus : self.bus
      let place = TrackPlace(composition: id, track: track.id)
      let known = envelopes[place]
      let own = if let known { known } else { try edit.envelopes(of: track.id, in: id, measures, sampleRate, study) }
      if study == nil { envelopes[place] = own }
      // The volumes of a track with effects come after them.
      let volumes =
        frame.volumes
        + (bus != nil ? [] : own.map { SoundSpan.Volume($0, envelope: $1, origin: frame.origin, scale: frame.scale) })
      let preserves = edit.timeline.audioMix.preservesPitch(track.id)
      let clips = track.clips
      for (index, (source, mapping)) in clips.enumerated() {
        let stretch = preserves && mapping.curve == nil ? try frame.stretch * mapping.rate : frame.stretch
        func add(_ mapping: TimeMapping, _ volumes: [SoundSpan.Volume]) throws(TimeError) {
          try self.add(
            source, mapping: mapping, of: edit, in: heard, stretch: stretch,
            keepsPitch: preserves, channels: edit.timeline.audioMix.channels(of: track.id), volumes: volumes)
        }
        let fade = track.fadesIn(index, of: clips) ? try heard.fade(.in, at: mapping.target.start, lasting: track.crossfade) : nil
        try add(mapping, volumes + [fade].compactMap(\.self))
        guard let tail = try track.tail(of: index, in: clips) else { continue }
        try add(tail, volumes + [heard.fade(.out, at: tail.target.start, lasting: track.crossfade)])
      }
    }
  }

  private mutating func add(
    _ source: SegmentSource, mapping: TimeMapping, of edit: ResolvedTimeline, in frame: Frame, stretch: Rational,
    keepsPitch: Bool, channels: ChannelMap?, volumes: [SoundSpan.Volume]
  ) throws(TimeError) {
    let ends = try (frame.movieTime(mapping.target.start), frame.movieTime(mapping.target.end))
    let start = max(min(ends.0, ends.1), frame.window.start)
    let end = min(max(ends.0, ends.1), frame.window.end)
    guard start < end else { return }
    if let curve = mapping.curve {
      // Speeds around the segment raise the pitch where their tracks do not keep it.
      let around = frame.scale < Rational(0) ? try Rational(0) - frame.scale : frame.scale
      let pitch = keepsPitch ? try Rational(1) / around / frame.stretch : nil
      return try add(
        curve, pitch: pitch, of: source, mapping: mapping, in: frame, window: (start, end), channels: channels, volumes: volumes)
    }
    // The source's time is `offset + slope * movie time`. The inverse of this map is the frame of a nested source.
    let slope = try (mapping.isReversed ? Rational(0) - mapping.rate : mapping.rate) / frame.scale
    let anchor = mapping.isReversed ? mapping.source.end : mapping.source.start
    let offset = try Rational(anchor) - slope * ends.0
    switch source {
    case .composition(let id):
      let scale = try Rational(1) / slope
      let inner = try Frame(
        origin: Rational(0) - offset * scale, scale: scale, window: (start, end), stretch: stretch, volumes: volumes)
      try add(edit.edit(of: id), id, inner)
    case .asset(let asset, let position):
      let isReversed = slope < Rational(0)
      let rate = isReversed ? try Rational(0) - slope : slope
      try checkSpeed(rate)
      let limit = DocumentLimits.preservedSpeed
      guard stretch <= Rational(limit), try Rational(1) <= stretch * Rational(limit) else {
        throw .overflow("sound \(stretch.approximation) times as fast at its own pitch, beyond 1/\(limit)...\(limit)")
      }
      let samples = try sample(start)..<sample(end)
      guard !samples.isEmpty else { return }
      // The first sample stands at the nearest tick of the sample clock, up to half a sample from `start`. The source is read
      // from its exact start, so that the first source sample that is heard is the one that the edit asks for.
      spans.append(
        SoundSpan(
          asset: asset, trackPosition: position, samples: samples,
          sourceStart: try offset + slope * (isReversed ? end : start), rate: rate, stretch: stretch, curve: nil,
          isReversed: isReversed, channels: channels, bus: bus, volumes: volumes))
    }
  }

  /// Adds the sound of an asset that plays along a curve.
  private mutating func add(
    _ curve: TimeCurve, pitch: Rational?, of source: SegmentSource, mapping: TimeMapping, in frame: Frame,
    window: (start: Rational, end: Rational), channels: ChannelMap?, volumes: [SoundSpan.Volume]
  ) throws(TimeError) {
    // The resolver has noted a composition that is played along a curve.
    guard case .asset(let asset, let position) = source else { return }
    let sound = try SoundCurve(curve, from: mapping.target.start, origin: frame.origin, scale: frame.scale, pitch: pitch)
    for piece in sound.pieces {
      let fastest = try piece.fastest
      try checkSpeed(fastest)
      guard let pitch, try fastest > pitch * Rational(DocumentLimits.preservedSpeed) else { continue }
      throw .overflow("sound \(fastest.approximation) times as fast at its own pitch, beyond \(DocumentLimits.preservedSpeed)")
    }
    let samples = try sample(window.start)..<sample(window.end)
    guard !samples.isEmpty else { return }
    spans.append(
      SoundSpan(
        asset: asset, trackPosition: position, samples: samples, sourceStart: Rational(mapping.source.start), rate: Rational(1),
        stretch: Rational(1), curve: sound, isReversed: false, channels: channels, bus: bus, volumes: volumes))
  }

  private func checkSpeed(_ rate: Rational) throws(TimeError) {
    guard rate > Rational(DocumentLimits.speed) else { return }
    throw .overflow("sound \(rate.approximation) times as fast, more than \(DocumentLimits.speed)")
  }

  private func sample(_ time: Rational) throws(TimeError) -> Int64 {
    Int64(clamping: try (time * Rational(Int64(sampleRate))).rounded())
  }
}

extension SoundUnfolding.Frame {
  /// The frame in which the edit is heard from its own beginning on.
  fileprivate var fromBeginning: Self {
    Self(origin: origin, scale: scale, window: (min(origin, window.start), window.end), stretch: stretch, volumes: volumes)
  }

  fileprivate enum Fade { case `in`, out }

  /// The volume of a sound that fades in or out with equal power: a quarter of a sine.
  fileprivate func fade(_ fade: Fade, at start: MediaTime, lasting length: MediaTime) throws(TimeError) -> SoundSpan.Volume {
    let (from, to, easing) = fade == .in ? (0.0, 1.0, Easing.sineOut) : (1.0, 0.0, Easing.sineIn)
    let envelope = Envelope([
      Envelope.Keyframe(start, from, easing: easing), Envelope.Keyframe(try start + length, to),
    ])
    return SoundSpan.Volume(.gain, envelope: envelope, origin: origin, scale: scale)
  }

  func movieTime(_ time: MediaTime) throws(TimeError) -> Rational { try origin + scale * Rational(time) }
}
