internal import CFFmpeg
internal import Formats
internal import MediaTime

/// Decodes the sound of one track, and gives each frame its place: the number of its first sample, counted from the asset's zero.
///
/// Samples are counted. A timestamp decides only where it differs from the count by about a frame or more, which is more than the
/// container's rounding and careless writers explain. Then there is a gap, or an overlap. One thread at a time. See
/// docs/decisions/0024-sound-is-counted-in-blocks.md.
@safe final class SoundDecoder {
  struct Placed {
    let frame: OwnedFrame
    /// The timestamp that the file states, in the stream's ticks; nil where it states none.
    let tick: Int64?
    /// The sample number of that timestamp.
    let stated: Int64?
    var position: Int64
    let count: Int
    /// Whether the frame's own packet is damaged.
    let isLost: Bool
    /// Whether packets before it were damaged and gave no frame.
    let followsLoss: Bool

    var end: Int64 { position + Int64(count) }
  }

  /// The smallest gap that counts, as the divisor of a second (10 ms). Many containers count milliseconds, and writers are
  /// careless.
  private static let carelessness: Int64 = 100
  /// The size of a gap that counts however long frames are, as the divisor of a second (50 ms). A larger shift is visible on
  /// lips.
  private static let longestTolerated: Int64 = 20
  /// The packets of a WAV that are read at once, in a second at least. They are much shorter than the second before a place that is read first.
  private static let wavPackets: Int64 = 8
  /// The number of first packets whose faults do not count: they may need a bit reservoir from before the place where decoding
  /// began.
  private static let unsettledPackets = 2

  let track: TrackFacts
  let place: String
  private(set) var demuxer: Demuxer
  private var decoder: Decoder
  /// The sample after the last frame; nil where it is unknown, after a jump.
  private var expected: Int64?
  /// The end of the track's first frame, in samples. If all frames are equally long, each begins and ends a whole number of
  /// frames from it.
  private(set) var anchor: Int64?
  /// Whether the next frame is the first of its packet. Only to this frame does the packet's timestamp belong.
  private var isFirstOfPacket = true
  /// The frames of the packet that are still to be sent, for a decoder that takes only single frames.
  private var frames: AMRFrames?
  /// Whether the demuxer's packet has not been sent yet.
  private var holdsPacket = false
  private var lastRead = Int64.min
  /// The number of packets sent to this decoder.
  private var sent = 0
  /// Whether the packet that was sent last is damaged, and whether it gave a frame.
  private var (isSpoiled, gaveFrame) = (false, true)
  private var followsLoss = false
  /// The number of damaged packets since the last frame, which gave none, and the number of samples in that frame.
  private(set) var (lostPackets, lastCount) = (0, 0)

  /// Opens the track at the start of the file.
  ///
  /// - Throws: `MediaError` when the file changed since it was probed, or the track cannot be decoded.
  init(path: String, track: TrackFacts, policy: SourcePolicy) throws(MediaError) {
    self.track = track
    place = "\(MediaURL.name(of: path)) track \(track.index)"
    demuxer = try Demuxer(path: path, track: track, policy: policy)
    decoder = try unsafe Decoder(demuxer.stream(track.index), threads: 1, at: place)
  }

  /// Whether the file's index has packets after the last one that was read.
  var indexGoesOn: Bool { demuxer.indexGoesOn(track.index, after: lastRead) }

  /// The next frame that has samples; nil at the end.
  func next() throws(MediaError) -> Placed? {
    while true {
      let output = try decoder.receive()
      // A decoder that begins within a stream lacks what the first packets refer to.
      if decoder.takeFault(), sent > Self.unsettledPackets { isSpoiled = true }
      switch output {
      case .ended: return nil
      case .needsPacket:
        if isSpoiled, !gaveFrame { (followsLoss, lostPackets) = (true, lostPackets + 1) }
        try sendPacket()
      case .frame(let frame):
        gaveFrame = true
        if let placed = try placed(frame) { return placed }
      }
    }
  }

  /// Goes to the first packet in the file whose timestamp is `tick` or later.
  ///
  /// - Parameter reopened: makes a new demuxer, which is read from its start where this one cannot seek.
  /// - Returns: false when there is no such packet.
  func enter(at tick: Int64, reopened: () throws(MediaError) -> Demuxer) throws(MediaError) -> Bool {
    // A format's index may lead too far, and its content depends on what was read before. Only a packet before `tick` proves that
    // the next one at `tick` or later is the first.
    var back = ticks(1)
    while tick - back > start, seek(to: tick - back) {
      if let found = try pass(to: tick, provenBy: { $0 < tick }) { return try begin(found) }
      back *= 4
    }
    demuxer = try reopened()
    return try begin(pass(to: tick, provenBy: { _ in true }) ?? false)
  }

  /// Sets the place of the next frame to `position`. Its timestamp is ignored if it does not differ by more than is tolerated.
  func expect(_ position: Int64) { expected = position }

  // MARK: Packets

  /// - Returns: whether there is a packet at `tick` or later, which then is the demuxer's packet; nil when the first packet with
  ///   a timestamp proves nothing.
  private func pass(to tick: Int64, provenBy proves: (Int64) -> Bool) throws(MediaError) -> Bool? {
    var isProven = false
    while try demuxer.nextPacket(of: track.index) {
      let stated = unsafe demuxer.packet.pointer.pointee.pts
      guard stated != spool_AV_NOPTS_VALUE else { continue }
      guard isProven || proves(stated) else { return nil }
      isProven = true
      if stated >= tick { return true }
    }
    return isProven ? false : nil
  }

  /// Seeks by the picture's index in Matroska, where that is possible: as a rule only pictures are indexed there. By the sound's
  /// own index the demuxer would read on from the start.
  private func seek(to tick: Int64) -> Bool {
    let base = unsafe demuxer.stream(track.index).pointee.time_base
    let picture = (0..<demuxer.streamCount).first { index in
      let stream = unsafe demuxer.stream(index).pointee
      return unsafe stream.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO && stream.isPlayedBack
        && stream.time_base.num == base.num && stream.time_base.den == base.den
    }
    if demuxer.formatName.hasPrefix("matroska"), let picture, demuxer.seek(picture, to: tick) { return true }
    return demuxer.seek(track.index, to: tick)
  }

  private func begin(_ found: Bool) throws(MediaError) -> Bool {
    (holdsPacket, expected, isFirstOfPacket, frames) = (found, nil, true, nil)
    (sent, isSpoiled, gaveFrame, followsLoss, lostPackets) = (0, false, true, false, 0)
    decoder = try unsafe Decoder(demuxer.stream(track.index), threads: 1, at: place)
    return found
  }

  private func sendPacket() throws(MediaError) {
    (isSpoiled, gaveFrame) = (false, false)
    if let frame = unsafe frames?.next() { return try unsafe decoder.send(frame) }
    if !holdsPacket {
      guard try demuxer.nextPacket(of: track.index) else { return try unsafe decoder.send(nil) }
    }
    (holdsPacket, isFirstOfPacket) = (false, true)
    sent += 1
    if demuxer.isAtFault, sent > 1 { followsLoss = true }
    let packet = unsafe demuxer.packet.pointer
    if unsafe packet.pointee.dts != spool_AV_NOPTS_VALUE { lastRead = unsafe packet.pointee.dts }
    frames = try AMRFrames(of: demuxer.packet, unsafe demuxer.stream(track.index).pointee.codecpar.pointee.codec_id)
    try unsafe decoder.send(frames?.next() ?? UnsafePointer(packet))
  }

  // MARK: Places

  /// Gives the frame its place. Nil for a frame without samples, and for one whose place is unknown.
  private func placed(_ frame: OwnedFrame) throws(MediaError) -> Placed? {
    let raw = unsafe frame.pointer.pointee
    let (count, rate) = unsafe (Int(raw.nb_samples), raw.sample_rate)
    guard count > 0, rate > 0 else { return nil }
    let tick = unsafe isFirstOfPacket && raw.pts != spool_AV_NOPTS_VALUE ? raw.pts : nil
    isFirstOfPacket = false
    let stated = try tick.flatMap { (tick) throws(MediaError) in try position(of: tick, rate) }
    let isFirst = anchor == nil
    guard let position = placed(stated, count, rate) ?? (isFirst ? 0 : nil) else { return nil }
    if isFirst { anchor = position + Int64(count) }
    expected = position + Int64(count)
    defer { (followsLoss, lostPackets, lastCount) = (false, 0, count) }
    let isLost = isSpoiled || frame.isFaulty && sent > Self.unsettledPackets
    return Placed(
      frame: frame, tick: tick, stated: stated, position: position, count: count, isLost: isLost, followsLoss: followsLoss)
  }

  private func placed(_ stated: Int64?, _ count: Int, _ rate: Int32) -> Int64? {
    guard let stated else { return expected }
    guard anchor != nil else { return Int64(stated.magnitude) <= rounding(rate) ? 0 : stated }
    if let expected, (stated - expected).magnitude <= tolerated(count, rate) { return expected }
    return onGrid(stated, count, rate) ?? stated
  }

  /// The sample number of a timestamp, on the asset's clock; nil for an impossible one.
  private func position(of tick: Int64, _ rate: Int32) throws(MediaError) -> Int64? {
    guard let seconds = try unsafe demuxer.stream(track.index).pointee.seconds(tick, place) else { return nil }
    let sample = try demuxer.exact { () throws(TimeError) in try ((seconds - demuxer.origin) * Rational(Int64(rate))).rounded() }
    // No sound lasts 2^48 samples: a timestamp that does not fit is broken.
    guard let position = Int64(exactly: sample), position.magnitude < 1 << 48 else { return nil }
    return position
  }

  /// The place on the grid of equally long frames that is within rounding of the stated place; nil where there is none.
  func onGrid(_ stated: Int64, _ count: Int, _ rate: Int32) -> Int64? {
    let (length, rounding) = (Int64(count), rounding(rate))
    guard let anchor, length > 4 * rounding else { return nil }
    let past = (stated - anchor) % length
    let nearest = stated - past + (2 * past.magnitude > length ? past.signum() * length : 0)
    return (stated - nearest).magnitude <= rounding ? nearest : nil
  }

  private func tolerated(_ count: Int, _ rate: Int32) -> Int64 {
    let rate = Int64(rate)
    if isUncompressed { return isCounted(rate) ? 0 : rate / Self.carelessness }
    return max(rate / Self.carelessness, min(Int64(count) - 2 * rounding(Int32(rate)) - 1, rate / Self.longestTolerated))
  }

  /// The number of samples by which a timestamp may be off: a tick, and the rounding to samples.
  private func rounding(_ rate: Int32) -> Int64 {
    if isCounted(Int64(rate)) { return 0 }
    let base = unsafe demuxer.stream(track.index).pointee.time_base
    guard base.num > 0, base.den > 0 else { return 1 }
    return min((Int64(rate) * Int64(base.num) + Int64(base.den) - 1) / Int64(base.den), Int64(rate)) + 1
  }

  private func isCounted(_ rate: Int64) -> Bool {
    let base = unsafe demuxer.stream(track.index).pointee.time_base
    return base.num == 1 && Int64(base.den) == rate
  }

  /// Whether each sample stands by itself, at the place that its packet's timestamp gives exactly. In MXF that timestamp is rounded where
  /// reading begins inside of the file and frames have different numbers of samples.
  var countsSamples: Bool { isCountedPCM && demuxer.formatName != "mxf" }

  private var isCountedPCM: Bool {
    unsafe isUncompressed && isCounted(Int64(demuxer.stream(track.index).pointee.codecpar.pointee.sample_rate))
  }

  /// The samples of a WAV or an AIFF as they lie in the file, of which the first packet alone has been read.
  ///
  /// A WAV with samples of another form has longer packets from then on: its demuxer takes 4 KiB at a time, and each packet costs as much as converting
  /// it. A file whose length is only guessed keeps its packets. Its last one may not be whole, and a packet that is not whole counts as damaged.
  ///
  /// - Parameter first: the first frame.
  func plainSamples(_ first: Placed) -> PlainSamples? {
    guard countsSamples, ["wav", "aiff"].contains(demuxer.formatName) else { return nil }
    let (stream, context) = unsafe (demuxer.stream(track.index), demuxer.context)
    let codec = unsafe stream.pointee.codecpar.pointee
    let (rate, size) = unsafe (Int64(codec.sample_rate), Int64(codec.block_align))
    let (duration, place) = unsafe (stream.pointee.duration, demuxer.packet.pointer.pointee.pos)
    let (bytes, overflows) = duration.multipliedReportingOverflow(by: size)
    guard duration > 0, size > 0, place >= 0, !overflows, demuxer.byteCount - place >= bytes,
      unsafe context.pointee.duration_estimation_method == AVFMT_DURATION_FROM_STREAM
    else { return nil }
    if first.position == 0, sent == 1, !first.isLost,
      let plain = unsafe PlainSamples(
        demuxer, model: first.frame, start: place, stride: size, count: duration, codec: codec.codec_id)
    {
      return plain
    }
    let most = rate * size / Self.wavPackets
    guard most > 4096, demuxer.formatName == "wav" else { return nil }
    // A demuxer without the option goes on with the packets that it has.
    _ = unsafe av_opt_set_int(context.pointee.priv_data, "max_size", min(most, 1 << 18), 0)
    return nil
  }

  /// Whether the format counts samples, so that every timestamp is exact.
  var statesPlaces: Bool {
    isCountedPCM || isUncompressed && demuxer.formatName == "mxf"
  }

  private var isUncompressed: Bool {
    unsafe av_get_exact_bits_per_sample(demuxer.stream(track.index).pointee.codecpar.pointee.codec_id) > 0
  }

  var start: Int64 {
    let start = unsafe demuxer.stream(track.index).pointee.start_time
    return start == spool_AV_NOPTS_VALUE ? 0 : start
  }

  private func ticks(_ seconds: Int64) -> Int64 {
    let base = unsafe demuxer.stream(track.index).pointee.time_base
    return max(1, seconds * Int64(base.den) / Int64(max(1, base.num)))
  }
}
