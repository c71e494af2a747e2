/// A size in pixels.
package struct PixelSize: Hashable, Sendable, Codable {
  package var width: Int
  package var height: Int

  package init(_ width: Int, _ height: Int) {
    self.width = width
    self.height = height
  }
}

/// A point or a distance, along x (to the right) and y (downwards).
package struct Point: Hashable, Sendable, Codable {
  package var x: Double
  package var y: Double

  package static let zero = Point(0, 0)

  package init(_ x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
}

/// A rectangle in pixels. The origin is at the top left, and y grows downwards.
package struct Rect: Hashable, Sendable, Codable {
  package var x: Double
  package var y: Double
  package var width: Double
  package var height: Double

  /// The values stand in the order in which documents write them.
  package init(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
    self.x = x
    self.y = y
    self.width = width
    self.height = height
  }

  package init(_ size: PixelSize) { self.init(0, 0, Double(size.width), Double(size.height)) }

  package var maxX: Double { x + width }
  package var maxY: Double { y + height }

  package func intersection(_ other: Rect) -> Rect? {
    let (left, top) = (max(x, other.x), max(y, other.y))
    let (right, bottom) = (min(maxX, other.maxX), min(maxY, other.maxY))
    return left < right && top < bottom ? Rect(left, top, right - left, bottom - top) : nil
  }
}

/// An affine map of points, with the terms of CGAffineTransform: `x' = a x + c y + tx`, `y' = b x + d y + ty`.
package struct AffineTransform: Hashable, Sendable, Codable {
  package var a: Double
  package var b: Double
  package var c: Double
  package var d: Double
  package var tx: Double
  package var ty: Double

  package static let identity = AffineTransform(1, 0, 0, 1, 0, 0)

  /// The values stand in the order of CGAffineTransform, in which documents write them.
  package init(_ a: Double, _ b: Double, _ c: Double, _ d: Double, _ tx: Double, _ ty: Double) {
    (self.a, self.b, self.c, self.d, self.tx, self.ty) = (a, b, c, d, tx, ty)
  }

  /// The map that applies this one first, then `next` (CGAffineTransformConcat).
  package func then(_ next: AffineTransform) -> AffineTransform {
    AffineTransform(
      a * next.a + b * next.c, a * next.b + b * next.d,
      c * next.a + d * next.c, c * next.b + d * next.d,
      tx * next.a + ty * next.c + next.tx, tx * next.b + ty * next.d + next.ty)
  }

  /// The inverse map; nil when the map is singular, or so close to it that the inverse is not finite.
  package var inverse: AffineTransform? {
    let determinant = a * d - b * c
    guard determinant != 0, (1 / determinant).isFinite else { return nil }
    return AffineTransform(
      d / determinant, -b / determinant, -c / determinant, a / determinant,
      (c * ty - d * tx) / determinant, (b * tx - a * ty) / determinant)
  }

  package static func translation(_ x: Double, _ y: Double) -> AffineTransform { AffineTransform(1, 0, 0, 1, x, y) }

  package static func scale(_ x: Double, _ y: Double) -> AffineTransform { AffineTransform(x, 0, 0, y, 0, 0) }

  /// The turn about the origin by an angle in degrees, clockwise as seen.
  package static func rotation(degrees: Double) -> AffineTransform {
    let (sine, cosine) = Trigonometry.sineAndCosine(degrees: degrees)
    return AffineTransform(cosine, sine, -sine, cosine, 0, 0)
  }

  package func apply(_ x: Double, _ y: Double) -> (x: Double, y: Double) {
    (a * x + c * y + tx, b * x + d * y + ty)
  }
}
