internal import CCairo

extension CGContext {
  /// Paints something in the state's alpha, blend mode, shadow and mask.
  ///
  /// - Parameters:
  ///   - shape: adds the outline that is painted to the Cairo context; nil for what has none, such as text.
  ///   - body: paints, with the operator OVER and without the state's alpha.
  func paint(shape: (() -> Void)? = nil, _ body: @escaping () -> Void) {
    guard let mode = state.blendMode.cairo else {
      preconditionFailure("CGContext: the blend mode plusDarker is not made")
    }
    draw {
      unsafe cairo_save(canvas)
      defer { unsafe cairo_restore(canvas) }
      if mode == CAIRO_OPERATOR_OVER, state.shadow == nil, state.mask == nil, state.alpha == 1 {
        body()
        return
      }
      unsafe cairo_push_group(canvas)
      body()
      guard let group = unsafe cairo_pop_group(canvas) else { return }
      defer { unsafe cairo_pattern_destroy(group) }
      if let shadow = state.shadow { unsafe cast(shadow, of: group) }
      // Operators that change what lies outside of the source are kept within the shape, as in Core Graphics.
      if mode != CAIRO_OPERATOR_OVER, let shape {
        unsafe cairo_new_path(canvas)
        shape()
        unsafe cairo_clip(canvas)
      }
      unsafe cairo_set_operator(canvas, mode)
      unsafe cairo_set_source(canvas, group)
      composite()
    }
  }

  /// Lays the source over the picture, in the state's alpha and mask.
  private func composite() {
    guard let mask = state.mask else {
      unsafe cairo_paint_with_alpha(canvas, Double(state.alpha))
      return
    }
    unsafe cairo_identity_matrix(canvas)
    if state.alpha == 1 {
      unsafe cairo_mask_surface(canvas, mask.surface, 0, 0)
    } else {
      unsafe cairo_push_group(canvas)
      unsafe cairo_paint_with_alpha(canvas, Double(state.alpha))
      unsafe cairo_pop_group_to_source(canvas)
      unsafe cairo_mask_surface(canvas, mask.surface, 0, 0)
    }
  }

  /// Paints the shadow of a group that lies over the whole picture.
  @unsafe private func cast(_ shadow: DrawingState.Shadow, of group: OpaquePointer) {
    guard let coverage = Raster(width: width, height: height, maskOnly: true), let pen = unsafe cairo_create(coverage.surface)
    else {
      return
    }
    // The scale of the default user space, whose unit is not always a pixel.
    let scale = (abs(baseTransform.a * baseTransform.d - baseTransform.b * baseTransform.c)).squareRoot()
    let offset = shadow.offset.applying(baseTransform)
    var matrix = cairo_matrix_t()
    unsafe cairo_get_matrix(canvas, &matrix)
    unsafe cairo_translate(pen, Double(offset.width), -Double(offset.height))
    unsafe cairo_transform(pen, &matrix)
    // A source is locked to the user space of the moment in which it is set.
    unsafe cairo_set_source(pen, group)
    unsafe cairo_paint(pen)
    unsafe cairo_destroy(pen)
    coverage.blur(deviation: Double(shadow.blur * scale) / 2)
    unsafe cairo_save(canvas)
    unsafe cairo_identity_matrix(canvas)
    setSource(shadow.color, alpha: state.alpha)
    unsafe cairo_mask_surface(canvas, coverage.surface, 0, 0)
    unsafe cairo_restore(canvas)
  }

  /// Makes a colour the source, in the context's space.
  func setSource(_ color: CGColor, alpha: CGFloat = 1) {
    let parts = color.parts(in: colorSpace ?? .deviceRGB)
    unsafe cairo_set_source_rgba(canvas, Double(parts[0]), Double(parts[1]), Double(parts[2]), Double(parts[3] * alpha))
  }

  /// Adds the pieces of an outline to Cairo's path.
  func trace(_ path: CGPath) {
    // Cairo counts in parts of a pixel with 32 bits. What lies far away, as in an infinite rectangle, is brought nearer.
    let most = Self.furthest / max(ctm.largestStretch, 1e-6)
    func near(_ p: CGPoint) -> CGPoint { CGPoint(x: min(max(p.x, -most), most), y: min(max(p.y, -most), most)) }
    for part in path.parts {
      switch part {
      case .move(let point):
        let p = near(point)
        unsafe cairo_move_to(canvas, p.x, p.y)
      case .line(let point):
        let p = near(point)
        unsafe cairo_line_to(canvas, p.x, p.y)
      case .curve(let first, let second, let end):
        let (c1, c2, p) = (near(first), near(second), near(end))
        unsafe cairo_curve_to(canvas, c1.x, c1.y, c2.x, c2.y, p.x, p.y)
      case .close: unsafe cairo_close_path(canvas)
      }
    }
  }

  /// The distance in pixels from the origin within which all is drawn.
  private static var furthest: CGFloat { 2_000_000 }

  func fill(_ path: CGPath, using rule: CGPathFillRule) {
    let color = state.fill
    let shape = { [self] in
      unsafe cairo_set_fill_rule(canvas, rule == .evenOdd ? CAIRO_FILL_RULE_EVEN_ODD : CAIRO_FILL_RULE_WINDING)
      trace(path)
    }
    paint(shape: shape) { [self] in
      setSource(color)
      unsafe cairo_new_path(canvas)
      shape()
      unsafe cairo_fill(canvas)
    }
  }

  func stroke(_ path: CGPath) {
    let color = state.stroke
    paint { [self] in
      setSource(color)
      unsafe cairo_new_path(canvas)
      trace(path)
      unsafe cairo_stroke(canvas)
    }
  }

  /// Makes a rectangle clear, whatever the blend mode is.
  public func clear(_ rect: CGRect) {
    draw {
      unsafe cairo_save(canvas)
      unsafe cairo_new_path(canvas)
      unsafe trace(CGPath(rect: rect, transform: nil))
      unsafe cairo_clip(canvas)
      unsafe cairo_set_operator(canvas, CAIRO_OPERATOR_CLEAR)
      unsafe cairo_paint(canvas)
      unsafe cairo_restore(canvas)
    }
  }

  /// Begins a layer: what is drawn until its end is painted as one, in the alpha, the blend mode and the shadow of now.
  public func beginTransparencyLayer(auxiliaryInfo: CFDictionary?) {
    draw {}
    layers.append(state)
    saveGState()
    (state.alpha, state.blendMode, state.shadow, state.mask) = (1, .normal, nil, nil)
    unsafe cairo_push_group(canvas)
  }

  public func beginTransparencyLayer(in rect: CGRect, auxiliaryInfo: CFDictionary?) {
    beginTransparencyLayer(auxiliaryInfo: auxiliaryInfo)
    clip(to: rect)
  }

  /// Ends the layer that was begun last. Without one, nothing happens.
  public func endTransparencyLayer() {
    guard let outer = layers.last, let group = unsafe cairo_pop_group(canvas) else { return }
    restoreGState()
    state = outer
    layers.removeLast()
    paint { [self] in
      unsafe cairo_set_source(canvas, group)
      unsafe cairo_paint(canvas)
    }
    unsafe cairo_pattern_destroy(group)
  }
}

extension CGAffineTransform {
  /// The greatest factor by which a side of the unit square is stretched.
  fileprivate var largestStretch: CGFloat { max(hypot(a, b), hypot(c, d)) }
}
