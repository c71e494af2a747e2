internal import CoreText

extension CALayer {
  /// Draws the layer and those on it, as they are without animations, with the layer's own coordinates as those of user space.
  ///
  /// Pictures and texts stand upright as y grows in the context. Layers whose transforms leave the plane are not drawn.
  public func render(in ctx: CGContext) { paint(ctx, isFlipped: ctx.ctm.d < 0) }

  private func paint(_ context: CGContext, isFlipped: Bool) {
    guard !isHidden, opacity > 0, CATransform3DIsAffine(transform) else { return }
    context.saveGState()
    defer { context.restoreGState() }
    let hasShadow = shadowOpacity > 0 && shadowColor != nil
    let isGroup = opacity < 1 || hasShadow
    if let mask { clip(context, to: mask) }
    if isGroup {
      context.setAlpha(CGFloat(opacity))
      if hasShadow, let shadowColor {
        let color = shadowColor.copy(alpha: shadowColor.alpha * CGFloat(shadowOpacity))
        // A layer's shadow goes by its own coordinates, and a context's by the default ones.
        context.setShadow(offset: shadowOffset, blur: shadowRadius * 2, color: color)
      }
      context.beginTransparencyLayer(auxiliaryInfo: nil)
    }
    let outline = roundedPath(in: bounds, radius: cornerRadius)
    if let backgroundColor { fill(outline, backgroundColor, in: context) }
    context.saveGState()
    if masksToBounds {
      context.beginPath()
      context.addPath(outline)
      context.clip()
    }
    paintContent(context, isFlipped: isFlipped)
    for copy in copies {
      context.saveGState()
      context.concatenate(copy)
      paintSublayers(context, isFlipped: isFlipped)
      context.restoreGState()
    }
    context.restoreGState()
    paintBorder(context)
    if isGroup { context.endTransparencyLayer() }
  }

  private func paintSublayers(_ context: CGContext, isFlipped: Bool) {
    for layer in (sublayers ?? []).enumerated().sorted(by: {
      ($0.element.zPosition, $0.offset) < ($1.element.zPosition, $1.offset)
    }) {
      context.saveGState()
      context.concatenate(layer.element.placement)
      layer.element.paint(context, isFlipped: isFlipped != layer.element.isGeometryFlipped)
      context.restoreGState()
    }
  }

  /// The maps of the copies of what stands on the layer.
  private var copies: [CGAffineTransform] {
    guard let replicator = self as? CAReplicatorLayer else { return [.identity] }
    let isPlain =
      replicator.instanceColor == .white && CATransform3DIsAffine(replicator.instanceTransform)
      && [
        replicator.instanceRedOffset, replicator.instanceGreenOffset, replicator.instanceBlueOffset,
        replicator.instanceAlphaOffset,
      ] == [0, 0, 0, 0]
    precondition(isPlain, "CAReplicatorLayer.render(in:): copies of other colours or out of the plane are not drawn")
    let anchor = CGPoint(x: bounds.minX + anchorPoint.x * bounds.width, y: bounds.minY + anchorPoint.y * bounds.height)
    let step = CGAffineTransform(translationX: -anchor.x, y: -anchor.y)
      .concatenating(CATransform3DGetAffineTransform(replicator.instanceTransform))
      .concatenating(CGAffineTransform(translationX: anchor.x, y: anchor.y))
    var maps: [CGAffineTransform] = []
    for _ in 0..<max(0, replicator.instanceCount) { maps.append(maps.last?.concatenating(step) ?? .identity) }
    return maps
  }

  /// A rectangle with the layer's round corners.
  private func roundedPath(in rect: CGRect, radius: CGFloat) -> CGPath {
    let radius = max(0, min(radius, rect.width / 2, rect.height / 2))
    let every: CACornerMask = [
      .layerMinXMinYCorner, .layerMaxXMinYCorner, .layerMinXMaxYCorner, .layerMaxXMaxYCorner,
    ]
    guard radius > 0, !maskedCorners.isSuperset(of: every) else {
      return unsafe CGPath(roundedRect: rect, cornerWidth: radius, cornerHeight: radius, transform: nil)
    }
    let path = CGMutablePath()
    // The distance of a control point from the corner, where a curve is nearly a quarter of a circle.
    let reach = radius * 0.447_715_25
    let corners: [(CACornerMask, CGPoint, CGVector, CGVector)] = [
      (.layerMinXMinYCorner, CGPoint(x: rect.minX, y: rect.minY), CGVector(dx: 0, dy: 1), CGVector(dx: 1, dy: 0)),
      (.layerMaxXMinYCorner, CGPoint(x: rect.maxX, y: rect.minY), CGVector(dx: -1, dy: 0), CGVector(dx: 0, dy: 1)),
      (.layerMaxXMaxYCorner, CGPoint(x: rect.maxX, y: rect.maxY), CGVector(dx: 0, dy: -1), CGVector(dx: -1, dy: 0)),
      (.layerMinXMaxYCorner, CGPoint(x: rect.minX, y: rect.maxY), CGVector(dx: 1, dy: 0), CGVector(dx: 0, dy: -1)),
    ]
    for (corner, point, from, to) in corners {
      let size = maskedCorners.contains(corner) ? radius : 0
      func away(_ way: CGVector, _ length: CGFloat) -> CGPoint {
        CGPoint(x: point.x + way.dx * length, y: point.y + way.dy * length)
      }
      if path.isEmpty { path.move(to: away(from, size)) } else { path.addLine(to: away(from, size)) }
      if size > 0 { path.addCurve(to: away(to, size), control1: away(from, reach), control2: away(to, reach)) }
    }
    path.closeSubpath()
    return path
  }

  private func fill(_ path: CGPath, _ color: CGColor, in context: CGContext) {
    context.setFillColor(color)
    context.beginPath()
    context.addPath(path)
    context.fillPath()
  }

  private func paintBorder(_ context: CGContext) {
    guard borderWidth > 0, let borderColor else { return }
    let inner = bounds.insetBy(dx: borderWidth / 2, dy: borderWidth / 2)
    let radius = max(0, min(cornerRadius - borderWidth / 2, inner.width / 2, inner.height / 2))
    context.setStrokeColor(borderColor)
    context.setLineWidth(borderWidth)
    context.beginPath()
    context.addPath(roundedPath(in: inner, radius: radius))
    context.strokePath()
  }

  private func paintContent(_ context: CGContext, isFlipped: Bool) {
    if let value = contents {
      // A value that is no picture shows nothing, as in Core Animation.
      if let image = (value as? CGImage)?.part(contentsRect, isFlipped: isFlipped) {
        context.draw(image, in: place(of: image), isFlipped: isFlipped)
      }
    }
    switch self {
    case let shape as CAShapeLayer: shape.paintShape(context)
    case let gradient as CAGradientLayer: gradient.paintGradient(context)
    case let text as CATextLayer: text.paintText(context, isFlipped: isFlipped)
    case let emitter as CAEmitterLayer:
      precondition(
        emitter.emitterCells?.isEmpty ?? true, "CAEmitterLayer.render(in:): particles are not drawn; an export draws them")
    default: break
    }
    if isDrawnByCode { draw(in: context) }
  }

  /// The rectangle of a picture by the gravity.
  private func place(of image: CGImage) -> CGRect {
    let (w, h) = (CGFloat(image.width) / contentsScale, CGFloat(image.height) / contentsScale)
    func centered(_ scale: CGFloat) -> CGRect {
      CGRect(x: bounds.midX - w * scale / 2, y: bounds.midY - h * scale / 2, width: w * scale, height: h * scale)
    }
    switch contentsGravity {
    case .resizeAspect: return centered(min(bounds.width / w, bounds.height / h))
    case .resizeAspectFill: return centered(max(bounds.width / w, bounds.height / h))
    case .center: return centered(1)
    case .top, .bottom, .left, .right, .topLeft, .topRight, .bottomLeft, .bottomRight:
      var frame = centered(1)
      let name = contentsGravity.rawValue.lowercased()
      if name.contains("left") { frame.origin.x = bounds.minX }
      if name.contains("right") { frame.origin.x = bounds.maxX - w }
      if name.contains("bottom") { frame.origin.y = bounds.minY }
      if name.contains("top") { frame.origin.y = bounds.maxY - h }
      return frame
    default: return bounds
    }
  }

  /// Clips to another layer's alpha.
  private func clip(_ context: CGContext, to mask: CALayer) {
    let size = CGSize(width: bounds.width.rounded(.up), height: bounds.height.rounded(.up))
    guard
      let sheet = unsafe CGContext(
        data: nil, width: Int(size.width), height: Int(size.height), bitsPerComponent: 8, bytesPerRow: 0, space: nil,
        bitmapInfo: CGImageAlphaInfo.alphaOnly.rawValue)
    else { return }
    sheet.translateBy(x: -bounds.minX, y: -bounds.minY)
    sheet.concatenate(mask.placement)
    mask.paint(sheet, isFlipped: false)
    guard let image = sheet.makeImage() else { return }
    context.clip(to: CGRect(origin: bounds.origin, size: size), mask: image)
  }
}

extension CGImage {
  /// The part in a rectangle of shares of the sides, to whole pixels.
  fileprivate func part(_ rect: CGRect, isFlipped: Bool) -> CGImage? {
    if rect == CGRect(x: 0, y: 0, width: 1, height: 1) { return self }
    let y = isFlipped ? rect.minY : 1 - rect.maxY
    let (w, h) = (CGFloat(width), CGFloat(height))
    return cropping(
      to: CGRect(
        x: (rect.minX * w).rounded(), y: (y * h).rounded(), width: (rect.width * w).rounded(), height: (rect.height * h).rounded()
      ))
  }
}

extension CAShapeLayer {
  fileprivate func paintShape(_ context: CGContext) {
    guard let path else { return }
    precondition(strokeStart == 0 && strokeEnd == 1, "CAShapeLayer.render(in:): strokeStart and strokeEnd are not made")
    if let fillColor {
      context.setFillColor(fillColor)
      context.beginPath()
      context.addPath(path)
      context.fillPath(using: fillRule == .evenOdd ? .evenOdd : .winding)
    }
    guard let strokeColor, lineWidth > 0 else { return }
    context.setStrokeColor(strokeColor)
    context.setLineWidth(lineWidth)
    context.setMiterLimit(miterLimit)
    context.setLineCap(lineCap == .round ? .round : lineCap == .square ? .square : .butt)
    context.setLineJoin(lineJoin == .round ? .round : lineJoin == .bevel ? .bevel : .miter)
    context.setLineDash(phase: lineDashPhase, lengths: (lineDashPattern ?? []).map { CGFloat($0.doubleValue) })
    context.beginPath()
    context.addPath(path)
    context.strokePath()
  }
}

extension CAGradientLayer {
  fileprivate func paintGradient(_ context: CGContext) {
    precondition(type != .conic, "CAGradientLayer.render(in:): a conic gradient is not made")
    let places = locations?.map { CGFloat($0.doubleValue) }
    guard let colors, let gradient = unsafe CGGradient(colorsSpace: nil, colors: colors, locations: places) else { return }
    func point(_ unit: CGPoint) -> CGPoint {
      CGPoint(x: bounds.minX + unit.x * bounds.width, y: bounds.minY + unit.y * bounds.height)
    }
    precondition(type != .conic, "CAGradientLayer.render(in:): a conic gradient is not drawn; an export draws it")
    context.saveGState()
    context.clip(to: bounds)
    let (start, end) = (point(startPoint), point(endPoint))
    let options: CGGradientDrawingOptions = [.drawsBeforeStartLocation, .drawsAfterEndLocation]
    if type == .radial {
      let radii = CGSize(width: max(abs(end.x - start.x), 0.001), height: max(abs(end.y - start.y), 0.001))
      context.translateBy(x: start.x, y: start.y)
      context.scaleBy(x: radii.width, y: radii.height)
      context.drawRadialGradient(gradient, startCenter: .zero, startRadius: 0, endCenter: .zero, endRadius: 1, options: options)
    } else {
      context.drawLinearGradient(gradient, start: start, end: end, options: options)
    }
    context.restoreGState()
  }
}
