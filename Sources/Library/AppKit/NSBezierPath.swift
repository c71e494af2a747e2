/// An outline, and how it is filled and stroked. Its y grows upwards.
/// - Partly: no flattening
open class NSBezierPath: NSObject, NSCopying {
  public enum LineCapStyle: UInt, Sendable {
    case butt, round, square
    fileprivate var cap: CGLineCap { self == .butt ? .butt : self == .round ? .round : .square }
  }
  public enum LineJoinStyle: UInt, Sendable {
    case miter, round, bevel
    fileprivate var join: CGLineJoin { self == .miter ? .miter : self == .round ? .round : .bevel }
  }
  public enum WindingRule: UInt, Sendable { case nonZero, evenOdd }

  private var outline = CGMutablePath()
  open var lineWidth: CGFloat = 1
  open var lineCapStyle = LineCapStyle.butt
  open var lineJoinStyle = LineJoinStyle.miter
  open var miterLimit: CGFloat = 10
  open var flatness: CGFloat = 0.6
  open var windingRule = WindingRule.nonZero
  private var dash: (lengths: [CGFloat], phase: CGFloat) = ([], 0)

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
  open func contains(_ point: CGPoint) -> Bool { outline.contains(point, using: windingRule == .evenOdd ? .evenOdd : .winding) }

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

  open func apply(_ transform: CGAffineTransform) {
    let made = CGMutablePath()
    made.addPath(outline, transform: transform)
    outline = made
  }

  open func setLineDash(_ pattern: UnsafePointer<CGFloat>?, count: Int, phase: CGFloat) {
    let lengths = unsafe pattern.map { unsafe Array(UnsafeBufferPointer(start: $0, count: count)) } ?? []
    dash = (lengths, phase)
  }

  open func fill() { fill(with: .normal, alpha: 1) }
  open func fill(with blendMode: CGBlendMode, alpha: CGFloat) {
    draw(blendMode, alpha) { $0.fillPath(using: windingRule == .evenOdd ? .evenOdd : .winding) }
  }

  open func stroke() { stroke(with: .normal, alpha: 1) }
  open func stroke(with blendMode: CGBlendMode, alpha: CGFloat) {
    draw(blendMode, alpha) { context in
      context.setLineWidth(lineWidth)
      context.setLineCap(lineCapStyle.cap)
      context.setLineJoin(lineJoinStyle.join)
      context.setMiterLimit(miterLimit)
      context.setLineDash(phase: dash.phase, lengths: dash.lengths)
      context.strokePath()
    }
  }

  private func draw(_ blendMode: CGBlendMode, _ alpha: CGFloat, _ body: (CGContext) -> Void) {
    guard let context = DrawingStack.current?.context else { return }
    context.saveGState()
    context.setBlendMode(blendMode)
    context.setAlpha(alpha)
    context.beginPath()
    context.addPath(outline)
    body(context)
    context.restoreGState()
  }

  open func addClip() {
    guard let context = DrawingStack.current?.context else { return }
    context.beginPath()
    context.addPath(outline)
    context.clip(using: windingRule == .evenOdd ? .evenOdd : .winding)
  }

  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSBezierPath(cgPath: outline)
    (copy.lineWidth, copy.lineCapStyle, copy.lineJoinStyle, copy.miterLimit) = (
      lineWidth, lineCapStyle, lineJoinStyle, miterLimit
    )
    (copy.flatness, copy.windingRule, copy.dash) = (flatness, windingRule, dash)
    return copy
  }
}
