package import Formats
package import MediaTime

/// An outline that is filled and stroked (CAShapeLayer). Lengths are in the layer's pixels.
package struct ShapeContent: Hashable, Sendable, Encodable {
  package enum FillRule: String, Hashable, Sendable, Encodable, CaseIterable { case nonZero, evenOdd }
  package enum LineCap: String, Hashable, Sendable, Encodable, CaseIterable { case butt, round, square }
  package enum LineJoin: String, Hashable, Sendable, Encodable, CaseIterable { case miter, round, bevel }

  package var outline: Outline
  /// The colour inside; where it changes, its first one. So it is with the line's colour, width and phase.
  package var fillColor: RGBAColor?
  package var fillRule: FillRule
  package var strokeColor: RGBAColor?
  package var lineWidth: Double
  package var lineCap: LineCap
  package var lineJoin: LineJoin
  /// The most that a pointed corner reaches beyond the outline, as a multiple of half the line's width. Beyond it the corner is cut off.
  package var miterLimit = Self.usualMiterLimit
  /// The lengths of dashes and gaps in turn; empty for a line without gaps.
  package var dash: [Double]
  package var dashPhase: Double
  /// The parts of the outline's length between which it is stroked; all of it without keyframes.
  package var strokeStart: Envelope<Double>
  package var strokeEnd: Envelope<Double>
  /// The values of the shape that change over time.
  package var motion = Motion()

  /// Values over time, each without keyframes where it stays.
  package struct Motion: Hashable, Sendable, Encodable {
    package var fillColor = Envelope<RGBAColor>()
    package var strokeColor = Envelope<RGBAColor>()
    package var lineWidth = Envelope<Double>()
    package var dashPhase = Envelope<Double>()
    /// The outlines, where they change. Between two that consist of the same lines and curves each point moves along a line.
    package var path = Envelope<VectorPath>()

    package init() {}
  }

  package static let usualMiterLimit = 10.0

  package init(
    outline: Outline, fillColor: RGBAColor? = nil, fillRule: FillRule = .nonZero, strokeColor: RGBAColor? = nil,
    lineWidth: Double = 1, lineCap: LineCap = .butt, lineJoin: LineJoin = .miter, dash: [Double] = [], dashPhase: Double = 0,
    strokeStart: Envelope<Double> = Envelope(), strokeEnd: Envelope<Double> = Envelope()
  ) {
    (self.outline, self.fillColor, self.fillRule) = (outline, fillColor, fillRule)
    (self.strokeColor, self.lineWidth, self.lineCap, self.lineJoin) = (strokeColor, lineWidth, lineCap, lineJoin)
    (self.dash, self.dashPhase) = (dash, dashPhase)
    (self.strokeStart, self.strokeEnd) = (strokeStart.held(neutral: 0), strokeEnd.held(neutral: 1))
  }

  /// The shape at `time`, whose colours, width and phase stay as they are.
  package func settled(at time: @autoclosure () -> MediaTime) throws(TimeError) -> ShapeContent {
    guard motion != Motion() else { return self }
    var shape = self
    if let color = fillColor { shape.fillColor = try motion.fillColor.heldValue(at: time(), neutral: color).bounded }
    if let color = strokeColor { shape.strokeColor = try motion.strokeColor.heldValue(at: time(), neutral: color).bounded }
    shape.lineWidth = try max(motion.lineWidth.heldValue(at: time(), neutral: lineWidth), 0)
    shape.dashPhase = try motion.dashPhase.heldValue(at: time(), neutral: dashPhase)
    if case .path(let path) = outline { shape.outline = .path(try motion.path.heldValue(at: time(), neutral: path)) }
    shape.motion = Motion()
    return shape
  }

  package enum Outline: Hashable, Sendable, Encodable {
    /// The layer's whole rectangle, with the layer's corners.
    case rectangle
    /// The ellipse that touches the sides of the layer's rectangle.
    case ellipse
    case path(VectorPath)
  }
}

/// A gradient over the layer's rectangle (CAGradientLayer).
package struct GradientContent: Hashable, Sendable, Encodable {
  package enum Kind: String, Hashable, Sendable, Encodable, CaseIterable {
    /// Along the line from start to end.
    case linear
    /// Around start, in ellipses of the rectangle's proportions; the last colour is reached at end.
    case radial
    /// Around start, by the angle: from the direction of end on, clockwise. Angles are those that are seen.
    case conic

    package var usualStart: Point { self == .linear ? Point(0.5, 0) : LayerGeometry.middle }

    package var usualEnd: Point {
      switch self {
      case .linear: Point(0.5, 1)
      case .radial: Point(1, 1)
      case .conic: Point(0.5, 0)
      }
    }
  }

  /// A colour at a place between start (0) and end (1).
  package struct Stop: Hashable, Sendable, Encodable, Interpolable {
    package var location: Double
    package var color: RGBAColor

    package init(_ location: Double, _ color: RGBAColor) { (self.location, self.color) = (location, color) }

    package func interpolated(to other: Stop, progress: Double) -> Stop {
      Stop(
        location.interpolated(to: other.location, progress: progress), color.interpolated(to: other.color, progress: progress))
    }

    package func distance(to other: Stop) -> Double { color.distance(to: other.color) }
  }

  package var kind: Kind
  /// The colours in order of their places; at least two.
  package var stops: [Stop]
  /// The start and the end, as shares of the layer's width and height.
  package var start: Point
  package var end: Point
  /// The colours at their places over time; without keyframes they stay.
  package var motion = Envelope<[Stop]>()
  package var course = Course()

  /// The parts of a gradient's geometry that move. One without keyframes stays as it is.
  package struct Course: Hashable, Sendable, Encodable {
    /// The places of the colours.
    package var locations = Envelope<[Double]>()
    package var start = Envelope<Point>()
    package var end = Envelope<Point>()

    package init() {}
  }

  /// The gradient at `time`, in which nothing moves any more.
  package func settled(at time: @autoclosure () -> MediaTime) throws(TimeError) -> GradientContent {
    guard !motion.keyframes.isEmpty || course != Course() else { return self }
    var stops = try motion.heldValue(at: time(), neutral: stops).map { Stop($0.location, $0.color.bounded) }
    if !course.locations.keyframes.isEmpty {
      for (index, place) in try course.locations.heldValue(at: time(), neutral: []).enumerated() where index < stops.count {
        // An easing that overshoots would put a colour before another one.
        stops[index].location = index > 0 ? max(place, stops[index - 1].location) : place
      }
      stops = Self.cut(stops)
    }
    let start = try course.start.heldValue(at: time(), neutral: start)
    let end = try course.end.heldValue(at: time(), neutral: end)
    if Self.hasLength(kind, start, end) { return GradientContent(kind, stops: stops, start: start, end: end) }
    // Start and end meet, and all lies beyond the end, as in CSS.
    let color = stops[stops.count - 1].color
    return GradientContent(kind, stops: [Stop(0, color), Stop(1, color)], start: kind.usualStart, end: kind.usualEnd)
  }

  /// The part of the colours that lies between the start and the end.
  private static func cut(_ stops: [Stop]) -> [Stop] {
    guard let first = stops.first, let last = stops.last, first.location < 0 || last.location > 1 else { return stops }
    func color(at place: Double) -> RGBAColor {
      guard let next = stops.firstIndex(where: { $0.location > place }) else { return last.color }
      guard next > 0 else { return first.color }
      let (one, other) = (stops[next - 1], stops[next])
      return one.color.interpolated(
        to: other.color, progress: (place - one.location) / (other.location - one.location))
    }
    return [Stop(0, color(at: 0))] + stops.filter { 0 < $0.location && $0.location < 1 } + [Stop(1, color(at: 1))]
  }

  /// Whether there is room for colours between the start and the end.
  package static func hasLength(_ kind: Kind, _ start: Point, _ end: Point) -> Bool {
    kind == .radial ? start.x != end.x && start.y != end.y : start != end
  }

  package init(_ kind: Kind, stops: [Stop], start: Point, end: Point) {
    (self.kind, self.stops, self.start, self.end) = (kind, stops, start, end)
  }
}
