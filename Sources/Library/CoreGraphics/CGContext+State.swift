internal import CCairo

/// The state of a context that Cairo does not keep.
struct DrawingState {
  var fill = CGColor.black
  var stroke = CGColor.black
  var alpha: CGFloat = 1
  var blendMode = CGBlendMode.normal
  var interpolation = CGInterpolationQuality.default
  var shadow: Shadow?
  var textMatrix = CGAffineTransform.identity
  var textPosition = CGPoint.zero
  /// The coverage that clips what is drawn; nil for none.
  var mask: Raster?

  struct Shadow {
    /// The offset in the default user space.
    let offset: CGSize
    let blur: CGFloat
    let color: CGColor
  }
}

extension CGContext {
  public func saveGState() {
    states.append(state)
    unsafe cairo_save(canvas)
  }

  /// Goes back to the state that was saved last. Without one, nothing happens.
  public func restoreGState() {
    guard let saved = states.popLast() else { return }
    state = saved
    unsafe cairo_restore(canvas)
  }

  /// The map from user space to pixels with their origin at the bottom left.
  public var ctm: CGAffineTransform {
    var matrix = cairo_matrix_t()
    unsafe cairo_get_matrix(canvas, &matrix)
    return CGAffineTransform(matrix).concatenating(flip)
  }

  /// The map between pixels from the bottom left and pixels from the top left. It is its own inverse.
  var flip: CGAffineTransform { CGAffineTransform(1, 0, 0, -1, 0, CGFloat(height)) }

  func setMatrix(_ ctm: CGAffineTransform) {
    var matrix = ctm.concatenating(flip).matrix
    unsafe cairo_set_matrix(canvas, &matrix)
  }

  /// Maps user space before all that was mapped so far. Under a map without an inverse nothing is seen.
  public func concatenate(_ transform: CGAffineTransform) {
    guard transform.a * transform.d - transform.b * transform.c != 0 else { return clip(to: CGRect.zero) }
    setMatrix(transform.concatenating(ctm))
  }

  public func translateBy(x tx: CGFloat, y ty: CGFloat) { concatenate(CGAffineTransform(translationX: tx, y: ty)) }
  public func scaleBy(x sx: CGFloat, y sy: CGFloat) { concatenate(CGAffineTransform(scaleX: sx, y: sy)) }
  public func rotate(by angle: CGFloat) { concatenate(CGAffineTransform(rotationAngle: angle)) }

  public var userSpaceToDeviceSpaceTransform: CGAffineTransform { ctm }
  public func convertToDeviceSpace(_ point: CGPoint) -> CGPoint { point.applying(ctm) }
  public func convertToUserSpace(_ point: CGPoint) -> CGPoint { point.applying(ctm.inverted()) }
  public func convertToDeviceSpace(_ rect: CGRect) -> CGRect { rect.applying(ctm) }
  public func convertToUserSpace(_ rect: CGRect) -> CGRect { rect.applying(ctm.inverted()) }
  public func convertToDeviceSpace(_ size: CGSize) -> CGSize { size.applying(ctm) }
  public func convertToUserSpace(_ size: CGSize) -> CGSize { size.applying(ctm.inverted()) }

  public func setFillColor(_ color: CGColor) { state.fill = color }
  public func setStrokeColor(_ color: CGColor) { state.stroke = color }
  public func setFillColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    state.fill = CGColor(red: red, green: green, blue: blue, alpha: alpha)
  }
  public func setStrokeColor(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    state.stroke = CGColor(red: red, green: green, blue: blue, alpha: alpha)
  }
  public func setFillColor(gray: CGFloat, alpha: CGFloat) { state.fill = CGColor(gray: gray, alpha: alpha) }
  public func setStrokeColor(gray: CGFloat, alpha: CGFloat) { state.stroke = CGColor(gray: gray, alpha: alpha) }
  public func setAlpha(_ alpha: CGFloat) { state.alpha = min(max(alpha, 0), 1) }
  public func setBlendMode(_ mode: CGBlendMode) { state.blendMode = mode }

  public var interpolationQuality: CGInterpolationQuality {
    get { state.interpolation }
    set { state.interpolation = newValue }
  }

  public func setLineWidth(_ width: CGFloat) { unsafe cairo_set_line_width(canvas, Double(max(width, 0))) }
  public func setMiterLimit(_ limit: CGFloat) { unsafe cairo_set_miter_limit(canvas, Double(limit)) }
  public func setFlatness(_ flatness: CGFloat) { unsafe cairo_set_tolerance(canvas, Double(max(flatness, 0.01))) }
  public func setAllowsAntialiasing(_ allows: Bool) { setShouldAntialias(allows) }

  public func setShouldAntialias(_ should: Bool) {
    unsafe cairo_set_antialias(canvas, should ? CAIRO_ANTIALIAS_DEFAULT : CAIRO_ANTIALIAS_NONE)
  }

  public func setLineCap(_ cap: CGLineCap) {
    let kind =
      switch cap {
      case .butt: CAIRO_LINE_CAP_BUTT
      case .round: CAIRO_LINE_CAP_ROUND
      case .square: CAIRO_LINE_CAP_SQUARE
      }
    unsafe cairo_set_line_cap(canvas, kind)
  }

  public func setLineJoin(_ join: CGLineJoin) {
    let kind =
      switch join {
      case .miter: CAIRO_LINE_JOIN_MITER
      case .round: CAIRO_LINE_JOIN_ROUND
      case .bevel: CAIRO_LINE_JOIN_BEVEL
      }
    unsafe cairo_set_line_join(canvas, kind)
  }

  public func setLineDash(phase: CGFloat, lengths: [CGFloat]) {
    let parts = lengths.map(Double.init)
    unsafe cairo_set_dash(canvas, parts, Int32(parts.count), Double(phase))
  }

  /// Sets a shadow of a third of black.
  public func setShadow(offset: CGSize, blur: CGFloat) {
    setShadow(offset: offset, blur: blur, color: CGColor(gray: 0, alpha: 1.0 / 3))
  }

  /// Sets the shadow of what is drawn from now on; none for no colour.
  ///
  /// - Parameters:
  ///   - offset: the offset in the default user space, which no transform changes.
  ///   - blur: twice the standard deviation of the shadow's softness, in the same units.
  public func setShadow(offset: CGSize, blur: CGFloat, color: CGColor?) {
    state.shadow = color.map { .init(offset: offset, blur: max(blur, 0), color: $0) }
  }

  public var textMatrix: CGAffineTransform {
    get { state.textMatrix }
    set { state.textMatrix = newValue }
  }

  public var textPosition: CGPoint {
    get { state.textPosition }
    set { state.textPosition = newValue }
  }

  /// Sets how letters are drawn. They are filled here; strokes are an attribute of the text.
  public func setTextDrawingMode(_ mode: CGTextDrawingMode) {
    precondition(mode == .fill, "CGContext: the text drawing mode \(mode) is not made")
  }
  public func setShouldSmoothFonts(_ should: Bool) {}
  public func setAllowsFontSmoothing(_ allows: Bool) {}
  public func setShouldSubpixelPositionFonts(_ should: Bool) {}
  public func setShouldSubpixelQuantizeFonts(_ should: Bool) {}
  public func setRenderingIntent(_ intent: CGColorRenderingIntent) {}
}

extension CGAffineTransform {
  init(_ m: cairo_matrix_t) { self.init(m.xx, m.yx, m.xy, m.yy, m.x0, m.y0) }
  var matrix: cairo_matrix_t { cairo_matrix_t(xx: a, yx: b, xy: c, yy: d, x0: tx, y0: ty) }
}

extension CGBlendMode {
  /// Cairo's operator; nil for the one that it does not have.
  var cairo: cairo_operator_t? {
    switch self {
    case .normal: CAIRO_OPERATOR_OVER
    case .multiply: CAIRO_OPERATOR_MULTIPLY
    case .screen: CAIRO_OPERATOR_SCREEN
    case .overlay: CAIRO_OPERATOR_OVERLAY
    case .darken: CAIRO_OPERATOR_DARKEN
    case .lighten: CAIRO_OPERATOR_LIGHTEN
    case .colorDodge: CAIRO_OPERATOR_COLOR_DODGE
    case .colorBurn: CAIRO_OPERATOR_COLOR_BURN
    case .softLight: CAIRO_OPERATOR_SOFT_LIGHT
    case .hardLight: CAIRO_OPERATOR_HARD_LIGHT
    case .difference: CAIRO_OPERATOR_DIFFERENCE
    case .exclusion: CAIRO_OPERATOR_EXCLUSION
    case .hue: CAIRO_OPERATOR_HSL_HUE
    case .saturation: CAIRO_OPERATOR_HSL_SATURATION
    case .color: CAIRO_OPERATOR_HSL_COLOR
    case .luminosity: CAIRO_OPERATOR_HSL_LUMINOSITY
    case .clear: CAIRO_OPERATOR_CLEAR
    case .copy: CAIRO_OPERATOR_SOURCE
    case .sourceIn: CAIRO_OPERATOR_IN
    case .sourceOut: CAIRO_OPERATOR_OUT
    case .sourceAtop: CAIRO_OPERATOR_ATOP
    case .destinationOver: CAIRO_OPERATOR_DEST_OVER
    case .destinationIn: CAIRO_OPERATOR_DEST_IN
    case .destinationOut: CAIRO_OPERATOR_DEST_OUT
    case .destinationAtop: CAIRO_OPERATOR_DEST_ATOP
    case .xor: CAIRO_OPERATOR_XOR
    case .plusLighter: CAIRO_OPERATOR_ADD
    case .plusDarker: nil
    }
  }
}
