/// Red, green, blue and alpha in the working space, multiplied by alpha.
package typealias Pixel = SIMD4<Float>

/// A rectangle of whole pixels. Its y grows upwards.
package struct Area: Hashable, Sendable {
  package var x: Int
  package var y: Int
  package var width: Int
  package var height: Int

  package init(x: Int, y: Int, width: Int, height: Int) {
    (self.x, self.y, self.width, self.height) = (x, y, max(width, 0), max(height, 0))
  }

  /// The pixels that a rectangle touches; nil for one that is empty or without bounds.
  package init?(_ rect: CGRect) {
    guard !rect.isEmpty, rect.width < Self.unbounded, rect.height < Self.unbounded else { return nil }
    // Edges that rounding moved by a trifle stay where they were meant.
    let (x, y) = ((rect.minX + 1e-6).rounded(.down), (rect.minY + 1e-6).rounded(.down))
    self.init(
      x: Int(x), y: Int(y), width: Int((rect.maxX - 1e-6).rounded(.up) - x), height: Int((rect.maxY - 1e-6).rounded(.up) - y))
  }

  /// The size from which on a rectangle has no bounds.
  static let unbounded: CGFloat = 1e9

  var maxX: Int { x + width }
  var maxY: Int { y + height }
  var isEmpty: Bool { width == 0 || height == 0 }
  package var rect: CGRect { CGRect(x: x, y: y, width: width, height: height) }

  func intersection(_ other: Area) -> Area {
    let (left, bottom) = (max(x, other.x), max(y, other.y))
    return Area(x: left, y: bottom, width: min(maxX, other.maxX) - left, height: min(maxY, other.maxY) - bottom)
  }

  func grown(by reach: Int) -> Area { Area(x: x - reach, y: y - reach, width: width + 2 * reach, height: height + 2 * reach) }
}

/// The pixels of an area, by rows from the bottom up.
package struct Pixels: Sendable {
  package let area: Area
  package var values: [Pixel]

  package init(_ area: Area, _ values: [Pixel]) { (self.area, self.values) = (area, values) }
  package init(clear area: Area) { self.init(area, [Pixel](repeating: .zero, count: area.width * area.height)) }

  /// The pixel at a place; clear outside of the area.
  @inline(__always) subscript(x: Int, y: Int) -> Pixel {
    let (column, row) = (x - area.x, y - area.y)
    guard column >= 0, row >= 0, column < area.width, row < area.height else { return .zero }
    return values[row * area.width + column]
  }

  /// The colour at a point between the centres of pixels, linear in both directions.
  @inline(__always) func sample(_ x: Float, _ y: Float) -> Pixel {
    let (u, v) = (x - 0.5, y - 0.5)
    let (left, bottom) = (u.rounded(.down), v.rounded(.down))
    let (s, t) = (u - left, v - bottom)
    let (column, row) = (Int(left), Int(bottom))
    if s == 0, t == 0 { return self[column, row] }
    let low = self[column, row] * (1 - s) + self[column + 1, row] * s
    let high = self[column, row + 1] * (1 - s) + self[column + 1, row + 1] * s
    return low * (1 - t) + high * t
  }

  /// The part in another area, clear where this one has nothing.
  func cut(_ other: Area) -> Pixels {
    if other == area { return self }
    var made = Pixels(clear: other)
    let common = area.intersection(other)
    guard !common.isEmpty else { return made }
    for y in common.y..<common.maxY {
      let from = (y - area.y) * area.width + common.x - area.x
      let to = (y - other.y) * other.width + common.x - other.x
      made.values.replaceSubrange(to..<to + common.width, with: values[from..<from + common.width])
    }
    return made
  }

  /// Applies a function to each pixel.
  func mapped(_ body: (Pixel) -> Pixel) -> Pixels { Pixels(area, values.map(body)) }

  /// Applies a function to each place and its pixel. Places are the centres of pixels.
  func mappedByPlace(_ body: (Float, Float, Pixel) -> Pixel) -> Pixels {
    var made = self
    for row in 0..<area.height {
      let y = Float(area.y + row) + 0.5
      for column in 0..<area.width {
        let index = row * area.width + column
        made.values[index] = body(Float(area.x + column) + 0.5, y, values[index])
      }
    }
    return made
  }

  /// Joins two pictures of one area pixel by pixel.
  func joined(_ other: Pixels, _ body: (Pixel, Pixel) -> Pixel) -> Pixels {
    var made = self
    for index in made.values.indices { made.values[index] = body(values[index], other.values[index]) }
    return made
  }
}

extension SIMD4 where Scalar == Float {
  @inline(__always) var alpha: Float { self[3] }

  /// The colour without alpha multiplied in, with its alpha.
  @inline(__always) var straight: Pixel {
    self[3] > 0 ? Pixel(self[0] / self[3], self[1] / self[3], self[2] / self[3], self[3]) : .zero
  }

  /// The colour with its alpha multiplied in.
  @inline(__always) var premultiplied: Pixel { Pixel(self[0] * self[3], self[1] * self[3], self[2] * self[3], self[3]) }

  /// Luminance by the weights of linear BT.709.
  @inline(__always) var luminance: Float { 0.2126 * self[0] + 0.7152 * self[1] + 0.0722 * self[2] }

  @inline(__always) func withAlpha(_ alpha: Float) -> Pixel { Pixel(self[0], self[1], self[2], alpha) }
}
