internal import CFFmpeg
package import Formats
internal import Glibc
internal import MediaTime

/// Examines an asset: its container and, for each track, its timing, size, colour, and whether it can be decoded.
package enum AssetProbe {
  /// Examines a file, or what a URL names. Any thread.
  ///
  /// It reads the headers, the first packets of each track, and the end of each sound track. Where only that tells how long a
  /// track is, it reads the whole file, up to a bound. Times count from the asset's zero. They are exact where a `MediaTime` can
  /// hold them, else rounded to the microsecond. A track that cannot be decoded is no error: its `rejection` says why.
  ///
  /// - Throws: `MediaError` when the policy refuses the source, it cannot be read, is no media, has no tracks, or is a still
  ///   picture that cannot be decoded.
  package static func facts(of path: String, policy: SourcePolicy) throws(MediaError) -> AssetFacts {
    let demuxer = try Demuxer(path: path, policy: policy)
    var tracks: [TrackFacts] = []
    let size = demuxer.byteCount
    guard size >= 0 else { throw MediaError(Int32(clamping: size), from: "avio_size", at: demuxer.path) }
    for index in 0..<demuxer.streamCount {
      var track = try demuxer.facts(ofTrack: index)
      track.intactEnd = try demuxer.intactEnd(ofTrack: index, byteCount: size)
      tracks.append(track)
    }
    for index in try demuxer.encryptedTracks() { tracks[index].rejection = "is encrypted" }
    guard !tracks.isEmpty else { throw MediaError(.corrupt, at: demuxer.path, "has no tracks") }
    let boxes = MovieBoxes(demuxer)
    let timecode = demuxer.timecode(of: tracks, in: boxes)
    if let boxes {
      for (index, track) in zip(tracks.indices, boxes.tracks) { tracks[index].learn(from: track, in: boxes) }
    }
    let isStill = AssetFacts.isStillPicture(demuxer.formatName)
    if !isStill { try tracks.measure(path, policy) }
    for index in tracks.indices {
      try tracks[index].lookAtFirstPicture(
        in: path, policy, isStill: isStill, asksForFields: !isStill && demuxer.mayHideFields(ofTrack: index))
    }
    for index in tracks.indices where !isStill { try tracks[index].countRepeatedFields(in: path, policy) }
    for index in tracks.indices { try tracks[index].listen(to: path, policy) }
    try demuxer.requireRead()
    let composable = tracks.filter { $0.media != nil }
    var facts = AssetFacts(
      container: demuxer.formatName, duration: composable.map(\.timeRange.end).max() ?? .zero, byteCount: size, tracks: tracks,
      version: demuxer.version, comment: demuxer.comment)
    facts.timecode = timecode
    facts.words = demuxer.words
    return facts
  }
}

extension TrackFacts {
  /// Takes what FFmpeg does not read from the track's boxes: its clean aperture, and the form of its alpha.
  fileprivate mutating func learn(from track: MovieBoxes.Box, in boxes: MovieBoxes) {
    guard case .video(var video) = detail else { return }
    if let aperture = CleanAperture.aperture(of: track, in: boxes, video.naturalSize) {
      video.cleanAperture = aperture
      video.displaySize = Demuxer.displaySize(aperture.width, aperture.height, pixelAspect: video.pixelAspect, video.orientation)
    }
    if video.alpha != nil { video.alpha = AlphaForm(ofTrack: track, in: boxes) }
    detail = .video(video)
  }

  /// Finds out what only a decoded picture tells. For a stream these are the HDR metadata and the field order, where the
  /// container does not state them. For a still picture they are the orientation, which its EXIF states, and whether it is opaque.
  ///
  /// - Throws: `MediaError` `corrupt` for a still picture that cannot be decoded.
  fileprivate mutating func lookAtFirstPicture(
    in path: String, _ policy: SourcePolicy, isStill: Bool, asksForFields: Bool
  ) throws(MediaError) {
    guard case .video(var video) = detail else { return }
    guard isStill || rejection == nil && (asksForFields || video.color.isHighRange) else { return }
    if isStill { return try lookAtStill(in: Demuxer(path: path, policy: policy), &video) }
    let demuxer = try Demuxer(path: path, track: self, policy: policy)
    let decoder = try unsafe Decoder(demuxer.stream(index), threads: 1, at: demuxer.path)
    for _ in 0..<Demuxer.packetsLookedAt {
      switch try decoder.receive() {
      case .needsPacket: try unsafe decoder.send(demuxer.nextPacket(of: index) ? demuxer.packet.pointer : nil)
      case .ended: return
      case .frame(let frame):
        if video.hdrMetadata == nil { video.hdrMetadata = HDRMetadata(of: frame) }
        video.fieldOrder = frame.fieldOrder ?? video.fieldOrder
        let dynamic = DynamicHDR.allCases.filter { unsafe $0.isThere(in: frame, of: demuxer.stream(index)) }
        video.dynamicHDR = dynamic.isEmpty ? nil : dynamic
        detail = .video(video)
        return
      }
    }
  }

  private mutating func lookAtStill(in demuxer: Demuxer, _ video: inout VideoFacts) throws(MediaError) {
    let picture = try FirstPicture(of: demuxer, track: index)
    video.orientation = picture.orientation
    if video.alpha != nil, try unsafe PixelBuffer.Alpha(of: picture.frame.pointer.pointee, .yuv420) == nil { video.alpha = nil }
    let size = video.naturalSize
    video.displaySize = Demuxer.displaySize(
      Double(size.width), Double(size.height), pixelAspect: video.pixelAspect, video.orientation)
    detail = .video(video)
    if picture.isDamaged { isDamaged = true }
  }
}

extension DynamicHDR {
  /// Whether a stream has them, by what stands beside its first picture and in its container.
  fileprivate func isThere(in frame: OwnedFrame, of stream: UnsafeMutablePointer<AVStream>) -> Bool {
    switch self {
    case .hdr10Plus: unsafe av_frame_get_side_data(frame.pointer, AV_FRAME_DATA_DYNAMIC_HDR_PLUS) != nil
    case .dolbyVision:
      unsafe av_stream_get_side_data(stream, AV_PKT_DATA_DOVI_CONF, nil) != nil
        || av_frame_get_side_data(frame.pointer, AV_FRAME_DATA_DOVI_METADATA) != nil
        || av_frame_get_side_data(frame.pointer, AV_FRAME_DATA_DOVI_RPU_BUFFER) != nil
    }
  }
}

extension FieldOrder {
  /// Nil for progressive pictures, and where the order is unknown.
  fileprivate init?(_ order: AVFieldOrder) {
    switch order {
    // The mixed orders are those of frames that hold the lines of both fields among each other. There the first letter names the field that
    // is shown first: in QuickTime's `fiel` (9 and 14), in Matroska, and in all that FFmpeg writes.
    case AV_FIELD_TT, AV_FIELD_TB: self = .topFirst
    case AV_FIELD_BB, AV_FIELD_BT: self = .bottomFirst
    default: return nil
    }
  }
}

extension Demuxer {
  /// The comment in the container's metadata.
  fileprivate var comment: String? {
    guard let entry = unsafe av_dict_get(context.pointee.metadata, "comment", nil, 0) else { return nil }
    return unsafe String(cString: entry.pointee.value)
  }

  func facts(ofTrack index: Int) throws(MediaError) -> TrackFacts {
    let stream = unsafe stream(index)
    let parameters = unsafe stream.pointee.codecpar.pointee
    let detail: TrackFacts.Detail =
      if unsafe !stream.pointee.isPlayedBack {
        .other
      } else if unsafe parameters.codec_type == AVMEDIA_TYPE_VIDEO {
        .video(unsafe videoFacts(stream))
      } else {
        .audio(unsafe audioFacts(parameters))
      }
    return TrackFacts(
      index: index, codec: codecName(index),
      naturalTimeScale: unsafe stream.pointee.time_base.den, timeRange: try timeRange(ofTrack: index), detail: detail,
      rejection: unsafe rejection(stream, detail))
  }

  /// Whether the pictures may be interlaced although the file's headers do not say so.
  fileprivate func mayHideFields(ofTrack index: Int) -> Bool {
    let parameters = unsafe stream(index).pointee.codecpar.pointee
    let codecs = [
      AV_CODEC_ID_MPEG2VIDEO, AV_CODEC_ID_H264, AV_CODEC_ID_MPEG4, AV_CODEC_ID_VC1, AV_CODEC_ID_DVVIDEO, AV_CODEC_ID_PRORES,
      AV_CODEC_ID_MJPEG, AV_CODEC_ID_DNXHD,
    ]
    // Writers do not agree on what the mixed orders mean; the frames themselves are clear.
    let unclear = [AV_FIELD_UNKNOWN, AV_FIELD_TB, AV_FIELD_BT]
    guard unsafe unclear.contains(parameters.field_order) else { return false }
    return unsafe codecs.contains(parameters.codec_id)
  }

  /// The decode time of the first packet that the format's index places beyond the end of the file. All frames before it are
  /// there. Nil when there is no such packet, or the format has no complete index.
  fileprivate func intactEnd(ofTrack index: Int, byteCount: Int64) throws(MediaError) -> MediaTime? {
    // Only QuickTime's index has every packet. Other formats list some packets, or guess their positions.
    guard formatName.hasPrefix("mov") else { return nil }
    let stream = unsafe stream(index)
    let count = unsafe avformat_index_get_entries_count(stream)
    for position in 0..<count {
      guard let entry = unsafe avformat_index_get_entry(stream, position),
        unsafe entry.pointee.pos + Int64(entry.pointee.size) > byteCount,
        let time = try unsafe stream.pointee.seconds(entry.pointee.timestamp, path)
      else { continue }
      return try exact { () throws(TimeError) in try Self.mediaTime(time - origin) }
    }
    return nil
  }

  /// The tracks that are encrypted although nothing in the file's header says so (ISO/IEC 23001-7 without a 'pssh' box): their
  /// packets say it. Only the first packets are read. FFmpeg has read most of them already to find the streams.
  fileprivate func encryptedTracks() throws(MediaError) -> Set<Int> {
    guard formatName.hasPrefix("mov") else { return [] }
    var found: Set<Int> = []
    for _ in 0..<Self.packetsLookedAt {
      unsafe av_packet_unref(packet.pointer)
      // An error here is not reported: whoever needs these packets later meets it again.
      guard unsafe av_read_frame(context, packet.pointer) >= 0 else { break }
      guard unsafe av_packet_get_side_data(packet.pointer, AV_PKT_DATA_ENCRYPTION_INFO, nil) != nil else { continue }
      unsafe found.insert(Int(packet.pointer.pointee.stream_index))
    }
    return found
  }

  /// The number of packets that are examined: enough to meet every track of an interleaved file.
  fileprivate static let packetsLookedAt = 64

  /// The end of the track's last frame or sample, in seconds of the container's clock, by what the file says of this track alone.
  /// Nil where it says nothing.
  func statedEnd(ofTrack index: Int) throws(MediaError) -> Rational? {
    let stream = unsafe stream(index).pointee
    let start = try unsafe stream.seconds(stream.start_time, path) ?? Rational(0)
    guard unsafe !isUndetermined(stream) else { return nil }
    if unsafe stream.duration > 0, let duration = try unsafe stream.seconds(stream.duration, path) {
      let lead = try lead(ofTrack: index)
      return try exact { () throws(TimeError) in try start + duration - lead }
    }
    // Matroska states the track's end as text, "00:01:02.345000000", counted from the container's zero.
    guard let entry = unsafe av_dict_get(stream.metadata, "DURATION", nil, AV_DICT_IGNORE_SUFFIX) else { return nil }
    var microseconds: Int64 = 0
    guard unsafe av_parse_time(&microseconds, entry.pointee.value, 1) >= 0, microseconds > 0 else { return nil }
    return try exact { () throws(TimeError) in try Rational(Int128(microseconds), over: 1_000_000) }
  }

  /// The time, in seconds, that the track's stated duration counts before its first packet. In a fragmented QuickTime file FFmpeg
  /// takes the end of the last fragment for the duration. Such a file may begin with a late fragment, as segments of streams do.
  /// The result is 0 for all other files.
  private func lead(ofTrack index: Int) throws(MediaError) -> Rational {
    let stream = unsafe stream(index)
    guard formatName.hasPrefix("mov"), unsafe stream.pointee.nb_frames == 0,
      let first = unsafe avformat_index_get_entry(stream, 0)
    else { return Rational(0) }
    return try unsafe stream.pointee.seconds(max(first.pointee.timestamp, 0), path) ?? Rational(0)
  }

  /// Whether the file says that the track's length is not known: ISO 14496-12 writes a duration of all ones for that, which FFmpeg
  /// takes for a number.
  private func isUndetermined(_ stream: AVStream) -> Bool {
    unsafe formatName.hasPrefix("mov") && stream.duration == Int64(UInt32.max)
  }

  private func timeRange(ofTrack index: Int) throws(MediaError) -> MediaTimeRange {
    let stream = unsafe stream(index).pointee
    let start = try unsafe stream.seconds(stream.start_time, path) ?? Rational(0)
    var end = try statedEnd(ofTrack: index)
    // FFmpeg makes it from all tracks.
    let isWholeKnown = !(0..<streamCount).contains { unsafe isUndetermined(self.stream($0).pointee) }
    let whole = unsafe context.pointee.duration
    if end == nil, isWholeKnown, whole > 0 {
      let zero = unsafe max(context.pointee.start_time, 0)
      end = try exact { () throws(TimeError) in try Rational(Int128(zero) + Int128(whole), over: Int128(spool_AV_TIME_BASE)) }
    }
    return try exact { () throws(TimeError) in
      let first = try Self.mediaTime(start - origin)
      return try MediaTimeRange(start: first, end: max(first, Self.mediaTime((end ?? start) - origin)))
    }
  }

  static func mediaTime(_ seconds: Rational) throws(TimeError) -> MediaTime {
    do { return try MediaTime(seconds) } catch {
      return try MediaTime(Rational((seconds * Rational(1_000_000)).rounded(), over: 1_000_000))
    }
  }

  /// Does time arithmetic on numbers from a file. A number that does not fit is reported as damage of the file.
  func exact<Value>(_ body: () throws(TimeError) -> Value) throws(MediaError) -> Value {
    do { return try body() } catch { throw MediaError(.corrupt, at: path, "\(error)") }
  }

  private func videoFacts(_ stream: UnsafeMutablePointer<AVStream>) -> VideoFacts {
    let parameters = unsafe stream.pointee.codecpar.pointee
    let size = unsafe PixelSize(Int(parameters.width), Int(parameters.height))
    var byteCount = 0
    let matrix = unsafe av_stream_get_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, &byteCount)
    let orientation = unsafe Orientation(sideData: matrix, byteCount: byteCount)
    let stated = unsafe av_guess_sample_aspect_ratio(context, stream, nil)
    let aspect = Self.plausible(stated) ? PixelSize(Int(stated.num), Int(stated.den)) : PixelSize(1, 1)
    let code = unsafe AVPixelFormat(rawValue: parameters.format)
    return VideoFacts(
      naturalSize: size, displaySize: Self.displaySize(Double(size.width), Double(size.height), pixelAspect: aspect, orientation),
      orientation: orientation, pixelAspect: aspect,
      nominalFrameRate: unsafe Self.frameRate(stream.pointee), pixelFormat: PixelBuffer.name(of: code),
      bitDepth: PixelFormat(holding: code)?.bitDepth ?? 0, color: colorTags(ofTrack: unsafe Int(stream.pointee.index)),
      baseFrameRate: unsafe Self.rate(stream.pointee.r_frame_rate), hdrMetadata: unsafe HDRMetadata(of: stream),
      fieldOrder: unsafe FieldOrder(parameters.field_order),
      alpha: unsafe hasAlpha(ofTrack: Int(stream.pointee.index)) ? .straight : nil)
  }

  /// The size in square pixels, in the orientation in which it is shown. As in QuickTime, the width is scaled and the height
  /// stays.
  fileprivate static func displaySize(
    _ width: Double, _ height: Double, pixelAspect aspect: PixelSize, _ orientation: Orientation
  ) -> PixelSize {
    let (across, down) = (
      max(1, Int((width * Double(aspect.width) / Double(aspect.height)).rounded())), max(1, Int(height.rounded()))
    )
    return orientation.swapsAxes ? PixelSize(down, across) : PixelSize(across, down)
  }

  /// Whether a pixel's sides differ by a factor of 64 at most. No real file has more, but broken ones state it.
  private static func plausible(_ aspect: AVRational) -> Bool {
    aspect.num > 0 && aspect.den > 0 && aspect.num / 64 <= aspect.den && aspect.den / 64 <= aspect.num
  }

  private static func frameRate(_ stream: AVStream) -> MediaTime? {
    guard unsafe stream.nb_frames != 1 else { return nil }
    return unsafe rate(stream.avg_frame_rate)
  }

  private static func rate(_ rate: AVRational) -> MediaTime? {
    // `try?` loses no error here: a positive timescale always makes a time.
    rate.num > 0 && rate.den > 0 ? try? MediaTime(Int64(rate.num), rate.den) : nil
  }

  private func audioFacts(_ parameters: AVCodecParameters) -> AudioFacts {
    var name = [CChar](repeating: 0, count: 256)
    var layout = unsafe parameters.ch_layout
    _ = unsafe av_channel_layout_describe(&layout, &name, name.count)
    return unsafe AudioFacts(
      sampleRate: parameters.sample_rate, channelCount: Int(parameters.ch_layout.nb_channels),
      channelLayout: String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self))
  }

  /// The reason why the track cannot be decoded, as far as its parameters tell; nil where they tell none.
  private func rejection(_ stream: UnsafeMutablePointer<AVStream>, _ detail: TrackFacts.Detail) -> String? {
    let parameters = unsafe stream.pointee.codecpar.pointee
    if unsafe stream.isEncrypted { return "is encrypted" }
    if case .other = detail { return nil }
    // FFmpeg uses values next to 2^63 for its own purposes: with timestamps near them it does not know the start.
    let (start, length) = unsafe (stream.pointee.start_time, stream.pointee.duration)
    if [start, length].contains(where: { $0 != spool_AV_NOPTS_VALUE && $0.magnitude > Self.maxTick }) { return Self.outOfRange }
    guard unsafe Decoder.codec(of: stream) != nil else {
      return "no decoder for \(unsafe parameters.codecName)\(unsafe stream.hasAlphaBeside ? " with alpha" : "")"
    }
    switch detail {
    case .video(let video):
      if video.naturalSize.width <= 0 || video.naturalSize.height <= 0 { return "the size of its pictures is unknown" }
      if unsafe parameters.format < 0 { return "none of its first pictures can be decoded" }
      if video.bitDepth == 0 { return "the pixel format \(video.pixelFormat) is not supported" }
      if let profile = unsafe stream.dolbyVisionAlone {
        return "its colours are Dolby Vision profile \(profile), which has no base layer that others can show"
      }
    case .audio(let audio):
      if audio.sampleRate <= 0 || audio.channelCount <= 0 { return "none of its first samples can be decoded" }
    case .other: break
    }
    return nil
  }
}

extension UnsafeMutablePointer<AVStream> {
  /// The profile of a Dolby Vision stream whose pictures are in Dolby's own colours (IPT-PQ-c2): profile 5, and profiles from 8
  /// on without a compatible base layer. Nil for all others, whose base layer is PQ, HLG or BT.709 as it is tagged.
  fileprivate var dolbyVisionAlone: Int? {
    guard let data = unsafe av_stream_get_side_data(self, AV_PKT_DATA_DOVI_CONF, nil) else { return nil }
    let record = unsafe UnsafeRawPointer(data).loadUnaligned(as: AVDOVIDecoderConfigurationRecord.self)
    let isCompatible = record.dv_bl_signal_compatibility_id != 0 || record.dv_profile < 8
    return record.dv_profile == 5 || !isCompatible ? Int(record.dv_profile) : nil
  }

  /// Whether the track is encrypted, by its sample entry (QuickTime), its decryption data, or the name of its key (Matroska).
  var isEncrypted: Bool {
    let tag = unsafe pointee.codecpar.pointee.codec_tag
    let entries = ["encv", "enca", "enct", "encs", "drmi", "drms", "drmt"].map { name in
      name.utf8.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    }
    return unsafe entries.contains(tag) || av_stream_get_side_data(self, AV_PKT_DATA_ENCRYPTION_INIT_INFO, nil) != nil
      || av_dict_get(pointee.metadata, "enc_key_id", nil, 0) != nil
  }
}

extension AVCodecParameters {
  /// FFmpeg's name of the codec. For a codec that FFmpeg does not know it is the file's own four letters, such as "vvc1", or
  /// "unknown".
  var codecName: String {
    if unsafe codec_id != AV_CODEC_ID_NONE { return unsafe String(cString: avcodec_get_name(codec_id)) }
    let tag = unsafe codec_tag
    let letters = (0..<4).map { UInt8(truncatingIfNeeded: tag >> ($0 * 8)) }
    return letters.allSatisfy { (0x20..<0x7f).contains($0) } ? String(decoding: letters, as: UTF8.self) : "unknown"
  }
}
