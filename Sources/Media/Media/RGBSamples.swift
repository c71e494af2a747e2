internal import CFFmpeg
internal import Formats

/// Makes packed samples of red, green and blue of decoded pictures (libswscale).
enum RGBSamples {
  /// The samples of a picture in rows from the top, without gaps. Alpha is 1 where the picture has none.
  ///
  /// - Parameters:
  ///   - form: the form of the samples.
  ///   - color: the tags of the stream, for what the frame does not say.
  /// - Throws: `MediaError` `unsupported` for a pixel format that is not read.
  static func of(
    _ frame: OwnedFrame, _ form: ColorProfile.Form, _ color: ColorTags, at path: String
  ) throws(MediaError) -> [UInt8] {
    let raw = unsafe frame.pointer.pointee
    let code = unsafe AVPixelFormat(rawValue: raw.format)
    // libswscale treats the full-range formats (yuvj420p…) as the plain ones with a full range.
    let source = PixelFormat(code)?.code ?? code
    let flags = SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT
    let (width, height) = unsafe (raw.width, raw.height)
    guard let scaler = unsafe sws_getContext(width, height, source, width, height, Self.code(form), flags, nil, nil, nil) else {
      throw MediaError(.unsupported, at: path, "the pixel format \(PixelBuffer.name(of: code)) is not supported")
    }
    defer { unsafe sws_freeContext(scaler) }
    let tags = unsafe raw.tags(fallback: color, code)
    let matrix = unsafe sws_getCoefficients(Int32(bitPattern: raw.colorspace.rawValue))
    // The call fails only for formats without a matrix, which need none.
    _ = unsafe sws_setColorspaceDetails(
      scaler, matrix, tags.range == .full ? 1 : 0, sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16)
    let row = Int(width) * form.bytesPerPixel
    var samples = [UInt8](repeating: 0, count: row * Int(height))
    let planes: [UnsafePointer<UInt8>?] = unsafe [
      UnsafePointer(raw.data.0), UnsafePointer(raw.data.1), UnsafePointer(raw.data.2), UnsafePointer(raw.data.3),
    ]
    let strides = unsafe [raw.linesize.0, raw.linesize.1, raw.linesize.2, raw.linesize.3]
    let rows = unsafe samples.withUnsafeMutableBufferPointer { target in
      unsafe sws_scale(scaler, planes, strides, 0, height, [target.baseAddress], [Int32(row)])
    }
    guard rows == height else { throw MediaError(min(rows, -1), from: "sws_scale", at: path) }
    return samples
  }

  private static func code(_ form: ColorProfile.Form) -> AVPixelFormat {
    switch (form.isWide, form.hasAlpha) {
    case (false, false): AV_PIX_FMT_RGB24
    case (false, true): AV_PIX_FMT_RGBA
    case (true, false): AV_PIX_FMT_RGB48LE
    case (true, true): AV_PIX_FMT_RGBA64LE
    }
  }
}

extension Orientation {
  /// The pixels of a picture that is stored in this orientation, turned upright.
  ///
  /// - Parameters:
  ///   - samples: the stored pixels in rows from the top, without gaps.
  ///   - size: the stored size.
  func upright(_ samples: [UInt8], _ size: PixelSize, bytesPerPixel: Int) -> [UInt8] {
    guard self != .up else { return samples }
    let (w, h) = (size.width, size.height)
    // The index of the stored pixel for upright pixel (0, 0), and the steps from there to the pixels for its right and its lower
    // neighbour.
    let (origin, right, down) =
      switch self {
      case .up: (0, 1, w)
      case .mirrored: (w - 1, -1, w)
      case .rotated180: (w * h - 1, -1, -w)
      case .flipped: (w * (h - 1), 1, -w)
      case .transposed: (0, w, 1)
      case .rotated90: (w * (h - 1), -w, 1)
      case .transversed: (w * h - 1, -w, -1)
      case .rotated270: (w - 1, w, -1)
      }
    let (columns, rows) = swapsAxes ? (h, w) : (w, h)
    return unsafe [UInt8](unsafeUninitializedCapacity: samples.count) { target, count in
      for row in 0..<rows {
        for column in 0..<columns {
          let from = (origin + column * right + row * down) * bytesPerPixel
          let to = (row * columns + column) * bytesPerPixel
          for byte in 0..<bytesPerPixel { unsafe target[to + byte] = samples[from + byte] }
        }
      }
      count = samples.count
    }
  }
}
