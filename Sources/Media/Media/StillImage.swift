internal import CFFmpeg
package import Formats

/// A picture from a file (PNG, JPEG, WebP, GIF's first frame, BMP, TIFF, HEIF, SVG), turned upright.
package struct StillImage: Hashable, Sendable {
  package let width: Int
  package let height: Int
  /// The pixels in rows from the top, `width * height * 4` bytes: red, green, blue, alpha, not premultiplied. They count as sRGB,
  /// since embedded colour profiles are not applied. Components of 16 bits become 8.
  package let rgba: [UInt8]
  /// Whether the file is damaged. The picture is then what can be decoded of it.
  package let isDamaged: Bool
  /// The picture as it is drawn in any size; nil for one that has pixels.
  package let drawing: VectorDrawing?

  /// - Precondition: `rgba` has four bytes for each pixel.
  package init(width: Int, height: Int, rgba: [UInt8], isDamaged: Bool = false, drawing: VectorDrawing? = nil) {
    precondition(rgba.count == width * height * 4)
    (self.width, self.height, self.rgba, self.isDamaged) = (width, height, rgba, isDamaged)
    self.drawing = drawing
  }

  /// Decodes the first picture of the file. It is turned as EXIF says, in JPEG and WebP; FFmpeg 5.1 does not read PNG's EXIF.
  ///
  /// - Parameter damage: whether a damaged picture is an error, or is returned as far as it can be decoded.
  /// - Throws: `MediaError` when the policy refuses the file, or it holds no picture that can be decoded.
  package static func load(
    _ path: String, policy: SourcePolicy, damage: AssetTreatment.Damage = .refuse
  ) throws(MediaError) -> StillImage {
    let demuxer = try Demuxer(path: path, policy: policy)
    let path = demuxer.path
    let found = (0..<demuxer.streamCount).first { index in
      unsafe demuxer.stream(index).pointee.codecpar.pointee.codec_type == AVMEDIA_TYPE_VIDEO
    }
    guard let index = found else { throw MediaError(.unsupported, at: path, "holds no picture") }
    demuxer.select(index)
    let picture = try FirstPicture(of: demuxer, track: index)
    if picture.isDamaged, damage == .refuse { throw MediaError.damagedStill(at: path) }
    let frame = picture.frame
    let size = unsafe PixelSize(Int(frame.pointer.pointee.width), Int(frame.pointer.pointee.height))
    let stored = try converted(frame, size, demuxer.colorTags(ofTrack: index), at: path)
    let orientation = Orientation(exifOf: frame)
    let upright = orientation.swapsAxes ? PixelSize(size.height, size.width) : size
    return StillImage(
      width: upright.width, height: upright.height, rgba: orientation == .up ? stored : turned(stored, size, orientation),
      isDamaged: picture.isDamaged, drawing: demuxer.drawing)
  }

  /// The picture as packed RGBA, not yet turned (libswscale).
  private static func converted(
    _ frame: OwnedFrame, _ size: PixelSize, _ color: ColorTags, at path: String
  ) throws(MediaError) -> [UInt8] {
    let raw = unsafe frame.pointer.pointee
    let code = unsafe AVPixelFormat(rawValue: raw.format)
    // libswscale treats the full-range formats (yuvj420p…) as the plain ones with a full range.
    let source = PixelFormat(code)?.code ?? code
    let flags = SWS_BICUBIC | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INT
    let (width, height) = (Int32(size.width), Int32(size.height))
    guard
      let scaler = unsafe sws_getContext(width, height, source, width, height, AV_PIX_FMT_RGBA, flags, nil, nil, nil)
    else { throw MediaError(.unsupported, at: path, "the pixel format \(PixelBuffer.name(of: code)) is not supported") }
    defer { unsafe sws_freeContext(scaler) }
    let tags = unsafe raw.tags(fallback: color, code)
    let matrix = unsafe sws_getCoefficients(Int32(bitPattern: raw.colorspace.rawValue))
    // The call fails only for formats without a matrix, which need none.
    _ = unsafe sws_setColorspaceDetails(
      scaler, matrix, tags.range == .full ? 1 : 0, sws_getCoefficients(SWS_CS_DEFAULT), 1, 0, 1 << 16, 1 << 16)
    var rgba = [UInt8](repeating: 0, count: size.width * size.height * 4)
    let planes: [UnsafePointer<UInt8>?] = unsafe [
      UnsafePointer(raw.data.0), UnsafePointer(raw.data.1), UnsafePointer(raw.data.2), UnsafePointer(raw.data.3),
    ]
    let strides = unsafe [raw.linesize.0, raw.linesize.1, raw.linesize.2, raw.linesize.3]
    let rows = unsafe rgba.withUnsafeMutableBufferPointer { target in
      unsafe sws_scale(scaler, planes, strides, 0, height, [target.baseAddress], [width * 4])
    }
    guard rows == height else { throw MediaError(min(rows, -1), from: "sws_scale", at: path) }
    return rgba
  }

  private static func turned(_ rgba: [UInt8], _ size: PixelSize, _ orientation: Orientation) -> [UInt8] {
    let (w, h) = (size.width, size.height)
    // The index of the stored pixel for upright pixel (0, 0), and the steps from there to the pixels for its right and its lower
    // neighbour.
    let (origin, right, down) =
      switch orientation {
      case .up: (0, 1, w)
      case .mirrored: (w - 1, -1, w)
      case .rotated180: (w * h - 1, -1, -w)
      case .flipped: (w * (h - 1), 1, -w)
      case .transposed: (0, w, 1)
      case .rotated90: (w * (h - 1), -w, 1)
      case .transversed: (w * h - 1, -w, -1)
      case .rotated270: (w - 1, w, -1)
      }
    let (columns, rows) = orientation.swapsAxes ? (h, w) : (w, h)
    return unsafe [UInt8](unsafeUninitializedCapacity: rgba.count) { target, count in
      for row in 0..<rows {
        for column in 0..<columns {
          let from = (origin + column * right + row * down) * 4
          let to = (row * columns + column) * 4
          for component in 0..<4 { unsafe target[to + component] = rgba[from + component] }
        }
      }
      count = rgba.count
    }
  }
}
