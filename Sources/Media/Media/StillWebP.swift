internal import CWebP

/// Asks libwebp whether a WebP picture is damaged. FFmpeg decodes the picture itself.
enum StillWebP {
  /// The divisor of the size at which pictures are decoded here. Decoding at that size finds as much damage as at full size.
  private static let fraction: Int32 = 8

  /// Whether the picture's data are invalid, end too early, or go on too far. It is false for bytes that libwebp does not take
  /// for a still WebP. Runs of zeros prove no damage in WebP: the arithmetic code of a flat picture has many.
  static func isBroken(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    switch unsafe status(of: bytes) {
    case VP8_STATUS_BITSTREAM_ERROR, VP8_STATUS_NOT_ENOUGH_DATA: true
    case VP8_STATUS_OK: unsafe LossyWebP(bytes)?.endsEarly ?? false
    default: false
    }
  }

  /// The status with which libwebp decodes a picture; nil for an animation, and for bytes that libwebp does not take for a WebP.
  static func status(of bytes: UnsafeBufferPointer<UInt8>) -> VP8StatusCode? {
    var config = unsafe WebPDecoderConfig()
    guard unsafe WebPInitDecoderConfig(&config) != 0,
      unsafe WebPGetFeatures(bytes.baseAddress, bytes.count, &config.input) == VP8_STATUS_OK,
      unsafe config.input.has_animation == 0
    else { return nil }
    let (width, height) = unsafe (config.input.width, config.input.height)
    unsafe config.options.use_scaling = 1
    unsafe (config.options.scaled_width, config.options.scaled_height) = (max(1, width / fraction), max(1, height / fraction))
    let status = unsafe WebPDecode(bytes.baseAddress, bytes.count, &config)
    unsafe WebPFreeDecBuffer(&config.output)
    return status
  }
}

/// A chunk of a RIFF file.
struct WebPChunk {
  let name: String
  let payload: Range<Int>
  /// The whole chunk, with its name, its size, and the byte that makes its length even.
  let whole: Range<Int>

  /// The chunks that follow each other from `start`, up to the size in the file's header.
  ///
  /// - Returns: nil where the last chunk is cut off.
  static func all(in bytes: UnsafeBufferPointer<UInt8>, from start: Int) -> [WebPChunk]? {
    func number(_ offset: Int) -> Int { (0..<4).reduce(0) { unsafe $0 | Int(bytes[offset + $1]) << (8 * $1) } }
    guard bytes.count >= start, start >= 12 else { return nil }
    let end = 8 + number(4)
    var (chunks, next) = ([WebPChunk](), start)
    // Some writers do not count the last padding byte.
    while next + 8 <= min(end, bytes.count) {
      let (payload, size) = (next + 8, number(next + 4))
      guard payload + size <= bytes.count else { return nil }
      let name = unsafe String(decoding: bytes[next..<next + 4], as: UTF8.self)
      let following = payload + size + size & 1
      chunks.append(WebPChunk(name: name, payload: payload..<payload + size, whole: next..<min(following, bytes.count)))
      next = following
    }
    return next < end && end - next > 1 ? nil : chunks
  }
}
