internal import CFFmpeg
internal import Formats
internal import MediaTime

extension TrackFacts {
  /// The most pictures that are examined for repeated fields. They last some seconds, in which film shows its cadence.
  private static let picturesLookedAt = 100

  /// Counts how many of the first pictures state that one of their fields is shown again, as they do in film in 30000/1001 frames
  /// a second ("soft telecine"). Takes the track's rate from the codec's own headers then. Only headers are read; nothing is
  /// decoded.
  ///
  /// FFmpeg estimates a rate from the first timestamps, which repeated fields make uneven. The estimate is anything from 24 to 36
  /// frames a second. It is used where a container states no rate (program streams), and some containers store it as their rate
  /// (Matroska).
  mutating func countRepeatedFields(in path: String, _ policy: SourcePolicy) throws(MediaError) {
    guard case .video(var video) = detail, rejection == nil, ["mpeg2video", "h264"].contains(codec),
      FilmCadence.mayBePulledDown(video)
    else { return }
    let demuxer = try Demuxer(path: path, track: self, policy: policy)
    let parser = try unsafe PictureParser(demuxer.stream(index), at: demuxer.path)
    var found = RepeatedFields(count: 0, pictures: 0)
    while found.pictures < Self.picturesLookedAt, try demuxer.nextPacket(of: index) {
      found.pictures += 1
      if parser.repeatsField(demuxer.packet) { found.count += 1 }
    }
    guard found.count > 0 else { return }
    if let rate = parser.frameRate, let cadence = FilmCadence(at: rate), cadence.isPulledDown {
      (video.nominalFrameRate, video.baseFrameRate) = (rate, try demuxer.exact { () throws(TimeError) in try rate * 2 })
    }
    video.repeatedFields = found
    detail = .video(video)
  }
}

/// FFmpeg's parser of a codec's headers (av_parser_parse2). One thread at a time.
@safe private final class PictureParser {
  /// The parser's `repeat_pict` for a picture that is shown for three fields. For two fields it is 1.
  private static let threeFields: Int32 = 2

  private let parser: UnsafeMutablePointer<AVCodecParserContext>
  private let context: UnsafeMutablePointer<AVCodecContext>

  init(_ stream: UnsafeMutablePointer<AVStream>, at place: String) throws(MediaError) {
    let parameters = unsafe stream.pointee.codecpar!
    guard let parser = unsafe av_parser_init(Int32(bitPattern: parameters.pointee.codec_id.rawValue)) else {
      throw MediaError(.unsupported, at: place, "FFmpeg has no parser of \(unsafe parameters.pointee.codecName) here")
    }
    guard let context = unsafe avcodec_alloc_context3(nil) else {
      unsafe av_parser_close(parser)
      throw MediaError(.outOfMemory, at: place, "no memory for a parser")
    }
    unsafe (self.parser, self.context) = (parser, context)
    // A demuxer's packets are whole pictures.
    unsafe parser.pointee.flags |= PARSER_FLAG_COMPLETE_FRAMES
    // H.264 counts time in fields. Its decoder would set this number, but no decoder is opened here.
    if unsafe parameters.pointee.codec_id == AV_CODEC_ID_H264 { unsafe context.pointee.ticks_per_frame = 2 }
    let code = unsafe avcodec_parameters_to_context(context, parameters)
    guard code >= 0 else { throw MediaError(code, from: "avcodec_parameters_to_context", at: place) }
  }

  deinit {
    unsafe av_parser_close(parser)
    var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
    unsafe avcodec_free_context(&context)
  }

  /// The rate that the headers read so far state, in frames a second; nil where they state none.
  var frameRate: MediaTime? {
    let rate = unsafe context.pointee.framerate
    // A positive timescale always makes a time.
    return rate.num > 0 && rate.den > 0 ? try? MediaTime(Int64(rate.num), rate.den) : nil
  }

  /// Parses a packet, and returns whether one of its picture's fields is shown again.
  func repeatsField(_ packet: OwnedPacket) -> Bool {
    var (data, size): (UnsafeMutablePointer<UInt8>?, Int32) = (nil, 0)
    let raw = unsafe packet.pointer.pointee
    _ = unsafe av_parser_parse2(parser, context, &data, &size, raw.data, raw.size, raw.pts, raw.dts, raw.pos)
    return unsafe parser.pointee.repeat_pict == Self.threeFields
  }
}
