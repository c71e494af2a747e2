package import Formats

/// An outline that is filled and stroked (CAShapeLayer). Lengths are in the layer's pixels.
package struct ShapeContent: Hashable, Sendable {
  package enum FillRule: String, Hashable, Sendable, CaseIterable { case nonZero, evenOdd }
  package enum LineCap: String, Hashable, Sendable, CaseIterable { case butt, round, square }
  package enum LineJoin: String, Hashable, Sendable, CaseIterable { case miter, round, bevel }

  package var outline: Outline
  package var fillColor: RGBAColor?
  package var fillRule: FillRule
  package var strokeColor: RGBAColor?
  package var lineWidth: Double
  package var lineCap: LineCap
  package var lineJoin: LineJoin
  /// The lengths of dashes and gaps in turn; empty for a line without gaps.
  package var dash: [Double]
  package var dashPhase: Double
  /// The parts of the outline's length between which it is stroked; all of it without keyframes.
  package var strokeStart: Envelope<Double>
  package var strokeEnd: Envelope<Double>

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

  package enum Outline: Hashable, Sendable {
    /// The layer's whole rectangle, with the layer's corners.
    case rectangle
    /// The ellipse that touches the sides of the layer's rectangle.
    case ellipse
    case path(VectorPath)
  }
}

/// A gradient over the layer's rectangle (CAGradientLayer).
package struct GradientContent: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Along the line from start to end.
    case linear
    /// Around start, in ellipses of the rectangle's proportions; the last colour is reached at end.
    case radial
  }

  /// A colour at a place between start (0) and end (1).
  package struct Stop: Hashable, Sendable {
    package var location: Double
    package var color: RGBAColor

    package init(_ location: Double, _ color: RGBAColor) { (self.location, self.color) = (location, color) }
  }

  package var kind: Kind
  /// The colours in order of their places; at least two.
  package var stops: [Stop]
  /// The start and the end, as shares of the layer's width and height.
  package var start: Point
  package var end: Point

  package init(_ kind: Kind, stops: [Stop], start: Point, end: Point) {
    (self.kind, self.stops, self.start, self.end) = (kind, stops, start, end)
  }
}
