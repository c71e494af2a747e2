internal import Formats
internal import MediaTime
internal import Timeline

/// Evaluates layers at one moment.
///
/// A layer becomes a still of its own where that is possible, so that it is drawn once though others move. A layer whose parts
/// must be put together before they are laid over the picture becomes one still with all that stands on it.
struct LayerMaker {
  let pictures: SceneMaker
  /// The instruction in force, whose content a video layer shows.
  let instruction: Instruction

  /// The moment on the clock of the layers that are evaluated.
  private(set) var time: MediaTime
  /// The moment on the clock that drives that one, on which `timeRange` counts.
  private(set) var drivingTime: MediaTime

  init(_ pictures: SceneMaker, _ instruction: Instruction) {
    (self.pictures, self.instruction) = (pictures, instruction)
    (time, drivingTime) = (pictures.time, pictures.time)
  }

  var edit: ResolvedTimeline { pictures.edit }

  /// The maker for what a layer's own clock drives; nil where the layer is not shown at the moment.
  private func maker(for layer: Layer) throws(TimeError) -> LayerMaker? {
    guard layer.timeRange?.contains(time) ?? true else { return nil }
    var maker = self
    maker.drivingTime = time
    if let clock = layer.clock { maker.time = try clock.time(at: time) }
    return try layer.isHidden(at: maker.time) ? nil : maker
  }

  /// The maker for a clock that is behind this one.
  func late(by delay: MediaTime) throws(TimeError) -> LayerMaker {
    guard delay > .zero else { return self }
    var maker = self
    maker.time = try time - delay
    return maker
  }

  /// The layer or the frame that layers stand on.
  struct Ground {
    var size: Point
    /// The map to render pixels.
    var map = AffineTransform.identity
    /// Whether the map is the same throughout.
    var isSteady = true
    /// Whether the layer's own parts are drawn in their place although the map changes: they change with it, because the layer's size
    /// does.
    var isDrawnInPlace = false
    /// The view of the map's plane, where a layer below is turned in space; nil where it is seen as it is.
    var projection: Projection?
    /// The largest factor to which the map stretches lengths at any time.
    var scale = 1.0

    /// The ground of what stands on the layer at a place that another map leads to.
    func moved(by map: AffineTransform) -> Ground {
      var ground = self
      ground.map = map.then(self.map)
      return ground
    }
  }

  // MARK: - Nodes

  /// The nodes of the edit's layers, bottommost first.
  var nodes: [Scene.Node] {
    get throws(TimeError) {
      let size = pictures.composition.renderSize
      let frame = Ground(size: Point(Double(size.width), Double(size.height)))
      var nodes: [Scene.Node] = []
      for layer in try edit.timeline.layers.inDepthOrder(at: time) { nodes += try self.nodes(of: layer, mixedOn: frame) }
      for track in edit.timeline.captions {
        if let script = try scriptNode(of: track) { nodes.append(script) }
        for layer in try track.layers(at: time, in: size) { nodes += try self.nodes(of: layer, mixedOn: frame) }
      }
      return nodes
    }
  }

  /// The nodes of a layer that stands on the frame, or on a layer with moving pictures. It is mixed with all that is below it.
  func nodes(of layer: Layer, mixedOn ground: Ground) throws(TimeError) -> [Scene.Node] {
    let nodes = try self.nodes(of: layer, on: ground)
    if nodes.isEmpty || layer.style.blendMode == .normal { return nodes }
    return [.group(Scene.Group(nodes, blendMode: layer.style.blendMode))]
  }

  private func nodes(of layer: Layer, on ground: Ground) throws(TimeError) -> [Scene.Node] {
    try maker(for: layer)?.shownNodes(of: layer, on: ground) ?? []
  }

  private func shownNodes(of layer: Layer, on ground: Ground) throws(TimeError) -> [Scene.Node] {
    let opacity = try layer.opacity(at: time)
    guard opacity > 0 else { return [] }
    let size = try size(of: layer, on: ground.size)
    guard let layer = layer.ofArea(size), let own = try self.ground(layer.geometry, size, on: ground) else { return [] }
    if layer.holdsMoving { return try movingNodes(of: layer, own, opacity: opacity) }
    let fade = (steady: layer.opacity.isSteady ? opacity : 1, moving: layer.opacity.isSteady ? 1 : opacity)

    if layer.sublayers.isEmpty || layer.isOnePicture {
      return [node(try drawing(of: layer, size), own, fade)]
    }
    var nodes: [Scene.Node] = []
    if layer.hasOwnPicture { nodes.append(node(try drawing(of: layer, size, withParts: false), own, fade)) }
    for copy in try copies(of: layer, size) {
      for sublayer in try layer.sublayers.inDepthOrder(at: copy.maker.time) {
        nodes += try copy.maker.nodes(of: sublayer, on: copy.ground(on: own)).map(copy.changed)
      }
    }
    return nodes
  }

  /// The layer as the ground of what stands on it; nil where it shows its back, and is not seen from behind.
  private func ground(_ geometry: LayerGeometry, _ size: Point, on ground: Ground) throws(TimeError) -> Ground? {
    var own = ground
    own.size = size
    own.isSteady = ground.isSteady && geometry.isSteady
    own.isDrawnInPlace = ground.isSteady && geometry.isSteadyButForSize && !geometry.bounds.isSteady
    own.scale = ground.scale * geometry.largestScale(of: size)
    guard geometry.isSpatial else {
      own.map = try geometry.map(of: size, at: time).then(ground.map)
      return own
    }
    guard let view = try geometry.projection(of: size, at: time)?.then(ground.map) else { return nil }
    (own.map, own.projection) = (.identity, ground.projection.map(view.then) ?? view)
    return own
  }

  private func node(_ drawing: Scene.Drawing, _ place: Ground, _ fade: (steady: Double, moving: Double)) -> Scene.Node {
    let still = still(drawing, place, fade)
    return .still(still.still, still.placement)
  }

  func still(
    _ drawing: Scene.Drawing, _ place: Ground, _ fade: (steady: Double, moving: Double) = (1, 1)
  ) -> Scene.Cover {
    if place.isSteady || place.isDrawnInPlace {
      return Scene.Cover(
        Scene.Still(drawing, map: place.map, projection: place.projection, opacity: fade.steady),
        Scene.Placement(opacity: fade.moving))
    }
    // The picture is made as large as it is ever seen, so that it is sharp then.
    let size = drawing.size
    let largest = min(
      DocumentLimits.movingSide / max(size.x, size.y), (DocumentLimits.movingPixels / (size.x * size.y)).squareRoot())
    let density = min(max(place.scale, Self.densities.lowerBound), Self.densities.upperBound, largest)
    return Scene.Cover(
      Scene.Still(drawing, map: .scale(density, density), extent: .whole, opacity: fade.steady),
      Scene.Placement(
        transform: AffineTransform.scale(1 / density, 1 / density).then(place.map), projection: place.projection,
        opacity: fade.moving))
  }

  /// The pixels for each pixel of a moving layer.
  private static let densities = 1.0 / 16...8

  // MARK: - Drawings

  private func drawing(of layer: Layer, _ size: Point, withParts: Bool = true) throws(TimeError) -> Scene.Drawing {
    var parts: [Scene.Drawing.Part] = []
    if case .waveform(let waveform)? = layer.content { parts = try self.parts(of: waveform, size) }
    if withParts {
      for copy in try copies(of: layer, size) {
        for sublayer in try layer.sublayers.inDepthOrder(at: copy.maker.time) {
          parts += try copy.maker.part(of: sublayer, on: size).map(copy.changed)
        }
      }
    }
    return Scene.Drawing(
      try content(of: layer), size: size, look: try look(of: layer, size), parts: parts, mask: try mask(of: layer, size))
  }

  /// The part that masks a layer. A mask that is not shown at this time, or is clear, hides all.
  func mask(of layer: Layer, _ size: Point) throws(TimeError) -> Scene.Drawing.Part? {
    guard let mask = layer.mask else { return nil }
    guard let part = try part(of: mask, on: size).first else {
      return Scene.Drawing.Part(Scene.Drawing(nil, size: size), map: .identity)
    }
    guard layer.maskMode == .luminance else { return part }
    return Scene.Drawing.Part(part.drawing.filtered(by: [.lumaAsAlpha]), map: part.map, opacity: part.opacity)
  }

  /// The layer as a part of what it stands on; none where nothing of it can be seen.
  private func part(of layer: Layer, on ground: Point) throws(TimeError) -> [Scene.Drawing.Part] {
    try maker(for: layer)?.shownPart(of: layer, on: ground) ?? []
  }

  private func shownPart(of layer: Layer, on ground: Point) throws(TimeError) -> [Scene.Drawing.Part] {
    let opacity = try layer.opacity(at: time)
    guard opacity > 0 else { return [] }
    let size = try size(of: layer, on: ground)
    guard let layer = layer.ofArea(size) else { return [] }
    return [
      Scene.Drawing.Part(
        try drawing(of: layer, size), map: try layer.geometry.map(of: size, at: time), opacity: opacity,
        blendMode: layer.style.blendMode)
    ]
  }

  func content(of layer: Layer) throws(TimeError) -> Scene.Drawing.Content? {
    switch layer.content {
    case nil, .moving, .waveform: return nil
    case .image(let image): return image.contentsRect.keyframes.isEmpty ? .image(try image.still(at: time)) : nil
    case .text(let text):
      var source: SourceMoment?
      if let track = text.timestamp?.track { source = try edit.sourceMoment(of: track, at: pictures.time) }
      let frame = pictures.composition.frameDuration
      let stamped = try text.settled(at: time).stamped(at: time, frameDuration: frame, source: source)
      // A track that shows nothing leaves nothing to tell.
      return stamped.string.isEmpty ? nil : .text(stamped, inLowerThird: layer.geometry.frame == nil)
    case .gradient(let gradient): return .gradient(try gradient.settled(at: time))
    case .shape(let moving):
      var shape = try moving.settled(at: time)
      let stroked = Scene.Drawing.Span(
        try min(max(shape.strokeStart.heldValue(at: time, neutral: 0), 0), 1),
        try min(max(shape.strokeEnd.heldValue(at: time, neutral: 1), 0), 1))
      (shape.strokeStart, shape.strokeEnd) = (Envelope(), Envelope())
      return .shape(shape, stroked: stroked)
    }
  }

  func look(of layer: Layer, _ size: Point) throws(TimeError) -> Scene.Drawing.Look {
    let style = layer.style
    var look = Scene.Drawing.Look()
    look.background = try style.backgroundColor.heldValue(at: time, neutral: RGBAColor(0, 0, 0, alpha: 0)).clamped
    look.cornerRadius = try style.cornerRadius.heldValue(at: time, neutral: 0).fitted(in: size)
    look.borderWidth = try max(style.borderWidth.heldValue(at: time, neutral: 0), 0)
    if look.borderWidth > 0 { look.borderColor = try style.borderColor.heldValue(at: time, neutral: .black).bounded }
    look.clips = style.masksToBounds
    if let shadow = style.shadow { (look.shadow, look.shadowPath) = (try shadow.shadow(at: time), shadow.path) }
    for filter in style.filters { if let value = try filter.value(at: time) { look.filters.append(value) } }
    return look
  }

  private func size(of layer: Layer, on ground: Point) throws(TimeError) -> Point {
    if let size = try layer.geometry.size(at: time) { return size }
    guard case .image(let image)? = layer.content, let size = edit.pictureSize(of: image.asset) else { return ground }
    return Point(Double(size.width), Double(size.height))
  }
}

extension ResolvedTimeline {
  /// The size of a still picture as it is seen.
  func pictureSize(of asset: AssetID) -> PixelSize? {
    for track in facts[asset]?.tracks ?? [] { if case .video(let video) = track.detail { return video.displaySize } }
    return nil
  }
}

extension Layer {
  /// The layer as it is seen with a size that may have no area: then it shows nothing itself but an outline and what stands on it. It
  /// is nil where that is cut off, too.
  fileprivate func ofArea(_ size: Point) -> Layer? {
    guard size.x <= 0 || size.y <= 0 else { return self }
    guard !style.masksToBounds else { return nil }
    var layer = self
    if case .shape(let shape)? = content, case .path = shape.outline {} else { layer.content = nil }
    (layer.style.backgroundColor, layer.style.borderWidth, layer.style.backdropFilters) = (Envelope(), Envelope(), [])
    return layer
  }

  /// Whether the layer is laid over the picture as one, with all that stands on it.
  fileprivate var isOnePicture: Bool {
    mask != nil || style.masksToBounds || style.shadow != nil || !opacity.keyframes.isEmpty || !style.filters.isEmpty
      || !style.borderWidth.keyframes.isEmpty || sublayers.contains { $0.style.blendMode != .normal }
  }

  /// Whether something is drawn of the layer itself.
  fileprivate var hasOwnPicture: Bool { content != nil || !style.backgroundColor.keyframes.isEmpty }
}

extension RGBAColor {
  /// The colour with components in 0...1, also where an easing overshot; nil for a clear one.
  fileprivate var clamped: RGBAColor? { alpha > 0 ? bounded : nil }
}
