internal import Formats
internal import JSON
internal import Timeline

/// Makes layers of shapes.
struct LottiePainting {
  let clock: LottieClock
  let log: LottieLog
  /// The size of the composition.
  let size: Point

  /// The layers of things that are drawn, bottommost first.
  func layers(_ items: [LottieShapes.Item]) throws(LottieFault) -> [Layer] {
    var layers: [Layer] = []
    for item in items {
      switch item {
      case .paint(let paint): layers += try self.layers(paint)
      case .copies(let held, let repeater): layers += try repeater.layers(try self.layers(held), clock, log)
      case .group(let held, let transform, let blendMode):
        let own = try self.layers(held)
        guard !own.isEmpty else { continue }
        if transform.isIdentity, blendMode == .normal {
          layers += own
          continue
        }
        var group = transform.layer(own, clock, log)
        group.style.blendMode = blendMode
        try log.countLayer(transform.anchor.path)
        layers.append(group)
      }
    }
    return layers
  }

  private func layers(_ paint: LottiePaint) throws(LottieFault) -> [Layer] {
    guard !paint.outlines.isEmpty else { return [] }
    let name = log.layer
    log.layer = paint.layer
    defer { log.layer = name }
    switch paint.node.text("ty") {
    case "fl": return try fill(paint)
    case "st": return try stroke(paint)
    case "gf": return try gradientFill(paint)
    case "gs": return try gradientStroke(paint)
    default: return []
    }
  }

  // MARK: - Fills

  private func fill(_ paint: LottiePaint) throws(LottieFault) -> [Layer] {
    let color = try color(paint.node["c"])
    if let area = try mergedArea(paint) {
      try log.countLayer(paint.node.path)
      let field = LottieMask(clock, log, size: size)
      var layer = field.seen(by: color, through: area, .alpha, opacity: try opacity(paint.node))
      layer.style.blendMode = BlendMode(lottie: paint.node, log)
      return [layer]
    }
    guard var shape = try filled(paint, color.first) else { return [] }
    if !color.isSteady { shape.motion.fillColor = color }
    return [try layer(shape, paint)]
  }

  /// The outlines as one that is filled; nil where there is none.
  private func filled(_ paint: LottiePaint, _ color: RGBAColor) throws(LottieFault) -> ShapeContent? {
    if paint.outlines.count > 1, let trim = paint.outlines.compactMap(\.trim).first(where: \.isSequential) {
      log.approximate(trim.path, "of several outlines that are filled each is trimmed on its own")
    }
    guard var shape = try shape(of: paint.outlines, cuts: true) else { return nil }
    shape.fillColor = color
    shape.fillRule = try paint.node.integer("r") == 2 ? .evenOdd : .nonZero
    return shape
  }

  /// The layers that cover what is filled, where some of the outlines are merged; nil where none is.
  private func mergedArea(_ paint: LottiePaint) throws(LottieFault) -> [Layer]? {
    guard paint.outlines.contains(where: { $0.merge != nil }) else { return nil }
    let field = LottieMask(clock, log, size: size)
    var (rest, area) = (paint.outlines[...], [Layer]())
    while let first = rest.first {
      let set = rest.prefix { $0.merge?.path == first.merge?.path }
      rest = rest.dropFirst(set.count)
      var shapes: [ShapeContent] = []
      for outlines in first.merge == nil ? [Array(set)] : set.map({ [$0] }) {
        guard var shape = try shape(of: outlines, cuts: true) else { continue }
        shape.fillColor = .white
        shape.fillRule = try paint.node.integer("r") == 2 ? .evenOdd : .nonZero
        shapes.append(shape)
        try log.countLayer(paint.node.path)
      }
      guard let merge = first.merge, !shapes.isEmpty else {
        area += shapes.map { Layer(content: .shape($0)) }
        continue
      }
      let (mask, mode) = merge.mask(shapes, field)
      area.append(field.plane([field.sheet(.white)], seenThrough: mask, mode))
    }
    return area
  }

  private func shape(of outlines: [LottieOutline], cuts: Bool = false) throws(LottieFault) -> ShapeContent? {
    let path = try clock.outline(outlines, cuts: cuts, log)
    guard let first = path.keyframes.first?.value, path.keyframes.contains(where: { !$0.value.elements.isEmpty }) else {
      return nil
    }
    // An outline of nothing is a point that is not seen.
    let seen = path.map { $0.elements.isEmpty ? VectorPath([.move(.zero)]) : $0 }
    var shape = ShapeContent(outline: .path(first.elements.isEmpty ? VectorPath([.move(.zero)]) : first))
    if !seen.isSteady { shape.motion.path = seen }
    return shape
  }

  private func layer(_ shape: ShapeContent, _ paint: LottiePaint) throws(LottieFault) -> Layer {
    try log.countLayer(paint.node.path)
    var layer = Layer(content: .shape(shape), opacity: try opacity(paint.node))
    layer.style.blendMode = BlendMode(lottie: paint.node, log)
    return layer
  }

  private func opacity(_ node: LottieNode) throws(LottieFault) -> Envelope<Double> {
    clock.scalar(try LottieValue(node["o"], or: [100], log)) { min(max($0 / 100, 0), 1) }
  }

  /// The colours of a property.
  func color(_ property: LottieNode?) throws(LottieFault) -> Envelope<RGBAColor> {
    let value = try LottieValue(property, or: [0, 0, 0], log)
    // Old files count to 255.
    let most = value.keys.contains { $0.value.prefix(3).contains { $0 > 1 } } ? 255.0 : 1
    func color(_ numbers: [Double]) -> RGBAColor {
      let parts = numbers.prefix(3).map { min(max($0 / most, 0), 1) }
      return RGBAColor(parts[0], parts[1], parts[2])
    }
    guard value.isUniform else { return clock.sampled([value]) { color(value.value(at: $0)) } }
    return clock.envelope(value, color)
  }

  // MARK: - Lines

  private func stroke(_ paint: LottiePaint) throws(LottieFault) -> [Layer] {
    let color = try color(paint.node["c"])
    var layers: [Layer] = []
    for var shape in try lines(paint, color.first) {
      if !color.isSteady { shape.motion.strokeColor = color }
      layers.append(try layer(shape, paint))
    }
    return layers
  }

  /// The lines: one along all outlines, or more where parts of them are painted.
  private func lines(_ paint: LottiePaint, _ color: RGBAColor) throws(LottieFault) -> [ShapeContent] {
    if let merge = paint.outlines.lazy.compactMap(\.merge).first {
      log.approximate(merge.path, "the merged paths are filled as one area, and a line goes along each of them")
    }
    var sets: [(outlines: [LottieOutline], trim: LottieTrim?)] = []
    // Outlines that a trim takes for one length follow each other in the order of the file, which is the opposite of this one.
    for outline in paint.outlines.reversed() {
      // What is cut on its own is a line of its own.
      if let last = sets.last, last.trim?.path == outline.trim?.path, outline.trim?.isSequential ?? true {
        sets[sets.count - 1].outlines.append(outline)
      } else {
        sets.append(([outline], outline.trim))
      }
    }
    let pen = try pen(paint.node, color)
    var shapes: [ShapeContent] = []
    for set in sets {
      guard let outline = try shape(of: set.outlines) else { continue }
      var shape = pen
      (shape.outline, shape.motion.path) = (outline.outline, outline.motion.path)
      guard let trim = set.trim else {
        shapes.append(shape)
        continue
      }
      for span in trim.spans(clock) {
        let part = ShapeContent(outline: shape.outline, strokeStart: span.start, strokeEnd: span.end)
        (shape.strokeStart, shape.strokeEnd) = (part.strokeStart, part.strokeEnd)
        shapes.append(shape)
      }
    }
    return shapes
  }

  /// A line without an outline.
  private func pen(_ node: LottieNode, _ color: RGBAColor) throws(LottieFault) -> ShapeContent {
    let width = clock.scalar(try LottieValue(node["w"], or: [1], log)) { min(max($0, 0), DocumentLimits.lineWidth.upperBound) }
    var shape = ShapeContent(outline: .rectangle, strokeColor: color, lineWidth: width.first)
    if !width.isSteady { shape.motion.lineWidth = width }
    shape.lineCap = try node.integer("lc").flatMap { [1: .butt, 2: .round, 3: .square][$0] } ?? .round
    shape.lineJoin = try node.integer("lj").flatMap { [1: .miter, 2: .round, 3: .bevel][$0] } ?? .round
    let changing = try LottieValue(node["ml2"], or: [4], log).first[0]
    let limit = try node.number("ml", or: changing)
    shape.miterLimit = min(max(limit, DocumentLimits.miterLimit.lowerBound), DocumentLimits.miterLimit.upperBound)
    try dash(&shape, node)
    return shape
  }

  private func dash(_ shape: inout ShapeContent, _ node: LottieNode) throws(LottieFault) {
    var lengths: [Double] = []
    for part in node["d"]?.elements ?? [] {
      let value = try LottieValue(part["v"], or: [0], log)
      if part.text("n") == "o" {
        let phase = clock.scalar(value) { min(max($0, -1e6), 1e6) }
        shape.dashPhase = phase.first
        if !phase.isSteady { shape.motion.dashPhase = phase }
      } else {
        if value.isMoving { log.approximate(value.path, "the lengths of dashes stay at their first values") }
        lengths.append(min(max(value.first[0], 0), DocumentLimits.lineWidth.upperBound))
      }
    }
    guard lengths.contains(where: { $0 > 0 }) else { return }
    if lengths.count > DocumentLimits.dashes {
      log.approximate(node.path["d"], "only \(DocumentLimits.dashes) lengths of dashes count")
    }
    shape.dash = Array(lengths.prefix(DocumentLimits.dashes))
  }

  // MARK: - Gradients

  private func gradientFill(_ paint: LottiePaint) throws(LottieFault) -> [Layer] {
    guard let shape = try filled(paint, .black) else { return [] }
    return try gradient(paint, seenThrough: [shape], area: try mergedArea(paint))
  }

  private func gradientStroke(_ paint: LottiePaint) throws(LottieFault) -> [Layer] {
    try gradient(paint, seenThrough: try lines(paint, .black))
  }

  /// - Parameter area: covers what is filled; nil where the shapes do.
  private func gradient(
    _ paint: LottiePaint, seenThrough shapes: [ShapeContent], area: [Layer]? = nil
  ) throws(LottieFault) -> [Layer] {
    guard !shapes.isEmpty else { return [] }
    let gradient = try LottieGradient(paint.node, log)
    try log.countLayer(paint.node.path)
    try log.countLayer(paint.node.path)
    let parts = area ?? shapes.map { Layer(content: .shape($0)) }
    let mask = parts.count == 1 ? parts[0] : Layer(content: nil, sublayers: parts)
    let geometry = LayerGeometry(frame: LottieTransform.plane)
    var layer = Layer(
      content: nil, geometry: geometry, opacity: try opacity(paint.node),
      sublayers: [gradient.layer(covering: Self.bounds(of: shapes), clock)], mask: mask)
    layer.style.blendMode = BlendMode(lottie: paint.node, log)
    return [layer]
  }

  /// The rectangle in which shapes are at any time, with their lines.
  private static func bounds(of shapes: [ShapeContent]) -> Rect {
    var (low, high) = (Point(.infinity, .infinity), Point(-.infinity, -.infinity))
    for shape in shapes {
      var paths = shape.motion.path.keyframes.map(\.value)
      if case .path(let path) = shape.outline { paths.append(path) }
      let widths = shape.motion.lineWidth.keyframes.map(\.value) + [shape.lineWidth]
      let reach = shape.strokeColor == nil ? 0 : (widths.max() ?? 0) * max(shape.miterLimit, 1.5) / 2
      for point in paths.flatMap(\.points) {
        (low.x, low.y) = (min(low.x, point.x - reach), min(low.y, point.y - reach))
        (high.x, high.y) = (max(high.x, point.x + reach), max(high.y, point.y + reach))
      }
    }
    guard low.x <= high.x, low.y <= high.y else { return Rect(0, 0, 1, 1) }
    // What is as far away as that is not seen.
    (low.x, low.y) = (max(low.x, -100_000), max(low.y, -100_000))
    (high.x, high.y) = (max(min(high.x, 100_000), low.x), max(min(high.y, 100_000), low.y))
    return Rect(low.x - 2, low.y - 2, high.x - low.x + 4, high.y - low.y + 4)
  }
}

extension Envelope {
  /// The first value.
  ///
  /// - Precondition: there is one.
  var first: Value { keyframes[0].value }
}

extension BlendMode {
  /// The mode of a layer or a shape.
  init(lottie node: LottieNode, _ log: LottieLog) {
    let modes: [BlendMode] = [
      .normal, .multiply, .screen, .overlay, .darken, .lighten, .colorDodge, .colorBurn, .hardLight, .softLight, .difference,
      .exclusion,
      .hue, .saturation, .color, .luminosity, .plusLighter,
    ]
    self = .normal
    guard case .number(let text)? = node["bm"]?.value, let number = Int(text) else { return }
    if modes.indices.contains(number) {
      self = modes[number]
    } else {
      log.lose(node.path["bm"], "the blend mode \(text) is not known: it is drawn as 'normal'")
    }
  }
}
