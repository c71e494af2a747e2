internal import Formats
package import Media
internal import MediaTime
package import Messages
package import Scenes
internal import Timeline

/// The mixed sound of an edit, taken block by block. It is one mix in floating point over the whole exported range.
///
/// Sample `n` sounds at `exportRange.start + n / rate`. Every span starts at the sample nearest to its start. Its source is read
/// from the span's exact source time on (`SoundSpan.sourceStart`). So neither blocks nor spans drift. Files are open only while
/// they are heard. One thread at a time.
package final class SoundMix {
  /// The length of a full block, in samples a channel. It is small enough to stay in the cache, and large enough to make
  /// overheads negligible.
  package static let blockLength = 4096

  private let edit: ResolvedTimeline
  private let settings: AudioCodecSettings
  private let policy: SourcePolicy
  private let sampleCount: Int64
  /// The spans in the order of their first samples.
  private let spans: [SoundSpan]
  private var started = 0
  /// The spans that are heard now, in the same order.
  private var playing: [Player] = []
  private var position: Int64
  private let scans = SoundScans()
  /// The damage that was concealed in spans that have ended.
  private var concealedBefore: [Concealment] = []
  private let mixed: SampleBlock
  private let scratch: SampleBlock
  /// The tracks with effects, and the effects on the whole.
  private let buses: [EffectBus]
  private let master: EffectChain?
  /// The number of samples that are mixed before the first one that is heard, for effects that remember them.
  package let leadCount: Int64

  /// Makes the mix of the movie. What it needs to know of its tracks is measured first, which may take as long as mixing them.
  ///
  /// - Precondition: the edit has sound.
  /// - Throws: `TimeError` when times or speeds do not fit, and what reading the sources for the studies throws.
  package convenience init(edit: ResolvedTimeline, policy: SourcePolicy) throws {
    try self.init(edit: edit, policy: policy, measures: SoundMeasures(of: edit, policy: policy) { _ in })
  }

  /// Makes the mix of the movie, whose studies are done.
  convenience init(edit: ResolvedTimeline, policy: SourcePolicy, measures: SoundMeasures) throws {
    try self.init(
      edit, policy, spans: edit.soundSpans(measures), sampleCount: edit.sampleCount, buses: edit.soundBuses(measures),
      leadCount: edit.leadSampleCount, master: edit.timeline.export.effects)
  }

  /// Makes the mix of a study's tracks.
  convenience init(study: SoundStudy, of edit: ResolvedTimeline, policy: SourcePolicy, measures: SoundMeasures) throws {
    let (spans, sampleCount) = try edit.soundSpans(of: study, measures)
    try self.init(edit, policy, spans: spans, sampleCount: sampleCount, buses: edit.soundBuses(of: study, measures))
  }

  private init(
    _ edit: ResolvedTimeline, _ policy: SourcePolicy, spans: [SoundSpan], sampleCount: Int64, buses: [SoundBus],
    leadCount: Int64 = 0, master: [SoundEffect] = []
  ) throws {
    guard let settings = edit.audio else { preconditionFailure("the edit has no sound") }
    (self.edit, self.settings, self.policy) = (edit, settings, policy.pinned(to: edit))
    (self.spans, self.sampleCount, self.leadCount, position) = (spans, sampleCount, leadCount, -leadCount)
    self.buses = try buses.map { try EffectBus($0, settings) }
    self.master = try master.isEmpty ? nil : EffectChain(master, settings)
    mixed = SampleBlock(channelCount: settings.channelLayout.channelCount, capacity: Self.blockLength)
    scratch = SampleBlock(channelCount: settings.channelLayout.channelCount, capacity: Self.blockLength)
  }

  /// The next samples; nil at the end. All blocks but the last have `blockLength` samples, but for empty ones in the beginning, while what
  /// comes before the first sample is mixed. The block belongs to the mix and holds the samples until the next call.
  package func next() throws -> SampleBlock? {
    guard position < sampleCount else { return nil }
    let range = position..<min(position + Int64(Self.blockLength), position < 0 ? 0 : sampleCount)
    mixed.silence(range.count)
    for bus in buses { bus.block.silence(range.count) }
    while started < spans.count, spans[started].samples.lowerBound < range.upperBound {
      playing.append(try player(of: spans[started]))
      started += 1
    }
    for player in playing {
      let bus = player.span.bus.flatMap { track in buses.first { $0.track == track } }
      try player.add(range: range, to: bus?.block ?? mixed, scratch: scratch)
    }
    for bus in buses { bus.add(from: range.lowerBound, to: mixed) }
    master?.process(mixed)
    concealedBefore = .sum(concealedBefore + playing.filter { $0.span.samples.upperBound <= range.upperBound }.map(\.concealed))
    playing.removeAll { $0.span.samples.upperBound <= range.upperBound }
    position = range.upperBound
    // What comes before the first sample is not heard.
    if range.lowerBound < 0 { mixed.silence(0) }
    return mixed
  }

  /// The number of samples mixed so far, with those before the first one.
  package var mixedCount: Int64 { position + leadCount }

  /// The parts of the mix so far that are silence because their source is damaged.
  package var concealed: [Concealment] { .sum(concealedBefore + playing.map(\.concealed)) }

  private func player(of span: SoundSpan) throws -> Player {
    guard span.stretch != Rational(1) else { return try Player(span, settings, source: source(of: span)) }
    let stretched = try StretchedSound(
      span, sampleRate: settings.sampleRate, channelCount: settings.channelLayout.channelCount, source)
    return try Player(span, settings, source: stretched)
  }

  /// The samples of a span whose pitch follows its speed.
  private func source(of span: SoundSpan) throws -> any SampleSource {
    guard let asset = edit.timeline.assets[span.asset] else { preconditionFailure("a resolved asset") }
    let track = edit.track(span.trackPosition, of: span.asset, media: .audio)
    let (policy, settings, scans, damage) = (policy, settings, scans, edit.timeline.treatment(of: span.asset).damage)
    let open = { (start: Rational) throws(MediaError) -> AudioReader in
      try AudioReader(
        path: asset.path, track: track, policy: policy, from: start, rate: span.rate, sampleRate: settings.sampleRate,
        layout: settings.channelLayout, channels: span.channels, damage: damage, scans: scans)
    }
    guard span.isReversed, case .audio(let facts) = track.detail else {
      return try open(span.sourceStart)
    }
    return try ReversedSound(span, sourceRate: facts.sampleRate, settings, open)
  }
}

/// Adds one span to the mix.
private final class Player {
  let span: SoundSpan
  private let gains: [GainCurve]
  private let sides: [ChannelSide]
  private let source: any SampleSource
  /// A range of the mix around the samples that are silence because of damage; nil without damage.
  private var concealedSpan: Range<Int64>?
  /// The samples that were silence because of damage before the first one that is heard.
  private var concealedBefore: Int64 = 0

  init(_ span: SoundSpan, _ settings: AudioCodecSettings, source: any SampleSource) throws(TimeError) {
    (self.span, self.source, sides) = (span, source, settings.channelLayout.sides)
    gains = try span.volumes.map { (volume) throws(TimeError) in try GainCurve(volume, sampleRate: settings.sampleRate) }
  }

  /// The damage that was concealed in this span so far.
  var concealed: Concealment {
    Concealment(
      asset: span.asset.rawValue, samples: source.concealedSamples - concealedBefore, sampleSpan: concealedSpan)
  }

  /// Adds the span's samples in `range` to `mixed`, whose first sample is that of `range`. Each range follows the one of the call
  /// before.
  func add(range: Range<Int64>, to mixed: SampleBlock, scratch: SampleBlock) throws {
    let part = range.clamped(to: span.samples)
    guard !part.isEmpty else { return }
    let offset = Int(part.lowerBound - range.lowerBound)
    let (count, before): (Int, Int64)
    do throws(MediaError) {
      before = source.concealedSamples
      count = try unsafe source.read(part.count, into: scratch.planes)
    } catch { throw error.of(span.asset) }
    if range.lowerBound < 0 {
      concealedBefore = source.concealedSamples
    } else if source.concealedSamples > before {
      concealedSpan = (concealedSpan?.lowerBound ?? part.lowerBound)..<part.upperBound
    }
    for channel in 0..<mixed.channelCount {
      let (source, target) = unsafe (scratch.planes[channel], mixed.planes[channel])
      for gain in gains {
        gain.apply(from: part.lowerBound, count: count, to: sides[channel]) { index, gain in unsafe source[index] *= gain }
      }
      for index in 0..<count { unsafe target[offset + index] += source[index] }
    }
  }
}

/// A source of a span's samples, in order.
protocol SampleSource: AnyObject {
  /// Writes the next `count` samples of each channel to the start of `planes`. The result is below `count` only at the end.
  func read(_ count: Int, into planes: [UnsafeMutableBufferPointer<Float>]) throws(MediaError) -> Int

  /// The number of samples so far, at the output's rate, that are silence because the source is damaged.
  var concealedSamples: Int64 { get }
}

extension AudioReader: SampleSource {}
