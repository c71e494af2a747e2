internal import CWebP

/// WebP with more than one picture, which FFmpeg does not read: its first one (libwebp).
enum AnimatedWebP {
  /// A RIFF file of kind "WEBP" whose extended header says that it is animated.
  static func isBegun(by head: ArraySlice<UInt8>) -> Bool {
    let head = Array(head)
    return head.count >= 30 && head[0..<4].elementsEqual("RIFF".utf8) && head[8..<16].elementsEqual("WEBPVP8X".utf8)
      && head[20] & 2 != 0
  }

  /// - Throws: `MediaError` `unsupported` for too many pixels, before they are decoded; `corrupt`.
  static func decode(_ bytes: [UInt8], at path: String) throws(MediaError) -> ForeignPicture {
    func side(_ offset: Int) -> Int { 1 + Int(bytes[offset]) + Int(bytes[offset + 1]) << 8 + Int(bytes[offset + 2]) << 16 }
    guard bytes.count >= 30 else { throw damaged(path) }
    let (width, height) = (side(24), side(27))
    try ForeignPicture.check(width, height, at: path)
    let samples = unsafe bytes.withUnsafeBufferPointer { (file) -> [UInt8]? in
      var data = unsafe WebPData(bytes: file.baseAddress, size: file.count)
      var options = WebPAnimDecoderOptions()
      guard unsafe WebPAnimDecoderOptionsInit(&options) != 0, let decoder = unsafe WebPAnimDecoderNew(&data, &options) else {
        return nil
      }
      defer { unsafe WebPAnimDecoderDelete(decoder) }
      var (info, canvas, time) = unsafe (WebPAnimInfo(), UnsafeMutablePointer<UInt8>?.none, Int32(0))
      guard unsafe WebPAnimDecoderGetInfo(decoder, &info) != 0, info.canvas_width == width, info.canvas_height == height,
        unsafe WebPAnimDecoderGetNext(decoder, &canvas, &time) != 0, let canvas = unsafe canvas
      else { return nil }
      // The canvas is the decoder's: width * height pixels of four bytes, not premultiplied.
      return unsafe Array(UnsafeBufferPointer(start: canvas, count: width * height * 4))
    }
    guard let samples else { throw damaged(path) }
    return ForeignPicture(
      samples, width: width, height: height, components: 4, bytesPerSample: 1, container: "webp_pipe", codec: "webp",
      rejection: "is an animated WebP, whose first picture alone is read, for image layers: make it a movie or an animated PNG")
  }

  private static func damaged(_ path: String) -> MediaError {
    MediaError(.corrupt, at: path, "is an animated WebP that is cut off or damaged")
  }
}
