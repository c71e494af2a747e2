internal import CFFmpeg
package import Formats
internal import MediaTime

/// Reads the packets of a track that are to be copied, in the order in which they are decoded. One thread at a time.
///
/// A group begins with a picture from which decoding can begin: an IDR picture of H.264 or HEVC, a clean entry of HEVC (CRA), a keyframe of VP9 or
/// FFV1, or any picture of ProRes, DNxHR and Motion JPEG, whose pictures stand on their own. So a whole group shows the same pictures wherever it is
/// put. Behind a clean entry may come pictures that are shown before it, and refer to the group before. They need that group.
@safe package final class PacketSource {
  /// The part of a packet's picture in its group.
  enum Role {
    /// It begins the group, and a decoder forgets there what came before.
    case begins
    /// It begins the group, and a decoder that comes from the group before goes on: a clean entry of HEVC.
    case beginsBehindLink
    /// It is shown before the clean entry that it follows, and refers to the group before.
    case leads
    case follows

    var beginsGroup: Bool { self == .begins || self == .beginsBehindLink }
  }

  /// A packet, without its bytes.
  struct Packet {
    /// The time at which its picture is shown, in the stream's ticks.
    let tick: Int64
    let role: Role
    let byteCount: Int
    /// The reason for which it cannot be copied; nil where it can.
    let objection: String?
  }

  /// The parameter sets of H.264 or HEVC; nil for a codec whose pictures need none.
  package let parameterSets: ParameterSets?
  /// The configuration of a stream of FFV1; nil for other codecs.
  private let configuration: FFV1Configuration?
  /// The digest of its whole description, which all pictures of a movie share; nil for other codecs.
  package let descriptionDigest: String?
  private let track: TrackFacts
  private let demuxer: Demuxer
  private let lengthSize: Int?
  /// The coding of the movie's picture, which is that of the track.
  private let coding: VideoCoding
  private let place: String

  /// - Parameter settings: those of the movie's picture.
  /// - Throws: `MediaError`; `unsupported` where nothing of the track can be copied.
  package init(path: String, track: TrackFacts, policy: SourcePolicy, settings: VideoCodecSettings) throws(MediaError) {
    (self.track, coding) = (track, settings.coding)
    place = "\(MediaURL.name(of: path)) track \(track.index)"
    guard settings.coding.coder.copiesPackets, track.codec == settings.codec.streamName else {
      throw MediaError(.unsupported, at: place, "\(track.codec) is not copied")
    }
    demuxer = try Demuxer(path: path, track: track, policy: policy)
    let codec = unsafe demuxer.stream(track.index).pointee.codecpar.pointee
    guard unsafe ParameterSets.areUsed(by: codec.codec_id) else {
      (parameterSets, lengthSize) = (nil, nil)
      guard unsafe codec.codec_id == AV_CODEC_ID_FFV1 else {
        (configuration, descriptionDigest) = (nil, nil)
        try unsafe requireProfile(codec.codec_tag, settings)
        return
      }
      let description = unsafe UnsafeBufferPointer(
        start: codec.extradata.map { unsafe UnsafePointer($0) }, count: Int(max(0, codec.extradata_size)))
      guard let found = unsafe FFV1Configuration(description) else {
        throw MediaError(.unsupported, at: place, "it is no FFV1 of version 3")
      }
      configuration = found
      descriptionDigest = try unsafe FileHash.digest(of: UnsafeRawBufferPointer(description))
      return
    }
    (configuration, descriptionDigest) = (nil, nil)
    guard let sets = unsafe ParameterSets(of: codec) else {
      throw MediaError(.unsupported, at: place, "the container does not hold its parameter sets")
    }
    if let objection = sets.objection { throw MediaError(.unsupported, at: place, objection) }
    // What a source says beside its sets of HEVC, such as its encoder's settings, is not the movie's.
    if case .hevc(let sets) = sets { parameterSets = .hevc(sets.withoutSupplements) } else { parameterSets = sets }
    lengthSize = unsafe ParameterSets.lengthSize(of: codec)
  }

  /// - Throws: `MediaError` `unsupported` for another profile of ProRes than the movie's.
  private func requireProfile(_ tag: UInt32, _ settings: VideoCodecSettings) throws(MediaError) {
    guard settings.codec != .prores || settings.coding.coder.sampleEntry.map(FourCharacters.code) == tag else {
      throw MediaError(.unsupported, at: place, "it has another profile of ProRes than the movie")
    }
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
    let role: Role
    if let parameterSets {
      guard let places = unsafe CodedUnits.places(in: packet.bytes, lengthSize: lengthSize) else {
        let size = unsafe Int(packet.pointee.size)
        return Packet(tick: tick, role: .follows, byteCount: size, objection: objection ?? "the file is damaged there")
      }
      let found = unsafe parameterSets.look(at: packet.bytes, places)
      (role, objection) = (found.role, objection ?? found.objection)
    } else {
      let found = unsafe FrameHeader.look(
        at: packet.bytes, isKey: packet.pointee.flags & AV_PKT_FLAG_KEY != 0, coding, configuration)
      (role, objection) = (found.role, objection ?? found.objection)
    }
    return Packet(tick: tick, role: role, byteCount: unsafe Int(packet.pointee.size), objection: objection)
  }

  /// The packet that `next` read, as segment files hold it: units stand behind start codes. It is valid until the next call.
  ///
  /// - Parameter breaksLink: whether other pictures come before it than in the source, so that a clean entry of HEVC becomes a broken link.
  /// - Throws: `MediaError` `outOfMemory`.
  func packet(breaksLink: Bool = false) throws(MediaError) -> UnsafeMutablePointer<AVPacket> {
    let packet = unsafe demuxer.packet.pointer
    guard let parameterSets else { return unsafe packet }
    let bytes = unsafe packet.bytes
    guard let places = unsafe CodedUnits.places(in: bytes, lengthSize: lengthSize) else {
      throw MediaError(.corrupt, at: place, "a packet is no sequence of units")
    }
    switch parameterSets {
    case .hevc: try unsafe packet.replaceData(with: HEVCUnits.copied(bytes, places, breaksLink: breaksLink))
    case .h264 where lengthSize != nil: try unsafe packet.replaceData(with: CodedUnits.withStartCodes(bytes, places))
    case .h264: break
    }
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
    // Other codecs than FFV1 need nothing of what stands beside the pictures, and it is not the movie's.
    let description =
      configuration == nil
      ? [] : unsafe Array(UnsafeBufferPointer(start: codec.pointee.extradata, count: Int(codec.pointee.extradata_size)))
    return try unsafe CodecParameters(
      copying: codec, timeBase: AVRational(frameDuration), extradata: parameterSets?.annexB ?? description,
      reorderDepth: reorderDepth)
  }
}
