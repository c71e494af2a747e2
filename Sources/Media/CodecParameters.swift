internal import CFFmpeg
internal import Glibc

/// What a decoder must know before the first packet, as an encoder or a segment file states it.
///
/// Immutable once made.
@safe package final class CodecParameters: @unchecked Sendable {  // nothing is written after init
  /// XXH3-128 of the codec's parameter sets (FFmpeg's extradata), hexadecimal: equal for all segments of a movie.
  package let parameterSetDigest: String
  /// Samples a channel before the first one that is to be heard; 0 for pictures.
  package let priming: Int
  /// Owned: freed in `deinit`.
  let codec: UnsafeMutablePointer<AVCodecParameters>
  /// The unit of a packet's position: a frame, or a sample.
  let timeBase: AVRational

  /// A copy of what `encoder`, which is open, says of itself.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  convenience init(of encoder: UnsafePointer<AVCodecContext>, priming: Int) throws(MediaError) {
    try unsafe self.init(timeBase: encoder.pointee.time_base, priming: priming) {
      unsafe avcodec_parameters_from_context($0, encoder)
    }
  }

  /// A copy of what a file says.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  convenience init(copying codec: UnsafePointer<AVCodecParameters>, timeBase: AVRational, priming: Int) throws(MediaError) {
    try unsafe self.init(timeBase: timeBase, priming: priming) { unsafe avcodec_parameters_copy($0, codec) }
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

  /// How many frames decoding may run ahead of showing: the reorder depth of pictures.
  var reorderDepth: Int64 { unsafe Int64(codec.pointee.video_delay) }

  var isFFV1: Bool { unsafe codec.pointee.codec_id == AV_CODEC_ID_FFV1 }

  var isPicture: Bool { unsafe codec.pointee.codec_type == AVMEDIA_TYPE_VIDEO }
}
