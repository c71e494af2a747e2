package import Media
internal import MediaTime
package import Timeline

/// The mixed sound of an edit, pulled block by block: one float mix over the whole exported range (decision D4).
///
/// Sample `n` sounds at `exportRange.start + n / rate`. Every track segment starts at the sample nearest to its start and
/// is read from its source at that sample's exact time, so neither blocks nor segments drift. Belongs to one thread.
package final class SoundMix {
  /// Samples a channel in a full block: small enough to stay in cache, large enough that overheads vanish.
  package static let blockLength = 4096

  private let tracks: [Track]
  private let sampleCount: Int64
  private var position: Int64 = 0
  private let mixed: SampleBlock
  private let scratch: SampleBlock

  /// - Precondition: the edit has sound.
  package init(edit: ResolvedTimeline, policy: SourcePolicy) throws {
    guard let settings = edit.audio else { preconditionFailure("the edit has no sound") }
    sampleCount = try edit.sampleCount
    mixed = SampleBlock(channelCount: settings.channelLayout.channelCount, capacity: Self.blockLength)
    scratch = SampleBlock(channelCount: settings.channelLayout.channelCount, capacity: Self.blockLength)
    tracks = try edit.timeline.composition.tracks.filter { $0.media == .audio }.map {
      try Track($0, edit: edit, settings: settings, policy: policy)
    }
  }

  /// The next samples; nil at the end. All but the last block have `blockLength` samples. The block is the mix's own and
  /// holds the samples until the next call.
  package func next() throws -> SampleBlock? {
    guard position < sampleCount else { return nil }
    let length = Int(min(Int64(Self.blockLength), sampleCount - position))
    mixed.silence(length)
    for track in tracks {
      try track.add(range: position..<position + Int64(length), to: mixed, scratch: scratch)
    }
    position += Int64(length)
    return mixed
  }
}

/// One composition track's share of the mix.
private final class Track {
  private let segments: [SegmentSpan]
  private let gain: GainCurve
  private let edit: ResolvedTimeline
  private let settings: AudioCodecSettings
  private let policy: SourcePolicy
  private var next = 0
  private var reader: AudioReader?

  init(_ track: CompositionTrack, edit: ResolvedTimeline, settings: AudioCodecSettings, policy: SourcePolicy) throws {
    (self.edit, self.settings, self.policy) = (edit, settings, policy)
    gain = try GainCurve(
      edit.timeline.audioMix.volume(of: track.id), origin: edit.exportRange.start, sampleRate: settings.sampleRate)
    segments = try track.segments.compactMap {
      try SegmentSpan($0, export: edit.exportRange, sampleRate: settings.sampleRate)
    }
  }

  /// Adds the samples of `range` (which follows the range asked for before) to `mixed`.
  func add(range: Range<Int64>, to mixed: SampleBlock, scratch: SampleBlock) throws {
    var position = range.lowerBound
    while next < segments.count, segments[next].samples.lowerBound < range.upperBound {
      let segment = segments[next]
      position = max(position, segment.samples.lowerBound)
      let end = min(range.upperBound, segment.samples.upperBound)
      if position < end {
        try mix(segment, position..<end, at: Int(position - range.lowerBound), to: mixed, scratch: scratch)
      }
      guard end == segment.samples.upperBound else { return }
      position = end
      next += 1
      reader = nil
    }
  }

  private func mix(
    _ segment: SegmentSpan, _ range: Range<Int64>, at offset: Int, to mixed: SampleBlock, scratch: SampleBlock
  ) throws {
    let reader = try self.reader ?? opened(segment)
    self.reader = reader
    let count = try unsafe reader.read(range.count, into: scratch.planes)
    for channel in 0..<mixed.channelCount {
      let (source, target) = unsafe (scratch.planes[channel], mixed.planes[channel])
      gain.apply(from: range.lowerBound, count: count) { index, gain in
        unsafe target[offset + index] += source[index] * gain
      }
    }
  }

  private func opened(_ segment: SegmentSpan) throws -> AudioReader {
    guard let asset = edit.timeline.assets[segment.source.asset] else { preconditionFailure("a resolved asset") }
    return try AudioReader(
      path: asset.path, track: edit.sourceTrack(segment.source, media: .audio), policy: policy,
      from: segment.sourceStart, rate: segment.rate, sampleRate: settings.sampleRate, layout: settings.channelLayout)
  }
}

/// Where a track segment stands among the movie's samples.
private struct SegmentSpan {
  let source: SegmentSource
  let samples: Range<Int64>
  /// The source time of the first sample.
  let sourceStart: Rational
  let rate: Rational

  /// Nil for gaps and for segments outside the exported range.
  init?(_ segment: TrackSegment, export: MediaTimeRange, sampleRate: Int32) throws {
    guard case .media(let source, let mapping) = segment, mapping.target.overlaps(export) else { return nil }
    let start = max(mapping.target.start, export.start)
    let end = min(mapping.target.end, export.end)
    samples = try (start - export.start).samples(at: sampleRate)..<(end - export.start).samples(at: sampleRate)
    guard !samples.isEmpty else { return nil }
    self.source = source
    rate = try mapping.rate
    // The segment's first sample stands at the nearest tick of the sample clock, up to half a sample from `start`;
    // the source is read from its exact start, so that what is heard first is what the edit names first.
    sourceStart = try mapping.sourceTime(at: start)
  }
}
