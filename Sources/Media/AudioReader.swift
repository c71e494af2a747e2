internal import CFFmpeg
package import MediaTime
package import Timeline

/// The sound of one track from an exact source time on, as planar float at a rate and layout of the caller's.
///
/// Decoded samples stand where their timestamps put them: gaps are silence, overlaps are cut, and a track that begins
/// after `from` begins with silence. The samples do not depend on how reading is split into calls. Layouts are mixed as
/// `ChannelMatrix` says. Damaged packets are an error where they are heard, or silence. One thread at a time.
@safe package final class AudioReader {
  /// Decoders with memory (bit reservoirs, overlapping windows, pre-roll) settle within this time.
  private static let settlingTime = Rational(1)
  /// Timestamps that are not counted in samples are rounded, and some writers are careless: below this, no gap.
  private static let toleratedJitter = (numerator: Int64(1), denominator: Int64(100))
  /// A bit reservoir that was cut off in front concerns as many packets of a track.
  private static let unsettledPackets = 2
  /// Silence is made in blocks of this many samples.
  private static let silenceBlock: Int64 = 4096
  /// Formats whose timestamps after a seek are those of the file, not an estimate. Others are decoded from their start.
  private static let exactFormats = [
    "mov,mp4,m4a,3gp,3g2,mj2", "matroska,webm", "mpegts", "mpeg", "flv", "asf", "mxf", "wav", "w64", "aiff",
  ]

  /// A decoded frame, and the index of its first sample in the asset's clock at the source's rate.
  private struct Placed {
    let frame: OwnedFrame
    let position: Int64
    let count: Int
    /// The frame's own packet is damaged.
    let isLost: Bool
    /// Packets before it were damaged and gave no frame.
    let followsLoss: Bool
  }

  private let path: String
  private let policy: SourcePolicy
  private let track: TrackFacts
  private let place: String
  private let from: Rational
  private let rate: Rational
  private let sampleRate: Int32
  private let layout: AudioCodecSettings.ChannelLayout

  private var demuxer: Demuxer
  private var decoder: Decoder
  private var resampler: AudioResampler?
  private var silence: OwnedFrame?
  private var queue: SampleQueue
  /// Decoded, not yet resampled.
  private var pending: Placed?
  /// What comes after `pending`, where it had to be known.
  private var ahead: Placed?
  private let damage: AssetTreatment.Damage
  /// Packets sent to this decoder.
  private var sent = 0
  /// The packet sent last is damaged, and gave a frame.
  private var (isSpoiled, gaveFrame) = (false, true)
  private var followsLoss = false
  /// Of the source, so far.
  private var lostSamples: Int64 = 0
  /// The source sample that goes into the resampler next.
  private var position: Int64 = 0
  /// The source sample after the last decoded one; nil after a seek.
  private var expected: Int64?
  private var hasSeeked = false
  private var hasEnded = false
  private var lastRead = Int64.min

  /// - Parameters:
  ///   - track: as `AssetProbe` found it.
  ///   - from: the source time of the first sample; the nearest source sample is taken.
  ///   - rate: source seconds per output second: 1 as is, 2 twice as fast and an octave higher (varispeed).
  ///   - sampleRate: output samples per second.
  /// - Throws: `MediaError` when the file changed since it was probed, or the track cannot be decoded.
  package init(
    path: String, track: TrackFacts, policy: SourcePolicy, from: Rational, rate: Rational = Rational(1), sampleRate: Int32,
    layout: AudioCodecSettings.ChannelLayout, damage: AssetTreatment.Damage = .refuse
  ) throws(MediaError) {
    (self.path, self.policy, self.track, self.from, self.damage) = (path, policy, track, from, damage)
    (self.rate, self.sampleRate, self.layout) = (rate, sampleRate, layout)
    place = "\(MediaURL.name(of: path)) track \(track.index)"
    queue = SampleQueue(channelCount: layout.channelCount)
    demuxer = try Demuxer(path: path, track: track, policy: policy)
    decoder = try unsafe Decoder(demuxer.stream(track.index), threads: 1, at: place)
    try seek()
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
      done += unsafe queue.read(count - done, into: planes, at: done)
      if done == count || hasEnded { return done }
      try advance()
    }
  }

  /// One step: a block of silence, a frame, or the end of the resampler.
  private func advance() throws(MediaError) {
    if pending == nil {
      if let ahead { pending = ahead } else { pending = try nextPlaced() }
      ahead = nil
    }
    guard let next = pending else { return try finish() }
    let resampler = try resampler(for: next)
    if position < next.position {
      let count = min(next.position - position, Self.silenceBlock)
      if next.followsLoss { try lose(count) }
      try resampler.convert(silence(like: next.frame), 0..<Int(count), into: &queue)
      position += count
      return
    }
    if next.isLost, position < next.position + Int64(next.count) {
      if ahead == nil { ahead = try nextPlaced() }
      let count = min(next.position + Int64(next.count) - position, Self.silenceBlock)
      // Of a recording that was stopped, the last packet is seldom whole.
      try lose(count, isLast: ahead == nil)
      try resampler.convert(silence(like: next.frame), 0..<Int(count), into: &queue)
      position += count
      return
    }
    pending = nil
    let end = next.position + Int64(next.count)
    guard position < end else { return }
    try resampler.convert(next.frame, Int(position - next.position)..<next.count, into: &queue)
    position = end
  }

  /// Makes known that the next samples of the source are lost.
  private func lose(_ count: Int64, isLast: Bool = false) throws(MediaError) {
    lostSamples += count
    guard damage == .refuse, !isLast, let rate = resampler?.input.sampleRate else { return }
    let time = try demuxer.exact { () throws(TimeError) in try Rational(Int128(position), over: Int128(rate)).approximation }
    throw MediaError(
      .corrupt, at: place,
      "the file is damaged: its sound is broken or missing from \(time) s; "
        + "with \"damage\": \"conceal\" the asset is silent there instead")
  }

  private func finish() throws(MediaError) {
    guard let resampler else { throw MediaError(.corrupt, at: place, "no sound can be decoded") }
    if demuxer.indexGoesOn(track.index, after: lastRead) {
      throw MediaError(.corrupt, at: place, "the sound ends before the track does: the file is cut off or damaged")
    }
    try resampler.finish(into: &queue)
    hasEnded = true
  }

  /// The resampler for the frame's kind of samples; the first one fixes the source rate and so the first sample.
  private func resampler(for placed: Placed) throws(MediaError) -> AudioResampler {
    let input = AudioResampler.Input(placed.frame)
    if let resampler {
      if resampler.input == input { return resampler }
      guard resampler.input.sampleRate == input.sampleRate else {
        throw MediaError(
          .unsupported, at: place, "its sample rate changes from \(resampler.input.sampleRate) to \(input.sampleRate)")
      }
      try resampler.finish(into: &queue)
      silence = nil
    } else {
      position = try firstSample(at: input.sampleRate)
    }
    let made = try AudioResampler(placed.frame, rate: rate, sampleRate: sampleRate, layout: layout, at: place)
    resampler = made
    return made
  }

  private func firstSample(at rate: Int32) throws(MediaError) -> Int64 {
    Int64(clamping: try demuxer.exact { () throws(TimeError) in try (from * Rational(Int64(rate))).rounded() })
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

  // MARK: Decoding

  private func nextPlaced() throws(MediaError) -> Placed? {
    while true {
      let output = try decoder.receive()
      // Decoders that begin within a stream lack what the first packets refer to.
      if decoder.takeFault(), sent > Self.unsettledPackets { isSpoiled = true }
      switch output {
      case .ended: return nil
      case .needsPacket:
        if isSpoiled, !gaveFrame { followsLoss = true }
        try sendPacket()
      case .frame(let frame):
        gaveFrame = true
        if let placed = try placed(frame) { return placed }
      }
    }
  }

  private func sendPacket() throws(MediaError) {
    (isSpoiled, gaveFrame) = (false, false)
    guard try demuxer.nextPacket(of: track.index) else { return try unsafe decoder.send(nil) }
    sent += 1
    if demuxer.isAtFault, sent > 1 { followsLoss = true }
    let packet = unsafe demuxer.packet.pointer
    if unsafe packet.pointee.dts != spool_AV_NOPTS_VALUE { lastRead = unsafe packet.pointee.dts }
    try unsafe decoder.send(packet)
  }

  /// Where the frame's samples belong; nil for one that is of no use.
  private func placed(_ frame: OwnedFrame) throws(MediaError) -> Placed? {
    let raw = unsafe frame.pointer.pointee
    let (count, rate) = unsafe (Int(raw.nb_samples), raw.sample_rate)
    guard count > 0, rate > 0 else { return nil }
    let stated = try unsafe position(raw.pts, rate)
    guard let position = stated ?? expected ?? (hasSeeked ? nil : 0) else { return nil }
    if hasSeeked, expected == nil, try position > firstSample(at: rate) {
      try restart()
      return nil
    }
    expected = position + Int64(count)
    defer { followsLoss = false }
    let isLost = isSpoiled || frame.isFaulty && sent > Self.unsettledPackets
    return Placed(frame: frame, position: position, count: count, isLost: isLost, followsLoss: followsLoss)
  }

  /// A timestamp as a sample's index; where it says no more than its own coarseness, the sound goes on without a gap.
  private func position(_ tick: Int64, _ rate: Int32) throws(MediaError) -> Int64? {
    let stream = unsafe demuxer.stream(track.index).pointee
    guard let seconds = try unsafe stream.seconds(tick, place) else { return nil }
    let sample = try demuxer.exact { () throws(TimeError) in try ((seconds - demuxer.origin) * Rational(Int64(rate))).rounded() }
    // No sound lasts 2^48 samples; what does not fit is a broken timestamp.
    guard let position = Int64(exactly: sample), position.magnitude < 1 << 48 else { return nil }
    let isCounted = unsafe stream.time_base.num == 1 && stream.time_base.den == rate
    let tolerated = isCounted ? 0 : Int64(rate) * Self.toleratedJitter.numerator / Self.toleratedJitter.denominator
    if let expected, abs(position - expected) <= tolerated { return expected }
    return position
  }

  // MARK: Where to start

  /// Goes to where decoding settles before `from`; at the start of the track, and in formats that only estimate times
  /// after a seek, the file is read from its start.
  private func seek() throws(MediaError) {
    guard Self.exactFormats.contains(demuxer.formatName) else { return }
    let stream = unsafe demuxer.stream(track.index).pointee
    let tick = try demuxer.exact { () throws(TimeError) in
      let base = try unsafe Rational(Int128(stream.time_base.num), over: Int128(stream.time_base.den))
      return try ((from + demuxer.origin - Self.settlingTime) / base).floor
    }
    guard let tick = Int64(exactly: tick), unsafe tick > (stream.start_time == spool_AV_NOPTS_VALUE ? 0 : stream.start_time)
    else {
      return
    }
    guard demuxer.seek(track.index, to: tick) else { return try restart() }
    hasSeeked = true
  }

  private func restart() throws(MediaError) {
    demuxer = try Demuxer(path: path, track: track, policy: policy)
    decoder = try unsafe Decoder(demuxer.stream(track.index), threads: 1, at: place)
    (hasSeeked, expected, lastRead) = (false, nil, .min)
    (sent, isSpoiled, gaveFrame, followsLoss) = (0, false, true, false)
  }
}
