internal import Formats
internal import MediaTime
internal import Timeline

/// The layers of an animation tool have their origin at the bottom left, y upwards, and documents' at the top left, downwards.
/// Each layer's rectangle is turned over in itself.
extension Lowering {
  /// The layers over the video.
  ///
  /// - Parameter video: where the video's layer is seen through, its tracks are hidden.
  mutating func lowered(
    _ tool: AVVideoCompositionCoreAnimationTool, _ video: inout VideoComposition, _ parts: AVVideoComposition.Parts
  ) throws(AVError) -> [Layer] {
    if let track = tool.trackID { return try lowered(tool, asTrack: track, parts, video.frameDuration) }
    let (root, videoLayers) = (tool.rootLayer, tool.videoLayers)
    let size = CGSize(width: video.renderSize.width, height: video.renderSize.height)
    try requirePlain(root, "animationLayer", size)
    self.videoLayers = videoLayers
    let end = composition.compositionTracks.map(\.edit.duration).max() ?? .zero
    let clock = LayerTime(end: end, frameDuration: video.frameDuration)
    guard let videoLayer = videoLayers.first, videoLayers.count == 1, root !== videoLayer else {
      guard videoLayers.count == 1 else { return try everything(on: root, clock) }
      self.videoLayers = []
      return try children(of: root, isDown: root.isGeometryFlipped, clock, "videoLayer")
    }
    let standing = ordered(root)
    let place = standing.firstIndex { $0 === videoLayer }
    guard let place, isPlain(videoLayer, size), videoLayer.opacity == 0 || videoLayer.opacity == 1 || videoLayer.isHidden,
      root.sublayerTransform == CATransform3DIdentity, !standing.contains(where: { $0.animates("zPosition") })
    else { return try everything(on: root, clock) }
    // A video that fills the frame needs no layer of its own, and covers those below it.
    self.videoLayers = []
    let isSeen = !videoLayer.isHidden && videoLayer.opacity > 0
    let isDown = root.isGeometryFlipped
    if !isSeen { try hide(&video, showing: root.backgroundColor) }
    let frame = LayerGeometry(frame: Rect(0, 0, Double(size.width), Double(size.height)))
    var entries = [
      DepthOrder.Entry(
        name: "videoLayer", layers: [Layer(content: .moving(MovingContent(.video)), geometry: frame)],
        depth: Double(videoLayer.zPosition))
    ]
    if !isSeen { entries = [] }
    for (index, layer) in standing.enumerated() where layer !== videoLayer && (index > place || !isSeen) {
      entries += try lowered(layer, on: root, isDown: isDown, nil, clock, "sublayers[\(index)]")
    }
    let over = isSeen ? try children(of: videoLayer, isDown: isDown != videoLayer.isGeometryFlipped, clock, "videoLayer") : []
    // The video, which is the frame below all layers, comes first, since it covers what is below it.
    return over + (try DepthOrder(entries).sorted().filter { $0.content != .moving(MovingContent(.video)) })
  }

  /// The whole tree, in which the video is a layer like the others.
  private mutating func everything(on root: CALayer, _ clock: LayerTime) throws(AVError) -> [Layer] {
    func holds(_ layer: CALayer) -> Bool {
      videoLayers.contains { $0 === layer } || (layer.sublayers ?? []).contains(where: holds)
    }
    guard holds(root) else { throw unsaid("videoLayer", "must stand on the animation layer, or be that layer") }
    var ground: [Layer] = []
    if let background = root.backgroundColor {
      let frame = Rect(0, 0, Double(root.bounds.width), Double(root.bounds.height))
      let style = LayerStyle(backgroundColor: Envelope(constant: try color(background, "animationLayer.backgroundColor")))
      ground.append(Layer(content: nil, geometry: LayerGeometry(frame: frame), style: style))
    }
    return ground + (try children(of: root, isDown: root.isGeometryFlipped, clock, "animationLayer"))
  }

  func unsaid(_ property: String, _ words: String) -> AVError {
    AVError(.operationNotAllowed, "animationTool: \(property): \(words)", property: property)
  }

  /// Whether a layer fills the frame and only holds others.
  private func isPlain(_ layer: CALayer, _ size: CGSize) -> Bool {
    do throws(AVError) {
      try requirePlain(layer, "videoLayer", size)
      return layer.hasPlainTime
    } catch { return false }
  }

  private func requirePlain(_ layer: CALayer, _ name: String, _ size: CGSize) throws(AVError) {
    guard layer.frame == CGRect(origin: .zero, size: size), layer.bounds.origin == .zero,
      layer.transform == CATransform3DIdentity
    else {
      throw unsaid("\(name).frame", "\(layer.frame) must be the whole frame, \(CGRect(origin: .zero, size: size))")
    }
    guard layer.animations.isEmpty, layer.mask == nil, layer.contents == nil, layer.shadowOpacity == 0, layer.borderWidth == 0,
      layer.cornerRadius == 0, layer.filters?.isEmpty ?? true, layer.backgroundFilters?.isEmpty ?? true,
      layer.compositingFilter == nil
    else { throw unsaid(name, "cannot have animations, a mask, contents, a shadow, a border, round corners or filters") }
    let isOther = layer is CATextLayer || layer is CAShapeLayer || layer is CAGradientLayer
    guard !isOther, !(layer is CAReplicatorLayer), !(layer is CATransformLayer), !(layer is CAEmitterLayer) else {
      throw unsaid(name, "must be a plain CALayer")
    }
    if name == "animationLayer" {
      guard layer.opacity == 1, !layer.isHidden else { throw unsaid("\(name).opacity", "must be 1") }
      guard layer.hasPlainTime else { throw unsaid("\(name).beginTime", "the animation layer runs with the movie") }
    }
  }

  /// Hides the tracks' pictures. What is seen is the colour of the layer below.
  private func hide(_ video: inout VideoComposition, showing background: CGColor?) throws(AVError) {
    let seen = try background.map { (value) throws(AVError) in try color(value, "backgroundColor") } ?? .black
    // A colour that is seen through lies on black.
    let shown = RGBAColor(seen.red * seen.alpha, seen.green * seen.alpha, seen.blue * seen.alpha)
    for index in video.instructions.indices {
      switch video.instructions[index].content {
      case .layerInstructions(let layers):
        video.instructions[index].content = .layerInstructions(
          layers.map { LayerInstruction(track: $0.track, opacity: Envelope(constant: 0)) })
      // Over the frames of one that declines them there are no layers, and so nothing hides them.
      case .compositor(let compositor) where !compositor.enablePostProcessing: continue
      // Nobody sees what it would make.
      case .compositor: video.instructions[index].content = .layerInstructions([])
      case .transition: break
      }
      video.instructions[index].backgroundColor = shown
    }
  }

  /// The layers that stand on one, bottommost first; in the order of their list where that changes.
  func ordered(_ layer: CALayer) -> [CALayer] {
    let layers = layer.sublayers ?? []
    if layers.contains(where: { $0.animates("zPosition") }) { return layers }
    return layers.enumerated().sorted { ($0.element.zPosition, $0.offset) < ($1.element.zPosition, $1.offset) }.map(\.element)
  }
}

extension CALayer {
  /// Whether an animation of the layer, or one in a group of it, is of a property.
  func animates(_ key: String) -> Bool {
    func isOf(_ animation: CAAnimation) -> Bool {
      switch animation {
      case let group as CAAnimationGroup: (group.animations ?? []).contains(where: isOf)
      case let property as CAPropertyAnimation: property.keyPath == key
      default: false
      }
    }
    return animations.contains { isOf($0.animation) }
  }
}
