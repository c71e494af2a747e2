internal import CCairo

extension CGContext {
  public func beginPath() { outline = CGMutablePath() }
  public func move(to point: CGPoint) { outline.move(to: point) }
  public func addLine(to point: CGPoint) { outline.addLine(to: point) }
  public func addLines(between points: [CGPoint]) { outline.addLines(between: points) }
  public func addRect(_ rect: CGRect) { outline.addRect(rect) }
  public func addRects(_ rects: [CGRect]) { outline.addRects(rects) }
  public func addEllipse(in rect: CGRect) { outline.addEllipse(in: rect) }
  public func addPath(_ path: CGPath) { outline.addPath(path) }
  public func closePath() { outline.closeSubpath() }

  public func addCurve(to end: CGPoint, control1: CGPoint, control2: CGPoint) {
    outline.addCurve(to: end, control1: control1, control2: control2)
  }

  public func addQuadCurve(to end: CGPoint, control: CGPoint) { outline.addQuadCurve(to: end, control: control) }

  public func addArc(center: CGPoint, radius: CGFloat, startAngle: CGFloat, endAngle: CGFloat, clockwise: Bool) {
    outline.addArc(center: center, radius: radius, startAngle: startAngle, endAngle: endAngle, clockwise: clockwise)
  }

  public func addArc(tangent1End: CGPoint, tangent2End: CGPoint, radius: CGFloat) {
    outline.addArc(tangent1End: tangent1End, tangent2End: tangent2End, radius: radius)
  }

  public var isPathEmpty: Bool { outline.isEmpty }
  public var currentPointOfPath: CGPoint { outline.currentPoint }
  public var boundingBoxOfPath: CGRect { outline.boundingBoxOfPath }
  public var path: CGPath? { outline.isEmpty ? nil : outline.copy() }

  public func pathContains(_ point: CGPoint, mode: CGPathDrawingMode) -> Bool {
    outline.contains(point, using: mode == .eoFill || mode == .eoFillStroke ? .evenOdd : .winding)
  }

  public func fillPath(using rule: CGPathFillRule = .winding) { take { fill($0, using: rule) } }
  public func strokePath() { take { stroke($0) } }

  public func drawPath(using mode: CGPathDrawingMode) {
    take { path in
      switch mode {
      case .fill: fill(path, using: .winding)
      case .eoFill: fill(path, using: .evenOdd)
      case .stroke: stroke(path)
      case .fillStroke:
        fill(path, using: .winding)
        stroke(path)
      case .eoFillStroke:
        fill(path, using: .evenOdd)
        stroke(path)
      }
    }
  }

  /// Uses up the current path.
  private func take(_ body: (CGPath) -> Void) {
    let path = outline
    outline = CGMutablePath()
    body(path)
  }

  public func fill(_ rect: CGRect) { unsafe fill(CGPath(rect: rect, transform: nil), using: .winding) }

  public func fill(_ rects: [CGRect]) {
    let path = CGMutablePath()
    path.addRects(rects)
    fill(path, using: .winding)
  }

  public func fillEllipse(in rect: CGRect) { unsafe fill(CGPath(ellipseIn: rect, transform: nil), using: .winding) }
  public func stroke(_ rect: CGRect) { unsafe stroke(CGPath(rect: rect, transform: nil)) }

  public func stroke(_ rect: CGRect, width: CGFloat) {
    saveGState()
    setLineWidth(width)
    stroke(rect)
    restoreGState()
  }

  public func strokeEllipse(in rect: CGRect) { unsafe stroke(CGPath(ellipseIn: rect, transform: nil)) }

  /// Strokes a line from each point of even number to the next one.
  public func strokeLineSegments(between points: [CGPoint]) {
    let path = CGMutablePath()
    for index in stride(from: 0, to: points.count - 1, by: 2) { path.addLines(between: [points[index], points[index + 1]]) }
    stroke(path)
  }

  public func clip(using rule: CGPathFillRule = .winding) {
    take { path in
      unsafe cairo_new_path(canvas)
      unsafe cairo_set_fill_rule(canvas, rule == .evenOdd ? CAIRO_FILL_RULE_EVEN_ODD : CAIRO_FILL_RULE_WINDING)
      trace(path)
      unsafe cairo_clip(canvas)
    }
  }

  public func clip(to rect: CGRect) { clip(to: [rect]) }

  public func clip(to rects: [CGRect]) {
    unsafe cairo_new_path(canvas)
    unsafe cairo_set_fill_rule(canvas, CAIRO_FILL_RULE_WINDING)
    for rect in rects { unsafe trace(CGPath(rect: rect, transform: nil)) }
    unsafe cairo_clip(canvas)
  }

  public func resetClip() {
    state.mask = nil
    unsafe cairo_reset_clip(canvas)
  }

  /// The rectangle in user space around what is not clipped off.
  public var boundingBoxOfClipPath: CGRect {
    var (x1, y1, x2, y2) = (0.0, 0.0, 0.0, 0.0)
    unsafe cairo_clip_extents(canvas, &x1, &y1, &x2, &y2)
    return CGRect(x: x1, y: y1, width: x2 - x1, height: y2 - y1)
  }

  /// Replaces the current path by the outline of its stroke. It is not made.
  public func replacePathWithStrokedPath() { preconditionFailure("CGContext: replacePathWithStrokedPath is not made") }
}
