internal import Formats
internal import Timeline

/// An outline as Lottie files have it: corners, each with the control points before and after it.
struct LottieBezier {
  struct Corner {
    var point: Point
    var into: Point
    var out: Point

    init(_ point: Point, into: Point? = nil, out: Point? = nil) {
      (self.point, self.into, self.out) = (point, into ?? point, out ?? point)
    }
  }

  var corners: [Corner]
  var isClosed: Bool

  /// The outline of lines and curves. All are written as curves, so that outlines of as many corners pass into each other.
  var path: VectorPath {
    guard let first = corners.first else { return VectorPath([]) }
    var elements = [VectorPath.Element.move(first.point)]
    for (here, next) in zip(corners, corners.dropFirst()) { elements.append(.curve(here.out, next.into, to: next.point)) }
    if isClosed, let last = corners.last { elements += [.curve(last.out, first.into, to: first.point), .close] }
    return VectorPath(elements)
  }

  /// The outline the other way round.
  var reversed: LottieBezier {
    var turned = corners.reversed().map { Corner($0.point, into: $0.out, out: $0.into) }
    // It begins where it began.
    if isClosed, let last = turned.popLast() { turned.insert(last, at: 0) }
    return LottieBezier(corners: turned, isClosed: isClosed)
  }

  /// The share of a radius from an arc's end to its control point.
  private static let arc = 0.5519

  /// The rectangle around a middle. It begins at the top right and goes down.
  static func rectangle(_ middle: Point, _ width: Double, _ height: Double, radius: Double, isRound: Bool) -> LottieBezier {
    let (left, right) = (middle.x - width / 2, middle.x + width / 2)
    let (top, bottom) = (middle.y - height / 2, middle.y + height / 2)
    guard isRound else {
      let corners = [Point(right, top), Point(right, bottom), Point(left, bottom), Point(left, top)]
      return LottieBezier(corners: corners.map { Corner($0) }, isClosed: true)
    }
    let radius = max(0, min(radius, abs(width) / 2, abs(height) / 2))
    let rest = radius * (1 - arc)
    let (x, y) = (width < 0 ? -1.0 : 1, height < 0 ? -1.0 : 1)
    let (r, c) = (Point(radius * x, radius * y), Point(rest * x, rest * y))
    return LottieBezier(
      corners: [
        Corner(Point(right, top + r.y), into: Point(right, top + c.y)),
        Corner(Point(right, bottom - r.y), out: Point(right, bottom - c.y)),
        Corner(Point(right - r.x, bottom), into: Point(right - c.x, bottom)),
        Corner(Point(left + r.x, bottom), out: Point(left + c.x, bottom)),
        Corner(Point(left, bottom - r.y), into: Point(left, bottom - c.y)),
        Corner(Point(left, top + r.y), out: Point(left, top + c.y)),
        Corner(Point(left + r.x, top), into: Point(left + c.x, top)),
        Corner(Point(right - r.x, top), out: Point(right - c.x, top)),
      ], isClosed: true)
  }

  /// The ellipse around a middle. It begins at the top and goes clockwise.
  static func ellipse(_ middle: Point, _ width: Double, _ height: Double) -> LottieBezier {
    let (x, y) = (width / 2, height / 2)
    let (a, b) = (x * arc, y * arc)
    func at(_ dx: Double, _ dy: Double) -> Point { Point(middle.x + dx, middle.y + dy) }
    return LottieBezier(
      corners: [
        Corner(at(0, -y), into: at(-a, -y), out: at(a, -y)), Corner(at(x, 0), into: at(x, -b), out: at(x, b)),
        Corner(at(0, y), into: at(a, y), out: at(-a, y)), Corner(at(-x, 0), into: at(-x, b), out: at(-x, -b)),
      ], isClosed: true)
  }

  /// A star, or a polygon, whose corners lie on circles around a middle.
  struct Star {
    var count: Int
    var isPolygon: Bool
    var outerRadius: Double
    var innerRadius: Double
    var outerRoundness: Double
    var innerRoundness: Double
    /// The turn in degrees.
    var rotation: Double
  }

  static func star(_ middle: Point, _ star: Star) -> LottieBezier {
    let count = star.isPolygon ? star.count : star.count * 2
    let corners = (0..<max(count, 0)).map { index in
      let isOuter = star.isPolygon || index % 2 == 0
      let radius = isOuter ? star.outerRadius : star.innerRadius
      let roundness = (isOuter ? star.outerRoundness : star.innerRoundness) / 100
      let (sine, cosine) = Trigonometry.sineAndCosine(degrees: star.rotation - 90 + 360 * Double(index) / Double(count))
      // The length of a quarter of the way to the next corner, along the circle; a half where corners of two circles alternate.
      let reach = 2 * Double.pi * radius / Double(count * (star.isPolygon ? 4 : 2)) * roundness
      let point = Point(middle.x + radius * cosine, middle.y + radius * sine)
      return Corner(
        point, into: Point(point.x + sine * reach, point.y - cosine * reach),
        out: Point(point.x - sine * reach, point.y + cosine * reach))
    }
    return LottieBezier(corners: corners, isClosed: true)
  }

  /// The outline with its sharp corners rounded.
  func rounded(by radius: Double) -> LottieBezier {
    guard radius > 0, corners.count > 1 else { return self }
    var rounded: [Corner] = []
    for (index, corner) in corners.enumerated() {
      let isEnd = !isClosed && (index == 0 || index == corners.count - 1)
      guard corner.into == corner.point, corner.out == corner.point, !isEnd else {
        rounded.append(corner)
        continue
      }
      let before = corners[(index + corners.count - 1) % corners.count].point
      let after = corners[(index + 1) % corners.count].point
      func cut(towards other: Point) -> (Point, Point) {
        let length = corner.point.distance(to: other)
        guard length > 0 else { return (corner.point, corner.point) }
        let point = corner.point.interpolated(to: other, progress: min(length / 2, radius) / length)
        return (point, point.interpolated(to: corner.point, progress: Self.arc))
      }
      let (first, second) = (cut(towards: before), cut(towards: after))
      rounded += [Corner(first.0, out: first.1), Corner(second.0, into: second.1)]
    }
    return LottieBezier(corners: rounded, isClosed: isClosed)
  }
}
