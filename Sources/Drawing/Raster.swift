package import Timeline

/// A still layer as pixels: a rectangle of the render frame. It may extend beyond the frame.
package struct Raster: Sendable, Hashable {
  /// An sRGB colour with straight (not premultiplied) alpha. Each component is 0...255.
  package struct Pixel: Sendable, Hashable {
    package let red: UInt8
    package let green: UInt8
    package let blue: UInt8
    package let alpha: UInt8

    package init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8) {
      (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
    }
  }

  /// The position of the top left pixel in render pixels; may be negative.
  package let x: Int
  package let y: Int
  package let width: Int
  package let height: Int
  /// Red, green, blue and straight alpha, a byte each, in rows without padding. Alpha is straight so that an image that is not
  /// scaled keeps its exact values.
  package let rgba: [UInt8]

  /// - Precondition: `rgba` has four bytes for each pixel.
  package init(x: Int, y: Int, width: Int, height: Int, rgba: [UInt8]) {
    precondition(rgba.count == width * height * 4)
    (self.x, self.y, self.width, self.height, self.rgba) = (x, y, width, height, rgba)
  }

  static let empty = Raster(x: 0, y: 0, width: 0, height: 0, rgba: [])

  /// The pixel at a position in render pixels.
  ///
  /// - Precondition: the position is in the raster.
  package func pixel(_ x: Int, _ y: Int) -> Pixel {
    let index = ((y - self.y) * width + (x - self.x)) * 4
    return Pixel(red: rgba[index], green: rgba[index + 1], blue: rgba[index + 2], alpha: rgba[index + 3])
  }

  /// The smallest rectangle in the frame that holds every pixel that is not fully transparent; nil when there is none.
  package func visibleBounds(in size: PixelSize) -> (columns: Range<Int>, rows: Range<Int>)? {
    let columns = (x..<x + width).clamped(to: 0..<size.width)
    let rows = (y..<y + height).clamped(to: 0..<size.height)
    var found: (left: Int, top: Int, right: Int, bottom: Int)?
    for y in rows {
      guard let first = columns.first(where: { pixel($0, y).alpha > 0 }),
        let last = columns.last(where: { pixel($0, y).alpha > 0 })
      else { continue }
      found = (min(found?.left ?? first, first), found?.top ?? y, max(found?.right ?? last, last), y)
    }
    return found.map { ($0.left..<$0.right + 1, $0.top..<$0.bottom + 1) }
  }
}
