public enum CGPathElementType: Int32, Sendable {
  case moveToPoint, addLineToPoint, addQuadCurveToPoint, addCurveToPoint, closeSubpath
}

extension CGPath {
  /// The smallest rectangle around the outline itself; the null rectangle for an empty path.
  public var boundingBoxOfPath: CGRect {
    let points = flattened.flatMap { $0 }
    guard let first = points.first else { return .null }
    let box = points.reduce((first.x, first.y, first.x, first.y)) {
      (min($0.0, $1.x), min($0.1, $1.y), max($0.2, $1.x), max($0.3, $1.y))
    }
    return CGRect(x: box.0, y: box.1, width: box.2 - box.0, height: box.3 - box.1)
  }

  /// The outline as lines, each part of it by itself. A curve is cut into 32.
  package var flattened: [[CGPoint]] {
    var lines: [[CGPoint]] = []
    var begin = CGPoint.zero
    for part in parts {
      switch part {
      case .move(let point):
        begin = point
        lines.append([point])
      case .line(let point): lines[lines.count - 1].append(point)
      case .curve(let c1, let c2, let end):
        let start = lines[lines.count - 1].last ?? begin
        for step in 1...32 {
          let (t, u) = (CGFloat(step) / 32, 1 - CGFloat(step) / 32)
          let (a, b, c, d) = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
          lines[lines.count - 1].append(
            CGPoint(x: a * start.x + b * c1.x + c * c2.x + d * end.x, y: a * start.y + b * c1.y + c * c2.y + d * end.y))
        }
      case .close:
        lines[lines.count - 1].append(begin)
        lines.append([begin])
      }
    }
    return lines
  }

  /// Whether a point lies inside. Open parts are closed by a line.
  public func contains(
    _ point: CGPoint, using rule: CGPathFillRule = .winding, transform: CGAffineTransform = .identity
  ) -> Bool {
    var winding = 0
    for line in flattened where line.count > 1 {
      let points = line.map { $0.applying(transform) }
      for (a, b) in zip(points, points.dropFirst() + [points[0]]) where (a.y <= point.y) != (b.y <= point.y) {
        let side = (b.x - a.x) * (point.y - a.y) - (point.x - a.x) * (b.y - a.y)
        if b.y > a.y, side > 0 { winding += 1 } else if b.y < a.y, side < 0 { winding -= 1 }
      }
    }
    return rule == .winding ? winding != 0 : winding % 2 != 0
  }

  public func copy(using transform: UnsafePointer<CGAffineTransform>?) -> CGPath? {
    let path = CGMutablePath()
    path.addPath(self, transform: unsafe transform?.pointee ?? .identity)
    return path
  }

  public func isRect(_ rect: UnsafeMutablePointer<CGRect>?) -> Bool {
    let box = boundingBox
    guard unsafe parts == CGPath(rect: box, transform: nil).parts else { return false }
    unsafe rect?.pointee = box
    return true
  }
}

extension CGPath: Hashable {
  public static func == (a: CGPath, b: CGPath) -> Bool { a.parts == b.parts }
  public func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}

extension CGMutablePath {
  /// Adds an arc, and a line to its start where the path has a current point.
  ///
  /// - Parameters:
  ///   - startAngle: the start's angle from the x axis, in radians, counted towards the y axis.
  ///   - clockwise: whether the angle falls, which is clockwise where y grows upwards.
  public func addArc(
    center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool,
    transform: CGAffineTransform = .identity
  ) {
    var sweep = endAngle - startAngle
    if clockwise {
      if sweep <= -2 * .pi { sweep = -2 * .pi } else { while sweep > 0 { sweep -= 2 * .pi } }
    } else if sweep >= 2 * .pi {
      sweep = 2 * .pi
    } else {
      while sweep < 0 { sweep += 2 * .pi }
    }
    addRelativeArc(center: center, radius: radius, startAngle: startAngle, delta: sweep, transform: transform)
  }

  public func addRelativeArc(
    center: CGPoint, radius: CGFloat, startAngle: CGFloat, delta: CGFloat, transform: CGAffineTransform = .identity
  ) {
    func point(_ angle: CGFloat, _ reach: CGFloat = 0) -> CGPoint {
      CGPoint(
        x: center.x + radius * (cos(angle) - reach * sin(angle)), y: center.y + radius * (sin(angle) + reach * cos(angle)))
    }
    let start = point(startAngle)
    if isEmpty { move(to: start, transform: transform) } else { addLine(to: start, transform: transform) }
    let count = max(1, Int((abs(delta) / (.pi / 2) - 1e-9).rounded(.up)))
    let step = delta / CGFloat(count)
    // The distance of the control points of the cubic curve that is nearest to the arc.
    let pull = 4 / 3 * tan(step / 4)
    for index in 0..<count {
      let (from, to) = (startAngle + CGFloat(index) * step, startAngle + CGFloat(index + 1) * step)
      addCurve(to: point(to), control1: point(from, pull), control2: point(to, -pull), transform: transform)
    }
  }

  /// Adds an arc of a circle that touches the lines from the current point to the first point, and from there to the second one.
  public func addArc(tangent1End: CGPoint, tangent2End: CGPoint, radius: CGFloat, transform: CGAffineTransform = .identity) {
    let start = currentPoint.applying(transform.inverted())
    func unit(_ to: CGPoint) -> CGPoint {
      let length = max(hypot(to.x - tangent1End.x, to.y - tangent1End.y), .leastNormalMagnitude)
      return CGPoint(x: (to.x - tangent1End.x) / length, y: (to.y - tangent1End.y) / length)
    }
    let (a, b) = (unit(start), unit(tangent2End))
    let cross = a.x * b.y - a.y * b.x
    guard abs(cross) > 1e-12, radius > 0 else { return addLine(to: tangent1End, transform: transform) }
    let half = atan2(abs(cross), a.x * b.x + a.y * b.y) / 2
    let reach = radius / tan(half)
    let bisector = CGPoint(x: a.x + b.x, y: a.y + b.y)
    let scale = radius / sin(half) / hypot(bisector.x, bisector.y)
    let center = CGPoint(x: tangent1End.x + bisector.x * scale, y: tangent1End.y + bisector.y * scale)
    let first = CGPoint(x: tangent1End.x + a.x * reach, y: tangent1End.y + a.y * reach)
    let last = CGPoint(x: tangent1End.x + b.x * reach, y: tangent1End.y + b.y * reach)
    addArc(
      center: center, radius: radius, startAngle: atan2(first.y - center.y, first.x - center.x),
      endAngle: atan2(last.y - center.y, last.x - center.x), clockwise: cross > 0, transform: transform)
  }
}
