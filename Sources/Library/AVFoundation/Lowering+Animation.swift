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
    _ tool: AVVideoCompositionCoreAnimationTool, _ video: inout VideoComposition
  ) throws(AVError) -> [Layer] {
    let (root, videoLayers) = (tool.rootLayer, tool.videoLayers)
    let size = CGSize(width: video.renderSize.width, height: video.renderSize.height)
    try requirePlain(root, "animationLayer", size)
    self.videoLayers = videoLayers
    let clock = LayerTime(end: composition.compositionTracks.map(\.edit.duration).max() ?? .zero)
    guard let videoLayer = videoLayers.first, videoLayers.count == 1, root !== videoLayer else {
      guard videoLayers.count == 1 else { return try everything(on: root, clock) }
      self.videoLayers = []
      return try children(of: root, isDown: root.isGeometryFlipped, clock, "videoLayer")
    }
    let standing = ordered(root)
    let place = standing.firstIndex { $0 === videoLayer }
    guard let place, isPlain(videoLayer, size), videoLayer.opacity == 0 || videoLayer.opacity == 1 || videoLayer.isHidden else {
      return try everything(on: root, clock)
    }
    // A video that fills the frame needs no layer of its own, and covers those below it.
    self.videoLayers = []
    let isSeen = !videoLayer.isHidden && videoLayer.opacity > 0
    let isDown = root.isGeometryFlipped
    if !isSeen { try hide(&video, showing: root.backgroundColor) }
    var layers: [Layer] = []
    for (index, layer) in standing.enumerated() where layer !== videoLayer && (index > place || !isSeen) {
      layers += try lowered(layer, on: root, isDown: isDown, clock, "sublayers[\(index)]")
    }
    let over = isSeen ? try children(of: videoLayer, isDown: isDown != videoLayer.isGeometryFlipped, clock, "videoLayer") : []
    return over + layers
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
      layer.cornerRadius == 0
    else { throw unsaid(name, "cannot have animations, a mask, contents, a shadow, a border or round corners") }
    guard type(of: layer) != CATextLayer.self, !(layer is CAShapeLayer), !(layer is CAGradientLayer) else {
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
      video.instructions[index].backgroundColor = shown
      guard case .layerInstructions(let layers) = video.instructions[index].content else { continue }
      video.instructions[index].content = .layerInstructions(
        layers.map { LayerInstruction(track: $0.track, opacity: Envelope(constant: 0)) })
    }
  }

  /// The layers that stand on one, bottommost first.
  private func ordered(_ layer: CALayer) -> [CALayer] {
    let list = (layer.sublayers ?? []).enumerated()
    return list.sorted { ($0.element.zPosition, $0.offset) < ($1.element.zPosition, $1.offset) }.map(\.element)
  }

  private mutating func children(
    of layer: CALayer, isDown: Bool, _ clock: LayerTime, _ name: String
  ) throws(AVError) -> [Layer] {
    var made: [Layer] = []
    for (index, child) in ordered(layer).enumerated() {
      made += try lowered(child, on: layer, isDown: isDown, clock, "\(name).sublayers[\(index)]")
    }
    return made
  }

  /// The layer; nothing where it is hidden or shows nothing.
  ///
  /// - Parameters:
  ///   - isDown: whether y grows downwards in the coordinates of what it stands on.
  ///   - clock: the time of what it stands on.
  private mutating func lowered(
    _ layer: CALayer, on parent: CALayer, isDown: Bool, _ clock: LayerTime, _ name: String
  ) throws(AVError) -> [Layer] {
    guard !layer.isHidden else { return [] }
    let time = try clock.inside(layer, name)
    let animations = try LayerAnimations(layer, until: time.end, name)
    let space = Space(parent: parent.bounds, isDown: isDown)
    let isDownInside = isDown != layer.isGeometryFlipped
    var made = Layer(
      content: try content(of: layer, isDown: isDownInside, animations, name),
      geometry: try geometry(of: layer, in: space, animations, name),
      style: try style(of: layer, animations, name, isDown: isDown),
      opacity: try animations.envelope(["opacity"], decimal(layer.opacity)) { (value) throws(AVError) in
        min(max(try LayerAnimations.number(value, "\(name).opacity"), 0), 1)
      })
    (made.clock, made.timeRange) = (time.clock, time.seen)
    if let range = time.seen, range.isEmpty { return [] }
    made.sublayers = try pictures(of: layer, isDown: isDownInside, animations, name)
    made.sublayers += try children(of: layer, isDown: isDownInside, time.inner, name)
    if let mask = layer.mask {
      guard let lowered = try lowered(mask, on: layer, isDown: isDownInside, time.inner, "\(name).mask").first else {
        // A mask that shows nothing hides the layer.
        return []
      }
      made.mask = lowered
    }
    let showsNothing =
      made.content == nil && made.sublayers.isEmpty && made.style.backgroundColor.keyframes.isEmpty
      && made.style.borderWidth.keyframes.isEmpty
    return showsNothing ? [] : [made]
  }

  private func geometry(
    of layer: CALayer, in space: Space, _ animations: LayerAnimations, _ name: String
  ) throws(AVError) -> LayerGeometry {
    guard let map = layer.transform.affine else { throw unsaid("\(name).transform", "turns out of the plane") }
    for value in [layer.position.x, layer.position.y, layer.bounds.width, layer.bounds.height] {
      _ = try number(value, "\(name).frame")
    }
    let anchor = space.anchor(layer.anchorPoint)
    let place = space.point(layer.position)
    let (w, h) = (Double(layer.bounds.width), Double(layer.bounds.height))
    var transform = try animations.transform(layer.transform, map, isDown: space.isDown)
    if transform.keyframes.isEmpty {
      transform = Envelope(constant: space.map(try affine(map, "\(name).transform", .operationNotAllowed)))
    }
    return LayerGeometry(
      frame: Rect(tidy(place.x - anchor.x * w), tidy(place.y - anchor.y * h), w, h), anchorPoint: anchor,
      position: try animations.point("position", layer.position) { space.point($0) }, scale: try animations.scale(),
      rotation: try animations.rotation(isDown: space.isDown), transform: transform)
  }

  private func style(
    of layer: CALayer, _ animations: LayerAnimations, _ name: String, isDown: Bool
  ) throws(AVError) -> LayerStyle {
    let clear = RGBAColor(0, 0, 0, alpha: 0)
    let background = try layer.backgroundColor.map { (value) throws(AVError) in try color(value, name) } ?? clear
    var style = LayerStyle(
      backgroundColor: try animations.envelope(["backgroundColor"], background) { (value) throws(AVError) in
        try LayerAnimations.color(value, "\(name).backgroundColor")
      },
      cornerRadius: try animations.envelope(["cornerRadius"], Corners(Double(layer.cornerRadius))) { (value) throws(AVError) in
        Corners(try LayerAnimations.number(value, "\(name).cornerRadius"))
      },
      borderWidth: try animations.envelope(["borderWidth"], Double(layer.borderWidth)) { (value) throws(AVError) in
        try LayerAnimations.number(value, "\(name).borderWidth")
      },
      borderColor: try color(layer.borderColor ?? .clear, "\(name).borderColor"), masksToBounds: layer.masksToBounds)
    if style.backgroundColor.constant == clear { style.backgroundColor = Envelope() }
    if layer.shadowOpacity > 0, let shadow = layer.shadowColor {
      var shade = try color(shadow, "\(name).shadowColor")
      shade.alpha *= decimal(layer.shadowOpacity)
      let (x, y) = (Double(layer.shadowOffset.width), Double(layer.shadowOffset.height))
      style.shadow = .init(color: shade, offset: Point(x, isDown ? y : -y), radius: Double(layer.shadowRadius))
    }
    return style
  }
}

/// The coordinates of a layer on which others stand.
struct Space {
  let parent: CGRect
  /// Whether y grows downwards in them.
  let isDown: Bool

  func point(_ point: CGPoint) -> Point {
    let (x, y) = (Double(point.x - parent.minX), Double(point.y - parent.minY))
    return Point(x, isDown ? y : Double(parent.height) - y)
  }

  func anchor(_ point: CGPoint) -> Point { Point(Double(point.x), isDown ? Double(point.y) : 1 - Double(point.y)) }

  /// The map of a plane that is turned over.
  func map(_ map: Formats.AffineTransform) -> Formats.AffineTransform {
    isDown ? map : Formats.AffineTransform(map.a, negated(map.b), negated(map.c), map.d, map.tx, negated(map.ty))
  }

  private func negated(_ value: Double) -> Double { value == 0 ? 0 : -value }
}

/// The number without what subtractions of floating point leave behind.
func tidy(_ value: Double) -> Double {
  let rounded = (value * 1e6).rounded() / 1e6
  return abs(rounded - value) < 1e-9 * max(1, abs(value)) ? rounded : value
}
