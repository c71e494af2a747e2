/// An outline, and how it is filled and stroked. Its y grows upwards.
/// - Partly: no flattening
open class NSBezierPath: NSObject, NSCopying {
  public enum LineCapStyle: UInt, Sendable { case butt, round, square }
  public enum LineJoinStyle: UInt, Sendable { case miter, round, bevel }
  public enum WindingRule: UInt, Sendable { case nonZero, evenOdd }

  private var outline = CGMutablePath()
  private var style = OutlineStyle()

  open var lineWidth: CGFloat {
    get { style.lineWidth }
    set { style.lineWidth = newValue }
  }
  open var lineCapStyle: LineCapStyle {
    get { style.cap == .butt ? .butt : style.cap == .round ? .round : .square }
    set { style.cap = newValue == .butt ? .butt : newValue == .round ? .round : .square }
  }
  open var lineJoinStyle: LineJoinStyle {
    get { style.join == .miter ? .miter : style.join == .round ? .round : .bevel }
    set { style.join = newValue == .miter ? .miter : newValue == .round ? .round : .bevel }
  }
  open var miterLimit: CGFloat {
    get { style.miterLimit }
    set { style.miterLimit = newValue }
  }
  open var flatness: CGFloat {
    get { style.flatness }
    set { style.flatness = newValue }
  }
  open var windingRule: WindingRule {
    get { style.rule == .evenOdd ? .evenOdd : .nonZero }
    set { style.rule = newValue == .evenOdd ? .evenOdd : .winding }
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

  public convenience init(roundedRect rect: CGRect, xRadius: CGFloat, yRadius: CGFloat) {
    self.init()
    outline.addRoundedRect(in: rect, cornerWidth: xRadius, cornerHeight: yRadius)
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
  /// Adds an arc by angles in degrees, anticlockwise unless it is said.
  open func appendArc(
    withCenter center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool = false
  ) {
    outline.addArc(
      center: center, radius: radius, startAngle: startAngle * .pi / 180, endAngle: endAngle * .pi / 180, clockwise: clockwise)
  }

  open func appendRect(_ rect: CGRect) { outline.addRect(rect) }
  open func appendOval(in rect: CGRect) { outline.addEllipse(in: rect) }
  open func appendRoundedRect(_ rect: CGRect, xRadius: CGFloat, yRadius: CGFloat) {
    outline.addRoundedRect(in: rect, cornerWidth: xRadius, cornerHeight: yRadius)
  }
  open func line(to point: CGPoint) { outline.addLine(to: point) }
  open func curve(to endPoint: CGPoint, controlPoint1: CGPoint, controlPoint2: CGPoint) {
    outline.addCurve(to: endPoint, control1: controlPoint1, control2: controlPoint2)
  }

  open func close() { outline.closeSubpath() }
  open func removeAllPoints() { outline = CGMutablePath() }
  open func append(_ bezierPath: NSBezierPath) { outline.addPath(bezierPath.cgPath) }

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
    let copy = NSBezierPath(cgPath: outline)
    copy.style = style
    return copy
  }
}
