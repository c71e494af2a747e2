internal import Formats
internal import MediaTime
internal import Timeline

/// Evaluates layers at one moment.
///
/// A layer becomes a still of its own where that is possible, so that it is drawn once though others move. A layer whose parts
/// must be put together before they are laid over the picture becomes one still with all that stands on it.
///
/// All that depends on the moment is read through properties that note it in `answers`. So what is kept for other frames is what
/// was asked nothing to which they have another answer.
struct LayerMaker {
  private let scene: SceneMaker
  private let current: Instruction
  private var (now, drivingNow): (MediaTime, MediaTime)
  /// The answers that were given about the moment.
  var answers = Answers()
  /// The memory of the layer that is evaluated; nil where nothing is kept: on a clock of its own, and in copies and masks.
  var kept: KeptLayer?

  init(_ scene: SceneMaker, _ instruction: Instruction) {
    (self.scene, current) = (scene, instruction)
    (now, drivingNow) = (scene.time, scene.time)
  }

  var edit: ResolvedTimeline { scene.edit }
  var composition: VideoComposition { scene.composition }

  /// The maker of moving pictures.
  var pictures: SceneMaker {
    answers.noteMoment()
    return scene
  }

  /// The instruction in force, whose content a video layer shows.
  var instruction: Instruction {
    answers.noteMoment()
    return current
  }

  /// The moment on the clock of the layers that are evaluated.
  var time: MediaTime {
    answers.noteMoment()
    return now
  }

  /// The moment on the clock that drives that one, on which `timeRange` counts.
  var drivingTime: MediaTime {
    answers.noteMoment()
    return drivingNow
  }

  /// The maker for what a layer's own clock drives; nil where the layer is not shown at the moment.
  private func maker(for layer: Layer) throws(TimeError) -> LayerMaker? {
    if let shown = layer.shown {
      answers.note(shown.contains(now) ? shown : shown.beside(now))
      guard shown.contains(now) else { return nil }
    }
    var maker = self
    maker.drivingNow = now
    if let clock = layer.clock { (maker.now, maker.kept) = (try clock.time(at: time), nil) }
    return try layer.isHidden(at: maker.time) ? nil : maker
  }

  private func opacity(of layer: Layer) throws(TimeError) -> Double {
    guard let rest = layer.opacity.rest(at: now) else { return try layer.opacity(at: time) }
    answers.note(rest)
    return try layer.opacity(at: now)
  }

  /// The maker for a clock that is behind this one.
  func late(by delay: MediaTime) throws(TimeError) -> LayerMaker {
    var maker = self
    maker.kept = nil
    if delay > .zero { maker.now = try time - delay }
    return maker
  }

  // MARK: - What is kept

  /// Evaluates a layer, unless what was kept of it holds now.
  ///
  /// - Parameter kept: what is kept of this layer.
  private func nodes(
    keptIn kept: KeptLayer?, _ make: (LayerMaker) throws(TimeError) -> [Scene.Node]
  ) throws(TimeError) -> Shared<[Scene.Node]> {
    if let nodes = kept?.nodes, nodes.stretch.contains(now) {
      answers.notePart(nodes.stretch)
      return nodes.value
    }
    var maker = self
    // The layer's place depends on what it stands on.
    (maker.kept, maker.answers) = (kept, Answers(within: answers.own))
    let nodes = Shared(wrappedValue: try make(maker))
    kept?.nodes = maker.answers.all.map { KeptLayer.Entry(value: nodes, stretch: $0) }
    answers.notePart(maker.answers.all)
    return nodes
  }

  /// The value that is kept in a place, or made anew. Nothing decides it but the layer, its size, and what is asked of the moment.
  func keeping<Value>(
    in place: ReferenceWritableKeyPath<KeptLayer, KeptLayer.Sized<Value>?>, _ size: Point,
    _ make: (LayerMaker) throws(TimeError) -> Value
  ) throws(TimeError) -> Value {
    // A layer without an area is evaluated as another one.
    guard let kept, size.x > 0, size.y > 0 else { return try make(self) }
    if let known = kept[keyPath: place], known.size == size, known.entry.stretch.contains(now) {
      answers.notePart(known.entry.stretch)
      return known.entry.value
    }
    var maker = self
    maker.answers = Answers()
    let value = try make(maker)
    kept[keyPath: place] = maker.answers.all.map { KeptLayer.Sized(size: size, entry: .init(value: value, stretch: $0)) }
    answers.notePart(maker.answers.all)
    return value
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

  /// The nodes of each of the edit's layers, bottommost first.
  var nodes: [Shared<[Scene.Node]>] {
    get throws(TimeError) {
      let size = composition.renderSize
      let frame = Ground(size: Point(Double(size.width), Double(size.height)))
      var nodes = try self.nodes(of: edit.timeline.layers, on: frame, keptIn: scene.kept?.layers)
      for (index, track) in edit.timeline.captions.enumerated() {
        if let script = try anew.scriptNode(of: track) { nodes.append(Shared(wrappedValue: [script])) }
        let moment = track.moment(at: now)
        guard let kept = scene.kept?.captions(of: index) else {
          for layer in try track.layers(at: moment, in: size) {
            nodes.append(try anew.sharedNodes(of: layer, mixedOn: frame, keptIn: nil))
          }
          continue
        }
        let captions = try kept.layers(at: moment) { () throws(TimeError) in try track.layers(at: moment, in: size) }
        for (place, layer) in captions.layers.enumerated() {
          nodes.append(try anew.sharedNodes(of: layer, mixedOn: frame, keptIn: captions.kept.sublayer(place)))
        }
      }
      return nodes
    }
  }

  /// The nodes of each of the layers that stand on the frame, bottommost first.
  private func nodes(
    of layers: [Layer], on frame: Ground, keptIn kept: KeptLayer?
  ) throws(TimeError) -> [Shared<[Scene.Node]>] {
    if let all = kept?.nodesOfSublayers, all.stretch.contains(now) { return all.value }
    var nodes: [Shared<[Scene.Node]>] = []
    let asked = Answers()
    func moment() -> MediaTime {
      asked.noteMoment()
      return now
    }
    let roll = kept?.roll ?? LayerRoll(of: layers)
    kept?.roll = roll
    var unseen = Stretch()
    // The order decides nothing of a layer's own.
    for index in roll.isInOrder ? Array(layers.indices) : try layers.depthOrder(at: moment()) {
      // An edit may have thousands of layers, of which few are seen at once. The others are not so much as copied.
      if let shown = roll.shown[index], !shown.contains(now) {
        unseen = unseen.intersection(shown.beside(now))
        continue
      }
      let maker = anew
      nodes.append(try maker.sharedNodes(of: layers[index], mixedOn: frame, keptIn: kept?.sublayer(index)))
      asked.notePart(maker.answers.all)
    }
    asked.notePart(unseen)
    kept?.nodesOfSublayers = asked.all.map { KeptLayer.Entry(value: nodes, stretch: $0) }
    return nodes
  }

  /// The same maker, of which nothing was asked yet.
  private var anew: LayerMaker {
    var maker = self
    maker.answers = Answers()
    return maker
  }

  /// The nodes of a layer that stands on the frame, or on a layer with moving pictures. It is mixed with all that is below it.
  ///
  /// - Parameter kept: what is kept of this layer; nil where nothing is.
  func nodes(of layer: Layer, mixedOn ground: Ground, keptIn kept: KeptLayer? = nil) throws(TimeError) -> [Scene.Node] {
    try sharedNodes(of: layer, mixedOn: ground, keptIn: kept).wrappedValue
  }

  private func sharedNodes(
    of layer: Layer, mixedOn ground: Ground, keptIn kept: KeptLayer?
  ) throws(TimeError) -> Shared<[Scene.Node]> {
    try nodes(keptIn: kept) { maker throws(TimeError) in
      let nodes = try maker.maker(for: layer)?.shownNodes(of: layer, on: ground) ?? []
      if nodes.isEmpty || layer.style.blendMode == .normal { return nodes }
      return [.group(Scene.Group(nodes, blendMode: layer.style.blendMode))]
    }
  }

  private func nodes(of layer: Layer, on ground: Ground, keptIn kept: KeptLayer?) throws(TimeError) -> [Scene.Node] {
    try nodes(keptIn: kept) { maker throws(TimeError) in
      try maker.maker(for: layer)?.shownNodes(of: layer, on: ground) ?? []
    }.wrappedValue
  }

  private func shownNodes(of layer: Layer, on ground: Ground) throws(TimeError) -> [Scene.Node] {
    let opacity = try opacity(of: layer)
    guard opacity > 0 else { return [] }
    let size = try size(of: layer, on: ground.size)
    guard let layer = layer.ofArea(size), let own = try self.ground(layer.geometry, size, on: ground) else { return [] }
    if layer.holdsMoving { return try movingNodes(of: layer, own, opacity: opacity) }
    let fade = (steady: layer.opacity.isSteady ? opacity : 1, moving: layer.opacity.isSteady ? 1 : opacity)

    if layer.sublayers.isEmpty || layer.isOnePicture {
      return [try node(of: layer, own, fade)]
    }
    var nodes: [Scene.Node] = []
    if layer.hasOwnPicture { nodes.append(try node(of: layer, own, fade, withParts: false)) }
    for copy in try copies(of: layer, size) {
      for index in try layer.sublayers.depthOrder(at: copy.maker.time) {
        nodes += try copy.maker.nodes(
          of: layer.sublayers[index], on: copy.ground(on: own), keptIn: copy.maker.kept?.sublayer(index)
        ).map(copy.changed)
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

  private func node(
    of layer: Layer, _ own: Ground, _ fade: (steady: Double, moving: Double), withParts: Bool = true
  ) throws(TimeError) -> Scene.Node {
    let drawing = try keeping(in: \.drawing, own.size) { maker throws(TimeError) in
      Shared(wrappedValue: try maker.drawing(of: layer, own.size, withParts: withParts))
    }
    let still = still(of: drawing, own, fade)
    return .still(still.still, still.placement)
  }

  func still(_ drawing: Scene.Drawing, _ place: Ground) -> Scene.Cover { still(of: Shared(wrappedValue: drawing), place) }

  func still(
    of drawing: Shared<Scene.Drawing>, _ place: Ground, _ fade: (steady: Double, moving: Double) = (1, 1)
  ) -> Scene.Cover {
    if place.isSteady || place.isDrawnInPlace {
      return Scene.Cover(
        Scene.Still(drawing, map: place.map, projection: place.projection, opacity: fade.steady),
        Scene.Placement(opacity: fade.moving))
    }
    // The picture is made as large as it is ever seen, so that it is sharp then.
    let size = drawing.wrappedValue.size
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
        for index in try layer.sublayers.depthOrder(at: copy.maker.time) {
          parts += try copy.maker.part(of: layer.sublayers[index], on: size).map(copy.changed)
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
      let frame = composition.frameDuration
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

extension RGBAColor {
  /// The colour with components in 0...1, also where an easing overshot; nil for a clear one.
  fileprivate var clamped: RGBAColor? { alpha > 0 ? bounded : nil }
}
