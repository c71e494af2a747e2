internal import CFFmpeg
internal import Formats

/// A picture as the bytes of a JPEG file. It has no colour tags: viewers take BT.601's matrix with full range, and sRGB's primaries.
package struct JPEGImage: Sendable {
  package let bytes: [UInt8]

  /// - Parameter quantizer: 2 (best) to 31.
  /// - Precondition: the picture is in 4:2:0 of 8 bits and full range, with even sides.
  /// - Throws: `MediaError` `outOfMemory`, and `unsupported` when FFmpeg cannot encode such a picture.
  package init(_ picture: PixelBuffer, quantizer: Int32 = 3) throws(MediaError) {
    precondition(picture.format == PixelFormat(.yuv420, bitDepth: 8) && 2...31 ~= quantizer)
    let encoder = try unsafe Encoder("mjpeg") { context in
      unsafe (context.pointee.width, context.pointee.height) = (Int32(picture.width), Int32(picture.height))
      unsafe context.pointee.pix_fmt = picture.format.code
      unsafe context.pointee.color_range = AVCOL_RANGE_JPEG
      unsafe context.pointee.time_base = AVRational(num: 1, den: 1)
      unsafe context.pointee.sample_aspect_ratio = AVRational(num: 1, den: 1)
      unsafe context.pointee.flags |= AV_CODEC_FLAG_QSCALE
      unsafe context.pointee.global_quality = quantizer * FF_QP2LAMBDA
    }
    let frame = try OwnedFrame()
    let code = unsafe av_frame_ref(frame.pointer, picture.frame)
    guard code >= 0 else { throw MediaError(code, from: "av_frame_ref", at: "frame") }
    unsafe (frame.pointer.pointee.pts, frame.pointer.pointee.pict_type) = (0, AV_PICTURE_TYPE_NONE)
    unsafe frame.pointer.pointee.quality = quantizer * FF_QP2LAMBDA
    unsafe frame.pointer.pointee.color_range = AVCOL_RANGE_JPEG
    var bytes: [UInt8] = []
    let collect = { (packet: UnsafeMutablePointer<AVPacket>) in
      unsafe bytes += UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))
    }
    try unsafe encoder.encode(frame.pointer, receive: collect)
    try unsafe encoder.encode(nil, receive: collect)
    self.bytes = bytes
  }
}
