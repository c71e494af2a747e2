internal import CFFmpeg
internal import Formats

/// A still picture or an animation that FFmpeg does not read, or whose colours it does not convert. Another library has a part in decoding
/// it, and it is handed to FFmpeg in a format that FFmpeg reads (docs/decisions/0025-pictures-by-other-libraries.md).
struct ForeignPicture {
  /// The largest file that is read, in bytes: a hundred times a photograph.
  static let maxBytes: Int64 = 256 << 20
  /// The most pixels of a picture, the same as in `Decoder`. Larger pictures are refused before they are decoded.
  static let maxPixels = 1 << 27

  /// The container's name, in the style of FFmpeg's names.
  let container: String
  let codec: String
  let color: Color
  /// FFmpeg's name of the format in which FFmpeg is given the picture.
  let form: String
  /// The bytes that FFmpeg reads.
  let source: RemoteFile
  private let animation: AnimatedWebP?
  /// The picture as it is drawn in any size; nil for one that has pixels.
  let drawing: VectorDrawing?

  /// Colour by the numbers of ITU-T H.273; 2 is unknown.
  struct Color {
    var primaries: UInt32 = 2
    var transfer: UInt32 = 2
  }

  /// - Parameters:
  ///   - samples: the pixels row by row without gaps; samples of two bytes are big-endian.
  ///   - components: 3, or 4 with alpha.
  init(
    _ samples: [UInt8], width: Int, height: Int, components: Int, bytesPerSample: Int, container: String, codec: String,
    color: Color = Color(), drawing: VectorDrawing? = nil
  ) {
    precondition(samples.count == width * height * components * bytesPerSample)
    let kind = components == 4 ? "RGB_ALPHA" : "RGB"
    let top = bytesPerSample == 2 ? 65535 : 255
    let header = "P7\nWIDTH \(width)\nHEIGHT \(height)\nDEPTH \(components)\nMAXVAL \(top)\nTUPLTYPE \(kind)\nENDHDR\n"
    // The format is Netpbm's PAM: red, green, blue, and perhaps alpha.
    source = RemoteFile(Array(header.utf8) + samples)
    (self.container, self.codec, self.color) = (container, codec, color)
    (form, animation, self.drawing) = ("pam_pipe", nil, drawing)
  }

  init(_ animation: AnimatedWebP) {
    (container, codec, color) = (AssetFacts.animatedWebP, "webp", Color())
    (form, source, self.animation, drawing) = ("mov", animation.source, animation, nil)
  }

  /// Whether a packet that FFmpeg read from `source` holds a picture that could not be composed.
  func isBroken(_ packet: AVPacket) -> Bool { unsafe animation?.isBroken(at: packet.pos) ?? false }

  /// Looks at the first bytes of `input`, and decodes the picture if it is such a file; of an animation the first picture.
  ///
  /// - Returns: nil for all other files. `input` is then at its start.
  /// - Throws: `MediaError`, also for a picture that is damaged or too large.
  static func read(_ input: UnsafeMutablePointer<AVIOContext>, at path: String) throws(MediaError) -> ForeignPicture? {
    var head = [UInt8](repeating: 0, count: 4096)
    guard unsafe avio_seek(input, 0, SEEK_SET) == 0 else { return nil }
    let count = unsafe Int(max(0, avio_read(input, &head, Int32(head.count))))
    defer { unsafe avio_seek(input, 0, SEEK_SET) }
    if let codec = HEIFPicture.codec(head.prefix(count)) {
      return try unsafe HEIFPicture.decode(all(of: input, path), codec, at: path)
    }
    if AnimatedWebP.isBegun(by: head.prefix(count)) {
      return try unsafe ForeignPicture(AnimatedWebP(all(of: input, path), at: path))
    }
    if ProfiledPicture.isBegun(by: head.prefix(count)) {
      // A larger file has its picture, too: without its profile.
      guard unsafe avio_size(input) <= maxBytes else { return nil }
      return try unsafe ProfiledPicture.read(all(of: input, path), at: path)
    }
    guard VectorDrawing.isBegun(by: head.prefix(count)) else { return nil }
    let drawing = try unsafe VectorDrawing(all(of: input, path), at: path)
    return ForeignPicture(
      try drawing.pixels(at: path), width: drawing.size.width, height: drawing.size.height, components: 4, bytesPerSample: 1,
      container: AssetFacts.vector, codec: "svg", drawing: drawing)
  }

  /// - Throws: `MediaError` `unsupported` for a size that is refused.
  static func check(_ width: Int, _ height: Int, at path: String) throws(MediaError) {
    guard width > 0, height > 0, width <= PixelBuffer.maxSide, height <= PixelBuffer.maxSide, width * height <= maxPixels else {
      throw MediaError(
        .unsupported, at: path,
        "has a picture of \(width)x\(height): at most \(PixelBuffer.maxSide) a side and \(maxPixels) pixels are read")
    }
  }

  private static func all(of input: UnsafeMutablePointer<AVIOContext>, _ path: String) throws(MediaError) -> [UInt8] {
    let size = unsafe avio_size(input)
    guard size >= 0 else { throw MediaError(Int32(clamping: size), from: "avio_size", at: path) }
    guard size <= maxBytes else { throw MediaError(.unsupported, at: path, "is too large for a picture: \(size) bytes") }
    guard unsafe avio_seek(input, 0, SEEK_SET) == 0 else { throw MediaError(.unreadable, at: path, "cannot be read") }
    var bytes = [UInt8](repeating: 0, count: Int(size))
    let count = unsafe avio_read(input, &bytes, Int32(size))
    guard count == size else { throw MediaError(count < 0 ? count : -5, from: "avio_read", at: path) }
    return bytes
  }
}
