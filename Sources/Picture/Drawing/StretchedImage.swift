internal import CPango
import Formats
import Media
import Timeline

extension StillImage {
  /// The picture in nine parts, stretched to a size: the corners as they are, the sides in one direction, and the middle in both
  /// (contentsCenter). Where there is no room for the corners, all sides are made smaller in the same measure, as CSS does it
  /// ("Backgrounds and Borders Level 3", 6.2).
  ///
  /// - Parameters:
  ///   - center: the middle, as shares of the picture. Its edges are taken to whole pixels.
  ///   - size: the size in pixels. It is rounded up to whole ones.
  func stretched(around center: Rect, to size: Point) throws(DrawingError) -> StillImage {
    let (columns, rows) = (Self.parts(width, center.x, center.maxX), Self.parts(height, center.y, center.maxY))
    let whole = (width: Int(size.x.rounded(.up)), height: Int(size.y.rounded(.up)))
    let sheet = try Sheet(columns: 0..<max(whole.width, 1), rows: 0..<max(whole.height, 1))
    let sides = (across: columns[0].count + columns[2].count, down: rows[0].count + rows[2].count)
    let share = min(1, Double(whole.width) / Double(max(sides.across, 1)), Double(whole.height) / Double(max(sides.down, 1)))
    let (across, down) = (Self.places(columns, share, whole.width), Self.places(rows, share, whole.height))
    // Where parts meet within a pixel, their shares of it add up.
    unsafe cairo_set_operator(sheet.context, CAIRO_OPERATOR_ADD)
    for (source, y) in zip(rows, zip(down, down.dropFirst())) where !source.isEmpty && y.0 < y.1 {
      for (column, x) in zip(columns, zip(across, across.dropFirst())) where !column.isEmpty && x.0 < x.1 {
        let part = try ImageSurface(self.part(column, source))
        let place = Rect(x.0, y.0, x.1 - x.0, y.1 - y.0)
        let map = AffineTransform(
          place.width / Double(column.count), 0, 0, place.height / Double(source.count), place.x, place.y)
        unsafe part.draw(on: sheet.context, map, shown: place)
      }
    }
    return try sheet.image()
  }

  /// The three parts of a side, in the picture's pixels.
  private static func parts(_ count: Int, _ from: Double, _ to: Double) -> [Range<Int>] {
    let first = min(max(Int((from * Double(count)).rounded()), 0), count)
    let last = min(max(Int((to * Double(count)).rounded()), first), count)
    return [0..<first, first..<last, last..<count]
  }

  /// The four edges of the stretched parts.
  private static func places(_ parts: [Range<Int>], _ share: Double, _ length: Int) -> [Double] {
    let first = Double(parts[0].count) * share
    return [0, first, max(Double(length) - Double(parts[2].count) * share, first), Double(length)]
  }

  private func part(_ columns: Range<Int>, _ rows: Range<Int>) -> StillImage {
    var part: [UInt8] = []
    part.reserveCapacity(columns.count * rows.count * 4)
    for y in rows {
      let row = y * width
      let (first, end) = (4 * (row + columns.lowerBound), 4 * (row + columns.upperBound))
      part += rgba[first..<end]
    }
    return StillImage(width: columns.count, height: rows.count, rgba: part)
  }
}

extension Sheet {
  /// The sheet as an image.
  func image() throws(DrawingError) -> StillImage {
    StillImage(width: size.width, height: size.height, rgba: try straightPixels())
  }
}
