package import Formats
package import Media

extension PixelBuffer {
  /// A part of the picture in another size, layout and matrix. Primaries and transfer function stay as they are.
  ///
  /// - Parameters:
  ///   - region: the part that becomes the whole result, in pixels.
  ///   - own: the picture's colours; nil for those that its buffer has.
  ///   - color: the result's colours. Only matrix and range may differ from this picture's.
  /// - Precondition: both sizes are whole numbers of chroma cells.
  package func converted(
    _ region: Rect, of own: ColorTags? = nil, to format: PixelFormat, width: Int, height: Int, color: ColorTags
  ) throws(CompositingError) -> PixelBuffer {
    let source = PictureFormat(
      width: self.width, height: self.height, format: self.format, color: own ?? self.color, taggedHeight: height)
    let target = PictureFormat(width: width, height: height, format: format, color: color, taggedHeight: height)
    let isWhole = region == Rect(0, 0, Double(self.width), Double(self.height))
    if isWhole, source == target { return self }
    let picture = try PixelBuffer.make(target)
    try ScalingGraph(ScalingGraph.Route(source: source, region: region, target: target)).convert(self, into: picture)
    picture.color = color
    return picture
  }
}
