public enum CGPathFillRule: Int, Sendable { case winding, evenOdd }
public enum CGLineCap: Int32, Sendable { case butt, round, square }
public enum CGLineJoin: Int32, Sendable { case miter, round, bevel }

/// An outline of lines and curves.
open class CGPath {
  /// A part of an outline. A quadratic curve is kept as the cubic one that is equal to it.
  package enum Part: Hashable, Sendable {
    case move(CGPoint)
    case line(CGPoint)
    case curve(CGPoint, CGPoint, to: CGPoint)
    case close
  }

  package fileprivate(set) var parts: [Part] = []
  /// The point at which the open part of the outline began.
  fileprivate var begin = CGPoint.zero

  fileprivate init() {}

  public convenience init(rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
    self.init()
    unsafe append(transform) { $0.addRect(rect) }
  }

  public convenience init(ellipseIn rect: CGRect, transform: UnsafePointer<CGAffineTransform>?) {
    self.init()
    unsafe append(transform) { $0.addEllipse(in: rect) }
  }

  public convenience init(
    roundedRect rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat, transform: UnsafePointer<CGAffineTransform>?
  ) {
    self.init()
    unsafe append(transform) { $0.addRoundedRect(in: rect, cornerWidth: cornerWidth, cornerHeight: cornerHeight) }
  }

  private func append(_ transform: UnsafePointer<CGAffineTransform>?, _ draw: (CGMutablePath) -> Void) {
    let path = CGMutablePath()
    draw(path)
    let map = unsafe transform?.pointee ?? .identity
    parts = path.parts.map { $0.mapped(map) }
  }

  public var isEmpty: Bool { parts.isEmpty }

  public var currentPoint: CGPoint {
    switch parts.last {
    case .move(let point), .line(let point), .curve(_, _, to: let point): point
    case .close: begin
    case nil: .zero
    }
  }

  /// The smallest rectangle around all points, those that control curves too; the null rectangle for an empty path.
  public var boundingBox: CGRect {
    let points = parts.flatMap { part in
      switch part {
      case .move(let point), .line(let point): [point]
      case .curve(let first, let second, let end): [first, second, end]
      case .close: [CGPoint]()
      }
    }
    guard let first = points.first else { return .null }
    let (xs, ys) = (points.map(\.x), points.map(\.y))
    let (x, y) = (xs.min() ?? first.x, ys.min() ?? first.y)
    return CGRect(x: x, y: y, width: (xs.max() ?? x) - x, height: (ys.max() ?? y) - y)
  }

  /// The outline with each of its lines running the other way.
  package func reversed() -> CGMutablePath {
    let made = CGMutablePath()
    var (points, pieces): ([CGPoint], [Part]) = ([], [])
    /// Adds the line that was gone through, from its end to its beginning.
    func turn(isClosed: Bool) {
      defer { (points, pieces) = ([], []) }
      // A point alone is no line.
      guard let last = points.last, isClosed || !pieces.isEmpty else { return }
      // The line that closes an outline is the first one on the way back.
      if isClosed, last != points[0] {
        made.parts += [.move(points[0]), .line(last)]
      } else {
        made.parts.append(.move(last))
      }
      for (piece, start) in zip(pieces, points).reversed() {
        if case .curve(let first, let second, _) = piece {
          made.parts.append(.curve(second, first, to: start))
        } else {
          made.parts.append(.line(start))
        }
      }
      if isClosed { made.parts.append(.close) }
      made.begin = isClosed ? points[0] : last
    }
    for part in parts {
      switch part {
      case .move(let point):
        turn(isClosed: false)
        points = [point]
      case .line(let point), .curve(_, _, to: let point):
        pieces.append(part)
        points.append(point)
      case .close:
        let start = points.first
        turn(isClosed: true)
        // What comes after a closed part begins where that one began.
        if let start { points = [start] }
      }
    }
    turn(isClosed: false)
    return made
  }

  public func copy() -> CGPath? { mutableCopy() }

  public func mutableCopy() -> CGMutablePath? {
    let path = CGMutablePath()
    (path.parts, path.begin) = (parts, begin)
    return path
  }
}

public final class CGMutablePath: CGPath {
  public override init() { super.init() }

  public func move(to point: CGPoint, transform: CGAffineTransform = .identity) {
    begin = point.applying(transform)
    parts.append(.move(begin))
  }

  /// Adds a line.
  ///
  /// - Precondition: the path has a current point.
  public func addLine(to point: CGPoint, transform: CGAffineTransform = .identity) {
    requirePoint()
    parts.append(.line(point.applying(transform)))
  }

  public func addLines(between points: [CGPoint], transform: CGAffineTransform = .identity) {
    guard let first = points.first else { return }
    move(to: first, transform: transform)
    for point in points.dropFirst() { addLine(to: point, transform: transform) }
  }

  public func addCurve(to end: CGPoint, control1: CGPoint, control2: CGPoint, transform: CGAffineTransform = .identity) {
    requirePoint()
    parts.append(.curve(control1.applying(transform), control2.applying(transform), to: end.applying(transform)))
  }

  public func addQuadCurve(to end: CGPoint, control: CGPoint, transform: CGAffineTransform = .identity) {
    requirePoint()
    let (start, control, end) = (currentPoint, control.applying(transform), end.applying(transform))
    func third(_ from: CGPoint) -> CGPoint {
      CGPoint(x: from.x + 2 * (control.x - from.x) / 3, y: from.y + 2 * (control.y - from.y) / 3)
    }
    parts.append(.curve(third(start), third(end), to: end))
  }

  public func closeSubpath() { if !parts.isEmpty { parts.append(.close) } }

  public func addRect(_ rect: CGRect, transform: CGAffineTransform = .identity) {
    move(to: CGPoint(x: rect.minX, y: rect.minY), transform: transform)
    addLine(to: CGPoint(x: rect.maxX, y: rect.minY), transform: transform)
    addLine(to: CGPoint(x: rect.maxX, y: rect.maxY), transform: transform)
    addLine(to: CGPoint(x: rect.minX, y: rect.maxY), transform: transform)
    closeSubpath()
  }

  public func addRects(_ rects: [CGRect], transform: CGAffineTransform = .identity) {
    for rect in rects { addRect(rect, transform: transform) }
  }

  public func addEllipse(in rect: CGRect, transform: CGAffineTransform = .identity) {
    addRoundedRect(in: rect, cornerWidth: rect.width / 2, cornerHeight: rect.height / 2, transform: transform)
  }

  public func addRoundedRect(
    in rect: CGRect, cornerWidth: CGFloat, cornerHeight: CGFloat, transform: CGAffineTransform = .identity
  ) {
    let (w, h) = (min(cornerWidth, rect.width / 2), min(cornerHeight, rect.height / 2))
    // The share of a quarter's radius at which the control points of the nearest cubic curve lie.
    let pull = 4 * (2.0.squareRoot() - 1) / 3
    let corners: [(CGPoint, CGFloat, CGFloat)] = [
      (CGPoint(x: rect.maxX, y: rect.minY), 1, -1), (CGPoint(x: rect.maxX, y: rect.maxY), 1, 1),
      (CGPoint(x: rect.minX, y: rect.maxY), -1, 1), (CGPoint(x: rect.minX, y: rect.minY), -1, -1),
    ]
    move(to: CGPoint(x: rect.minX + w, y: rect.minY), transform: transform)
    for (corner, sx, sy) in corners {
      let (across, along) = (
        CGPoint(x: corner.x - sx * w, y: corner.y), CGPoint(x: corner.x, y: corner.y - sy * h)
      )
      // Right-hand corners are turned at from the horizontal edge and those after them from the vertical one, in turn.
      let (from, to) = sx * sy < 0 ? (across, along) : (along, across)
      addLine(to: from, transform: transform)
      func control(_ point: CGPoint) -> CGPoint {
        CGPoint(x: point.x + (corner.x - point.x) * pull, y: point.y + (corner.y - point.y) * pull)
      }
      addCurve(to: to, control1: control(from), control2: control(to), transform: transform)
    }
    closeSubpath()
  }

  public func addPath(_ path: CGPath, transform: CGAffineTransform = .identity) {
    parts += path.parts.map { $0.mapped(transform) }
    begin = path.begin.applying(transform)
  }

  private func requirePoint() { precondition(!parts.isEmpty, "a path begins with a move") }
}

extension CGPath.Part {
  fileprivate func mapped(_ map: CGAffineTransform) -> CGPath.Part {
    switch self {
    case .move(let point): .move(point.applying(map))
    case .line(let point): .line(point.applying(map))
    case .curve(let first, let second, let end):
      .curve(first.applying(map), second.applying(map), to: end.applying(map))
    case .close: .close
    }
  }
}
