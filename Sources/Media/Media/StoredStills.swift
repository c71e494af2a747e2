internal import CFFmpeg
package import Formats
package import MediaTime

/// Still pictures that lie in a segment file beside the movie's picture, as a track without loss.
package enum StoredStills {
  /// The settings by which they are encoded.
  package static let video = VideoCodecSettings(.ffv1(FFV1(chroma: .yuv420)), bitDepth: 8)

  /// Decodes the stills of a track, in their order.
  ///
  /// - Parameters:
  ///   - frameDuration: that of the movie.
  ///   - color: the colour that they have.
  ///   - size: the size that they must have.
  ///   - take: takes each still. What it throws ends the reading.
  /// - Throws: `MediaError` naming the segment file: `unreadable`, `corrupt` when it is not what its facts say.
  package static func read(
    _ input: SegmentInput, frameDuration: MediaTime, color: ColorTags, size: PixelSize, take: (PixelBuffer) throws -> Void
  ) throws {
    let reader = try SegmentReader(input, unit: AVRational(frameDuration))
    let decoder = try unsafe StillDecoder(reader.parameters.codec, at: input.path)
    let packet = try OwnedPacket()
    while try unsafe reader.next(into: packet.pointer) {
      let picture = try PixelBuffer.decoded(decoder.frame(of: packet), fallback: color, alpha: nil, at: input.path)
      guard picture.format == PixelFormat(.yuv420, bitDepth: 8), PixelSize(picture.width, picture.height) == size else {
        throw MediaError(.corrupt, at: input.path, "a still of \(picture.width)x\(picture.height) instead of \(size)")
      }
      try take(picture)
    }
  }
}

/// A decoder of pictures that each stand alone. One owner, one thread.
@safe private final class StillDecoder {
  /// Owned: freed in `deinit`.
  private let context: UnsafeMutablePointer<AVCodecContext>
  private let place: String

  init(_ parameters: UnsafePointer<AVCodecParameters>, at place: String) throws(MediaError) {
    self.place = place
    guard let codec = unsafe avcodec_find_decoder(parameters.pointee.codec_id),
      let context = unsafe avcodec_alloc_context3(codec)
    else { throw MediaError(spool_AVERROR_DECODER_NOT_FOUND, from: "avcodec_find_decoder", at: place) }
    unsafe self.context = context
    unsafe context.pointee.thread_count = 1
    unsafe context.pointee.err_recognition = AV_EF_CRCCHECK | AV_EF_EXPLODE
    try check(unsafe avcodec_parameters_to_context(context, parameters), "avcodec_parameters_to_context")
    unsafe context.pointee.thread_count = 1
    try check(unsafe avcodec_open2(context, codec, nil), "avcodec_open2")
  }

  deinit {
    var context: UnsafeMutablePointer<AVCodecContext>? = unsafe context
    unsafe avcodec_free_context(&context)
  }

  func frame(of packet: OwnedPacket) throws(MediaError) -> OwnedFrame {
    try check(unsafe avcodec_send_packet(context, packet.pointer), "avcodec_send_packet")
    let frame = try OwnedFrame()
    try check(unsafe avcodec_receive_frame(context, frame.pointer), "avcodec_receive_frame")
    return frame
  }

  private func check(_ code: Int32, _ call: String) throws(MediaError) {
    guard code >= 0 else { throw MediaError(code, from: call, at: place) }
  }
}

/// A sheet on which stills lie side by side.
@safe package struct StillSheet {
  package let picture: PixelBuffer

  /// A black sheet.
  ///
  /// - Precondition: the size is even, and no larger than a `PixelBuffer` may be.
  /// - Throws: `MediaError` `outOfMemory`.
  package init(_ size: PixelSize, color: ColorTags) throws(MediaError) {
    picture = try PixelBuffer(
      format: PixelFormat(.yuv420, bitDepth: 8), width: size.width, height: size.height, color: color)
    for index in 0..<3 {
      let plane = unsafe picture.plane(index)
      // Full range: black is 0, and chroma's zero is in the middle.
      for y in unsafe 0..<plane.height {
        unsafe (plane.base + y * plane.stride).update(repeating: index == 0 ? 0 : 128, count: plane.width)
      }
    }
  }

  /// Draws a still with its top left corner at a pixel.
  ///
  /// - Precondition: the still is in 4:2:0 of 8 bits, lies within the sheet, and both coordinates are even.
  package func draw(_ still: PixelBuffer, x: Int, y: Int) {
    precondition(still.format == picture.format && x % 2 == 0 && y % 2 == 0)
    precondition(x >= 0 && y >= 0 && x + still.width <= picture.width && y + still.height <= picture.height)
    for index in 0..<3 {
      let (from, to) = unsafe (still.plane(index), picture.plane(index))
      let (left, top) = index == 0 ? (x, y) : (x / 2, y / 2)
      for row in unsafe 0..<from.height {
        unsafe (to.base + (top + row) * to.stride + left).update(from: from.base + row * from.stride, count: from.width)
      }
    }
  }
}
