internal import CFFmpeg
internal import MediaTime
internal import Timeline

extension TrackFacts {
  /// Pictures that are looked at for repeated fields: some seconds, in which film shows its cadence.
  private static let picturesLookedAt = 100

  /// Counts the first pictures that say that one of their fields is shown again, as film in 30000/1001 frames a second does ("soft
  /// telecine"), and takes its rate from the codec's own headers. Headers are read, nothing is decoded.
  ///
  /// FFmpeg reckons a rate from the first timestamps, which repeated fields make uneven: it comes to anything from 24 to 36 frames a second
  /// where a container gives no rate (program streams), and where the rate it gives is such a guess (Matroska).
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
  /// A picture that lasts three fields; of two it is 1.
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
    // H.264 counts fields; its decoder would say so, which is not opened here.
    if unsafe parameters.pointee.codec_id == AV_CODEC_ID_H264 { unsafe context.pointee.ticks_per_frame = 2 }
    let code = unsafe avcodec_parameters_to_context(context, parameters)
    guard code >= 0 else { throw MediaError(code, from: "avcodec_parameters_to_context", at: place) }
  }

  deinit {
    unsafe av_parser_close(parser)
    var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
    unsafe avcodec_free_context(&context)
  }

  /// Frames a second that the headers read so far say; nil where they say none.
  var frameRate: MediaTime? {
    let rate = unsafe context.pointee.framerate
    // A positive timescale always makes a time.
    return rate.num > 0 && rate.den > 0 ? try? MediaTime(Int64(rate.num), rate.den) : nil
  }

  func repeatsField(_ packet: OwnedPacket) -> Bool {
    var (data, size): (UnsafeMutablePointer<UInt8>?, Int32) = (nil, 0)
    let raw = unsafe packet.pointer.pointee
    _ = unsafe av_parser_parse2(parser, context, &data, &size, raw.data, raw.size, raw.pts, raw.dts, raw.pos)
    return unsafe parser.pointee.repeat_pict == Self.threeFields
  }
}
