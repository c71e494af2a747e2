internal import CFFmpeg
internal import Formats

/// A still picture that stands alone in some bytes, such as those of a PNG file.
package enum SinglePicture {
  /// Decodes a picture, with its alpha.
  ///
  /// - Parameters:
  ///   - codec: FFmpeg's name of the codec.
  ///   - place: the place that errors name.
  /// - Throws: `MediaError`; `corrupt` for what is no such picture, or is damaged.
  package static func decoded(_ bytes: [UInt8], codec: String, at place: String) throws(MediaError) -> PixelBuffer {
    guard let decoder = unsafe avcodec_find_decoder_by_name(codec), let context = unsafe avcodec_alloc_context3(decoder) else {
      throw MediaError(spool_AVERROR_DECODER_NOT_FOUND, from: "avcodec_find_decoder_by_name", at: place)
    }
    var owned: UnsafeMutablePointer<AVCodecContext>? = unsafe context
    defer { unsafe avcodec_free_context(&owned) }
    unsafe context.pointee.thread_count = 1
    // FFmpeg's decoder of TIFF takes tags that it does not know, such as the unit of a resolution, for errors when it is told to be strict.
    unsafe context.pointee.err_recognition = codec == "tiff" ? 0 : AV_EF_CRCCHECK | AV_EF_EXPLODE
    try check(unsafe avcodec_open2(context, decoder, nil), "avcodec_open2", at: place)
    let packet = try OwnedPacket()
    try check(unsafe av_new_packet(packet.pointer, Int32(bytes.count)), "av_new_packet", at: place)
    unsafe bytes.withUnsafeBufferPointer { unsafe packet.pointer.pointee.data.update(from: $0.baseAddress!, count: $0.count) }
    try check(unsafe avcodec_send_packet(context, packet.pointer), "avcodec_send_packet", at: place)
    try check(unsafe avcodec_send_packet(context, nil), "avcodec_send_packet", at: place)
    let frame = try OwnedFrame()
    try check(unsafe avcodec_receive_frame(context, frame.pointer), "avcodec_receive_frame", at: place)
    return try PixelBuffer.decoded(frame, fallback: .still, alpha: .straight, at: place)
  }

  private static func check(_ code: Int32, _ call: String, at place: String) throws(MediaError) {
    if code == spool_AVERROR_EOF { throw MediaError(.corrupt, at: place, "holds no picture") }
    guard code >= 0 else { throw MediaError(code, from: call, at: place) }
  }
}
