internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// Reads what changes a layer's look or its copies: space, ways, corners, shadows, filters and replicators.
extension DocumentReader {
  /// The transform in space: the 16 terms of a CATransform3D, row by row. It must be invertible.
  func transform3D(_ node: DocumentNode) -> Transform3D? {
    let names = (1...4).flatMap { row in (1...4).map { "m\(row)\($0)" } }
    guard let terms = node.numbers(names, in: DocumentLimits.coordinate) else { return nil }
    let transform = Transform3D(terms)
    guard transform.determinant != 0 else { return node.refuse(because: "is singular: it maps space onto a plane or less") }
    return transform
  }

  func motionPath(_ node: DocumentNode) -> MotionPath? {
    guard let object = DocumentObject(.motionPath, node) else { return nil }
    let path = object["path"].flatMap { self.path($0, atMost: DocumentLimits.motionPathElements) }
    let progress = envelope(object["progress"]) { $0.number(in: 0...1) }
    let rotates = object["rotate"].map { $0.bool() } ?? false
    guard let path, let rotates, !progress.keyframes.isEmpty else { return nil }
    guard path.pieces.contains(where: { $0.length > 0 }) else {
      return (object["path"] ?? node).refuse(because: "has no length: there is no way to go")
    }
    return MotionPath(path, progress: progress, rotates: rotates)
  }

  /// The outline in the words of SVG.
  func path(_ node: DocumentNode, atMost limit: Int = DocumentLimits.pathElements) -> VectorPath? {
    guard let text = node.string(atMost: DocumentLimits.pathLengthInText) else { return nil }
    do throws(VectorPath.Fault) {
      return try VectorPath(svg: text, atMost: limit)
    } catch { return node.refuse(because: error.reason) }
  }

  /// The radii: one for all corners, or `[topLeft, topRight, bottomRight, bottomLeft]`.
  func corners(_ node: DocumentNode) -> Corners? {
    let range = 0...DocumentLimits.coordinate.upperBound
    guard case .array = node.value else { return node.number(in: range).map { Corners($0) } }
    return node.numbers(["topLeft", "topRight", "bottomRight", "bottomLeft"], in: range).map {
      Corners($0[0], $0[1], $0[2], $0[3])
    }
  }

  func layerShadow(_ node: DocumentNode) -> LayerShadow? {
    guard let object = DocumentObject(.layerShadow, node) else { return nil }
    let isOfContent = object["ofContent"].map { $0.bool() } ?? false
    let path = object["path"].map { self.path($0) }
    if object["path"] != nil { object["ofContent"]?.note("the \"path\" casts the shadow: give one of them") }
    guard let isOfContent, path != .some(nil) else { return nil }
    let usual = LayerStyle.Shadow()
    return LayerShadow(
      color: object["color"].map { envelope($0, color) },
      offset: object["offset"].map { sum($0, ground: usual.offset) { point($0, in: DocumentLimits.coordinate) } },
      radius: object["radius"].map { radius in
        sum(radius, ground: usual.radius, added: signed(DocumentLimits.shadowRadius)) {
          $0.number(in: DocumentLimits.shadowRadius)
        }
      }, path: path ?? nil,
      isOfContent: isOfContent)
  }

  // MARK: - The origin

  /// The thing that a layer stands on, as far as its geometry counts from it.
  struct LayerGround {
    /// The height; where it changes, the one at rest. It is nil where it is not known.
    var height: Double?
    /// The size over time, where the height changes.
    var bounds: Envelope<Point>?
    var origin = LayerOrigin.topLeft
    /// Whether a layer's clock drives what stands there.
    var isDriven = false
  }

  /// The ground of what stands on a layer. The layer's own geometry counts from the same corner.
  func ground(of object: DocumentObject, _ geometry: LayerGeometry, on ground: LayerGround) -> LayerGround {
    let height = geometry.frame?.height ?? (object.form == .imageLayer ? nil : ground.height)
    let origin = object["origin"].flatMap { $0.choice(LayerOrigin.self) } ?? ground.origin
    var own = LayerGround(height: height, origin: origin)
    own.isDriven = ground.isDriven || object["clock"] != nil
    if geometry.frame == nil {
      own.bounds = ground.bounds
    } else if !geometry.keepsHeight {
      // One keyframe is a size for good.
      if geometry.bounds.isHeld { own.height = geometry.bounds.keyframes[0].value.y } else { own.bounds = geometry.bounds }
    }
    return own
  }

  /// The layer as it stands from the top left corner.
  func flipped(_ layer: Layer, _ object: DocumentObject, on ground: LayerGround, _ own: LayerGround) -> Layer? {
    let isCumulative = { (place: Envelope<Point>) in place.repetition?.isCumulative ?? false }
    let counted = [("position", layer.geometry.position), ("anchorPoint", layer.geometry.anchorMotion)]
    if let (key, _) = counted.first(where: { isCumulative($0.1) }), let node = object[key] {
      // The place at the end of a pass is added, and what that means depends on the corner from which places count.
      return node.refuse(because: "a place that counts from the bottom left is \"cumulative\" where it is \"additive\" alone")
    }
    let place = object["origin"] ?? object.node
    guard var flipped = layer.flipped(on: ground.height, height: own.bounds == nil ? own.height : nil) else {
      if own.bounds != nil {
        return place.refuse(
          because: "has a path that counts from the bottom left, and its height changes: let it count from the top left")
      }
      return place.refuse(
        because:
          "counts from the bottom left, and nothing says how high it is, or what it stands on: give the layer a frame, or videoComposition a renderSize"
      )
    }
    guard let bounds = ground.bounds, let rest = ground.height else { return flipped }
    guard flipped.clock == nil, let geometry = flipped.geometry.led(by: bounds, from: rest) else {
      return place.refuse(
        because: """
          counts from the bottom left of a layer whose height changes, and has a clock of its own or moves along a path, or that height \
          is cumulative: let it count from the top left
          """)
    }
    flipped.geometry = geometry
    return flipped
  }

  // MARK: - Filters and copies

  func filters(_ node: DocumentNode) -> [LayerFilter] {
    (node.elements(atMost: DocumentLimits.filters) ?? []).compactMap(filter)
  }

  private func filter(_ node: DocumentNode) -> LayerFilter? {
    guard let object = DocumentObject(.filter, node) else { return nil }
    let controls = ["brightness", "contrast", "saturation"].compactMap { object[$0] }
    if let blur = object["blur"] {
      guard controls.isEmpty else {
        return node.refuse(because: "blurs, and has controls of colour: give each an object of its own, in their order")
      }
      let radius = envelope(blur) { $0.number(in: DocumentLimits.shadowRadius) }
      return radius.keyframes.isEmpty ? nil : .gaussianBlur(radius: radius)
    }
    guard !controls.isEmpty else {
      return node.refuse(because: "filters nothing: needs \"blur\", \"brightness\", \"contrast\" or \"saturation\"")
    }
    return .colorControls(
      LayerFilter.ColorControls(
        brightness: envelope(object["brightness"], neutral: 0) { $0.number(in: DocumentLimits.brightness) },
        contrast: envelope(object["contrast"], neutral: 1) { $0.number(in: DocumentLimits.colorFactor) },
        saturation: envelope(object["saturation"], neutral: 1) { $0.number(in: DocumentLimits.colorFactor) }))
  }

  func replicator(_ node: DocumentNode) -> Replicator? {
    guard let object = DocumentObject(.replicator, node) else { return nil }
    let count = object["count"]?.integer(in: 1...DocumentLimits.copies)
    let delay = object["delay"].map { time($0) } ?? .zero
    let color = object["color"].map { self.color($0) } ?? .white
    let steps = object["colorStep"].map { $0.numbers(["red", "green", "blue"], in: -1...1) } ?? [0, 0, 0]
    guard let count, let delay, let color, let steps else { return nil }
    return Replicator(
      count: count, offset: envelope(object["offset"], neutral: .zero) { point($0, in: DocumentLimits.coordinate) },
      rotation: envelope(object["rotation"], neutral: 0) { $0.number(in: DocumentLimits.rotation) },
      scale: envelope(object["scale"], neutral: Point(1, 1), scale), delay: delay,
      opacityStep: object["opacityStep"].flatMap { $0.number(in: -1...1) } ?? 0, color: color, colorStep: steps)
  }
}
