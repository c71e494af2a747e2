package import Drawing
package import Formats
package import Media

extension PlacedPicture {
  /// Makes a drawn layer into a picture of the render format, ready to be laid over frames. It is converted once, and only
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
    self.init(builder.finished, x: area.columns.lowerBound, y: area.rows.lowerBound)
  }

  /// Makes a drawn layer into a picture of the render format that may be moved over frames. All of it is converted, with a clear
  /// margin.
  ///
  /// - Parameters:
  ///   - drawing: a picture in sRGB of 8 bits, as `Drawing` makes it.
  ///   - opacity: the layer's opacity, 0...1.
  /// - Returns: nil when nothing of the layer can be seen.
  package init?(
    movable drawing: PlacedPicture, opacity: Double, format: PixelFormat, color: ColorTags
  ) throws(CompositingError) {
    // The whole is shifted by chroma cells, so that it begins a cell after the corner of a frame of its own.
    func shift(_ place: Int, _ cell: Int) -> Int {
      Int((Double(place) / Double(cell)).rounded(.down)) * cell - cell
    }
    func length(_ end: Int, _ cell: Int) -> Int { (end / cell + 2) * cell }
    let cell = format.cell
    let (left, top) = (shift(drawing.x, cell.width), shift(drawing.y, cell.height))
    let shifted = PlacedPicture(drawing.picture, x: drawing.x - left, y: drawing.y - top)
    let size = PixelSize(
      length(shifted.x + drawing.picture.width, cell.width), length(shifted.y + drawing.picture.height, cell.height))
    guard
      let made = try PlacedPicture(graphics: shifted, opacity: opacity, renderSize: size, format: format, color: color)
    else { return nil }
    self.init(made.picture, x: made.x + left, y: made.y + top)
  }
}
