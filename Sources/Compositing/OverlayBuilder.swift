import Drawing
import Media

/// Fills an overlay's planes pixel by pixel, row by row from the top.
///
/// Chroma of a subsampled format is filtered at its own site: over the luma columns before, at and after it with shares of 1/4,
/// 1/2 and 1/4, and over the rows of its cell evenly. Colours are weighted by their alpha. So the result is the same as blending
/// at full resolution and subsampling afterwards.
struct OverlayBuilder {
  private(set) var planes: [OverlayPicture.Plane]
  private let area: PixelArea
  private let format: PixelFormat
  private let color: GraphicsColor
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

  /// - Parameter area: whole chroma cells around every pixel that is added, and around the column after each.
  init(area: PixelArea, format: PixelFormat, color: GraphicsColor) {
    (self.area, self.format, self.color) = (area, format, color)
    planes = (0..<format.planeCount).map { index in
      let samples = area.area(ofPlane: index, in: format)
      return OverlayPicture.Plane(width: samples.columns.count, height: samples.rows.count, format: format)
    }
    cells = Array(repeating: Cell(), count: format.isSubsampled ? planes[1].width : 0)
  }

  mutating func add(_ pixel: Raster.Pixel, opacity: Double, x: Int, y: Int) {
    let codes = color.codes(Double(pixel.red) / 255, Double(pixel.green) / 255, Double(pixel.blue) / 255)
    let alpha = Double(pixel.alpha) / 255 * opacity
    let (column, row) = (x - area.columns.lowerBound, y - area.rows.lowerBound)
    set(0, column, row, codes.0, alpha)
    guard format.planeCount > 1 else { return }
    guard format.isSubsampled else {
      set(1, column, row, codes.1, alpha)
      set(2, column, row, codes.2, alpha)
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
      set(1, column, row, cell.codes.1 / cell.alpha, cell.alpha)
      set(2, column, row, cell.codes.2 / cell.alpha, cell.alpha)
      cells[column] = Cell()
    }
  }

  private mutating func set(_ plane: Int, _ column: Int, _ row: Int, _ code: Double, _ alpha: Double) {
    let index = row * planes[plane].width + column
    let rounded = color.rounded(code)
    if format.bytesPerSample == 1 {
      planes[plane].samples[index] = UInt8(rounded)
    } else {
      planes[plane].samples[2 * index] = UInt8(rounded & 255)
      planes[plane].samples[2 * index + 1] = UInt8(rounded >> 8)
    }
    planes[plane].alpha[index] = UInt16((min(alpha, 1) * 65535).rounded())
  }
}

extension PixelFormat {
  /// Whether chroma has at most half the columns of luma.
  fileprivate var isSubsampled: Bool { cell.width > 1 }
}
