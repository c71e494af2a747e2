/// How UIBezierPath and NSBezierPath fill and stroke their outlines, on the context that is drawn on now.
package struct OutlineStyle {
  package var lineWidth: CGFloat = 1
  package var cap = CGLineCap.butt
  package var join = CGLineJoin.miter
  package var miterLimit: CGFloat = 10
  package var flatness: CGFloat = 0.6
  package var rule = CGPathFillRule.winding
  private var dash: (lengths: [CGFloat], phase: CGFloat) = ([], 0)

  package init() {}

  package mutating func setDash(_ pattern: UnsafePointer<CGFloat>?, count: Int, phase: CGFloat) {
    let lengths = unsafe pattern.map { unsafe Array(UnsafeBufferPointer(start: $0, count: count)) } ?? []
    dash = (lengths, phase)
  }

  package func fill(_ outline: CGPath, _ blendMode: CGBlendMode, alpha: CGFloat) {
    draw(outline, blendMode, alpha: alpha) { $0.fillPath(using: rule) }
  }

  package func stroke(_ outline: CGPath, _ blendMode: CGBlendMode, alpha: CGFloat) {
    draw(outline, blendMode, alpha: alpha) { context in
      context.setLineWidth(lineWidth)
      context.setLineCap(cap)
      context.setLineJoin(join)
      context.setMiterLimit(miterLimit)
      context.setLineDash(phase: dash.phase, lengths: dash.lengths)
      context.strokePath()
    }
  }

  package func clip(to outline: CGPath) {
    guard let context = DrawingStack.current?.context else { return }
    context.beginPath()
    context.addPath(outline)
    context.clip(using: rule)
  }

  private func draw(_ outline: CGPath, _ blendMode: CGBlendMode, alpha: CGFloat, _ body: (CGContext) -> Void) {
    guard let context = DrawingStack.current?.context else { return }
    context.saveGState()
    context.setBlendMode(blendMode)
    context.setAlpha(alpha)
    context.beginPath()
    context.addPath(outline)
    body(context)
    context.restoreGState()
  }
}

extension CGMutablePath {
  /// The outline, mapped.
  package func mapped(by transform: CGAffineTransform) -> CGMutablePath {
    let made = CGMutablePath()
    made.addPath(self, transform: transform)
    return made
  }
}
