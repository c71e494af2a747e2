internal import CFFmpeg
package import Formats
internal import MediaTime

/// The packets of a whole track of AAC, as a movie takes them over (decision 0247).
///
/// A reader of the movie is given the packets that a reader of the file is given, and drops as many samples in front. So it hears the same
/// samples. That is known only where the file counts samples, where each packet begins with the sample after the one before, and where its
/// edit list cuts off nothing but the encoder's priming in front. Packets behind the last sample that is heard are left out. One thread uses
/// it, for one reading.
@safe package final class CopiedSound {
  /// The samples of a block of AAC-LC, in each channel.
  private static let blockLength: Int64 = 1024
  /// The packets after which progress is told.
  private static let stride = 1024

  private let track: TrackFacts
  private let demuxer: Demuxer
  private let place: String
  private let sampleRate: Int32
  /// The sample after the last one that the track states.
  private let end: Int64
  /// The samples before the first one that is heard; nil before the first packet was read.
  package private(set) var priming: Int64?
  private let longestPriming: Int64

  /// - Parameters:
  ///   - settings: those of the movie's sound.
  ///   - longestPriming: the most samples before the first one that is heard.
  /// - Throws: `MediaError`; `unsupported` where the track cannot be copied.
  package init(
    path: String, track: TrackFacts, policy: SourcePolicy, settings: AudioCodecSettings, longestPriming: Int64
  ) throws(MediaError) {
    (self.track, self.longestPriming) = (track, longestPriming)
    (place, sampleRate) = ("\(MediaURL.name(of: path)) track \(track.index)", settings.sampleRate)
    guard settings.coding.coder.copiesPackets, track.codec == settings.codec.rawValue else {
      throw MediaError(.unsupported, at: place, "\(track.codec) is not copied")
    }
    let source = try SoundSource(path: path, track: track, policy: policy, scans: nil)
    guard source.formatName.hasPrefix("mov"), let end = try source.end(of: track) else {
      throw MediaError(.unsupported, at: place, "only mp4, mov and m4a say exactly which samples are heard")
    }
    self.end = end
    demuxer = try Demuxer(path: path, track: track, policy: policy)
    guard source.start == 0, demuxer.origin == Rational(0) else {
      throw MediaError(.unsupported, at: place, "its sound does not begin with the file")
    }
    // A decoder that finds spectral band replication gives twice the samples.
    guard source.sampleRate == sampleRate, unsafe Self.coreRate(demuxer.stream(track.index).pointee.codecpar) == sampleRate
    else {
      throw MediaError(.unsupported, at: place, "it is no plain AAC-LC of \(sampleRate) samples a second")
    }
    let base = unsafe demuxer.stream(track.index).pointee.time_base
    guard base.num == 1, base.den == sampleRate else {
      throw MediaError(.unsupported, at: place, "its times do not count samples")
    }
  }

  /// Reads all packets.
  ///
  /// - Parameter progress: called now and then with the number of samples so far.
  /// - Returns: the number of samples that are heard, in each channel.
  /// - Throws: `MediaError`; `unsupported` where they cannot be copied; what `progress` throws.
  package func sampleCount(progress: (Int64) throws -> Void = { _ in }) throws -> Int64 {
    try unsafe walk(progress: progress) { _, _ in }
  }

  /// Writes the packets to the segment file at `path`.
  ///
  /// - Parameter progress: called now and then with the number of samples so far.
  /// - Returns: the facts of the file, and a digest of the packets.
  /// - Throws: as `sampleCount`. No file is left then.
  package func copy(to path: String, progress: (Int64) throws -> Void) throws -> (SegmentFacts, ContentDigest) {
    let hasher = try ContentHasher()
    var writer: SegmentWriter?
    let count = try unsafe walk(progress: progress) { packet, length in
      let priming = self.priming ?? 0
      if writer == nil {
        let parameters = try unsafe CodecParameters(
          copying: demuxer.stream(track.index).pointee.codecpar, timeBase: AVRational(num: 1, den: sampleRate),
          priming: Int(priming))
        writer = try SegmentWriter(path: path, parameters: parameters)
      }
      unsafe (packet.pointee.pts, packet.pointee.stream_index) = (packet.pointee.pts + priming, 0)
      unsafe packet.pointee.flags = AV_PKT_FLAG_KEY
      unsafe av_packet_free_side_data(packet)
      unsafe hasher.update(UnsafeRawBufferPointer(packet.bytes))
      try unsafe writer?.append(packet, to: 0, length: length)
    }
    guard let facts = try writer?.finish(), facts.length == count else {
      throw MediaError(.internal, at: path, "other samples than \(count)")
    }
    return (facts, hasher.digest)
  }

  /// Gives the packets in order, each with the number of its samples up to the last one that is heard.
  ///
  /// - Returns: the number of samples that are heard.
  private func walk(
    progress: (Int64) throws -> Void, take: (UnsafeMutablePointer<AVPacket>, Int64) throws -> Void
  ) throws -> Int64 {
    var (next, count, last): (Int64?, Int, Int64) = (nil, 0, .min)
    while next.map({ $0 < end }) ?? true, try demuxer.nextPacket(of: track.index) {
      let packet = unsafe demuxer.packet.pointer
      if let objection = unsafe objection(to: packet) { throw MediaError(.unsupported, at: place, objection) }
      let tick = unsafe packet.pointee.pts
      if next == nil { priming = try unsafe toldPriming(packet) }
      guard tick == next ?? -(priming ?? 0) else {
        throw MediaError(.unsupported, at: place, "a packet does not begin where the one before ends")
      }
      last = unsafe packet.pointee.dts
      // A movie's first block is a whole one.
      let length = min(Self.blockLength, end - tick)
      guard next != nil || length == Self.blockLength else { break }
      try unsafe take(packet, length)
      next = tick + Self.blockLength
      count += 1
      if count % Self.stride == 0 { try progress(tick + length) }
    }
    guard let next, next > 0, next >= end || !demuxer.indexGoesOn(track.index, after: last), track.intactEnd == nil else {
      throw MediaError(.unsupported, at: place, next == nil ? "it is shorter than a block" : "the file is cut off or damaged")
    }
    return min(next, end)
  }

  /// The samples before the first one that is heard. The first packet tells them twice: by its time, and for the decoder.
  private func toldPriming(_ packet: UnsafeMutablePointer<AVPacket>) throws(MediaError) -> Int64 {
    var (size, skipped) = (0, Int64(0))
    if let data = unsafe av_packet_get_side_data(packet, AV_PKT_DATA_SKIP_SAMPLES, &size), size >= 4 {
      skipped = unsafe Int64(UInt32(littleEndian: UnsafeRawPointer(data).loadUnaligned(as: UInt32.self)))
    }
    guard unsafe packet.pointee.pts == -skipped else {
      throw MediaError(.unsupported, at: place, "its edit list does not say how many samples are priming")
    }
    guard skipped <= longestPriming else {
      throw MediaError(.unsupported, at: place, "its edit list cuts off its beginning")
    }
    return skipped
  }

  /// The reason for which a packet cannot be copied that it tells itself.
  private func objection(to packet: UnsafeMutablePointer<AVPacket>) -> String? {
    let tick = unsafe packet.pointee.pts
    guard tick != spool_AV_NOPTS_VALUE, tick.magnitude <= Demuxer.maxTick, unsafe packet.pointee.size > 0 else {
      return "a packet has no time, or is empty"
    }
    if unsafe packet.pointee.flags & AV_PKT_FLAG_DISCARD != 0, tick >= 0 { return "an edit list of the file cuts a part off" }
    if unsafe av_packet_get_side_data(packet, AV_PKT_DATA_NEW_EXTRADATA, nil) != nil { return "its parameters change" }
    guard !demuxer.isAtFault, !demuxer.followsGap, unsafe packet.pointee.flags & AV_PKT_FLAG_CORRUPT == 0 else {
      return "the file is damaged"
    }
    return nil
  }

  /// The sample rates by their numbers (ISO/IEC 14496-3, 1.6.3.4).
  private static let rates: [Int32] = [
    96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8_000, 7_350,
  ]

  /// The sample rate of AAC-LC with blocks of 1024 samples, as its configuration states it; nil for every other configuration (ISO/IEC 14496-3,
  /// 1.6.2.1 and 4.4.1).
  private static func coreRate(_ codec: UnsafePointer<AVCodecParameters>) -> Int32? {
    let bytes = unsafe UnsafeBufferPointer(start: codec.pointee.extradata, count: Int(max(0, codec.pointee.extradata_size)))
    var reader = unsafe BitReader(unit: bytes.prefix(8), headerSize: 0)
    // First comes the kind of object, then the number of the rate, or the rate itself, and the channels.
    guard reader.bits(5) == 2, case let number = reader.bits(4) else { return nil }
    let rate = number == 15 ? Int32(reader.bits(24)) : rates.indices.contains(number) ? rates[number] : nil
    _ = reader.bits(4)
    // The next two bits stand for shorter blocks, and for a coder below.
    return reader.bits(2) == 0 && !reader.isPastEnd ? rate : nil
  }
}
