internal import Formats
internal import MediaTime
internal import Timeline

// The nodes of layers that show moving pictures, filter what lies below, or hold layers that do or are turned in space (decisions
// 0130 and 0145).
extension LayerMaker {
  /// The layer's nodes: what it filters of what lies below, its shadow, its background, its content, the layers on it and its border.
  ///
  /// - Parameters:
  ///   - own: the layer as the ground of what stands on it.
  ///   - opacity: above 0.
  func movingNodes(of layer: Layer, _ own: Ground, opacity: Double) throws(TimeError) -> [Scene.Node] {
    let look = try look(of: layer, own.size)
    let maskMoves = layer.mask.map { $0.holdsMoving || $0.geometry.isSpatial } ?? false
    let mask = maskMoves ? nil : try self.mask(of: layer, own.size)
    let moving = maskMoves ? try movingMask(of: layer, own) : nil
    var body: [Scene.Node] = []
    var back = Scene.Drawing.Look()
    (back.background, back.cornerRadius) = (look.background, look.cornerRadius)
    let motion = layer.textMotion
    let content = motion == nil ? try content(of: layer) : nil
    if content != nil || back.background != nil { body.append(drawn(Scene.Drawing(content, size: own.size, look: back), own)) }
    switch layer.content {
    case .moving(let moving): body += try nodes(of: moving, own)
    case .image(let image): if content == nil { body += try nodes(of: image, own) }
    case .text(let text): if let motion { body.append(try node(of: text, motion, layer, own)) }
    default: break
    }
    for copy in try copies(of: layer, own.size) {
      for index in try layer.sublayers.depthOrder(at: copy.maker.time) {
        body += try copy.maker.nodes(
          of: layer.sublayers[index], mixedOn: copy.ground(on: own), keptIn: copy.maker.kept?.sublayer(index)
        ).map(copy.changed)
      }
    }
    if look.borderWidth > 0 {
      var border = Scene.Drawing.Look()
      (border.cornerRadius, border.borderWidth, border.borderColor) = (look.cornerRadius, look.borderWidth, look.borderColor)
      body.append(drawn(Scene.Drawing(nil, size: own.size, look: border), own))
    }
    if !body.isEmpty { body = put(body, together: look, mask: mask, moving: moving, ground: own, shadow: layer.style.shadow) }
    if let backdrop = try backdrop(of: layer, look, own) { body.insert(backdrop, at: 0) }
    if opacity >= 1 || body.isEmpty { return body }
    return body.count == 1 ? [body[0].faded(to: opacity)] : [.group(Scene.Group(body, opacity: opacity))]
  }

  /// The nodes that show what is seen of a layer's parts, with its shadow.
  private func put(
    _ body: [Scene.Node], together look: Scene.Drawing.Look, mask: Scene.Drawing.Part?, moving: Scene.Mask?, ground own: Ground,
    shadow style: LayerShadow?
  ) -> [Scene.Node] {
    let cover = cover(of: look, mask, own)
    let filters = look.filters.map { inRenderPixels($0, own) }
    let isOwnShadow = style.map { $0.path == nil && ($0.isOfContent || moving != nil) } ?? false
    let shadow = isOwnShadow ? look.shadow.map { inRenderPixels($0, own) } : nil
    var nodes = body
    if cover != nil || moving != nil || !filters.isEmpty || shadow != nil {
      nodes = [.group(Scene.Group(body, cover: cover, mask: moving, filters: filters, shadow: shadow))]
    }
    if look.shadow != nil, !isOwnShadow { nodes.insert(self.shadow(of: look, mask, own), at: 0) }
    return nodes
  }

  private func movingMask(of layer: Layer, _ own: Ground) throws(TimeError) -> Scene.Mask? {
    guard let mask = layer.mask else { return nil }
    return Scene.Mask(try nodes(of: mask, mixedOn: own), layer.maskMode)
  }

  /// The node that filters what lies below; nil where it changes nothing.
  private func backdrop(of layer: Layer, _ look: Scene.Drawing.Look, _ own: Ground) throws(TimeError) -> Scene.Node? {
    var filters: [LayerFilter.Value] = []
    for filter in layer.style.backdropFilters {
      if let value = try filter.value(at: time) { filters.append(inRenderPixels(value, own)) }
    }
    guard !filters.isEmpty else { return nil }
    var whole = Scene.Drawing.Look()
    (whole.background, whole.cornerRadius) = (.white, look.cornerRadius)
    return .backdrop(filters, still(Scene.Drawing(nil, size: own.size, look: whole), own))
  }

  // MARK: - Lengths in render pixels

  /// The factors of lengths along the frame's axes. A plane that is turned in space counts by its middle.
  private func factors(_ own: Ground) -> AffineTransform {
    guard let projection = own.projection else { return own.map }
    let middle = own.map.apply(own.size.x / 2, own.size.y / 2)
    return own.map.then(projection.derivative(at: Point(middle.x, middle.y)))
  }

  private func inRenderPixels(_ filter: LayerFilter.Value, _ own: Ground) -> LayerFilter.Value {
    guard case .blur(let radius) = filter else { return filter }
    // A blur of the frame is as wide in all directions.
    let map = factors(own)
    return .blur(radius * abs(map.a * map.d - map.b * map.c).squareRoot())
  }

  private func inRenderPixels(_ shadow: LayerStyle.Shadow, _ own: Ground) -> Scene.Shadow {
    let map = factors(own)
    let offset = Point(
      map.a * shadow.offset.x + map.c * shadow.offset.y, map.b * shadow.offset.x + map.d * shadow.offset.y)
    return Scene.Shadow(
      shadow.color, offset: offset,
      deviation: Point(
        shadow.radius * (map.a * map.a + map.c * map.c).squareRoot(), shadow.radius * (map.b * map.b + map.d * map.d).squareRoot()
      ))
  }

  private func drawn(_ drawing: Scene.Drawing, _ place: Ground) -> Scene.Node {
    let still = still(drawing, place)
    return .still(still.still, still.placement)
  }

  /// The moving picture, fitted into the layer's rectangle and cut off there.
  private func nodes(of moving: MovingContent, _ own: Ground) throws(TimeError) -> [Scene.Node] {
    switch moving.source {
    case .asset(let asset, let loops):
      let (picture, whole) = try pictures.played(asset, at: time, loops: loops)
      return Fit(of: whole, moving.gravity, own).map { [.picture(picture, $0.placement(isWhole: $0.seen == whole, on: own))] }
        ?? []
    case .track(let track):
      guard let (picture, whole) = try pictures.shown(on: track), let fit = Fit(of: whole, moving.gravity, own) else { return [] }
      return [.picture(picture, fit.placement(isWhole: fit.seen == whole, on: own))]
    case .video:
      let scene = try pictures.video(of: instruction)
      let whole = Rect(scene.canvas.renderSize)
      return Fit(of: whole, moving.gravity, own).map { [.video(scene, $0.placement(isWhole: $0.seen == whole, on: own))] } ?? []
    }
  }

  /// A part of an image, fitted into the layer's rectangle and cut off there. The whole image is drawn once, as large as it is
  /// ever seen, and the part is laid into each frame.
  private func nodes(of image: ImageContent, _ own: Ground) throws(TimeError) -> [Scene.Node] {
    let asset = try image.still(at: time).asset
    guard let size = edit.pictureSize(of: asset) else { return [] }
    let (width, height) = (Double(size.width), Double(size.height))
    func part(_ share: Rect) -> Rect? {
      Rect(share.x * width, share.y * height, share.width * width, share.height * height).intersection(Rect(size))
    }
    guard let wanted = part(try image.contentsRect.heldValue(at: time, neutral: ImageContent.whole)),
      let fit = Fit(of: wanted, image.gravity, own)
    else { return [] }
    let scales = image.contentsRect.keyframes.compactMap { keyframe in
      part(keyframe.value).flatMap { Fit(of: $0, image.gravity, own)?.map.largestStretch }
    }
    var place = own
    (place.map, place.isSteady, place.isDrawnInPlace) = (fit.map.then(own.map), false, false)
    // An image is not made larger than it is: enlarging it costs memory and shows nothing more. An SVG picture has no such size.
    let largest = own.scale * (scales.max() ?? 1)
    place.scale = edit.facts[asset]?.isVector ?? false ? largest : min(largest, 1)
    let whole = still(
      Scene.Drawing(.image(ImageContent(asset: asset, gravity: .resize)), size: Point(width, height)), place)
    guard let toStill = whole.placement.transform.inverse.map({ place.map.then($0) }) else { return [] }
    let (from, to) = (toStill.apply(fit.seen.x, fit.seen.y), toStill.apply(fit.seen.maxX, fit.seen.maxY))
    let crop = Rect(from.x, from.y, to.x - from.x, to.y - from.y)
    return [
      .still(
        whole.still,
        Scene.Placement(crop: crop, transform: whole.placement.transform, projection: whole.placement.projection))
    ]
  }

  /// The way in which a picture lies in a layer's rectangle.
  private struct Fit {
    /// The map from the picture's pixels to the layer's.
    let map: AffineTransform
    /// The part of the picture that lies in the rectangle, in its own pixels.
    let seen: Rect

    /// Nil where nothing of the picture lies in the rectangle.
    init?(of part: Rect, _ gravity: Gravity, _ own: Ground) {
      map = gravity.placement(of: part, in: Rect(0, 0, own.size.x, own.size.y))
      guard let back = map.inverse else { return nil }
      // The map only scales and moves, so the corners stay corners.
      let (from, to) = (back.apply(0, 0), back.apply(own.size.x, own.size.y))
      guard let seen = part.intersection(Rect(from.x, from.y, to.x - from.x, to.y - from.y)) else { return nil }
      self.seen = seen
    }

    func placement(isWhole: Bool, on own: Ground) -> Scene.Placement {
      Scene.Placement(crop: isWhole ? nil : seen, transform: map.then(own.map), projection: own.projection)
    }
  }

  /// The still whose alpha decides how much is seen of the layer; nil where all is seen.
  private func cover(of look: Scene.Drawing.Look, _ mask: Scene.Drawing.Part?, _ own: Ground) -> Scene.Cover? {
    guard look.clips || mask != nil else { return nil }
    guard look.clips else { return mask.map { still(Scene.Drawing(nil, size: own.size, parts: [$0]), own) } }
    var whole = Scene.Drawing.Look()
    (whole.background, whole.cornerRadius) = (.white, look.cornerRadius)
    return still(Scene.Drawing(nil, size: own.size, look: whole, mask: mask), own)
  }

  /// The shadow of the layer's rectangle with its corners, as far as the mask leaves it (shadowPath).
  private func shadow(of look: Scene.Drawing.Look, _ mask: Scene.Drawing.Part?, _ own: Ground) -> Scene.Node {
    var cast = Scene.Drawing.Look()
    (cast.background, cast.cornerRadius) = (.black, look.cornerRadius)
    (cast.shadow, cast.shadowPath, cast.isShadowAlone) = (look.shadow, look.shadowPath, true)
    return drawn(Scene.Drawing(nil, size: own.size, look: cast, mask: mask), own)
  }
}

extension Scene.Node {
  /// The node with `opacity` times its own. It is not a transition, a composed frame or one of fields, which cover the frame.
  fileprivate func faded(to opacity: Double) -> Scene.Node {
    switch self {
    case .picture(let picture, let placement): .picture(picture, placement.faded(to: opacity))
    case .still(let still, let placement): .still(still, placement.faded(to: opacity))
    case .movingText(let text, let placement): .movingText(text, placement.faded(to: opacity))
    case .video(let scene, let placement): .video(scene, placement.faded(to: opacity))
    case .group(let group): .group(group.with(group.nodes, opacity: group.opacity * opacity))
    case .transition, .composed, .backdrop, .woven: .group(Scene.Group([self], opacity: opacity))
    }
  }
}

extension Scene.Placement {
  fileprivate func faded(to opacity: Double) -> Scene.Placement {
    Scene.Placement(crop: crop, transform: transform, projection: projection, opacity: self.opacity * opacity)
  }
}
