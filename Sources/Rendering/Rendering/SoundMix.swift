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
/// they are heard. A part of the mix has the samples of the whole one (decision 0200). One thread at a time.
package final class SoundMix {
  /// A part of the mix, with what comes before and after it.
  package struct Part: Hashable, Sendable {
    /// The samples that are mixed.
    package var mixed: Range<Int64>
    /// The samples that belong to the part: some of the mixed ones, or all.
    package var heard: Range<Int64>

    package init(mixed: Range<Int64>, heard: Range<Int64>) { (self.mixed, self.heard) = (mixed, heard) }
  }

  /// The length of a full block, in samples a channel. It is small enough to stay in the cache, and large enough to make
  /// overheads negligible.
  package static let blockLength = 4096

  private let edit: ResolvedTimeline
  private let settings: AudioCodecSettings
  private let policy: SourcePolicy
  private let part: Part
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

  /// Makes the mix of the movie. What it needs to know of its tracks is measured first, which may take as long as mixing them.
  ///
  /// - Precondition: the edit has sound.
  /// - Throws: `TimeError` when times or speeds do not fit, and what reading the sources for the studies throws.
  package convenience init(edit: ResolvedTimeline, policy: SourcePolicy) throws {
    try self.init(edit: edit, policy: policy, measures: SoundMeasures(of: edit, policy: policy) { _ in })
  }

  /// Makes the mix of the movie, whose studies are done.
  ///
  /// - Parameter part: the samples that are mixed, of an edit that may be divided (`SoundDivision`); nil mixes all.
  convenience init(edit: ResolvedTimeline, policy: SourcePolicy, measures: SoundMeasures, part: Part? = nil) throws {
    let (all, lead) = (0..<(try edit.sampleCount), try edit.leadSampleCount)
    precondition(part == nil || lead == 0, "effects need all that comes before")
    try self.init(
      edit, policy, spans: edit.soundSpans(measures), part: part ?? Part(mixed: -lead..<all.upperBound, heard: all),
      buses: edit.soundBuses(measures), master: edit.timeline.export.effects)
  }

  /// Makes the mix of a study's tracks.
  convenience init(study: SoundStudy, of edit: ResolvedTimeline, policy: SourcePolicy, measures: SoundMeasures) throws {
    let (spans, sampleCount) = try edit.soundSpans(of: study, measures)
    let all = 0..<sampleCount
    try self.init(edit, policy, spans: spans, part: Part(mixed: all, heard: all), buses: edit.soundBuses(of: study, measures))
  }

  private init(
    _ edit: ResolvedTimeline, _ policy: SourcePolicy, spans: [SoundSpan], part: Part, buses: [SoundBus],
    master: [SoundEffect] = []
  ) throws {
    guard let settings = edit.audio else { preconditionFailure("the edit has no sound") }
    (self.edit, self.settings, self.policy) = (edit, settings, policy.pinned(to: edit))
    (self.part, position) = (part, part.mixed.lowerBound)
    self.spans = spans.filter { $0.samples.overlaps(part.mixed) }
    self.buses = try buses.map { try EffectBus($0, settings) }
    self.master = try master.isEmpty ? nil : EffectChain(master, settings)
    mixed = SampleBlock(channelCount: settings.channelLayout.channelCount, capacity: Self.blockLength)
    scratch = SampleBlock(channelCount: settings.channelLayout.channelCount, capacity: Self.blockLength)
  }

  /// The next samples; nil at the end. All blocks but the last have `blockLength` samples, but for empty ones in the beginning, while what
  /// comes before the movie's first sample is mixed. A block has samples of the part only, or others only. The block belongs to the mix and holds the samples until the next call.
  package func next() throws -> SampleBlock? {
    guard position < part.mixed.upperBound else { return nil }
    let borders = [part.heard.lowerBound, part.heard.upperBound, part.mixed.upperBound]
    let range = position..<min(position + Int64(Self.blockLength), borders.first { $0 > position } ?? position)
    mixed.silence(range.count)
    for bus in buses { bus.block.silence(range.count) }
    while started < spans.count, spans[started].samples.lowerBound < range.upperBound {
      playing.append(try player(of: spans[started], from: range.lowerBound))
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
    // What comes before the movie's first sample is not heard.
    if range.lowerBound < 0 { mixed.silence(0) }
    return mixed
  }

  /// The number of samples mixed so far, with those before the first one that is heard.
  package var mixedCount: Int64 { position - part.mixed.lowerBound }

  /// The parts of the mix so far that are silence because their source is damaged.
  package var concealed: [Concealment] { .sum(concealedBefore + playing.map(\.concealed)) }

  /// The player of a span, from this sample on or from its own first one, whichever comes later.
  private func player(of span: SoundSpan, from position: Int64) throws -> Player {
    let skipped = max(position - span.samples.lowerBound, 0)
    guard span.stretch != Rational(1) else {
      return try Player(span, settings, heard: part.heard, source: source(of: span, after: skipped))
    }
    let stretched = try StretchedSound(
      span, sampleRate: settings.sampleRate, channelCount: settings.channelLayout.channelCount
    ) { try source(of: $0, after: 0) }
    try stretched.skip(skipped, in: scratch)
    return try Player(span, settings, heard: part.heard, source: stretched)
  }

  /// The samples of a span whose pitch follows its speed, without the first ones. The others are as if these had been read.
  private func source(of span: SoundSpan, after skipped: Int64) throws -> any SampleSource {
    guard let asset = edit.timeline.assets[span.asset] else { preconditionFailure("a resolved asset") }
    let track = edit.track(span.trackPosition, of: span.asset, media: .audio)
    let (policy, settings, scans, damage) = (policy, settings, scans, edit.timeline.treatment(of: span.asset).damage)
    let open = { (start: Rational) throws(MediaError) -> AudioReader in
      try AudioReader(
        path: asset.path, track: track, policy: policy, from: start, rate: span.rate, sampleRate: settings.sampleRate,
        layout: settings.channelLayout, channels: span.channels, damage: damage, scans: scans)
    }
    if let curve = span.curve, let pitch = curve.pitch {
      let steady = try CurvedPitchSound(span, along: curve, pitch: pitch, settings) { [unowned self] in
        try source(of: $0, after: 0)
      }
      try steady.skip(skipped, in: scratch)
      return steady
    }
    if let curve = span.curve, case .audio(let facts) = track.detail {
      return try CurvedSound(
        span, curve, of: track, sourceRate: facts.sampleRate, sampleRate: settings.sampleRate,
        channelCount: settings.channelLayout.channelCount, after: skipped
      ) { (start) throws(MediaError) in
        try AudioReader(
          path: asset.path, track: track, policy: policy, from: start, sampleRate: facts.sampleRate,
          layout: settings.channelLayout, channels: span.channels, damage: damage, scans: scans)
      }
    }
    guard case .audio(let facts) = track.detail, span.isReversed || skipped > 0 else { return try open(span.sourceStart) }
    if span.isReversed {
      let reversed = try ReversedSound(span, sourceRate: facts.sampleRate, settings, after: skipped, open)
      try reversed.skip(skipped - reversed.skippedSamples, in: scratch)
      return reversed
    }
    // Reading begins early, so that decoder and filter have settled, and where the resampler stands as at the span's start.
    let period = try (span.rate * Rational(Int128(facts.sampleRate), over: Int128(settings.sampleRate))).denominator
    let settled = Int128(max(skipped - Self.settling(settings.sampleRate), 0))
    let first = Int64(settled - settled % period)
    let reader = try open(try span.sourceStart + span.rate * Rational(Int128(first), over: Int128(settings.sampleRate)))
    try reader.skip(skipped - first, in: scratch)
    return reader
  }

  /// The samples that are read and dropped where reading begins inside of a span: a second. Decoders of lossy codecs use some blocks before
  /// the one that is wanted, such as those whose bits MP3 has left.
  private static func settling(_ sampleRate: Int32) -> Int64 { max(Int64(sampleRate), 4096) }
}

/// Adds one span to the mix.
private final class Player {
  let span: SoundSpan
  private let gains: [GainCurve]
  private let sides: [ChannelSide]
  private let source: any SampleSource
  /// A range of the mix around the samples that are silence because of damage; nil without damage.
  private var concealedSpan: Range<Int64>?
  /// The samples that are heard of the mix.
  private let heard: Range<Int64>
  /// The samples that were silence because of damage where they are not heard.
  private var concealedBeside: Int64

  init(
    _ span: SoundSpan, _ settings: AudioCodecSettings, heard: Range<Int64>, source: any SampleSource
  ) throws(TimeError) {
    (self.span, self.source, sides) = (span, source, settings.channelLayout.sides)
    (self.heard, concealedBeside) = (heard, source.concealedSamples)
    gains = try span.volumes.map { (volume) throws(TimeError) in try GainCurve(volume, sampleRate: settings.sampleRate) }
  }

  /// The damage that was concealed in this span so far.
  var concealed: Concealment {
    Concealment(
      asset: span.asset.rawValue, samples: source.concealedSamples - concealedBeside, sampleSpan: concealedSpan)
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
    if !heard.contains(range.lowerBound) {
      concealedBeside += source.concealedSamples - before
    } else if source.concealedSamples > before {
      concealedSpan = (concealedSpan?.lowerBound ?? part.lowerBound)..<part.upperBound
    }
    let samples = part.lowerBound..<part.lowerBound + Int64(count)
    for channel in 0..<mixed.channelCount {
      let source = unsafe UnsafeMutableBufferPointer(rebasing: scratch.planes[channel][..<count])
      // The gain that all samples have last of all is taken while they are added.
      var last: Float = 1
      for gain in gains {
        unsafe SampleArithmetic.scale(source, by: last)
        let steady = gain.steadyGain(in: samples, on: sides[channel])
        if steady == nil { unsafe gain.apply(to: source, from: part.lowerBound, on: sides[channel]) }
        last = steady ?? 1
      }
      unsafe SampleArithmetic.add(source, times: last, to: UnsafeMutableBufferPointer(rebasing: mixed.planes[channel][offset...]))
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

extension SampleSource {
  /// Reads samples and drops them.
  ///
  /// - Parameter scratch: a block that is overwritten.
  func skip(_ count: Int64, in scratch: SampleBlock) throws(MediaError) {
    var left = count
    while left > 0 {
      let read = try unsafe self.read(Int(min(left, Int64(scratch.capacity))), into: scratch.planes)
      guard read > 0 else { return }
      left -= Int64(read)
    }
  }
}

extension AudioReader: SampleSource {}
