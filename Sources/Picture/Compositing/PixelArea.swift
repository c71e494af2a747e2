import Formats
import Media

/// A rectangle of whole pixels.
struct PixelArea: Hashable {
  var columns: Range<Int>
  var rows: Range<Int>

  init(_ columns: Range<Int>, _ rows: Range<Int>) { (self.columns, self.rows) = (columns, rows) }

  /// The smallest area of whole chroma cells around `rect`, cut off at `limits`.
  ///
  /// - Precondition: `rect` and the limits have a common area.
  init(around rect: Rect, cell: (width: Int, height: Int), within limits: (width: Int, height: Int)) {
    func range(_ from: Double, _ to: Double, cell: Int, limit: Int) -> Range<Int> {
      let first = Int((max(from, 0) / Double(cell)).rounded(.down)) * cell
      let end = Int((min(to, Double(limit)) / Double(cell)).rounded(.up)) * cell
      return first..<Swift.min(end, limit)
    }
    columns = range(rect.x, rect.maxX, cell: cell.width, limit: limits.width)
    rows = range(rect.y, rect.maxY, cell: cell.height, limit: limits.height)
  }

  /// The samples of plane `index` that stand for the area.
  func area(ofPlane index: Int, in format: PixelFormat) -> PixelArea {
    let shift = format.shift(ofPlane: index)
    func samples(_ range: Range<Int>, _ shift: Int) -> Range<Int> {
      range.lowerBound >> shift..<(range.upperBound + (1 << shift) - 1) >> shift
    }
    return PixelArea(samples(columns, shift.x), samples(rows, shift.y))
  }

  /// The place of an upright area's samples in a plane of `width` x `height` stored samples.
  ///
  /// - Precondition: the area is not empty.
  func stored(_ orientation: Orientation, _ width: Int, _ height: Int) -> PixelArea {
    let first = orientation.stored(x: columns.lowerBound, y: rows.lowerBound, width, height)
    let last = orientation.stored(x: columns.upperBound - 1, y: rows.upperBound - 1, width, height)
    return PixelArea(
      min(first.x, last.x)..<max(first.x, last.x) + 1, min(first.y, last.y)..<max(first.y, last.y) + 1)
  }
}
