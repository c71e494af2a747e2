import Drawing
import Media

/// Makes a picture of the render format from graphics, row by row from the top.
///
/// Chroma of a subsampled format is filtered at its own site: over the luma columns before, at and after it with shares of 1/4,
/// 1/2 and 1/4, and over the rows of its cell evenly. Colours are weighted by their alpha. So the result is the same as blending
/// at full resolution and subsampling afterwards.
struct GraphicsBuilder {
  private let picture: PixelBuffer
  private let area: PixelArea
  private let format: PixelFormat
  private let color: GraphicsColor
  private let planes: [Plane]
  /// The alpha of each plane's samples.
  private let shares: [Plane]
  /// The row of chroma cells that is being collected.
  private var cells: [Cell]

  private struct Cell {
    var alpha = 0.0
    /// The sums of codes, multiplied by alpha.
    var codes: GraphicsColor.Codes = (0, 0, 0)

    mutating func add(_ codes: GraphicsColor.Codes, _ alpha: Double) {
      self.alpha += alpha
      self.codes.1 += codes.1 * alpha
      self.codes.2 += codes.2 * alpha
    }
  }

  /// - Parameters:
  ///   - area: whole chroma cells around every pixel that is added, and around the column after each.
  ///   - frame: the format of the frame that holds the area.
  init(area: PixelArea, in frame: PictureFormat) throws(CompositingError) {
    (self.area, format, color) = (area, frame.format, GraphicsColor(frame))
    let chroma = area.area(ofPlane: format.planeCount - 1, in: format)
    let size = (width: chroma.columns.count, height: chroma.rows.count)
    let alpha = PixelBuffer.Alpha(
      full: try .makeAlpha(area.columns.count, area.rows.count),
      chroma: format.isSubsampled ? try .makeAlpha(size.width, size.height) : nil)
    picture = try PixelBuffer.make(frame.sized(area.columns.count, area.rows.count)).with(alpha)
    planes = picture.planes
    shares = planes.indices.map { alpha.samples(ofPlane: $0).planes[0] }
    for plane in planes + shares { plane.fill(with: 0) }
    cells = Array(repeating: Cell(), count: format.isSubsampled ? size.width : 0)
  }

  /// Adds the pixels of a row of `drawing`, which is in sRGB of 8 bits. Positions are those of the frame.
  mutating func add(columns: Range<Int>, row y: Int, of drawing: PlacedPicture, opacity: Double) {
    let components = drawing.picture.planes
    let row = y - drawing.y
    let (green, blue, red): (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt8>) = unsafe (
      components[0].row(row), components[1].row(row), components[2].row(row)
    )
    let alpha: UnsafeMutablePointer<UInt16>? = unsafe drawing.picture.alpha?.full.planes[0].row(row)
    for x in columns {
      let index = x - drawing.x
      let share = unsafe alpha?[index] ?? PixelBuffer.Alpha.opaque
      if share == 0 { continue }
      let codes = unsafe color.codes(Double(red[index]) / 255, Double(green[index]) / 255, Double(blue[index]) / 255)
      add(codes, alpha: Double(share) / 65535 * opacity, x: x, y: y)
    }
  }

  private mutating func add(_ codes: GraphicsColor.Codes, alpha: Double, x: Int, y: Int) {
    let (column, row) = (x - area.columns.lowerBound, y - area.rows.lowerBound)
    set(plane: 0, column, row, code: codes.0, alpha: alpha)
    guard format.planeCount > 1 else { return }
    guard format.isSubsampled else {
      set(plane: 1, column, row, code: codes.1, alpha: alpha)
      set(plane: 2, column, row, code: codes.2, alpha: alpha)
      return
    }
    let share = alpha / Double(format.cell.height)
    if !x.isMultiple(of: 2) {
      cells[column / 2].add(codes, share / 4)
      if column / 2 + 1 < cells.count { cells[column / 2 + 1].add(codes, share / 4) }
    } else {
      // The frame's first column also stands for the missing column before it.
      cells[column / 2].add(codes, x == 0 ? share * 3 / 4 : share / 2)
    }
  }

  /// Writes the chroma cells of luma row `y`, which is the last row that they belong to.
  mutating func finishCells(ofRow y: Int) {
    let row = (y - area.rows.lowerBound) / format.cell.height
    for (column, cell) in cells.enumerated() where cell.alpha > 0 {
      set(plane: 1, column, row, code: cell.codes.1 / cell.alpha, alpha: cell.alpha)
      set(plane: 2, column, row, code: cell.codes.2 / cell.alpha, alpha: cell.alpha)
      cells[column] = Cell()
    }
  }

  /// The picture, when all pixels were added.
  var finished: PixelBuffer { picture.with(picture.alpha?.withRuns) }

  private func set(plane: Int, _ column: Int, _ row: Int, code: Double, alpha: Double) {
    let rounded = color.rounded(code)
    if format.bytesPerSample == 1 {
      unsafe planes[plane].row(row, as: UInt8.self)[column] = UInt8(rounded)
    } else {
      unsafe planes[plane].row(row, as: UInt16.self)[column] = UInt16(rounded)
    }
    unsafe shares[plane].row(row, as: UInt16.self)[column] = UInt16((min(alpha, 1) * 65535).rounded())
  }
}

extension PixelFormat {
  /// Whether chroma has at most half the columns of luma.
  fileprivate var isSubsampled: Bool { cell.width > 1 }
}
