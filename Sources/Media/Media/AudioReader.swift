internal import CFFmpeg
package import Formats
package import MediaTime

/// Reads the sound of one track from an exact source time on, as planar float at the rate and layout that the caller asks for.
///
/// Decoded samples stand where `SoundSource` puts them. Gaps are silence, overlaps are cut, and a track that begins after `from`
/// begins with silence. The samples do not depend on how reading is split into calls, nor on where it began. `ChannelMatrix` says
/// how layouts are mixed. A damaged packet is an error where it is heard, or silence, as `damage` says. One thread at a time.
@safe package final class AudioReader {
  /// The length of a block of silence, in samples.
  private static let silenceBlock: Int64 = 4096
  /// The part of a second, as a divisor, by which a stated end may lie behind the last sample. Where it lies further behind,
  /// sound is missing.
  private static let carelessEnd: Int64 = 2

  private let place: String
  private let rate: Rational
  private let sampleRate: Int32
  private let layout: AudioCodecSettings.ChannelLayout
  private let channels: ChannelMap?

  private let source: SoundSource
  private var resampler: AudioResampler?
  private var silence: OwnedFrame?
  private var queue: SampleQueue
  /// The piece that is decoded and not yet resampled.
  private var pending: SoundSource.Piece?
  /// The piece after `pending`, where it had to be read already.
  private var ahead: SoundSource.Piece?
  private let damage: AssetTreatment.Damage
  /// The number of source samples so far that are silence because packets are damaged.
  private var lostSamples: Int64 = 0
  /// The source sample after the track's last one; nil where the track's end is unknown. Samples that a decoder gives beyond it
  /// only fill its last block.
  private let end: Int64?
  /// The source sample that goes into the resampler next.
  private var position: Int64
  /// The number of output samples still to be dropped. They only fill the resampler's filter before the first wanted sample.
  private var superfluous: Int
  private var hasEnded = false

  /// - Parameters:
  ///   - track: the track as `AssetProbe` found it.
  ///   - from: the source time of the first sample. Where it falls between samples of source or output, the nearest source sample
  ///     is taken.
  ///   - rate: source seconds per output second: 1 is the original speed, 2 is twice as fast and an octave higher (varispeed).
  ///   - sampleRate: output samples per second.
  ///   - channels: the source's channels that are heard; nil is all, as `ChannelMatrix` mixes them.
  ///   - scans: results that readers on one thread share, so that no reader finds out the same again.
  /// - Throws: `MediaError` when the file changed since it was probed, or the track cannot be decoded.
  package init(
    path: String, track: TrackFacts, policy: SourcePolicy, from: Rational, rate: Rational = Rational(1), sampleRate: Int32,
    layout: AudioCodecSettings.ChannelLayout, channels: ChannelMap? = nil, damage: AssetTreatment.Damage = .refuse,
    scans: SoundScans = SoundScans()
  ) throws(MediaError) {
    self.damage = damage
    (self.rate, self.sampleRate, self.layout, self.channels) = (rate, sampleRate, layout, channels)
    queue = SampleQueue(channelCount: layout.channelCount)
    source = try SoundSource(path: path, track: track, policy: policy, scans: scans)
    place = source.place
    let entry = try ResamplerEntry(from: from, sourceRate: source.sampleRate, rate: rate, sampleRate: sampleRate, at: place)
    (position, superfluous) = (entry.position, entry.superfluous)
    end = try source.end(of: track)
    try source.go(to: position)
  }

  package var channelCount: Int { layout.channelCount }

  /// The number of samples so far, at the output's rate, that are silence because packets are damaged.
  package var concealedSamples: Int64 {
    guard lostSamples > 0, let source = resampler?.input.sampleRate else { return 0 }
    // If the arithmetic overflows, the number is given in source samples: an error would be worse.
    let exact = try? (Rational(lostSamples) * Rational(Int128(sampleRate), over: Int128(source)) / rate).rounded()
    return exact.map { Int64(clamping: $0) } ?? lostSamples
  }

  /// Writes the next `count` output samples of each channel to the start of `planes`.
  ///
  /// - Precondition: there is one plane for each channel of the layout, each with room for `count` samples.
  /// - Returns: the number of samples. It is below `count` only at the end of the track, and 0 from then on.
  /// - Throws: `MediaError`, naming path and track, when nothing can be decoded, when damage is to be refused and is heard, when
  ///   the file ends before its index does, when the sample rate changes midway, and for I/O errors.
  package func read(_ count: Int, into planes: [UnsafeMutableBufferPointer<Float>]) throws(MediaError) -> Int {
    precondition(unsafe planes.count == layout.channelCount && planes.allSatisfy { $0.count >= count })
    var done = 0
    while true {
      if superfluous > 0 { superfluous -= queue.drop(superfluous) }
      done += unsafe queue.read(count - done, into: planes, at: done)
      if done == count || hasEnded { return done }
      let copied = try unsafe superfluous > 0 ? 0 : copyPlain(count - done, into: planes, at: done)
      done += copied
      if copied == 0 { try advance() }
    }
  }

  /// Copies samples of the next piece, `limit` at most, where each becomes one of the output's by itself, and none is in the queue.
  ///
  /// - Returns: the number of samples; 0 where `advance` has to go on.
  private func copyPlain(
    _ limit: Int, into planes: [UnsafeMutableBufferPointer<Float>], at offset: Int
  ) throws(MediaError) -> Int {
    guard let next = try fetch(), !next.isLost, position >= next.position else { return 0 }
    let count = Int(min(min(next.end, end ?? next.end) - position, Int64(limit)))
    // What a resampler of another form still holds comes first.
    guard count > 0, try resampler(for: next.frame).isPlain, queue.count == 0 else { return 0 }
    let first = next.range.lowerBound + Int(position - next.position)
    unsafe SampleConversion.copy(next.frame, first..<first + count, into: planes, at: offset)
    position += Int64(count)
    return count
  }

  /// The piece that is converted next; nil at the end.
  private func fetch() throws(MediaError) -> SoundSource.Piece? {
    if pending == nil {
      if let ahead { pending = ahead } else { pending = try source.next() }
      ahead = nil
    }
    return pending
  }

  /// Feeds the resampler once: with a block of silence, a piece of a frame, or the end of the track.
  private func advance() throws(MediaError) {
    guard let next = try fetch(), end.map({ next.position < $0 }) ?? true else {
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
      // The last packet of a recording that was stopped is seldom whole, so its loss is forgiven.
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

  /// Feeds the resampler one block of silence in place of the track's last packets, where they are damaged and gave no frame.
  ///
  /// - Returns: false where nothing is left to replace.
  private func loseEnd() throws(MediaError) -> Bool {
    guard let lost = source.lostEnd, case let last = min(lost.end, end ?? lost.end), position < last else { return false }
    let count = min(last - position, Self.silenceBlock)
    try lose(count, isLast: lost.packets == 1)
    try resampler(for: source.first).convert(silence(like: source.first), 0..<Int(count), into: &queue)
    position += count
    return true
  }

  /// Counts the next source samples as lost. Where damage is to be refused, it throws, unless they are the track's last packet.
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

  /// Whether the sound ends long before its stated end. QuickTime's stated ends prove nothing: edit lists may promise more than
  /// there is.
  private var isCutOff: Bool {
    guard !source.formatName.hasPrefix("mov"), let end else { return false }
    return end - source.end > Int64(source.sampleRate) / Self.carelessEnd
  }

  /// The resampler for the frame's sample format, rate and layout. It is made anew where the format or layout changes.
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
    let made = try AudioResampler(frame, rate: rate, sampleRate: sampleRate, layout: layout, channels: channels, at: place)
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
