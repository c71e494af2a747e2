import Formats
import Media

// Sums of a frame and what is laid over it (`plus-lighter` of the W3C's "Compositing and Blending Level 2"): min(1, αs Cs + Cb) over an opaque
// frame. What is seen of the source counts before the sum is cut off at white, so a sum is not a colour that could be laid by its alpha.
extension ModeMixer {
  /// The sum of a frame and pieces that are put together. It is opaque where they add something, and clear where they do not.
  ///
  /// - Parameters:
  ///   - share: what is seen of each pixel of the pieces; nil where all is.
  ///   - opacity: what is seen of all of them, in 0...1.
  func sum(
    _ pieces: [Collage.Piece], seen share: PixelBuffer?, opacity: Double, over frame: PixelBuffer, _ frameFormat: PictureFormat,
    _ maps: Collage.WipeMaps
  ) throws(CompositingError) -> PixelBuffer {
    // Over black the pieces are their colours times alpha.
    var canvas = try compositor.drawn(pieces, on: .black, maps)
    return try sum(canvas.finished(), seen: share, opacity: opacity, over: frame, frameFormat)
  }

  /// The sum of a frame and a picture in R'G'B' with straight alpha. It is opaque where the picture adds something, and clear where it does not.
  func sum(
    _ picture: PixelBuffer, opacity: Double, over frame: PixelBuffer, _ frameFormat: PictureFormat
  ) throws(CompositingError) -> PixelBuffer {
    try sum(picture, seen: picture.alpha?.full, opacity: opacity, over: frame, frameFormat)
  }

  private func sum(
    _ source: PixelBuffer, seen share: PixelBuffer?, opacity: Double, over frame: PixelBuffer, _ frameFormat: PictureFormat
  ) throws(CompositingError) -> PixelBuffer {
    let backdrop = try compositor.fitter.fit(frame, frameFormat, .whole(format))
    let (sum, added) = (try PixelBuffer.make(format), try PixelBuffer.makeAlpha(format.width, format.height))
    for y in 0..<format.height {
      let (above, below, row) = unsafe (Triple(source, y), Triple(backdrop, y), Triple(sum, y))
      let cover = unsafe added.planes[0].row(y, as: UInt16.self)
      let seen = unsafe share?.planes[0].row(y, as: UInt16.self)
      for x in 0..<format.width {
        let part = unsafe Float(opacity) * (seen.map { unsafe Float($0[x]) / 65535 } ?? 1)
        let light = unsafe above[x] * part
        unsafe row[x] = below[x] + light
        // Less than half a code changes nothing.
        unsafe cover[x] = light.max() < 0.5 ? 0 : PixelBuffer.Alpha.opaque
      }
    }
    withExtendedLifetime((source, share, backdrop)) {}
    return sum.with(PixelBuffer.Alpha(full: added, chroma: nil))
  }
}
