internal import CFFmpeg
package import Formats

/// A picture from a file (PNG, JPEG, WebP, GIF's first frame, BMP, TIFF, HEIF, SVG), turned upright.
package struct StillImage: Hashable, Sendable {
  package let width: Int
  package let height: Int
  /// The pixels in rows from the top, `width * height * 4` bytes: red, green, blue, alpha, not premultiplied. They are sRGB: what an ICC
  /// profile or the file says of other colours is converted. Components of 16 bits become 8.
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

  /// Decodes the first picture of the file. It is turned as its EXIF says, in JPEG, WebP, PNG and TIFF.
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
    let stored = try converted(frame, demuxer.colorTags(ofTrack: index), at: path)
    let orientation = picture.orientation
    let upright = orientation.swapsAxes ? PixelSize(size.height, size.width) : size
    return StillImage(
      width: upright.width, height: upright.height, rgba: orientation.upright(stored, size, bytesPerPixel: 4),
      isDamaged: picture.isDamaged, drawing: demuxer.drawing)
  }

  /// The picture as packed RGBA in sRGB, not yet turned. What is of high dynamic range, and of unknown primaries, keeps its values.
  private static func converted(_ frame: OwnedFrame, _ color: ColorTags, at path: String) throws(MediaError) -> [UInt8] {
    let form = ColorProfile.Form(isWide: false, hasAlpha: true)
    guard color.primaries != .bt709, let profile = ColorProfile(color.primaries, color.transfer), let target = ColorProfile.sRGB
    else {
      return try RGBSamples.of(frame, form, color, at: path)
    }
    let wide = ColorProfile.Form(isWide: true, hasAlpha: true)
    guard let converted = profile.converted(try RGBSamples.of(frame, wide, color, at: path), wide, to: target, form) else {
      throw MediaError(.unsupported, at: path, "its colours cannot be converted")
    }
    return converted
  }
}
