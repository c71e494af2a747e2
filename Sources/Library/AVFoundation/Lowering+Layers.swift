internal import Formats
internal import MediaTime
internal import Timeline

// Trees of layers. Each becomes a layer of the document, which stands where the tree has it.
extension Lowering {
  /// The layers that stand on one, those furthest away first.
  mutating func children(
    of layer: CALayer, isDown: Bool, _ clock: LayerTime, _ name: String
  ) throws(AVError) -> [Layer] {
    let stage = try stage(on: layer, name)
    return try DepthOrder(try entries(of: layer, isDown: isDown, stage, clock, name)).sorted()
  }

  private mutating func entries(
    of layer: CALayer, isDown: Bool, _ stage: Stage?, _ clock: LayerTime, _ name: String
  ) throws(AVError) -> [DepthOrder.Entry] {
    var made: [DepthOrder.Entry] = []
    if let emitter = layer as? CAEmitterLayer {
      var particles = EmittedParticles(of: emitter, until: clock.end.seconds, name)
      for (index, particle) in try particles.layers().enumerated() {
        made += try lowered(particle, on: layer, isDown: isDown, stage, clock, "\(name).particles[\(index)]")
      }
    }
    for (index, child) in ordered(layer).enumerated() {
      made += try lowered(child, on: layer, isDown: isDown, stage, clock, "\(name).sublayers[\(index)]")
    }
    return made
  }

  /// The layer; nothing where it is hidden or shows nothing.
  ///
  /// - Parameters:
  ///   - isDown: whether y grows downwards in the coordinates of what it stands on.
  ///   - clock: the time of what it stands on.
  mutating func lowered(
    _ layer: CALayer, on parent: CALayer, isDown: Bool, _ stage: Stage?, _ clock: LayerTime, _ name: String
  ) throws(AVError) -> [DepthOrder.Entry] {
    guard !layer.isHidden || layer.animates("hidden") else { return [] }
    let time = try clock.inside(layer, name)
    if let range = time.seen, range.isEmpty { return [] }
    let animations = try LayerAnimations(layer, on: time, name)
    if let space = layer as? CATransformLayer {
      return try lowered(space, on: parent, isDown: isDown, stage, animations, name)
    }
    let space = Space(parent: parent.laidBounds, isDown: isDown)
    var layers: [Layer] = []
    var depth = 0.0
    let hidden = try animations.hidden()
    for (range, animations) in try parts(of: animations) {
      guard var made = try made(layer, in: space, stage, animations, name, &depth) else { continue }
      (made.timeRange, made.hidden) = (range, hidden)
      layers.append(made)
    }
    guard !layers.isEmpty else { return [] }
    var entry = DepthOrder.Entry(name: name, layers: layers, depth: depth)
    if animations.changes("zPosition") {
      guard stage == nil else { throw animations.unsaid("zPosition changes in a layer that is turned in space") }
      let lift = depth - Double(layer.zPosition)
      entry.course = try animations.numbers(["zPosition"], Double(layer.zPosition)).map { $0 + lift }
    }
    return [entry]
  }

  /// The stretches of time in which a layer is lowered anew, with its animations: one that goes along a path for a while is another
  /// layer before and after that.
  private func parts(of animations: LayerAnimations) throws(AVError) -> [(MediaTimeRange?, LayerAnimations)] {
    let time = animations.time
    guard let (run, _) = try animations.route() else { return [(time.seen, animations)] }
    let (start, end) = (run.fillsBackwards ? .zero : max(run.begin, .zero), run.fillsForwards ? time.end : min(run.end, time.end))
    guard start > .zero || end < time.end else { return [(time.seen, animations)] }
    guard time.clock == nil, time.seen == nil else {
      throw animations.unsaid("a path that begins late or ends early is not made on a clock of the layer's own")
    }
    let resting = animations.without { $0.route != nil }
    let ranges = [(MediaTime.zero, start, resting), (start, end, animations), (end, time.end, resting)]
    var parts: [(MediaTimeRange?, LayerAnimations)] = []
    for (from, to, animations) in ranges where from < to {
      parts.append((try timed(animations.name) { () throws(TimeError) in try MediaTimeRange(start: from, end: to) }, animations))
    }
    return parts
  }

  /// The layers that stand on a transform layer, in the space of what that layer stands on.
  private mutating func lowered(
    _ layer: CATransformLayer, on parent: CALayer, isDown: Bool, _ outer: Stage?, _ animations: LayerAnimations, _ name: String
  ) throws(AVError) -> [DepthOrder.Entry] {
    guard animations.time.clock == nil, animations.time.seen == nil else {
      throw unsaid(name, "a transform layer with a time of its own is not made")
    }
    let own = ["opacity", "backgroundColor", "contents", "anchorPoint", "anchorPoint.x", "anchorPoint.y", "hidden", "zPosition"]
    guard layer.opacity == 1, !animations.changeSize, layer.mask == nil, !layer.isGeometryFlipped, !animations.changesAny(own),
      layer.filters?.isEmpty ?? true, layer.compositingFilter == nil, try animations.route() == nil
    else {
      throw unsaid(name, "an opacity, mask, filters, flipped geometry and animations of a transform layer are not made")
    }
    let stage = try stage(on: layer, parent, outer, animations)
    var entries: [DepthOrder.Entry] = []
    for (index, child) in ordered(layer).enumerated() {
      entries += try lowered(child, on: parent, isDown: isDown, stage, animations.time.inner, "\(name).sublayers[\(index)]")
    }
    return entries
  }
}
