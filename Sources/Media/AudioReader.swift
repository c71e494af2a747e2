internal import CFFmpeg
package import MediaTime
package import Timeline

/// The sound of one track from an exact source time on, as planar float at a rate and layout of the caller's.
///
/// Decoded samples stand where `SoundSource` puts them: gaps are silence, overlaps are cut, and a track that begins after `from`
/// begins with silence. The samples depend neither on how reading is split into calls, nor on where it began. Layouts are mixed
/// as `ChannelMatrix` says. Damaged packets are an error where they are heard, or silence. One thread at a time.
@safe package final class AudioReader {
  /// Silence is made in blocks of this many samples.
  private static let silenceBlock: Int64 = 4096
  /// A stated end that lies later than the sound by this part of a second is careless; by more, sound is missing.
  private static let carelessEnd: Int64 = 2

  private let place: String
  private let rate: Rational
  private let sampleRate: Int32
  private let layout: AudioCodecSettings.ChannelLayout

  private let source: SoundSource
  private var resampler: AudioResampler?
  private var silence: OwnedFrame?
  private var queue: SampleQueue
  /// Decoded, not yet resampled.
  private var pending: SoundSource.Piece?
  /// What comes after `pending`, where it had to be known.
  private var ahead: SoundSource.Piece?
  private let damage: AssetTreatment.Damage
  /// Samples of the source, so far, that are silence because packets are damaged.
  private var lostSamples: Int64 = 0
  /// The source sample after the track's last, where the track's end is known: what a decoder gives beyond fills a block.
  private let end: Int64?
  /// The source sample that goes into the resampler next.
  private var position: Int64
  /// Output samples that only serve to fill the resampler's filter before the first one that is asked for.
  private var superfluous: Int
  private var hasEnded = false

  /// - Parameters:
  ///   - track: as `AssetProbe` found it.
  ///   - from: the source time of the first sample; where it falls between samples of source and output, the nearest source sample is taken.
  ///   - rate: source seconds per output second: 1 as is, 2 twice as fast and an octave higher (varispeed).
  ///   - sampleRate: output samples per second.
  ///   - scans: shared by readers of one thread, so that they need not find out the same again.
  /// - Throws: `MediaError` when the file changed since it was probed, or the track cannot be decoded.
  package init(
    path: String, track: TrackFacts, policy: SourcePolicy, from: Rational, rate: Rational = Rational(1), sampleRate: Int32,
    layout: AudioCodecSettings.ChannelLayout, damage: AssetTreatment.Damage = .refuse, scans: SoundScans = SoundScans()
  ) throws(MediaError) {
    self.damage = damage
    (self.rate, self.sampleRate, self.layout) = (rate, sampleRate, layout)
    queue = SampleQueue(channelCount: layout.channelCount)
    source = try SoundSource(path: path, track: track, policy: policy, scans: scans)
    place = source.place
    let entry = try ResamplerEntry(from: from, sourceRate: source.sampleRate, rate: rate, sampleRate: sampleRate, at: place)
    (position, superfluous) = (entry.position, entry.superfluous)
    end = try source.end(of: track)
    try source.go(to: position)
  }

  package var channelCount: Int { layout.channelCount }

  /// How many of the samples so far, at the output's rate, are silence because packets are damaged.
  package var concealedSamples: Int64 {
    guard lostSamples > 0, let source = resampler?.input.sampleRate else { return 0 }
    // Numbers that do not fit are no reason to fail: then it is told in the source's own samples.
    let exact = try? (Rational(lostSamples) * Rational(Int128(sampleRate), over: Int128(source)) / rate).rounded()
    return exact.map { Int64(clamping: $0) } ?? lostSamples
  }

  /// The next `count` output samples of each channel, written from the start of `planes`.
  ///
  /// - Precondition: one plane for each channel of the layout, each with room for `count`.
  /// - Returns: fewer than `count` only at the end of the track; 0 from then on.
  /// - Throws: `MediaError`, naming path and track, when nothing can be decoded, the file ends before its index does, the
  ///   sample rate changes midway, and for I/O errors.
  package func read(_ count: Int, into planes: [UnsafeMutableBufferPointer<Float>]) throws(MediaError) -> Int {
    precondition(unsafe planes.count == layout.channelCount && planes.allSatisfy { $0.count >= count })
    var done = 0
    while true {
      if superfluous > 0 { superfluous -= queue.drop(superfluous) }
      done += unsafe queue.read(count - done, into: planes, at: done)
      if done == count || hasEnded { return done }
      try advance()
    }
  }

  /// One step: a block of silence, a frame, or the end of the resampler.
  private func advance() throws(MediaError) {
    if pending == nil {
      if let ahead { pending = ahead } else { pending = try source.next() }
      ahead = nil
    }
    guard let next = pending, end.map({ next.position < $0 }) ?? true else {
      if pending == nil, try loseEnd() { return }
      return try finish()
    }
    let resampler = try resampler(for: next.frame)
    if position < next.position {
      let count = min(next.position - position, Self.silenceBlock)
      if next.followsLoss { try lose(count) }
      try resampler.convert(silence(like: next.frame), 0..<Int(count), into: &queue)
      position += count
      return
    }
    let last = min(next.end, end ?? next.end)
    if next.isLost, position < last {
      if ahead == nil { ahead = try source.next() }
      let count = min(last - position, Self.silenceBlock)
      // Of a recording that was stopped, the last packet is seldom whole.
      try lose(count, isLast: ahead == nil)
      try resampler.convert(silence(like: next.frame), 0..<Int(count), into: &queue)
      position += count
      return
    }
    pending = nil
    guard position < last else { return }
    let first = next.range.lowerBound + Int(position - next.position)
    try resampler.convert(next.frame, first..<first + Int(last - position), into: &queue)
    position = last
  }

  /// One step through what the track's last packets would have given, where they are damaged and gave nothing.
  ///
  /// - Returns: false where there is no more of it.
  private func loseEnd() throws(MediaError) -> Bool {
    guard let lost = source.lostEnd, case let last = min(lost.end, end ?? lost.end), position < last else { return false }
    let count = min(last - position, Self.silenceBlock)
    try lose(count, isLast: lost.packets == 1)
    try resampler(for: source.first).convert(silence(like: source.first), 0..<Int(count), into: &queue)
    position += count
    return true
  }

  /// Makes known that the next samples of the source are lost.
  private func lose(_ count: Int64, isLast: Bool = false) throws(MediaError) {
    lostSamples += count
    guard damage == .refuse, !isLast else { return }
    throw MediaError(
      .corrupt, at: place,
      "the file is damaged: its sound is broken or missing from \(try source.seconds(at: position)) s; "
        + "with \"damage\": \"conceal\" the asset is silent there instead")
  }

  private func finish() throws(MediaError) {
    hasEnded = true
    if pending == nil, source.indexGoesOn || isCutOff {
      throw MediaError(.corrupt, at: place, "the sound ends before the track does: the file is cut off or damaged")
    }
    try resampler?.finish(into: &queue)
  }

  /// QuickTime's stated ends are no witness: edit lists may promise more than there is.
  private var isCutOff: Bool {
    guard !source.formatName.hasPrefix("mov"), let end else { return false }
    return end - source.end > Int64(source.sampleRate) / Self.carelessEnd
  }

  /// The resampler for the frame's kind of samples.
  private func resampler(for frame: OwnedFrame) throws(MediaError) -> AudioResampler {
    let input = AudioResampler.Input(frame)
    if let resampler {
      if resampler.input == input { return resampler }
      guard resampler.input.sampleRate == input.sampleRate else {
        throw MediaError(
          .unsupported, at: place, "its sample rate changes from \(resampler.input.sampleRate) to \(input.sampleRate)")
      }
      try resampler.finish(into: &queue)
      silence = nil
    }
    let made = try AudioResampler(frame, rate: rate, sampleRate: sampleRate, layout: layout, at: place)
    resampler = made
    return made
  }

  private func silence(like frame: OwnedFrame) throws(MediaError) -> OwnedFrame {
    if let silence { return silence }
    let made = try OwnedFrame()
    let (raw, model) = unsafe (made.pointer, frame.pointer)
    unsafe (raw.pointee.format, raw.pointee.nb_samples) = (model.pointee.format, Int32(Self.silenceBlock))
    let copied = unsafe av_channel_layout_copy(&raw.pointee.ch_layout, &model.pointee.ch_layout)
    guard copied >= 0 else { throw MediaError(copied, from: "av_channel_layout_copy", at: place) }
    let code = unsafe av_frame_get_buffer(raw, 0)
    guard code >= 0 else { throw MediaError(code, from: "av_frame_get_buffer", at: place) }
    _ = unsafe av_samples_set_silence(
      raw.pointee.extended_data, 0, raw.pointee.nb_samples, raw.pointee.ch_layout.nb_channels,
      AVSampleFormat(rawValue: raw.pointee.format))
    silence = made
    return made
  }
}
