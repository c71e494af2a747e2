internal import CPango
import Formats
import Media
import Scenes
import Timeline

extension PlacedPicture {
  /// Draws a still whose plane is turned in space, as it is seen in the frame. It is drawn flat and larger than it is seen, and each
  /// pixel of the frame is the mean of many points of that picture.
  ///
  /// - Returns: nil when nothing of it can be seen.
  init?(
    _ still: Scene.Still, seenThrough projection: Projection, in size: PixelSize, fonts: FontBook, images: Images
  ) throws {
    let painting = try Painting(still.drawing, fonts, images)
    let map = Projection(still.map).then(projection)
    guard let ink = painting.ink, let back = map.inverse, back.isFinite,
      let seen = map.bounds(of: ink)?.widened(by: 1), let area = pixels(around: seen, in: size)
    else { return nil }
    let stretch = map.stretch(over: ink)
    let largest = min(
      DocumentLimits.movingSide / max(ink.width, ink.height),
      (DocumentLimits.movingPixels / (ink.width * ink.height)).squareRoot())
    let density = min(max(2 * max(stretch.x, stretch.y), 1.0 / 16), 8, largest)
    let flat = AffineTransform.scale(density, density)
    let drawn = flat.bounds(of: ink)
    let extent = flat.bounds(of: painting.extent)
    guard [extent.x, extent.y, extent.maxX, extent.maxY].allSatisfy({ abs($0) <= Self.furthest }) else {
      throw DrawingError.tooFar
    }
    let sheet = try Sheet(
      columns: Int(drawn.x.rounded(.down))..<Int(drawn.maxX.rounded(.up)),
      rows: Int(drawn.y.rounded(.down))..<Int(drawn.maxY.rounded(.up)))
    try painting.draw(on: sheet, flat)
    try painting.requireUnchangedFonts()
    let toSheet = back.then(flat).then(.translation(-Double(sheet.origin.x), -Double(sheet.origin.y)))
    let rgba = try ProjectedPixels(sheet, toSheet).pixels(area.columns, area.rows)
    try self.init(
      x: area.columns.lowerBound, y: area.rows.lowerBound, width: area.columns.count, height: area.rows.count, rgba: rgba)
  }
}

/// The pixels of a sheet as they are seen through a projection.
// @safe: the sheet that is held owns the pixels, and only those that it has are read.
@safe private struct ProjectedPixels {
  private let sheet: Sheet
  /// The map from the frame's pixels to the sheet's.
  private let map: Projection
  private let data: UnsafeMutableRawPointer
  private let stride: Int

  /// The points of a pixel along a row or a column: these at least, and so many that no pixel of the sheet is passed over, up to
  /// the second number.
  private static let (fewest, most) = (4, 16)

  init(_ sheet: Sheet, _ map: Projection) throws(DrawingError) {
    (self.sheet, self.map) = (sheet, map)
    let pixels = try unsafe sheet.pixels()
    unsafe (data, stride) = (pixels.data, pixels.stride)
  }

  /// The pixels of a part of the frame: red, green, blue and straight alpha.
  func pixels(_ columns: Range<Int>, _ rows: Range<Int>) -> [UInt8] {
    var rgba: [UInt8] = []
    rgba.reserveCapacity(columns.count * rows.count * 4)
    for y in rows {
      for x in columns {
        let sum = mean(x, y)
        let alpha = sum.w
        for component in 0..<3 {
          let straight = alpha > 0 ? sum[component] / alpha * 255 : 0
          rgba.append(UInt8(min(straight.rounded(), 255)))
        }
        rgba.append(UInt8(alpha.rounded()))
      }
    }
    withExtendedLifetime(sheet) {}
    return rgba
  }

  /// The mean of the multiplied red, green, blue and alpha over a pixel of the frame, in 0...255.
  private func mean(_ x: Int, _ y: Int) -> SIMD4<Double> {
    let middle = (x: Double(x) + 0.5, y: Double(y) + 0.5)
    var count = Self.fewest
    if map.depth(middle.x, middle.y) > 0 {
      let step = map.derivative(at: Point(middle.x, middle.y))
      let reach = max(abs(step.a) + abs(step.c), abs(step.b) + abs(step.d))
      count = Int(min(max(reach.rounded(.up), Double(Self.fewest)), Double(Self.most)))
    }
    var sum = SIMD4<Double>()
    for row in 0..<count {
      for column in 0..<count {
        let (px, py) = (
          Double(x) + (Double(column) + 0.5) / Double(count), Double(y) + (Double(row) + 0.5) / Double(count)
        )
        // The depth of a point of the frame is 1 over that of the point which is seen there.
        let depth = map.depth(px, py)
        guard depth > 0, depth < 1024 else { continue }
        let place = map.flat.apply(px, py)
        sum += sample(place.x / depth - 0.5, place.y / depth - 0.5)
      }
    }
    return sum / Double(count * count)
  }

  /// The bilinear mixture of the four pixels around a point. Beyond the sheet all is clear.
  private func sample(_ u: Double, _ v: Double) -> SIMD4<Double> {
    guard u > -1, v > -1, u < Double(sheet.size.width), v < Double(sheet.size.height) else { return SIMD4() }
    let (left, top) = (u.rounded(.down), v.rounded(.down))
    let (across, down) = (u - left, v - top)
    let (x, y) = (Int(left), Int(top))
    return (pixel(x, y) * (1 - across) + pixel(x + 1, y) * across) * (1 - down)
      + (pixel(x, y + 1) * (1 - across) + pixel(x + 1, y + 1) * across) * down
  }

  private func pixel(_ x: Int, _ y: Int) -> SIMD4<Double> {
    guard x >= 0, y >= 0, x < sheet.size.width, y < sheet.size.height else { return SIMD4() }
    let word = unsafe (data + y * stride).assumingMemoryBound(to: UInt32.self)[x]
    return SIMD4(Double(word >> 16 & 255), Double(word >> 8 & 255), Double(word & 255), Double(word >> 24))
  }
}
