internal import Formats
internal import MediaTime
internal import Timeline

// The nodes of layers that show moving pictures, and of layers on which such layers stand (decision 0130).
extension LayerMaker {
  /// The layer's nodes: its shadow, then its background, its content, the layers on it and its border.
  ///
  /// - Parameters:
  ///   - own: the layer as the ground of what stands on it.
  ///   - opacity: above 0.
  func movingNodes(of layer: Layer, _ own: Ground, opacity: Double) throws(TimeError) -> [Scene.Node] {
    let (look, mask) = (try look(of: layer, own.size), try mask(of: layer, own.size))
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
    for sublayer in layer.sublayers.inDepthOrder { body += try nodes(of: sublayer, mixedOn: own) }
    if look.borderWidth > 0 {
      var border = Scene.Drawing.Look()
      (border.cornerRadius, border.borderWidth, border.borderColor) = (look.cornerRadius, look.borderWidth, look.borderColor)
      body.append(drawn(Scene.Drawing(nil, size: own.size, look: border), own))
    }
    guard !body.isEmpty else { return [] }
    if let cover = cover(of: look, mask, own) { body = [.group(Scene.Group(body, cover: cover))] }
    if look.shadow != nil { body.insert(shadow(of: look, mask, own), at: 0) }
    if opacity >= 1 { return body }
    return body.count == 1 ? [body[0].faded(to: opacity)] : [.group(Scene.Group(body, opacity: opacity))]
  }

  private func drawn(_ drawing: Scene.Drawing, _ place: Ground) -> Scene.Node {
    let still = still(drawing, place)
    return .still(still.still, still.placement)
  }

  /// The moving picture, fitted into the layer's rectangle and cut off there.
  private func nodes(of moving: MovingContent, _ own: Ground) throws(TimeError) -> [Scene.Node] {
    switch moving.source {
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
    guard let size = edit.pictureSize(of: image.asset) else { return [] }
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
    (place.map, place.isSteady) = (fit.map.then(own.map), false)
    // An image is not made larger than it is: enlarging it costs memory and shows nothing more.
    place.scale = min(own.scale * (scales.max() ?? 1), 1)
    let whole = still(
      Scene.Drawing(.image(ImageContent(asset: image.asset, gravity: .resize)), size: Point(width, height)), place)
    guard let toStill = whole.placement.transform.inverse.map({ place.map.then($0) }) else { return [] }
    let (from, to) = (toStill.apply(fit.seen.x, fit.seen.y), toStill.apply(fit.seen.maxX, fit.seen.maxY))
    let crop = Rect(from.x, from.y, to.x - from.x, to.y - from.y)
    return [.still(whole.still, Scene.Placement(crop: crop, transform: whole.placement.transform))]
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
      Scene.Placement(crop: isWhole ? nil : seen, transform: map.then(own.map))
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
    (cast.shadow, cast.isShadowAlone) = (look.shadow, true)
    return drawn(Scene.Drawing(nil, size: own.size, look: cast, mask: mask), own)
  }
}

extension Scene.Node {
  /// The node with `opacity` times its own. It is not a transition or a composed frame, which cover the frame.
  fileprivate func faded(to opacity: Double) -> Scene.Node {
    switch self {
    case .picture(let picture, let placement): .picture(picture, placement.faded(to: opacity))
    case .still(let still, let placement): .still(still, placement.faded(to: opacity))
    case .movingText(let text, let placement): .movingText(text, placement.faded(to: opacity))
    case .video(let scene, let placement): .video(scene, placement.faded(to: opacity))
    case .group(let group):
      .group(
        Scene.Group(group.nodes, cover: group.cover, opacity: group.opacity * opacity, blendMode: group.blendMode))
    case .transition, .composed: .group(Scene.Group([self], opacity: opacity))
    }
  }
}

extension Scene.Placement {
  fileprivate func faded(to opacity: Double) -> Scene.Placement {
    Scene.Placement(crop: crop, transform: transform, opacity: self.opacity * opacity)
  }
}
