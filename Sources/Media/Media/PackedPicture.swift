internal import CFFmpeg
internal import Formats

/// A picture in red, green and blue whose samples lie together, pixel by pixel, as encoders of still pictures take it.
struct PackedPicture {
  /// The frame that FFmpeg's encoder takes. It has no colour tags, so that nothing is written of them: viewers show its values unchanged.
  let frame: OwnedFrame

  /// FFmpeg's number of the format.
  ///
  /// - Parameter bitDepth: the bits of a component. More than 8 are stored in 16.
  static func format(_ packing: PixelPacking, bitDepth: Int, hasAlpha: Bool) -> AVPixelFormat {
    switch (packing, bitDepth > 8, hasAlpha) {
    case (.bgra, _, _): AV_PIX_FMT_BGRA
    case (_, false, false): AV_PIX_FMT_RGB24
    case (_, false, true): AV_PIX_FMT_RGBA
    case (.rgb, true, false): AV_PIX_FMT_RGB48BE
    case (.rgb, true, true): AV_PIX_FMT_RGBA64BE
    case (.rgbLowByteFirst, true, false): AV_PIX_FMT_RGB48LE
    case (.rgbLowByteFirst, true, true): AV_PIX_FMT_RGBA64LE
    }
  }

  /// - Precondition: the picture is in red, green and blue; of 8 bits for `bgra`.
  /// - Throws: `MediaError` `outOfMemory`.
  init(_ picture: PixelBuffer, _ packing: PixelPacking, hasAlpha: Bool) throws(MediaError) {
    let depth = picture.format.bitDepth
    precondition(picture.format.layout == .gbr && (depth == 8 || packing != .bgra))
    frame = try OwnedFrame()
    let raw = unsafe frame.pointer
    unsafe (raw.pointee.width, raw.pointee.height) = (Int32(picture.width), Int32(picture.height))
    unsafe raw.pointee.format = Self.format(packing, bitDepth: depth, hasAlpha: hasAlpha).rawValue
    let code = unsafe av_frame_get_buffer(raw, 0)
    guard code >= 0 else { throw MediaError(code, from: "av_frame_get_buffer", at: "frame") }
    let (pixels, stride) = unsafe (raw.pointee.data.0!, Int(raw.pointee.linesize.0))
    let step = hasAlpha || packing == .bgra ? 4 : 3
    for y in 0..<picture.height {
      let row = unsafe pixels + y * stride
      // The planes are green, blue, red.
      for (plane, place) in [1, packing == .bgra ? 0 : 2, packing == .bgra ? 2 : 0].enumerated() {
        let source = unsafe picture.plane(plane)
        let line = unsafe source.base + y * source.stride
        if depth == 8 {
          for x in 0..<picture.width { unsafe row[x * step + place] = line[x] }
        } else {
          let words = unsafe UnsafeMutableRawPointer(line).assumingMemoryBound(to: UInt16.self)
          let widened = SampleScale(from: depth, to: 16)
          unsafe Self.store(picture.width, in: row, step: step, place: place, packing: packing) { unsafe widened(words[$0]) }
        }
      }
      guard step == 4 else { continue }
      let alpha = picture.alphaCodes(ofRow: y, bitDepth: depth == 8 ? 8 : 16)
      if depth == 8 {
        for x in 0..<picture.width { unsafe row[x * 4 + 3] = UInt8(truncatingIfNeeded: alpha[x]) }
      } else {
        unsafe Self.store(picture.width, in: row, step: step, place: 3, packing: packing) { alpha[$0] }
      }
    }
  }

  /// Writes a component of 16 bits into each pixel of a row.
  private static func store(
    _ width: Int, in row: UnsafeMutablePointer<UInt8>, step: Int, place: Int, packing: PixelPacking, word: (Int) -> UInt16
  ) {
    let words = unsafe UnsafeMutableRawPointer(row).assumingMemoryBound(to: UInt16.self)
    for x in 0..<width {
      unsafe words[x * step + place] = packing == .rgb ? word(x).bigEndian : word(x).littleEndian
    }
  }
}
