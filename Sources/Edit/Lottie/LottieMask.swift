internal import Formats
internal import JSON
internal import Timeline

/// The masks of a layer, and what masks it as a matte.
struct LottieMask {
  let clock: LottieClock
  let log: LottieLog
  /// A rectangle that holds all that is seen.
  let field: Rect

  /// - Parameter size: that of the composition.
  init(_ clock: LottieClock, _ log: LottieLog, size: Point) {
    (self.clock, self.log) = (clock, log)
    let side = min(4 * max(size.x, size.y), 100_000)
    field = Rect(-side, -side, 2 * side + min(size.x, side), 2 * side + min(size.y, side))
  }

  private static let white = RGBAColor.white

  // MARK: - Masks

  /// The mask that a layer's masks make, in its own coordinates; nil where they leave all.
  func mask(_ node: LottieNode) throws(LottieFault) -> (mask: Layer, mode: MaskMode)? {
    let nodes = (node["masksProperties"]?.elements ?? []).filter { $0.text("mode") != "n" }
    guard let first = nodes.first else { return nil }
    var parts: [Layer] = []
    for node in nodes { if let part = try part(node) { parts.append(part) } }
    if nodes.allSatisfy({ $0.text("mode") ?? "a" == "a" && !$0.flag("inv") }) {
      return (plane(parts), .alpha)
    }
    // What the first one cuts out is cut out of all.
    let beginsFull = ["s", "i"].contains(first.text("mode"))
    return (plane([sheet(beginsFull ? .white : .black)] + parts), .luminance)
  }

  /// A layer that only holds others.
  func plane(_ sublayers: [Layer]) -> Layer {
    // A mask of nothing hides all.
    let clear = LayerStyle(backgroundColor: sublayers.isEmpty ? Envelope(constant: RGBAColor(0, 0, 0, alpha: 0)) : Envelope())
    return Layer(content: nil, geometry: LayerGeometry(frame: LottieTransform.plane), style: clear, sublayers: sublayers)
  }

  /// A layer that holds others, seen through a mask.
  func plane(
    _ sublayers: [Layer], seenThrough mask: Layer, _ mode: MaskMode, opacity: Envelope<Double> = Envelope()
  ) -> Layer {
    var plane = plane(sublayers)
    (plane.mask, plane.maskMode, plane.opacity) = (mask, mode, opacity)
    return plane
  }

  /// A colour that is seen through a mask of layers.
  func seen(
    by color: Envelope<RGBAColor>, through layers: [Layer], _ mode: MaskMode, opacity: Envelope<Double> = Envelope()
  ) -> Layer {
    plane([sheet(color)], seenThrough: plane(layers), mode, opacity: opacity)
  }

  /// A rectangle of one colour.
  func sheet(_ color: RGBAColor) -> Layer { sheet(Envelope(constant: color)) }

  func sheet(_ color: Envelope<RGBAColor>) -> Layer {
    Layer(content: nil, geometry: LayerGeometry(frame: field), style: LayerStyle(backgroundColor: color))
  }

  /// One mask: white where it adds, and black where it takes away.
  private func part(_ node: LottieNode) throws(LottieFault) -> Layer? {
    try log.countLayer(node.path)
    let mode = node.text("mode") ?? "a"
    if mode == "l" || mode == "d" {
      log.approximate(node.path["mode"], "a mask that lightens is added, and one that darkens cuts")
    }
    let cuts = mode == "i" || mode == "d"
    // What is cut is taken away beside the mask.
    let isInverted = node.flag("inv") != cuts
    let color: RGBAColor = mode == "s" || cuts ? .black : .white
    let outline = try LottieOutline(path: node, node["pt"], log)
    let corners = [
      Point(field.x, field.y), Point(field.maxX, field.y), Point(field.maxX, field.maxY), Point(field.x, field.maxY),
    ]
    let around: [VectorPath.Element] =
      isInverted ? [.move(corners[0])] + corners.dropFirst().map { .line($0) } + [.close] : []
    let path = try clock.outline([outline], before: around, log)
    guard path.keyframes.contains(where: { !$0.value.elements.isEmpty }) else { return nil }
    let seen = path.map { $0.elements.isEmpty ? VectorPath([.move(.zero)]) : $0 }
    var shape = ShapeContent(outline: .path(seen.first), fillColor: color, fillRule: isInverted ? .evenOdd : .nonZero)
    if !seen.isSteady { shape.motion.path = seen }
    try expand(&shape, node, color, isInverted: isInverted)
    let opacity = clock.scalar(try LottieValue(node["o"], or: [100], log)) { min(max($0 / 100, 0), 1) }
    var layer = Layer(content: .shape(shape), opacity: opacity)
    if mode == "f" { layer.style.blendMode = .difference }
    return layer
  }

  /// Widens a mask by a line along its outline.
  private func expand(
    _ shape: inout ShapeContent, _ node: LottieNode, _ color: RGBAColor, isInverted: Bool
  ) throws(LottieFault) {
    let expansion = try LottieValue(node["x"], or: [0], log)
    guard expansion.keys.contains(where: { $0.value[0] != 0 }) else { return }
    guard !isInverted, expansion.keys.allSatisfy({ $0.value[0] >= 0 }) else {
      return log.approximate(expansion.path, "the mask is not expanded: only ones that grow and are not inverted are")
    }
    let width = clock.scalar(expansion) { min($0 * 2, DocumentLimits.lineWidth.upperBound) }
    (shape.strokeColor, shape.lineJoin, shape.lineWidth) = (color, .round, width.first)
    if !width.isSteady { shape.motion.lineWidth = width }
  }

  // MARK: - Mattes

  /// The mask that another layer makes.
  ///
  /// - Parameter kind: 1 by its alpha, 2 by what it leaves free, 3 by its luma, 4 by what is dark in it.
  func matte(_ layer: Layer, kind: Int) -> (mask: Layer, mode: MaskMode)? {
    switch kind {
    case 1: return (plane([layer]), .alpha)
    case 2:
      // All is white apart from where the layer is, which is black.
      var dark = Layer(content: nil, geometry: LayerGeometry(frame: LottieTransform.plane), sublayers: [layer])
      dark.style.filters = [.colorControls(LayerFilter.ColorControls(brightness: Envelope(constant: -1)))]
      return (plane([sheet(.white), dark]), .luminance)
    case 3: return (plane([layer]), .luminance)
    case 4:
      var turned = sheet(.white)
      turned.style.blendMode = .difference
      return (plane([sheet(.black), layer, turned]), .luminance)
    default: return nil
    }
  }
}
