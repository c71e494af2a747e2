/// A map of the points of a plane as an eye sees them (a homography): `x' = (a x + c y + tx) / w`, `y' = (b x + d y + ty) / w`,
/// with `w = p x + q y + r`. Points whose `w` is not above 0 lie behind the eye.
package struct Projection: Hashable, Sendable, Encodable {
  /// The map of the numerators.
  package var flat: AffineTransform
  package var p: Double
  package var q: Double
  package var r: Double

  package init(_ flat: AffineTransform, p: Double = 0, q: Double = 0, r: Double = 1) {
    (self.flat, self.p, self.q, self.r) = (flat, p, q, r)
  }

  /// The least `w` of a point that is seen. What lies nearer to the eye would be stretched without end.
  private static let nearest = 1.0 / 1024

  /// The map that applies this one first, then `next`.
  package func then(_ next: Projection) -> Projection {
    let (a, b) = (flat, next.flat)
    return Projection(
      AffineTransform(
        a.a * b.a + a.b * b.c + p * b.tx, a.a * b.b + a.b * b.d + p * b.ty,
        a.c * b.a + a.d * b.c + q * b.tx, a.c * b.b + a.d * b.d + q * b.ty,
        a.tx * b.a + a.ty * b.c + r * b.tx, a.tx * b.b + a.ty * b.d + r * b.ty),
      p: a.a * next.p + a.b * next.q + p * next.r, q: a.c * next.p + a.d * next.q + q * next.r,
      r: a.tx * next.p + a.ty * next.q + r * next.r)
  }

  package func then(_ next: AffineTransform) -> Projection { then(Projection(next)) }

  /// The determinant of the three rows. It is 0 where the plane is seen from its edge.
  package var determinant: Double {
    let first: Double = flat.a * (flat.d * r - q * flat.ty)
    let second: Double = flat.b * (flat.c * r - q * flat.tx)
    let third: Double = p * (flat.c * flat.ty - flat.d * flat.tx)
    return first - second + third
  }

  /// The inverse map; nil when the plane is seen from its edge. The `w` of a point that is seen is 1 over that of its image.
  package var inverse: Projection? {
    let determinant = determinant
    guard determinant != 0, (1 / determinant).isFinite else { return nil }
    let f = flat
    return Projection(
      AffineTransform(
        (f.d * r - q * f.ty) / determinant, (p * f.ty - f.b * r) / determinant,
        (q * f.tx - f.c * r) / determinant, (f.a * r - p * f.tx) / determinant,
        (f.c * f.ty - f.d * f.tx) / determinant, (f.b * f.tx - f.a * f.ty) / determinant),
      p: (f.b * q - p * f.d) / determinant, q: (p * f.c - f.a * q) / determinant, r: (f.a * f.d - f.b * f.c) / determinant)
  }

  package var isFinite: Bool {
    [flat.a, flat.b, flat.c, flat.d, flat.tx, flat.ty, p, q, r].allSatisfy(\.isFinite)
  }

  package func depth(_ x: Double, _ y: Double) -> Double { p * x + q * y + r }

  /// The image of a point; it means nothing for a point behind the eye.
  package func apply(_ x: Double, _ y: Double) -> Point {
    let (w, image) = (depth(x, y), flat.apply(x, y))
    return Point(image.x / w, image.y / w)
  }

  /// The map of small steps from a point that is seen.
  package func derivative(at point: Point) -> AffineTransform {
    let (w, image) = (depth(point.x, point.y), flat.apply(point.x, point.y))
    let square = w * w
    return AffineTransform(
      (flat.a * w - p * image.x) / square, (flat.b * w - p * image.y) / square, (flat.c * w - q * image.x) / square,
      (flat.d * w - q * image.y) / square, 0, 0)
  }

  /// The corners of the part of a rectangle that lies before the eye, in order; none where all of it lies behind.
  private func seenCorners(of rect: Rect) -> [Point] {
    let corners = [Point(rect.x, rect.y), Point(rect.maxX, rect.y), Point(rect.maxX, rect.maxY), Point(rect.x, rect.maxY)]
    var seen: [Point] = []
    for (index, here) in corners.enumerated() {
      let next = corners[(index + 1) % corners.count]
      let (near, far) = (depth(here.x, here.y) - Self.nearest, depth(next.x, next.y) - Self.nearest)
      if near >= 0 { seen.append(here) }
      if (near < 0) != (far < 0) {
        let share = near / (near - far)
        seen.append(Point(here.x + (next.x - here.x) * share, here.y + (next.y - here.y) * share))
      }
    }
    return seen
  }

  /// The smallest rectangle around the image of the part of `rect` that is seen; nil where none is.
  package func bounds(of rect: Rect) -> Rect? {
    let images = seenCorners(of: rect).map { apply($0.x, $0.y) }
    guard let left = images.map(\.x).min(), let right = images.map(\.x).max(), let top = images.map(\.y).min(),
      let bottom = images.map(\.y).max()
    else { return nil }
    return Rect(left, top, right - left, bottom - top)
  }

  /// The largest lengths to which steps of 1 along the two axes are stretched in `rect`, where it is seen: at its corners, since
  /// it is largest where the plane is nearest.
  package func stretch(over rect: Rect) -> Point {
    seenCorners(of: rect).reduce(Point.zero) { most, point in
      let map = derivative(at: point)
      return Point(
        max(most.x, (map.a * map.a + map.b * map.b).squareRoot()), max(most.y, (map.c * map.c + map.d * map.d).squareRoot()))
    }
  }
}
