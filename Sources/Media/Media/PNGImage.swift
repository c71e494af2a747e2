internal import CFFmpeg
internal import Formats

/// A picture as the bytes of a PNG file: RGB of 8 or 16 bits, with straight alpha where the picture has
/// it. It has no colour tags, so that viewers show its values unchanged.
package struct PNGImage: Sendable {
  package let bytes: [UInt8]

  /// - Precondition: the picture is RGB of 8 or 16 bits a component.
  /// - Throws: `MediaError` `outOfMemory`, and `internal` when FFmpeg cannot encode PNG.
  package init(_ picture: PixelBuffer) throws(MediaError) {
    precondition(picture.format.layout == .gbr && [8, 16].contains(picture.format.bitDepth))
    let packed = try PackedPicture(picture, .rgb, hasAlpha: picture.alpha != nil)
    let raw = unsafe packed.frame.pointer
    let encoder = try unsafe Encoder("png") { context in
      unsafe (context.pointee.width, context.pointee.height) = (raw.pointee.width, raw.pointee.height)
      unsafe context.pointee.pix_fmt = AVPixelFormat(rawValue: raw.pointee.format)
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

  /// Writes the file. A file that could not be finished is removed.
  ///
  /// - Throws: `MediaError` `cannotWrite` or `noSpace`.
  package func write(to path: String) throws(MediaError) {
    let file = try OutputFile(path, .seeking)
    unsafe bytes.withUnsafeBufferPointer { unsafe avio_write(file.io, $0.baseAddress, Int32($0.count)) }
    try file.finish()
  }
}
