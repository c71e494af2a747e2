internal import CFFmpeg
internal import Glibc

/// A picture as the bytes of a PNG file: RGB of 8 or 16 bits. It has no colour tags, so that viewers show its values unchanged.
package struct PNGImage: Sendable {
  package let bytes: [UInt8]

  /// - Precondition: the picture is RGB of 8 or 16 bits a component.
  /// - Throws: `MediaError` `outOfMemory`, and `internal` when FFmpeg cannot encode PNG.
  package init(_ picture: PixelBuffer) throws(MediaError) {
    precondition(picture.format.layout == .gbr && [8, 16].contains(picture.format.bitDepth))
    let format = picture.format.bitDepth == 8 ? AV_PIX_FMT_RGB24 : AV_PIX_FMT_RGB48BE
    let frame = try OwnedFrame()
    let raw = unsafe frame.pointer
    unsafe (raw.pointee.width, raw.pointee.height) = (Int32(picture.width), Int32(picture.height))
    unsafe raw.pointee.format = format.rawValue
    let code = unsafe av_frame_get_buffer(raw, 0)
    guard code >= 0 else { throw MediaError(code, from: "av_frame_get_buffer", at: "PNG") }
    unsafe Self.interleave(picture, into: raw.pointee.data.0!, stride: Int(raw.pointee.linesize.0))
    let encoder = try unsafe Encoder("png") { context in
      unsafe (context.pointee.width, context.pointee.height) = (raw.pointee.width, raw.pointee.height)
      unsafe context.pointee.pix_fmt = format
      unsafe context.pointee.time_base = AVRational(num: 1, den: 1)
    }
    var bytes: [UInt8] = []
    let collect = { (packet: UnsafeMutablePointer<AVPacket>) in
      unsafe bytes += UnsafeBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size))
    }
    try unsafe encoder.encode(raw, receive: collect)
    try unsafe encoder.encode(nil, receive: collect)
    self.bytes = bytes
  }

  /// Turns the planes G, B, R into pixels R, G, B. Samples of 16 bits become big-endian.
  private static func interleave(_ picture: PixelBuffer, into target: UnsafeMutablePointer<UInt8>, stride: Int) {
    let size = picture.format.bytesPerSample
    for (component, index) in [2, 0, 1].enumerated() {
      let plane = unsafe picture.plane(index)
      for y in 0..<picture.height {
        let (row, pixels) = unsafe (plane.base + y * plane.stride, target + y * stride)
        for x in 0..<picture.width {
          for byte in 0..<size {
            unsafe pixels[(x * 3 + component) * size + byte] = row[x * size + size - 1 - byte]
          }
        }
      }
    }
  }

  /// Writes the file. A file that could not be finished is removed.
  ///
  /// - Throws: `MediaError` `cannotWrite` or `noSpace`.
  package func write(to path: String) throws(MediaError) {
    let file = try OutputFile(path, .seeking)
    unsafe bytes.withUnsafeBufferPointer { unsafe avio_write(file.io, $0.baseAddress, Int32($0.count)) }
    try file.finish()
  }
}
