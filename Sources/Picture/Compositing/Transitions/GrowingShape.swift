/// A shape that grows from the frame's centre until it covers the frame.
///
/// `size` tells how large the shape must be for a point to lie on its outline. It is linear in the distance from the centre along
/// each ray. So the largest value of a field of sizes lies on the frame's border, and dividing by it brings the field into 0...1.
enum GrowingShape {
  case ellipse(aspect: Double)
  /// The area in which two circles overlap.
  case eye
  case roundRect
  case heart
  case keyhole
  /// A polygon with its corners clockwise as seen (y grows downwards). Every corner can be seen from the centre.
  case polygon([(x: Double, y: Double)])

  static let triangle = polygon([(0, -1), (0.8660254037844386, 0.5), (-0.8660254037844386, 0.5)])
  static let arrowHead = polygon([(0, -1), (0.9, 0.9), (0, 0.4), (-0.9, 0.9)])
  static let pentagon = polygon(fifths(1))
  static let hexagon = polygon([
    (1, 0), (0.5, 0.8660254037844386), (-0.5, 0.8660254037844386), (-1, 0), (-0.5, -0.8660254037844386),
    (0.5, -0.8660254037844386),
  ])
  static let star4 = polygon([(0, -1), (0.25, -0.25), (1, 0), (0.25, 0.25), (0, 1), (-0.25, 0.25), (-1, 0), (-0.25, -0.25)])
  /// The pentagram. Its inner corners lie opposite the outer ones, at 0.382 of their distance.
  static let star5 = polygon(
    (0..<5).flatMap { (corner: Int) -> [(x: Double, y: Double)] in
      [fifths(1)[corner], fifths(-0.38196601125010515)[(corner + 3) % 5]]
    })
  static let star6 = polygon([
    (0, -1), (0.28867513459481287, -0.5), (0.8660254037844386, -0.5), (0.5773502691896257, 0), (0.8660254037844386, 0.5),
    (0.28867513459481287, 0.5), (0, 1), (-0.28867513459481287, 0.5), (-0.8660254037844386, 0.5), (-0.5773502691896257, 0),
    (-0.8660254037844386, -0.5), (-0.28867513459481287, -0.5),
  ])
  private static let keyholeSkirt = polygon([(0, -0.4), (0.5, 1), (-0.5, 1)])

  /// The corners of a regular pentagon, clockwise from the top.
  private static func fifths(_ scale: Double) -> [(x: Double, y: Double)] {
    [
      (0, -1), (0.9510565162951535, -0.30901699437494745), (0.5877852522924731, 0.8090169943749475),
      (-0.5877852522924731, 0.8090169943749475), (-0.9510565162951535, -0.30901699437494745),
    ].map { ($0.0 * scale, $0.1 * scale) }
  }

  /// The size at which the outline passes through the point.
  func size(_ point: WipePoint) -> Double {
    let at = point.fromCenter
    return at.x == 0 && at.y == 0 ? 0 : size(at.x, at.y)
  }

  private func size(_ x: Double, _ y: Double) -> Double {
    switch self {
    case .ellipse(let aspect): return ((x / aspect) * (x / aspect) + y * y).squareRoot()
    case .eye:
      return max(Self.circle(x, y, centerY: -0.75, radius: 1.25), Self.circle(x, y, centerY: 0.75, radius: 1.25))
    case .roundRect: return Self.roundRect(abs(x), abs(y))
    case .heart:
      // The heart is a square on its corner, with circles on its upper sides that pass through the centre.
      let square = abs(x) + abs(y)
      return abs(x) > y ? min(square, (x * x + y * y) / (abs(x) - y)) : square
    case .keyhole: return min(Self.circle(x, y, centerY: -0.4, radius: 0.6), Self.keyholeSkirt.size(x, y))
    case .polygon(let corners): return Self.polygon(corners, x, y)
    }
  }

  /// The size of a circle around (0, centerY). The origin lies inside the circle.
  private static func circle(_ x: Double, _ y: Double, centerY: Double, radius: Double) -> Double {
    let (square, along) = (x * x + y * y, y * centerY)
    let depth = radius * radius - centerY * centerY
    return ((along * along + depth * square).squareRoot() - along) / depth
  }

  /// The size of the rectangle (±1, ±9/16), whose corners have a radius of 1/4.
  private static func roundRect(_ x: Double, _ y: Double) -> Double {
    let (height, radius) = (0.5625, 0.25)
    let straight = max(x, y / height)
    let center = (x: 1 - radius, y: height - radius)
    guard x / straight > center.x && y / straight > center.y else { return straight }
    let (square, along) = (x * x + y * y, x * center.x + y * center.y)
    let outside = center.x * center.x + center.y * center.y - radius * radius
    return square / (along + (along * along - square * outside).squareRoot())
  }

  /// The size of a polygon, by the side that the ray through the point meets.
  private static func polygon(_ corners: [(x: Double, y: Double)], _ x: Double, _ y: Double) -> Double {
    for (index, from) in corners.enumerated() {
      let to = corners[(index + 1) % corners.count]
      guard from.x * y - from.y * x >= 0, x * to.y - y * to.x >= 0 else { continue }
      return (x * (to.y - from.y) - y * (to.x - from.x)) / (from.x * to.y - from.y * to.x)
    }
    preconditionFailure("a polygon's sides surround the centre")
  }
}
