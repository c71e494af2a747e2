internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// Reads the contents of layers.
extension DocumentReader {
  func imageContent(_ object: DocumentObject) -> ImageContent? {
    let sequence = object["image"].map(images) ?? Envelope()
    let gravity = object["gravity"].map { self.gravity($0) } ?? .resizeAspect
    let contentsRect = envelope(object["contentsRect"], neutral: ImageContent.whole, shares)
    let center = object["contentsCenter"].flatMap(shares)
    if let node = object["contentsCenter"] {
      if gravity != .resize { node.note("needs \"gravity\": \"resize\": otherwise the picture keeps its proportions") }
      if object["contentsRect"] != nil { node.note("stretches a whole picture: it cannot have a \"contentsRect\", too") }
    }
    guard let asset = sequence.keyframes.first?.value, let gravity else { return nil }
    return ImageContent(
      asset: asset, gravity: gravity, contentsRect: contentsRect, contentsCenter: center == ImageContent.whole ? nil : center,
      sequence: sequence)
  }

  /// The image, or several that follow each other.
  private func images(_ node: DocumentNode) -> Envelope<AssetID> {
    steps(node, "one image", stillPicture)
  }

  /// A value that stays until the next one: one, or several.
  ///
  /// - Parameter name: what it is, for faults.
  func steps<Value>(_ node: DocumentNode, _ name: String, _ read: (DocumentNode) -> Value?) -> Envelope<Value> {
    guard case .array(let elements) = node.value else { return read(node).map { Envelope(constant: $0) } ?? Envelope() }
    let faultsBefore = log.count
    let steps = keyframes(node, read)
    for (index, keyframe) in steps.enumerated() where keyframe.easing != .linear {
      DocumentNode(value: elements[index], path: node.path[index], log: log).note(
        "\(name) does not move to another: it has no easing")
    }
    if steps.isEmpty, log.count == faultsBefore { node.note("needs a keyframe at least") }
    // The later one of two at one time counts; only the first of all says what is before it, too.
    let seen = steps.enumerated().filter { index, step in
      index == 0 || index + 1 == steps.count || steps[index + 1].time > step.time
    }
    return Envelope(seen.map { .init($1.time, $1.value, holds: true) })
  }

  /// A part of a picture `[x, y, width, height]`, as shares of its width and height.
  private func shares(_ node: DocumentNode) -> Rect? {
    guard let terms = node.numbers(["x", "y", "width", "height"], in: 0...1) else { return nil }
    guard terms[2] > 0, terms[3] > 0 else { return node.refuse(because: "has no area: width and height must be positive") }
    guard terms[0] + terms[2] <= 1 + Self.rounding, terms[1] + terms[3] <= 1 + Self.rounding else {
      return node.refuse(because: "reaches beyond the picture, whose width and height count as 1")
    }
    return Rect(terms[0], terms[1], terms[2], terms[3])
  }

  /// The error that sums of decimals such as 0.7 + 0.3 may have.
  private static let rounding = 1e-9

  func movingContent(_ object: DocumentObject) -> MovingContent? {
    let gravity = object["gravity"].map { self.gravity($0) } ?? .resizeAspect
    let source: MovingContent.Source?
    switch object.form {
    case .clipLayer:
      let loops = object["loop"].map { $0.bool() } ?? true
      source = object["clip"].flatMap(assetID).flatMap { asset in loops.map { .asset(asset, loops: $0) } }
    case .videoLayer:
      if let node = object["video"], node.bool() != true {
        return node.refuse(because: "is true where it stands: leave it out otherwise")
      }
      source = .video
    default: source = object["track"].flatMap { trackID($0, .video) }.map { .track($0) }
    }
    guard let source, let gravity else { return nil }
    return MovingContent(source, gravity: gravity)
  }

  // MARK: - Shapes and gradients

  func shapeContent(_ object: DocumentObject) -> ShapeContent? {
    var motion = ShapeContent.Motion()
    guard let outline = object["shape"].flatMap({ shapeOutline($0, &motion) }) else { return nil }
    let fill = first(of: envelope(object["fillColor"], color), &motion.fillColor)
    let stroke = first(of: envelope(object["strokeColor"], color), &motion.strokeColor)
    let width = first(of: envelope(object["lineWidth"]) { $0.number(in: DocumentLimits.lineWidth) }, &motion.lineWidth)
    let phase = first(of: envelope(object["dashPhase"]) { $0.number(in: DocumentLimits.coordinate) }, &motion.dashPhase)
    if object["fillColor"] == nil, object["strokeColor"] == nil {
      object.node.note("is seen by nothing: give it a \"fillColor\" or a \"strokeColor\"")
    }
    let usual = ShapeContent(outline: outline)
    let dash = (object["dash"]?.elements(atMost: DocumentLimits.dashes) ?? []).compactMap {
      $0.number(in: DocumentLimits.lineWidth)
    }
    if let node = object["dash"], !dash.contains(where: { $0 > 0 }) { node.note("needs a length above 0") }
    var shape = ShapeContent(
      outline: outline, fillColor: fill,
      fillRule: object["fillRule"].flatMap { $0.choice(ShapeContent.FillRule.self) } ?? usual.fillRule, strokeColor: stroke,
      lineWidth: width ?? usual.lineWidth,
      lineCap: object["lineCap"].flatMap { $0.choice(ShapeContent.LineCap.self) } ?? usual.lineCap,
      lineJoin: object["lineJoin"].flatMap { $0.choice(ShapeContent.LineJoin.self) } ?? usual.lineJoin, dash: dash,
      dashPhase: phase ?? 0,
      strokeStart: envelope(object["strokeStart"], neutral: 0) { $0.number(in: 0...1) },
      strokeEnd: envelope(object["strokeEnd"], neutral: 1) { $0.number(in: 0...1) })
    shape.miterLimit = object["miterLimit"].flatMap { $0.number(in: DocumentLimits.miterLimit) } ?? usual.miterLimit
    shape.motion = motion
    return shape
  }

  /// The first value of an envelope, and the envelope itself where the value changes.
  func first<Value>(of envelope: Envelope<Value>, _ moving: inout Envelope<Value>) -> Value? {
    if !envelope.isHeld { moving = envelope }
    return envelope.keyframes.first?.value
  }

  private func shapeOutline(_ node: DocumentNode, _ motion: inout ShapeContent.Motion) -> ShapeContent.Outline? {
    if case .string(let name) = node.value {
      switch name {
      case "rectangle": return .rectangle
      case "ellipse": return .ellipse
      default: return node.refuse(name, among: ["rectangle", "ellipse"])
      }
    }
    guard let object = DocumentObject(.shapeOutline, node) else { return nil }
    guard let node = object["path"] else { return nil }
    let paths = envelope(node) { self.path($0) }
    guard let first = paths.keyframes.first?.value else { return nil }
    for (one, next) in zip(paths.keyframes, paths.keyframes.dropFirst()) where !one.holds && one.time < next.time {
      guard one.value.isOfKind(of: next.value), !paths.isCubic || one.value.isOfKind(of: first) else {
        return node.refuse(
          because: "the outline at \(one.time) consists of other lines and curves than the next: let its keyframe \"hold\"")
      }
    }
    guard paths.keyframes.reduce(0, { $0 + $1.value.elements.count }) <= DocumentLimits.movingPathElements else {
      return node.refuse(because: "has more than \(DocumentLimits.movingPathElements) lines and curves in all")
    }
    if !paths.isSteady { motion.path = paths }
    return .path(first)
  }

  /// The gradient of a layer.
  func layerGradient(_ node: DocumentNode) -> GradientContent? { gradientContent(node, ofLayer: true) }

  /// The gradient of a text's letters.
  func gradientContent(_ node: DocumentNode) -> GradientContent? { gradientContent(node, ofLayer: false) }

  private func gradientContent(_ node: DocumentNode, ofLayer: Bool) -> GradientContent? {
    guard let object = DocumentObject(.gradient, node) else { return nil }
    let kind = object["kind"].map { $0.choice(GradientContent.Kind.self) } ?? .linear
    let moving = envelope(object["colors"], colors)
    guard let colors = moving.keyframes.first?.value else { return nil }
    if !ofLayer, kind == .conic { object["kind"]?.note("a text's gradient is linear or radial") }
    if let other = moving.keyframes.firstIndex(where: { $0.value.count != colors.count }) {
      return object["colors"]?.refuse(because: "the keyframe at \(moving.keyframes[other].time) has another number of colours")
    }
    var locations = colors.indices.map { Double($0) / Double(colors.count - 1) }
    var course = GradientContent.Course()
    if let node = object["locations"] {
      let names = colors.indices.map { "place of colour \($0 + 1)" }
      // Colours that move may come from beyond the start, and go beyond the end.
      var range = DocumentLimits.overshoot
      if case .array(let elements) = node.value, case .number? = elements.first { range = 0...1 }
      let given = first(of: envelope(node) { self.locations($0, names, in: range) }, &course.locations)
      guard let given else { return nil }
      locations = given
    }
    let start = object["start"].map { gradientEnd($0, &course.start) } ?? kind?.usualStart
    let end = object["end"].map { gradientEnd($0, &course.end) } ?? kind?.usualEnd
    guard let kind, let start, let end else { return nil }
    if !ofLayer, moving.keyframes.count > 1 || course != GradientContent.Course() {
      node.note("a text's gradient has no keyframes")
    }
    // Where they move they may meet for a moment.
    guard course != GradientContent.Course() || GradientContent.hasLength(kind, start, end) else {
      return (object["end"] ?? node).refuse(because: "leaves the gradient no length: start and end must differ")
    }
    func stops(_ colors: [RGBAColor]) -> [GradientContent.Stop] { zip(locations, colors).map { GradientContent.Stop($0, $1) } }
    var gradient = GradientContent(kind, stops: stops(colors), start: start, end: end)
    if moving.keyframes.count > 1 { gradient.motion = moving.map(stops) }
    gradient.course = course
    return gradient
  }

  private func locations(_ node: DocumentNode, _ names: [String], in range: ClosedRange<Double>) -> [Double]? {
    guard let given = node.numbers(names, in: range) else { return nil }
    guard zip(given, given.dropFirst()).allSatisfy({ $0 <= $1 }) else { return node.refuse(because: "must not fall") }
    return given
  }

  private func gradientEnd(_ node: DocumentNode, _ moving: inout Envelope<Point>) -> Point? {
    first(of: envelope(node) { self.point($0, in: DocumentLimits.overshoot) }, &moving)
  }

  private func colors(_ node: DocumentNode) -> [RGBAColor]? {
    guard let nodes = node.elements(atMost: DocumentLimits.gradientStops) else { return nil }
    guard nodes.count >= 2 else { return node.refuse(because: "needs at least two colours") }
    let colors = nodes.compactMap(color)
    return colors.count == nodes.count ? colors : nil
  }
}
