import Formats
import Media
import Scenes
import Timeline

// Filters, shadows and masks of pieces that are put together. They are made of codes of R'G'B', as modes are.
extension ModeMixer {
  private func flattened(
    _ pieces: [Collage.Piece], _ maps: Collage.WipeMaps
  ) throws(CompositingError) -> FlattenedPicture {
    let (overBlack, overWhite) = try drawn(pieces, maps)
    return try FlattenedPicture(overBlack: overBlack, overWhite: overWhite, format)
  }

  /// The pieces of a group with its filters, what is seen of them, and its shadow, in straight colours.
  ///
  /// - Parameter share: what is seen of each pixel; nil where all is.
  func filtered(
    _ group: Collage.Group, _ share: PixelBuffer?, _ maps: Collage.WipeMaps
  ) throws(CompositingError) -> PixelBuffer {
    let picture = try flattened(group.pieces, maps)
    picture.apply(group.filters)
    if let share { picture.keep(share) }
    if let shadow = group.shadow { try picture.cast(shadow) }
    return picture.straight()
  }

  /// A frame in R'G'B', filtered.
  func filtered(
    _ frame: PixelBuffer, _ frameFormat: PictureFormat, _ filters: [LayerFilter.Value]
  ) throws(CompositingError) -> PixelBuffer {
    let picture = try FlattenedPicture(opaque: compositor.fitter.fit(frame, frameFormat, .whole(format)), format)
    picture.apply(filters)
    return picture.straight().with(nil)
  }

  /// The share of each pixel that a mask leaves, as a plane of alpha.
  func share(of mask: Collage.Mask, _ maps: Collage.WipeMaps) throws(CompositingError) -> PixelBuffer {
    let picture = try flattened(mask.pieces, maps)
    if mask.mode == .luminance { picture.apply([.lumaAsAlpha]) }
    return picture.alpha
  }

  /// The colours that a frame and a picture in R'G'B' with straight alpha are mixed to, with the picture's alpha.
  func mixed(
    _ picture: PixelBuffer, _ mode: BlendMode, over frame: PixelBuffer, _ frameFormat: PictureFormat
  ) throws(CompositingError) -> PixelBuffer {
    let backdrop = try compositor.fitter.fit(frame, frameFormat, .whole(format))
    let mixed = try PixelBuffer.make(format)
    for y in 0..<format.height {
      let (source, below, row) = unsafe (Triple(picture, y), Triple(backdrop, y), Triple(mixed, y))
      for x in 0..<format.width { unsafe row[x] = mode.mixed(below[x] / 65535, source[x] / 65535) * 65535 }
    }
    withExtendedLifetime((picture, backdrop)) {}
    return mixed.with(picture.alpha)
  }
}
