internal import CFFmpeg
internal import Glibc

/// A picture as the bytes of a PNG file: RGB of 8 or 16 bits, with straight alpha where the picture has
/// it. It has no colour tags, so that viewers show its values unchanged.
package struct PNGImage: Sendable {
  package let bytes: [UInt8]

  /// - Precondition: the picture is RGB of 8 or 16 bits a component.
  /// - Throws: `MediaError` `outOfMemory`, and `internal` when FFmpeg cannot encode PNG.
  package init(_ picture: PixelBuffer) throws(MediaError) {
    precondition(picture.format.layout == .gbr && [8, 16].contains(picture.format.bitDepth))
    let formats =
      picture.alpha == nil ? [8: AV_PIX_FMT_RGB24, 16: AV_PIX_FMT_RGB48BE] : [8: AV_PIX_FMT_RGBA, 16: AV_PIX_FMT_RGBA64BE]
    guard let format = formats[picture.format.bitDepth] else { preconditionFailure("8 or 16 bits") }
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

  /// Turns the planes G, B, R into pixels R, G, B, with alpha after them where there is some. Samples of 16 bits become big-endian.
  private static func interleave(_ picture: PixelBuffer, into target: UnsafeMutablePointer<UInt8>, stride: Int) {
    let size = picture.format.bytesPerSample
    let count = picture.alpha == nil ? 3 : 4
    for (component, index) in [2, 0, 1].enumerated() {
      let plane = unsafe picture.plane(index)
      for y in 0..<picture.height {
        let (row, pixels) = unsafe (plane.base + y * plane.stride, target + y * stride)
        for x in 0..<picture.width {
          for byte in 0..<size {
            unsafe pixels[(x * count + component) * size + byte] = row[x * size + size - 1 - byte]
          }
        }
      }
    }
    guard count == 4 else { return }
    for y in 0..<picture.height {
      let (codes, pixels) = unsafe (picture.alphaCodes(ofRow: y, bitDepth: 8 * size), target + y * stride)
      for (x, code) in codes.enumerated() {
        for byte in 0..<size {
          unsafe pixels[(x * count + 3) * size + byte] = UInt8(truncatingIfNeeded: code >> (8 * (size - 1 - byte)))
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
