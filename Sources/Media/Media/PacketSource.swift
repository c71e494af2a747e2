internal import CFFmpeg
package import Formats
internal import MediaTime

/// Reads the packets of a track that are to be copied, in the order in which they are decoded. One thread at a time.
///
/// A group begins with a picture from which decoding can begin, and before which nothing of it is shown: an IDR picture of H.264, or
/// any picture of a codec whose pictures stand on their own. So a whole group shows the same pictures wherever it is put.
@safe package final class PacketSource {
  /// A packet, without its bytes.
  struct Packet {
    /// The time at which its picture is shown, in the stream's ticks.
    let tick: Int64
    let beginsGroup: Bool
    let byteCount: Int
    /// The reason for which it cannot be copied; nil where it can.
    let objection: String?
  }

  /// The parameter sets of H.264; nil for a codec whose pictures need none.
  package let parameterSets: H264ParameterSets?
  private let track: TrackFacts
  private let demuxer: Demuxer
  private let lengthSize: Int?
  private let place: String

  /// The codecs of which packets can be copied, by FFmpeg's names. Pictures of ProRes stand on their own.
  package static let codecs = ["h264", "prores"]

  /// - Parameter settings: those of the movie's picture.
  /// - Throws: `MediaError`; `unsupported` where nothing of the track can be copied.
  package init(path: String, track: TrackFacts, policy: SourcePolicy, settings: VideoCodecSettings) throws(MediaError) {
    self.track = track
    place = "\(MediaURL.name(of: path)) track \(track.index)"
    guard Self.codecs.contains(track.codec) else { throw MediaError(.unsupported, at: place, "\(track.codec) is not copied") }
    demuxer = try Demuxer(path: path, track: track, policy: policy)
    let codec = unsafe demuxer.stream(track.index).pointee.codecpar.pointee
    guard track.codec == "h264" else {
      (parameterSets, lengthSize) = (nil, nil)
      guard unsafe settings.coding.coder.sampleEntry.map(FourCharacters.code) == codec.codec_tag else {
        throw MediaError(.unsupported, at: place, "it has another profile of ProRes than the movie")
      }
      return
    }
    let extradata = unsafe UnsafeBufferPointer(
      start: codec.extradata.map { unsafe UnsafePointer($0) }, count: Int(codec.extradata_size))
    guard let sets = unsafe H264ParameterSets(extradata: extradata) else {
      throw MediaError(.unsupported, at: place, "the container does not hold its parameter sets")
    }
    guard !sets.hasFields else { throw MediaError(.unsupported, at: place, "its pictures may be made of two fields") }
    guard !sets.hasFullChroma else {
      // Decoders allow for a fault of x264 in 4:4:4 by the version that the stream's first packet names.
      throw MediaError(.unsupported, at: place, "H.264 of 4:4:4 is decoded rightly from its first packet on alone")
    }
    (parameterSets, lengthSize) = (sets, unsafe H264ParameterSets.lengthSize(of: extradata))
  }

  /// The ticks of times on the asset's clock. At each the track shows the last picture that is not later.
  func ticks(of times: [Rational]) throws(MediaError) -> [Int64] {
    let base = unsafe demuxer.stream(track.index).pointee.time_base
    let rounding = FrameRounding(of: track, base: base)
    var ticks: [Int64] = []
    ticks.reserveCapacity(times.count)
    for time in times {
      let tick = try demuxer.exact { () throws(TimeError) in
        try rounding.lastTick(at: (time + demuxer.origin) / Rational(Int128(base.num), over: Int128(base.den)))
      }
      ticks.append(min(max(Int64(clamping: tick), -Demuxer.maxTick), Demuxer.maxTick))
    }
    return ticks
  }

  /// Moves to a picture from which decoding can begin, and which is shown at `tick` or before, where the format knows one.
  func begin(at tick: Int64) { _ = demuxer.seek(track.index, to: tick) }

  /// The next packet; nil at the end.
  ///
  /// - Throws: `MediaError`; `unsupported` for a packet without a time.
  func next() throws(MediaError) -> Packet? {
    guard try demuxer.nextPacket(of: track.index) else { return nil }
    let packet = unsafe demuxer.packet.pointer
    let tick = unsafe packet.pointee.pts
    guard tick != spool_AV_NOPTS_VALUE, tick.magnitude <= Demuxer.maxTick else {
      throw MediaError(.unsupported, at: place, "a packet has no time")
    }
    var objection: String?
    if unsafe packet.pointee.flags & AV_PKT_FLAG_DISCARD != 0 { objection = "an edit list of the file cuts it off" }
    if unsafe av_packet_get_side_data(packet, AV_PKT_DATA_NEW_EXTRADATA, nil) != nil { objection = "its parameter sets change" }
    if demuxer.isAtFault || demuxer.followsGap { objection = "the file is damaged there" }
    if unsafe BrokenPacket.matches(packet, demuxer.stream(track.index).pointee.codecpar) {
      objection = "the file is damaged there"
    }
    var begins = unsafe packet.pointee.flags & AV_PKT_FLAG_KEY != 0
    if let parameterSets {
      let (first, found) = unsafe look(at: packet.bytes, parameterSets)
      begins = first == H264Units.Kind.independentSlice
      objection = objection ?? found
    } else if unsafe packet.pointee.size < 21 || packet.pointee.data[20] >> 2 & 3 != 0 {
      // Behind the frame's size and name: a header of which the 13th byte says whether the picture has fields (SMPTE RDD 36, 5.1.1).
      objection = objection ?? "a picture is made of two fields"
    }
    return Packet(
      tick: tick, beginsGroup: begins, byteCount: unsafe Int(packet.pointee.size), objection: objection)
  }

  /// Looks at the units of a packet.
  ///
  /// - Returns: the type of its first slice, and the reason for which it cannot be copied.
  private func look(
    at bytes: UnsafeBufferPointer<UInt8>, _ sets: H264ParameterSets
  ) -> (first: UInt8?, objection: String?) {
    guard let places = unsafe H264Units.places(in: bytes, lengthSize: lengthSize) else {
      return (nil, "the file is damaged there")
    }
    var (first, objection): (UInt8?, String?) = (nil, nil)
    for place in places {
      let kind = unsafe bytes[place.lowerBound] & 31
      switch kind {
      case H264Units.Kind.slice, H264Units.Kind.independentSlice:
        first = first ?? kind
        if first != kind { objection = "a picture is in part an IDR picture" }
      case H264Units.Kind.supplement, H264Units.Kind.delimiter, H264Units.Kind.filler: break
      case H264Units.Kind.sequence, H264Units.Kind.picture:
        if unsafe !sets.holds(bytes[place]) { objection = "its parameter sets change" }
      default: objection = "it has units of H.264 of type \(kind)"
      }
    }
    return (first, first == nil ? "a packet has no picture" : objection)
  }

  /// The packet that `next` read, as segment files hold it: units of H.264 stand behind start codes. It is valid until the next call.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  func packet() throws(MediaError) -> UnsafeMutablePointer<AVPacket> {
    let packet = unsafe demuxer.packet.pointer
    guard let lengthSize else { return unsafe packet }
    let bytes = unsafe packet.bytes
    guard let places = unsafe H264Units.places(in: bytes, lengthSize: lengthSize) else {
      throw MediaError(.corrupt, at: place, "a packet is no sequence of units")
    }
    try unsafe packet.replaceData(with: H264Units.withStartCodes(bytes, places))
    return unsafe packet
  }

  /// The parameters of a segment of the packets.
  ///
  /// - Parameters:
  ///   - frameDuration: the duration of the movie's frames.
  ///   - reorderDepth: the number of frames by which decoding runs ahead of showing.
  /// - Throws: `MediaError` `outOfMemory`.
  func parameters(frameDuration: MediaTime, reorderDepth: Int) throws(MediaError) -> CodecParameters {
    let codec = unsafe demuxer.stream(track.index).pointee.codecpar!
    return try unsafe CodecParameters(
      copying: codec, timeBase: AVRational(frameDuration), extradata: parameterSets?.annexB ?? [], reorderDepth: reorderDepth)
  }
}
