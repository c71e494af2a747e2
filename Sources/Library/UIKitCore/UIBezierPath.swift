public struct UIRectCorner: OptionSet, Hashable, Sendable {
  public let rawValue: UInt
  public init(rawValue: UInt) { self.rawValue = rawValue }
  public static let topLeft = UIRectCorner(rawValue: 1)
  public static let topRight = UIRectCorner(rawValue: 2)
  public static let bottomLeft = UIRectCorner(rawValue: 4)
  public static let bottomRight = UIRectCorner(rawValue: 8)
  public static let allCorners = UIRectCorner(rawValue: .max)
}

/// An outline, and how it is filled and stroked. Its y grows downwards.
/// - Partly: no reversal
open class UIBezierPath: NSObject, NSCopying {
  private var outline = CGMutablePath()
  private var style = OutlineStyle()

  open var lineWidth: CGFloat {
    get { style.lineWidth }
    set { style.lineWidth = newValue }
  }
  open var lineCapStyle: CGLineCap {
    get { style.cap }
    set { style.cap = newValue }
  }
  open var lineJoinStyle: CGLineJoin {
    get { style.join }
    set { style.join = newValue }
  }
  open var miterLimit: CGFloat {
    get { style.miterLimit }
    set { style.miterLimit = newValue }
  }
  open var flatness: CGFloat {
    get { style.flatness }
    set { style.flatness = newValue }
  }
  open var usesEvenOddFillRule: Bool {
    get { style.rule == .evenOdd }
    set { style.rule = newValue ? .evenOdd : .winding }
  }

  public override init() {}

  public convenience init(rect: CGRect) {
    self.init()
    outline.addRect(rect)
  }

  public convenience init(ovalIn rect: CGRect) {
    self.init()
    outline.addEllipse(in: rect)
  }

  public convenience init(roundedRect rect: CGRect, cornerRadius: CGFloat) {
    self.init()
    outline.addRoundedRect(in: rect, cornerWidth: cornerRadius, cornerHeight: cornerRadius)
  }

  public convenience init(roundedRect rect: CGRect, byRoundingCorners corners: UIRectCorner, cornerRadii: CGSize) {
    self.init()
    let (w, h) = (min(cornerRadii.width, rect.width / 2), min(cornerRadii.height, rect.height / 2))
    // The corners in their order around the rectangle, each with the directions to it and away from it.
    let places: [(UIRectCorner, CGFloat, CGFloat, CGVector, CGVector)] = [
      (.topRight, rect.maxX, rect.minY, CGVector(dx: -w, dy: 0), CGVector(dx: 0, dy: h)),
      (.bottomRight, rect.maxX, rect.maxY, CGVector(dx: 0, dy: -h), CGVector(dx: -w, dy: 0)),
      (.bottomLeft, rect.minX, rect.maxY, CGVector(dx: w, dy: 0), CGVector(dx: 0, dy: -h)),
      (.topLeft, rect.minX, rect.minY, CGVector(dx: 0, dy: h), CGVector(dx: w, dy: 0)),
    ]
    outline.move(to: CGPoint(x: rect.minX + (corners.contains(.topLeft) ? w : 0), y: rect.minY))
    for (corner, x, y, before, after) in places {
      guard corners.contains(corner) else {
        outline.addLine(to: CGPoint(x: x, y: y))
        continue
      }
      // The share of a quarter's radius that is left between the corner and a control point.
      let rest = 1 - 4 * (CGFloat(2).squareRoot() - 1) / 3
      outline.addLine(to: CGPoint(x: x + before.dx, y: y + before.dy))
      outline.addCurve(
        to: CGPoint(x: x + after.dx, y: y + after.dy), control1: CGPoint(x: x + before.dx * rest, y: y + before.dy * rest),
        control2: CGPoint(x: x + after.dx * rest, y: y + after.dy * rest))
    }
    outline.closeSubpath()
  }

  public convenience init(arcCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool) {
    self.init()
    addArc(withCenter: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: clockwise)
  }

  public convenience init(cgPath: CGPath) {
    self.init()
    outline.addPath(cgPath)
  }

  open var cgPath: CGPath {
    get { outline.copy() ?? outline }
    set {
      outline = CGMutablePath()
      outline.addPath(newValue)
    }
  }

  open var isEmpty: Bool { outline.isEmpty }
  open var bounds: CGRect { outline.boundingBoxOfPath }
  open var currentPoint: CGPoint { outline.currentPoint }
  open func contains(_ point: CGPoint) -> Bool { outline.contains(point, using: style.rule) }

  open func move(to point: CGPoint) { outline.move(to: point) }
  open func addLine(to point: CGPoint) { outline.addLine(to: point) }
  open func addCurve(to endPoint: CGPoint, controlPoint1: CGPoint, controlPoint2: CGPoint) {
    outline.addCurve(to: endPoint, control1: controlPoint1, control2: controlPoint2)
  }
  open func addQuadCurve(to endPoint: CGPoint, controlPoint: CGPoint) {
    outline.addQuadCurve(to: endPoint, control: controlPoint)
  }

  /// Adds an arc, clockwise as it is seen where y grows downwards.
  open func addArc(withCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool) {
    outline.addArc(center: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: !clockwise)
  }

  open func close() { outline.closeSubpath() }
  open func removeAllPoints() { outline = CGMutablePath() }
  open func append(_ bezierPath: UIBezierPath) { outline.addPath(bezierPath.cgPath) }

  /// The same outline, each of whose lines runs the other way.
  open func reversing() -> UIBezierPath {
    let copy = UIBezierPath()
    (copy.style, copy.outline) = (style, outline.reversed())
    return copy
  }

  open func apply(_ transform: CGAffineTransform) { outline = outline.mapped(by: transform) }

  open func setLineDash(_ pattern: UnsafePointer<CGFloat>?, count: Int, phase: CGFloat) {
    unsafe style.setDash(pattern, count: count, phase: phase)
  }

  open func fill() { fill(with: .normal, alpha: 1) }
  open func fill(with blendMode: CGBlendMode, alpha: CGFloat) { style.fill(outline, blendMode, alpha: alpha) }

  open func stroke() { stroke(with: .normal, alpha: 1) }
  open func stroke(with blendMode: CGBlendMode, alpha: CGFloat) { style.stroke(outline, blendMode, alpha: alpha) }

  open func addClip() { style.clip(to: outline) }

  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = UIBezierPath(cgPath: outline)
    copy.style = style
    return copy
  }
}
