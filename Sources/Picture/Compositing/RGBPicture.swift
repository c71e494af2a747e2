package import Formats
package import Media
internal import Timeline

extension PixelBuffer {
  /// The picture in R'G'B' of full range: 8 bits a component, or 16 where it has more than 8. Alpha stays.
  ///
  /// zimg only undoes the matrix, and interpolates chroma as everywhere (`ScalingGraph`). Primaries and transfer function stay
  /// those of `color`, so the values are those that a player shows.
  ///
  /// - Parameter color: the picture's colour. No tag may be unknown.
  /// - Precondition: width and height are whole numbers of chroma cells.
  package func rgb(_ color: ColorTags) throws(CompositingError) -> PixelBuffer {
    let source = PictureFormat(width: width, height: height, format: format, color: color, taggedHeight: height)
    let target = PictureFormat(
      width: width, height: height, format: PixelFormat(.gbr, bitDepth: format.bitDepth > 8 ? 16 : 8),
      color: ColorTags(color.primaries, color.transfer, .rgb, .full), taggedHeight: height)
    guard alpha == nil else {
      return try PictureFitter(target: target, toneMap: .bt2390).fit(self, source, .whole(source))
    }
    let whole = Rect(0, 0, Double(width), Double(height))
    let picture = try PixelBuffer.make(target)
    try ScalingGraph(ScalingGraph.Route(source: source, region: whole, target: target)).convert(self, into: picture)
    return picture
  }
}
