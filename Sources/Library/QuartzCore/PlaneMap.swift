/// A map from one plane to another, as a viewer sees it who looks through the second one: lines stay lines.
///
/// Its nine numbers are those rows and columns of a map in space that hold x, y and the perspective's divisor, for a point (x, y, 0):
/// the terms (m11, m12, m14), (m21, m22, m24), (m41, m42, m44).
struct PlaneMap {
  private var x: SIMD3<Double>, y: SIMD3<Double>, one: SIMD3<Double>

  init(_ map: CATransform3D) {
    x = SIMD3(Double(map.m11), Double(map.m12), Double(map.m14))
    y = SIMD3(Double(map.m21), Double(map.m22), Double(map.m24))
    one = SIMD3(Double(map.m41), Double(map.m42), Double(map.m44))
  }

  /// The place where a point is seen; nil where the point is not before the viewer, or has coordinates that are no numbers.
  func image(of point: CGPoint) -> CGPoint? {
    let seen = x * Double(point.x) + y * Double(point.y) + one
    guard seen.z > 0, seen.x.isFinite, seen.y.isFinite, seen.z.isFinite else { return nil }
    return CGPoint(x: seen.x / seen.z, y: seen.y / seen.z)
  }

  /// The places where points are seen; none where one of the points is not.
  func images(of points: [CGPoint]) -> [CGPoint] {
    let seen = points.compactMap(image)
    return seen.count == points.count ? seen : []
  }

  /// The map back; nil where the plane is seen edge on, or is of no size.
  var inverted: PlaneMap? {
    let (first, second, third) = (Self.cross(y, one), Self.cross(one, x), Self.cross(x, y))
    let determinant = (x * first).sum()
    guard determinant != 0, determinant.isFinite else { return nil }
    var back = self
    back.x = SIMD3(first.x, second.x, third.x) / determinant
    back.y = SIMD3(first.y, second.y, third.y) / determinant
    back.one = SIMD3(first.z, second.z, third.z) / determinant
    return back
  }

  private static func cross(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> SIMD3<Double> {
    SIMD3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x)
  }
}

extension CGPoint {
  /// The answer for a point that has no place.
  static let nowhere = CGPoint(x: Double.nan, y: Double.nan)
}

extension CGRect {
  var corners: [CGPoint] {
    [CGPoint(x: minX, y: minY), CGPoint(x: maxX, y: minY), CGPoint(x: minX, y: maxY), CGPoint(x: maxX, y: maxY)]
  }

  /// The smallest rectangle around points; null where there are none.
  init(around points: [CGPoint]) {
    guard let left = points.map(\.x).min(), let right = points.map(\.x).max(), let top = points.map(\.y).min(),
      let bottom = points.map(\.y).max()
    else {
      self = .null
      return
    }
    self.init(x: left, y: top, width: right - left, height: bottom - top)
  }
}
