package import Drawing
package import Formats
package import Media

extension PlacedPicture {
  /// Makes a drawn text or image into a picture of the render format, ready to be laid over frames. It is converted once, and only
  /// where it has pixels: over an area of whole chroma cells.
  ///
  /// The result depends on the drawing, the opacity and the render format only, not on when or where it is made.
  /// - Parameters:
  ///   - drawing: a picture in sRGB of 8 bits, as `Drawing` makes it.
  ///   - opacity: the layer's opacity, 0...1.
  ///   - renderSize: the frame's size. Parts of the layer outside the frame are cut off.
  ///   - color: the output's colour, as for `Compositor`.
  /// - Returns: nil when nothing of the layer can be seen.
  package init?(
    graphics drawing: PlacedPicture, opacity: Double, renderSize: PixelSize, format: PixelFormat, color: ColorTags
  ) throws(CompositingError) {
    precondition(drawing.picture.format == PixelFormat(.gbr))
    let resolved = PictureFormat(
      width: renderSize.width, height: renderSize.height, format: format, color: color, taggedHeight: renderSize.height)
    guard opacity > 0, let seen = drawing.visibleBounds(in: renderSize) else { return nil }
    // A chroma sample affects the luma columns on either side of its own, so the area reaches further by these columns.
    let spread = format.cell.width - 1
    let reach = Rect(
      Double(seen.columns.lowerBound), Double(seen.rows.lowerBound), Double(seen.columns.count + spread), Double(seen.rows.count))
    let area = PixelArea(around: reach, cell: format.cell, within: (renderSize.width, renderSize.height))
    var builder = try GraphicsBuilder(area: area, in: resolved)
    for y in seen.rows {
      builder.add(columns: seen.columns, row: y, of: drawing, opacity: opacity)
      if y == seen.rows.last || (y + 1).isMultiple(of: format.cell.height) { builder.finishCells(ofRow: y) }
    }
    self.init(builder.picture, x: area.columns.lowerBound, y: area.rows.lowerBound)
  }
}
