internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// Reads layers over the video: where they stand, what they look like, and the layers on them.
extension DocumentReader {
  func layers(_ node: DocumentNode) -> [Layer] {
    let layers = layers(node, level: 1, on: LayerGround(height: renderHeight.map(Double.init)))
    if layers.reduce(0, { $0 + $1.copiedCount }) > DocumentLimits.layers {
      node.note("more than \(DocumentLimits.layers) layers, with those on other layers and their copies")
    }
    if layers.movingContents.count > DocumentLimits.layerInstructions {
      node.note("more than \(DocumentLimits.layerInstructions) layers show moving pictures; each is a decoder that is open")
    }
    for (index, layer) in layers.enumerated() { checkMixture(layer, at: node.path[index]) }
    return layers
  }

  /// Notes layers that are mixed with what is below them inside of one that is mixed itself. A layer with moving pictures is
  /// not one picture of which its parts could be mixed first.
  private func checkMixture(_ layer: Layer, isMixed: Bool = false, at path: JSONPath) {
    guard layer.holdsMoving else { return }
    let isMixed = isMixed || layer.style.blendMode != .normal
    for (index, sublayer) in layer.sublayers.enumerated() {
      let path = path["layers"][index]
      if isMixed, sublayer.style.blendMode != .normal {
        log.note("a layer with moving pictures that is mixed itself cannot hold layers that are mixed", at: path["blendMode"])
      }
      checkMixture(sublayer, isMixed: isMixed, at: path)
    }
  }

  /// - Parameter level: 1 for the layers over the video.
  private func layers(_ node: DocumentNode, level: Int, on ground: LayerGround) -> [Layer] {
    guard level <= DocumentLimits.layerNesting else {
      node.note("layers stand on each other more than \(DocumentLimits.layerNesting) levels high")
      return []
    }
    guard let nodes = node.elements(atMost: DocumentLimits.layers) else { return [] }
    let layers = nodes.compactMap { layer($0, level: level, on: ground) }
    // A list with some layers missing would shift the positions in the paths of later faults.
    return layers.count == nodes.count ? layers : []
  }

  /// The forms of layers, by the key that each alone has.
  private static let forms: [(key: String, form: DocumentForm)] = [
    ("image", .imageLayer), ("text", .textLayer), ("shape", .shapeLayer), ("gradient", .gradientLayer),
    ("waveform", .waveformLayer), ("track", .trackLayer),
    ("video", .videoLayer), ("clip", .clipLayer), ("lottie", .lottieLayer),
  ]

  func layer(_ node: DocumentNode, level: Int, on ground: LayerGround = LayerGround()) -> Layer? {
    guard case .object(let members) = node.value else {
      return node.refuse(
        "an object with \"image\", \"text\", \"shape\", \"gradient\", \"waveform\", \"track\", \"video\", \"clip\", \"lottie\" or \"layers\""
      )
    }
    let forms = Self.forms.filter { form in members.contains { $0.key == form.key } }
    guard forms.count < 2 else {
      return node.refuse(because: "has \(forms.map { "\"\($0.key)\"" }.joined(separator: " and ")): give each a layer of its own")
    }
    let faultsBefore = log.count
    guard let object = DocumentObject(forms.first?.form ?? .plainLayer, node) else { return nil }
    let content: Layer.Content?
    switch object.form {
    case .imageLayer: content = imageContent(object).map { .image($0) }
    case .textLayer: content = textContent(object).map { .text($0) }
    case .shapeLayer: content = shapeContent(object).map { .shape($0) }
    case .gradientLayer: content = object["gradient"].flatMap(layerGradient).map { .gradient($0) }
    case .waveformLayer: content = object["waveform"].flatMap(waveformContent).map { .waveform($0) }
    case .trackLayer, .videoLayer, .clipLayer: content = movingContent(object).map { .moving($0) }
    default: content = nil
    }
    let shown = shownRange(object, on: ground)
    let opacity = faded(
      sum(object["opacity"], neutral: 1, added: signed(0...1)) { $0.number(in: 0...1) }, name: "opacity", over: shown, in: object)
    var geometry = self.geometry(object)
    let style = self.style(object)
    let animation = object.form == .lottieLayer ? lottie(object, &geometry, level: level) : []
    let own = self.ground(of: object, geometry, on: ground)
    let sublayers = animation + (object["layers"].map { layers($0, level: level + 1, on: own) } ?? [])
    let mask = object["mask"].flatMap { self.mask($0, level: level + 1, on: own) }
    if content == nil {
      guard forms.isEmpty || object.form == .lottieLayer else { return nil }
      let isBare =
        sublayers.isEmpty && style.backgroundColor.keyframes.isEmpty && style.borderWidth.keyframes.isEmpty
        && style.backdropFilters.isEmpty
      if isBare, forms.isEmpty, log.count == faultsBefore {
        return node.refuse(
          because:
            "shows nothing: needs \"image\", \"text\", \"shape\", \"gradient\", \"waveform\", \"track\", \"video\", \"clip\", \"lottie\", \"layers\", \"backgroundColor\" or \"borderWidth\""
        )
      }
    }
    let clock = object["clock"].flatMap(clock)
    if clock != nil {
      (object["fadeIn"] ?? object["fadeOut"])?.note(
        "opacity counts on the layer's own clock, and from and to do not: put the layer on one that fades")
    }
    var layer = Layer(
      content: content, geometry: geometry, style: style, opacity: opacity,
      clock: clock == LayerClock() ? nil : clock,
      zPosition: sum(object["zPosition"], neutral: 0) { $0.number(in: DocumentLimits.coordinate) },
      hidden: object["hidden"].map { steps($0, "being hidden or not") { $0.bool() } } ?? Envelope(), sublayers: sublayers,
      mask: mask)
    if object["from"] != nil || object["to"] != nil { (layer.timeRange, layer.staysToEnd) = (shown, object["to"] == nil) }
    layer.replicator = object["replicator"].flatMap(replicator)
    layer.maskMode = object["maskMode"].flatMap { $0.choice(MaskMode.self) } ?? .alpha
    if object["mask"] == nil { object["maskMode"]?.note("says nothing without a \"mask\"") }
    return own.origin == .topLeft ? layer : flipped(layer, object, on: ground, own)
  }

  private func mask(_ node: DocumentNode, level: Int, on ground: LayerGround) -> Layer? {
    guard level <= DocumentLimits.layerNesting else {
      return node.refuse(because: "layers stand on each other more than \(DocumentLimits.layerNesting) levels high")
    }
    guard let mask = layer(node, level: level, on: ground) else { return nil }
    guard mask.style.blendMode == .normal else {
      return node.refuse(because: "is mixed with nothing: \"blendMode\" says nothing about a mask")
    }
    return mask
  }

  // MARK: - Geometry

  private func geometry(_ object: DocumentObject) -> LayerGeometry {
    let usual = LayerGeometry()
    if object["perspective"] != nil, object["rotationX"] == nil, object["rotationY"] == nil, object["transform3D"] == nil {
      object["perspective"]?.note("shows nothing of a flat layer: give it \"rotationX\", \"rotationY\" or \"transform3D\"")
    }
    if object["motionPath"] != nil { object["position"]?.note("the layer moves along its \"motionPath\": give one of them") }
    let frame = object["frame"].flatMap(rect)
    let anchors = sum(object["anchorPoint"], neutral: usual.anchorPoint) { point($0, in: DocumentLimits.overshoot) }
    let anchor = anchors.keyframes.first?.value ?? usual.anchorPoint
    // The place that the frame gives the anchor point.
    let ground = frame.map { Point($0.x + anchor.x * $0.width, $0.y + anchor.y * $0.height) }
    var geometry = LayerGeometry(
      frame: frame, anchorPoint: anchor,
      position: sum(object["position"], ground: ground) { point($0, in: DocumentLimits.coordinate) },
      scale: sum(object["scale"], neutral: Point(1, 1), scale),
      rotation: sum(object["rotation"], neutral: 0) { $0.number(in: DocumentLimits.rotation) },
      transform: sum(object["transform"], neutral: .identity, transform),
      rotationX: sum(object["rotationX"], neutral: 0) { $0.number(in: DocumentLimits.rotation) },
      rotationY: sum(object["rotationY"], neutral: 0) { $0.number(in: DocumentLimits.rotation) },
      transform3D: sum(object["transform3D"], neutral: .identity, transform3D),
      perspective: envelope(object["perspective"]) { $0.number(in: DocumentLimits.perspective) },
      isDoubleSided: object["doubleSided"].flatMap { $0.bool() } ?? true,
      motionPath: object["motionPath"].flatMap(motionPath))
    geometry.bounds = bounds(object, frame)
    if !anchors.isHeld { geometry.anchorMotion = anchors }
    return geometry
  }

  /// The size over time of a layer with a frame.
  private func bounds(_ object: DocumentObject, _ frame: Rect?) -> Envelope<Point> {
    guard let node = object["bounds"] else { return Envelope() }
    if frame == nil, object["frame"] == nil {
      node.note("is the size of a layer that has a \"frame\", which says where it stands: give it one")
    }
    if object.form == .lottieLayer {
      node.note("changes nothing of an animation, which is fitted into its \"frame\" once: change its \"scale\"")
    }
    let reach = 0...DocumentLimits.coordinate.upperBound
    let whole = sum(
      node, ground: frame.map { Point($0.width, $0.height) }, added: { point($0, in: DocumentLimits.coordinate) }
    ) { $0.numbers(["width", "height"], in: reach).map { Point($0[0], $0[1]) } }
    return whole.held()
  }

  func point(_ node: DocumentNode, in range: ClosedRange<Double>) -> Point? {
    node.numbers(["x", "y"], in: range).map { Point($0[0], $0[1]) }
  }

  /// The factor: one for both axes, or `[x, y]`.
  func scale(_ node: DocumentNode) -> Point? {
    if case .array = node.value { return point(node, in: DocumentLimits.layerScale) }
    return node.number(in: DocumentLimits.layerScale).map { Point($0, $0) }
  }

  // MARK: - Style

  private func style(_ object: DocumentObject) -> LayerStyle {
    LayerStyle(
      backgroundColor: envelope(object["backgroundColor"], color),
      cornerRadius: envelope(object["cornerRadius"], neutral: 0, corners),
      borderWidth: sum(object["borderWidth"], neutral: 0, added: signed(DocumentLimits.lineWidth)) {
        $0.number(in: DocumentLimits.lineWidth)
      },
      borderColor: envelope(object["borderColor"], neutral: .black, color),
      masksToBounds: object["masksToBounds"].flatMap { $0.bool() } ?? false,
      shadow: object["shadow"].flatMap(layerShadow),
      blendMode: object["blendMode"].flatMap { $0.choice(BlendMode.self) } ?? .normal,
      filters: object["filters"].map(filters) ?? [], backdropFilters: object["backdropFilters"].map(filters) ?? [])
  }

  func shadow(_ node: DocumentNode) -> LayerStyle.Shadow? {
    guard let object = DocumentObject(.shadow, node) else { return nil }
    let usual = LayerStyle.Shadow()
    return LayerStyle.Shadow(
      color: object["color"].flatMap(color) ?? usual.color,
      offset: object["offset"].flatMap { point($0, in: DocumentLimits.coordinate) } ?? usual.offset,
      radius: object["radius"].flatMap { $0.number(in: DocumentLimits.shadowRadius) } ?? usual.radius)
  }

  // MARK: - Times

  /// The range in which the layer is shown: from `from` (else the edit's start) to `to` (else its end).
  private func shownRange(_ object: DocumentObject, on ground: LayerGround) -> MediaTimeRange? {
    let from = object["from"].map { time($0) } ?? .zero
    guard let from else { return nil }
    // Another clock may show later times than the edit has.
    let isLate = ground.isDriven && duration.map { from >= $0 } == true
    let end = isLate ? exact(object.node) { () throws(TimeError) in try from + .oneSecond } : duration
    guard let to = object["to"].map({ time($0, .positive) }) ?? end else { return nil }
    guard from < to else {
      return (object["to"] ?? object["from"])?.refuse(because: "the layer is shown from \(from) to \(to), which is never")
    }
    return exact(object.node) { () throws(TimeError) in try MediaTimeRange(start: from, end: to) }
  }

  /// The envelope with the fades that `fadeIn` and `fadeOut` ask for: up from 0 at the start of `range`, and down to 0 at its
  /// end.
  func faded(
    _ value: Envelope<Double>, name: String, over range: MediaTimeRange?, in object: DocumentObject,
    curve: FadeShape = .linear
  ) -> Envelope<Double> {
    let fadeIn = object["fadeIn"].map { time($0, .positive) } ?? .zero
    let fadeOut = object["fadeOut"].map { time($0, .positive) } ?? .zero
    guard let node = object["fadeIn"] ?? object["fadeOut"], let fadeIn, let fadeOut, let range else { return value }
    guard value == Envelope() || value.constant != nil else {
      node.note("\(name) has keyframes, which say it already: give one of them")
      return value
    }
    let (full, shape) = (
      value.constant ?? 1,
      exact(node) { () throws(TimeError) in
        try (up: range.start + fadeIn, down: range.end - fadeOut)
      }
    )
    guard let shape else { return value }
    guard shape.up <= shape.down else {
      node.note("fades take longer than the \(range.duration) s from \(range.start) to \(range.end)")
      return value
    }
    var keyframes = fadeIn > .zero ? [Envelope<Double>.Keyframe(range.start, 0, easing: curve.rising)] : []
    let falling = fadeOut > .zero ? curve.falling : .linear
    keyframes.append(.init(shape.up, full, easing: shape.down > shape.up ? .linear : falling))
    if shape.down > shape.up { keyframes.append(.init(shape.down, full, easing: falling)) }
    if fadeOut > .zero { keyframes.append(.init(range.end, 0)) }
    return Envelope(keyframes)
  }
}
