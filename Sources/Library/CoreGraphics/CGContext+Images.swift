internal import CCairo

extension CGContext {
  /// Draws a picture upright into a rectangle, as far as y grows upwards. A damaged picture draws nothing.
  ///
  /// - Parameter byTiling: whether copies of the rectangle fill all that is not clipped off.
  public func draw(_ image: CGImage, in rect: CGRect, byTiling: Bool = false) {
    draw(image, in: rect, isFlipped: false, byTiling)
  }

  /// Draws a picture into a rectangle.
  ///
  /// - Parameter isFlipped: whether the picture stands upright where y grows downwards.
  package func draw(_ image: CGImage, in rect: CGRect, isFlipped: Bool, _ byTiling: Bool = false) {
    guard let source = image.raster, rect.width != 0, rect.height != 0 else { return }
    let area = byTiling ? boundingBoxOfClipPath : rect.standardized
    let quality = state.interpolation
    let converted = colorSpace.map { $0.model == .monochrome || $0.means(.deviceRGB) } ?? true
    let picture = converted ? source : source.converted(to: colorSpace ?? .deviceRGB)
    paint(shape: { [self] in unsafe cairo_rectangle(canvas, area.minX, area.minY, area.width, area.height) }) { [self] in
      unsafe cairo_save(canvas)
      unsafe cairo_new_path(canvas)
      unsafe cairo_rectangle(canvas, area.minX, area.minY, area.width, area.height)
      unsafe cairo_clip(canvas)
      unsafe cairo_translate(canvas, rect.minX, isFlipped ? rect.minY : rect.maxY)
      let (x, y) = (rect.width / CGFloat(image.width), rect.height / CGFloat(image.height))
      unsafe cairo_scale(canvas, x, isFlipped ? y : -y)
      unsafe cairo_set_source_surface(canvas, picture.surface, 0, 0)
      let pattern = unsafe cairo_get_source(canvas)
      // The clip makes the antialiased edge. Beyond the picture's own edge, its last pixels are repeated. Otherwise clear pixels
      // would be blended into the edge.
      unsafe cairo_pattern_set_extend(pattern, byTiling ? CAIRO_EXTEND_REPEAT : CAIRO_EXTEND_PAD)
      unsafe cairo_pattern_set_filter(pattern, quality.filter(image.shouldInterpolate))
      unsafe cairo_paint(canvas)
      unsafe cairo_restore(canvas)
    }
  }

  /// Clips to a mask: a picture's alpha, or the gray of one without alpha, stretched over a rectangle.
  public func clip(to rect: CGRect, mask: CGImage) {
    clip(to: rect)
    guard let source = mask.raster, let coverage = Raster(width: width, height: height, maskOnly: true),
      let pen = unsafe cairo_create(coverage.surface)
    else { return }
    defer { unsafe cairo_destroy(pen) }
    // A mask without alpha covers where it is white; alpha alone is taken as it is.
    let isGray = mask.alphaInfo == .none || [.noneSkipFirst, .noneSkipLast].contains(mask.alphaInfo)
    let shape = isGray ? source.luminanceMask() : source
    var matrix = cairo_matrix_t()
    unsafe cairo_get_matrix(canvas, &matrix)
    unsafe cairo_set_matrix(pen, &matrix)
    unsafe cairo_translate(pen, rect.minX, rect.maxY)
    unsafe cairo_scale(pen, rect.width / CGFloat(mask.width), -rect.height / CGFloat(mask.height))
    unsafe cairo_set_source_surface(pen, (shape ?? source).surface, 0, 0)
    unsafe cairo_paint(pen)
    if let outer = state.mask {
      unsafe cairo_identity_matrix(pen)
      unsafe cairo_set_operator(pen, CAIRO_OPERATOR_DEST_IN)
      unsafe cairo_set_source_surface(pen, outer.surface, 0, 0)
      unsafe cairo_paint(pen)
    }
    state.mask = coverage
  }

  /// Draws a gradient along a line. Beyond its ends nothing is drawn, unless the options say so.
  public func drawLinearGradient(
    _ gradient: CGGradient, start startPoint: CGPoint, end endPoint: CGPoint, options: CGGradientDrawingOptions
  ) {
    let made = unsafe cairo_pattern_create_linear(startPoint.x, startPoint.y, endPoint.x, endPoint.y)
    guard let pattern = unsafe made else { return }
    defer { unsafe cairo_pattern_destroy(pattern) }
    unsafe gradient.addStops(to: pattern, in: colorSpace ?? .deviceRGB)
    let both: CGGradientDrawingOptions = [.drawsBeforeStartLocation, .drawsAfterEndLocation]
    unsafe cairo_pattern_set_extend(pattern, options.isEmpty ? CAIRO_EXTEND_NONE : CAIRO_EXTEND_PAD)
    // Where one end alone is open, the other one is cut off by a half plane.
    let half = options.isEmpty || options.isSuperset(of: both) ? nil : options
    paint { [self] in
      unsafe cairo_save(canvas)
      if let half { clipHalf(startPoint, endPoint, before: half.contains(.drawsBeforeStartLocation)) }
      unsafe cairo_set_source(canvas, pattern)
      unsafe cairo_paint(canvas)
      unsafe cairo_restore(canvas)
    }
  }

  /// Clips to the side of a gradient's line before its end, or after its start.
  private func clipHalf(_ start: CGPoint, _ end: CGPoint, before: Bool) {
    let box = boundingBoxOfClipPath
    let reach = box.width + box.height + hypot(end.x - start.x, end.y - start.y) + hypot(box.midX - start.x, box.midY - start.y)
    let angle = atan2(end.y - start.y, end.x - start.x) + (before ? .pi : 0)
    let from = before ? end : start
    unsafe cairo_new_path(canvas)
    for (along, across) in [(0.0, -1.0), (1, -1), (1, 1), (0, 1)] {
      let (u, v) = (along * reach, across * reach)
      unsafe cairo_line_to(canvas, from.x + u * cos(angle) - v * sin(angle), from.y + u * sin(angle) + v * cos(angle))
    }
    unsafe cairo_clip(canvas)
  }

  /// Draws a gradient between two circles.
  public func drawRadialGradient(
    _ gradient: CGGradient, startCenter: CGPoint, startRadius: CGFloat, endCenter: CGPoint, endRadius: CGFloat,
    options: CGGradientDrawingOptions
  ) {
    let made = unsafe cairo_pattern_create_radial(
      startCenter.x, startCenter.y, startRadius, endCenter.x, endCenter.y, endRadius)
    guard let pattern = unsafe made else { return }
    defer { unsafe cairo_pattern_destroy(pattern) }
    unsafe gradient.addStops(to: pattern, in: colorSpace ?? .deviceRGB)
    unsafe cairo_pattern_set_extend(pattern, options.isEmpty ? CAIRO_EXTEND_NONE : CAIRO_EXTEND_PAD)
    paint { [self] in
      unsafe cairo_save(canvas)
      if options == .drawsBeforeStartLocation {
        unsafe cairo_new_path(canvas)
        unsafe cairo_arc(canvas, endCenter.x, endCenter.y, endRadius, 0, 2 * .pi)
        unsafe cairo_clip(canvas)
      }
      unsafe cairo_set_source(canvas, pattern)
      unsafe cairo_paint(canvas)
      unsafe cairo_restore(canvas)
    }
  }
}

extension CGInterpolationQuality {
  fileprivate func filter(_ isWanted: Bool) -> cairo_filter_t {
    switch self {
    case .none: CAIRO_FILTER_NEAREST
    case .low: CAIRO_FILTER_BILINEAR
    case .default, .medium, .high: isWanted ? CAIRO_FILTER_GOOD : CAIRO_FILTER_NEAREST
    }
  }
}

extension Raster {
  /// The picture in another space than sRGB.
  fileprivate func converted(to space: CGColorSpace) -> Raster {
    guard let made = Raster(width: width, height: height) else { return self }
    let (stride, conversion) = (stride, ColorConversion(from: .deviceRGB, to: space))
    unsafe withBytes { unsafe made.load(from: $0, stride: stride, .native, conversion) }
    return made
  }

  /// A mask of the picture's luma.
  fileprivate func luminanceMask() -> Raster? {
    guard let made = Raster(width: width, height: height, maskOnly: true) else { return nil }
    let (from, to) = (stride, made.stride)
    unsafe withBytes { source in
      unsafe made.withBytes { target in
        for y in 0..<height {
          let row = unsafe (source + y * from).assumingMemoryBound(to: UInt8.self)
          let line = unsafe (target + y * to).assumingMemoryBound(to: UInt8.self)
          for x in 0..<width {
            let sum = unsafe 2126 * Int(row[x * 4 + 2]) + 7152 * Int(row[x * 4 + 1]) + 722 * Int(row[x * 4])
            unsafe line[x] = UInt8((sum + 5000) / 10000)
          }
        }
      }
    }
    return made
  }
}
