/// A map of the plane that keeps lines.
struct Homography: Sendable {
  /// The map by rows.
  private let m: [Double]

  private init(_ m: [Double]) { self.m = m }

  /// Makes the map of a rectangle to four points, from its bottom left corner on, anticlockwise; nil where three are on a line.
  init?(from rect: CGRect, to quad: [CGPoint]) {
    // The map of the unit square (Heckbert, "Fundamentals of Texture Mapping", 2.2.3).
    let (p0, p1, p2, p3) = (quad[0], quad[1], quad[2], quad[3])
    let (dx1, dx2, sx) = (p1.x - p2.x, p3.x - p2.x, p0.x - p1.x + p2.x - p3.x)
    let (dy1, dy2, sy) = (p1.y - p2.y, p3.y - p2.y, p0.y - p1.y + p2.y - p3.y)
    let determinant = dx1 * dy2 - dx2 * dy1
    guard determinant != 0, rect.width > 0, rect.height > 0 else { return nil }
    let g = (sx * dy2 - dx2 * sy) / determinant
    let h = (dx1 * sy - sx * dy1) / determinant
    let (a, b, c) = (p1.x - p0.x + g * p1.x, p3.x - p0.x + h * p3.x, p0.x)
    let (d, e, f) = (p1.y - p0.y + g * p1.y, p3.y - p0.y + h * p3.y, p0.y)
    let (w, v, x, y) = (Double(rect.width), Double(rect.height), Double(rect.minX), Double(rect.minY))
    func row(_ p: CGFloat, _ q: CGFloat, _ r: CGFloat) -> [Double] {
      [Double(p) / w, Double(q) / v, Double(r) - Double(p) * x / w - Double(q) * y / v]
    }
    m = row(a, b, c) + row(d, e, f) + row(g, h, 1)
  }

  func apply(_ x: Double, _ y: Double) -> (x: Double, y: Double)? {
    let w = m[6] * x + m[7] * y + m[8]
    guard w != 0 else { return nil }
    return ((m[0] * x + m[1] * y + m[2]) / w, (m[3] * x + m[4] * y + m[5]) / w)
  }

  var inverse: Homography? {
    func minor(_ a: Int, _ b: Int, _ c: Int, _ d: Int) -> Double { m[a] * m[b] - m[c] * m[d] }
    let made: [Double] = [
      minor(4, 8, 5, 7), minor(2, 7, 1, 8), minor(1, 5, 2, 4), minor(5, 6, 3, 8), minor(0, 8, 2, 6), minor(2, 3, 0, 5),
      minor(3, 7, 4, 6), minor(1, 6, 0, 7), minor(0, 4, 1, 3),
    ]
    let determinant = m[0] * made[0] + m[1] * made[3] + m[2] * made[6]
    return determinant == 0 ? nil : Homography(made.map { $0 / determinant })
  }
}
