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

  /// The whole picture in another size, layout and matrix, in the middle of black where its shape is another one. Its sides are rounded to whole
  /// chroma cells.
  ///
  /// - Parameter color: the result's colours. Only matrix and range may differ from this picture's.
  /// - Precondition: the size is a whole number of chroma cells.
  package func letterboxed(
    to format: PixelFormat, width: Int, height: Int, color: ColorTags
  ) throws(CompositingError) -> PixelBuffer {
    let scale = min(Double(width) / Double(self.width), Double(height) / Double(self.height))
    let shift = format.shift(ofPlane: format.planeCount - 1)
    func whole(_ length: Double, _ shift: Int, _ limit: Int) -> Int {
      min(max(1, Int((length / Double(1 << shift)).rounded())) << shift, limit)
    }
    let (w, h) = (whole(Double(self.width) * scale, shift.x, width), whole(Double(self.height) * scale, shift.y, height))
    let seen = try converted(
      Rect(0, 0, Double(self.width), Double(self.height)), to: format, width: w, height: h, color: color)
    if (w, h) == (width, height) { return seen }
    let form = PictureFormat(width: width, height: height, format: format, color: color, taggedHeight: height)
    let frame = try PixelBuffer.make(form)
    frame.color = color
    let codes = GraphicsColor(form).roundedCodes(.black)
    func cells(_ length: Int, _ shift: Int) -> Int { (length >> (shift + 1)) << shift }
    let (left, top) = (cells(width - w, shift.x), cells(height - h, shift.y))
    for (index, (plane, source)) in zip(frame.planes, seen.planes).enumerated() {
      let shift = format.shift(ofPlane: index)
      let (x, y) = (left >> shift.x, top >> shift.y)
      plane.fill(with: codes[index])
      plane.part(columns: x..<x + source.width, rows: y..<y + source.height).copy(source)
    }
    withExtendedLifetime((frame, seen)) {}
    return frame
  }
}
