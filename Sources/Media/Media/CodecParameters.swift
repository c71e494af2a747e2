internal import CFFmpeg
internal import Glibc

/// The codec parameters that a decoder needs before the first packet, as an encoder or a segment file states them.
///
/// They never change after `init`.
@safe package final class CodecParameters: @unchecked Sendable {  // nothing is written after init
  /// The XXH3-128 of the codec's parameter sets (FFmpeg's extradata), hexadecimal. It is equal for all segments of a movie.
  package let parameterSetDigest: String
  /// The number of samples a channel before the first one that is to be heard; 0 for pictures.
  package let priming: Int
  /// Owned: freed in `deinit`.
  let codec: UnsafeMutablePointer<AVCodecParameters>
  /// The unit of a packet's position: the duration of a frame, or of a sample.
  let timeBase: AVRational

  /// Copies the parameters of `encoder`, which is open.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  convenience init(of encoder: UnsafePointer<AVCodecContext>, priming: Int) throws(MediaError) {
    try unsafe self.init(timeBase: encoder.pointee.time_base, priming: priming) {
      unsafe avcodec_parameters_from_context($0, encoder)
    }
  }

  /// Copies the parameters that a file states.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  convenience init(copying codec: UnsafePointer<AVCodecParameters>, timeBase: AVRational, priming: Int) throws(MediaError) {
    try unsafe self.init(timeBase: timeBase, priming: priming) { unsafe avcodec_parameters_copy($0, codec) }
  }

  /// Joins the parameters of segments of one track, some of which were copied from sources: all parameter sets, and the largest
  /// reorder depth.
  ///
  /// - Parameter path: the place that errors name.
  /// - Precondition: there is at least one.
  /// - Throws: `MediaError` `corrupt` where they do not go together, `outOfMemory`.
  convenience init(joining all: [CodecParameters], at path: String) throws(MediaError) {
    let depth = all.map(\.reorderDepth).max() ?? 0
    let digests = Set(all.map(\.parameterSetDigest))
    let first = all[0]
    var extradata = unsafe Array(
      UnsafeBufferPointer(start: first.codec.pointee.extradata, count: Int(first.codec.pointee.extradata_size)))
    if digests.count > 1 {
      var joined: ParameterSets?
      for one in all {
        guard let sets = unsafe ParameterSets(of: one.codec.pointee), let more = joined.map({ $0.joined(with: sets) }) ?? sets
        else { throw MediaError(.corrupt, at: path, "its parameter sets do not go together with those of other segments") }
        joined = more
      }
      extradata = joined?.configuration ?? []
    }
    try unsafe self.init(copying: first.codec, timeBase: first.timeBase, extradata: extradata, reorderDepth: Int(depth))
  }

  /// The same, with the decoder's configuration of H.264 as mp4 and Matroska have it in place of start codes; nil for other codecs, and where its sets
  /// cannot be read. FFmpeg's muxers then take packets as they are, and search none for start codes.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  var withConfiguration: CodecParameters? {
    get throws(MediaError) {
      guard unsafe codec.pointee.codec_id == AV_CODEC_ID_H264, unsafe ParameterSets.lengthSize(of: codec.pointee) == nil,
        let sets = unsafe ParameterSets(of: codec.pointee)
      else { return nil }
      return try unsafe CodecParameters(
        copying: codec, timeBase: timeBase, extradata: sets.configuration, reorderDepth: Int(reorderDepth))
    }
  }

  /// Copies the parameters of pictures that are copied.
  ///
  /// - Parameters:
  ///   - extradata: the codec's parameter sets.
  ///   - reorderDepth: the number of frames by which decoding may run ahead of showing.
  /// - Throws: `MediaError` `outOfMemory`.
  convenience init(
    copying codec: UnsafePointer<AVCodecParameters>, timeBase: AVRational, extradata: [UInt8], reorderDepth: Int
  ) throws(MediaError) {
    try unsafe self.init(timeBase: timeBase, priming: 0) { copy in
      let code = unsafe avcodec_parameters_copy(copy, codec)
      guard code >= 0 else { return code }
      unsafe av_freep(&copy.pointee.extradata)
      unsafe copy.pointee.extradata_size = 0
      unsafe copy.pointee.video_delay = Int32(reorderDepth)
      guard !extradata.isEmpty else { return 0 }
      guard let bytes = unsafe av_mallocz(extradata.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else { return -ENOMEM }
      unsafe copy.pointee.extradata = bytes.assumingMemoryBound(to: UInt8.self)
      unsafe copy.pointee.extradata_size = Int32(extradata.count)
      unsafe extradata.withUnsafeBufferPointer { unsafe copy.pointee.extradata.update(from: $0.baseAddress!, count: $0.count) }
      return 0
    }
  }

  private init(
    timeBase: AVRational, priming: Int, fill: (UnsafeMutablePointer<AVCodecParameters>) -> Int32
  ) throws(MediaError) {
    guard let codec = unsafe avcodec_parameters_alloc() else {
      throw MediaError(-ENOMEM, from: "avcodec_parameters_alloc", at: "FFmpeg")
    }
    guard unsafe fill(codec) >= 0 else {
      var codec: UnsafeMutablePointer<AVCodecParameters>? = unsafe codec
      unsafe avcodec_parameters_free(&codec)
      throw MediaError(-ENOMEM, from: "avcodec_parameters_copy", at: "FFmpeg")
    }
    unsafe self.codec = codec
    self.timeBase = timeBase
    self.priming = priming
    parameterSetDigest = try unsafe FileHash.digest(
      of: UnsafeRawBufferPointer(start: codec.pointee.extradata, count: Int(codec.pointee.extradata_size)))
  }

  deinit {
    var codec: UnsafeMutablePointer<AVCodecParameters>? = unsafe codec
    unsafe avcodec_parameters_free(&codec)
  }

  /// The reorder depth of pictures: the number of frames by which decoding may run ahead of showing.
  var reorderDepth: Int64 { unsafe Int64(codec.pointee.video_delay) }

  /// The four characters by which a segment file names the codec, where NUT's muxer knows none; nil elsewhere.
  var tagInNUT: String? {
    switch unsafe codec.pointee.codec_id {
    case AV_CODEC_ID_ALAC: "alac"
    case AV_CODEC_ID_PRORES: "apch"
    case AV_CODEC_ID_DNXHD: "AVdh"
    case AV_CODEC_ID_WEBP: "WebP"
    case AV_CODEC_ID_TIFF: "TIFF"
    default: nil
    }
  }

  /// The codecs of segment files that NUT's demuxer does not know, by their four characters.
  static let codecsInNUT = ["alac": AV_CODEC_ID_ALAC, "WebP": AV_CODEC_ID_WEBP, "TIFF": AV_CODEC_ID_TIFF]

  /// Whether each packet carries a second one, of alpha, beside it.
  var hasAlphaBeside: Bool {
    unsafe codec.pointee.codec_id == AV_CODEC_ID_VP9 && codec.pointee.format == AV_PIX_FMT_YUVA420P.rawValue
  }

  /// Whether the codec's own stream has no field for the range of its samples.
  var tellsNoRange: Bool {
    let codecs = [AV_CODEC_ID_FFV1, AV_CODEC_ID_PRORES, AV_CODEC_ID_DNXHD, AV_CODEC_ID_V210]
    return codecs.contains(unsafe codec.pointee.codec_id)
  }

  /// Whether every container that holds the codec states its priming.
  var hasOwnDelay: Bool { unsafe codec.pointee.codec_id == AV_CODEC_ID_OPUS }

  var isEnhancedAC3: Bool { unsafe codec.pointee.codec_id == AV_CODEC_ID_EAC3 }

  var isAAC: Bool { unsafe codec.pointee.codec_id == AV_CODEC_ID_AAC }

  var isPicture: Bool { unsafe codec.pointee.codec_type == AVMEDIA_TYPE_VIDEO }
}
