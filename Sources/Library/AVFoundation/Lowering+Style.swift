internal import Formats
internal import MediaTime
internal import Timeline

extension Lowering {
  /// The layer with all that stands on it; nil where it shows nothing.
  ///
  /// - Parameter depth: is given how far the layer lies before the plane of what it stands on.
  mutating func made(
    _ layer: CALayer, in space: Space, _ stage: Stage?, _ animations: LayerAnimations, _ name: String, _ depth: inout Double
  ) throws(AVError) -> Layer? {
    let time = animations.time
    let isDownInside = space.isDown != layer.isGeometryFlipped
    let (place, lift) = try geometry(of: layer, in: space, stage, animations, name)
    depth = lift
    var made = Layer(
      content: try content(of: layer, isDown: isDownInside, animations, name), geometry: place,
      style: try style(of: layer, animations, name, isDown: space.isDown),
      opacity: try animations.share("opacity", decimal(layer.opacity)))
    if layer.hasNoArea, !animations.changeSize {
      guard !layer.masksToBounds else { return nil }
      if !(layer is CAShapeLayer) { made.content = nil }
      (made.style.backgroundColor, made.style.borderWidth, made.style.backdropFilters) = (Envelope(), Envelope(), [])
    }
    made.clock = time.clock
    if !layer.hasNoArea || layer is CAShapeLayer || animations.changeSize {
      let pictures = try pictures(of: layer, isDown: isDownInside, animations, name)
      made.sublayers =
        layer is CAShapeLayer
        ? pictures
        : try pictures.map { (picture) throws(AVError) in
          try filling(picture, place.bounds, name)
        }
    }
    let children = try children(of: layer, isDown: isDownInside, time.inner, name)
    made.sublayers += isDownInside ? children : try standing(children, on: place, name)
    if let replicator = layer as? CAReplicatorLayer {
      guard !animations.changesAny(["contents", AnimationRun.transitionKey]) else {
        throw unsaid(name, "contents of a replicator that change are not made: put them on a layer below it")
      }
      if replicator.instanceCount > 0 {
        made.replicator = try copies(on: replicator, isDown: isDownInside, name)
      } else {
        made.sublayers = []
      }
    }
    return try seen(made, layer, animations, isDownInside, name)
  }

  /// The picture of a layer, which fills it over time.
  private func filling(_ picture: Layer, _ bounds: Envelope<Point>, _ name: String) throws(AVError) -> Layer {
    guard !bounds.keyframes.isEmpty else { return picture }
    guard picture.geometry.position.keyframes.isEmpty else {
      throw unsaid(name, "bounds change, and a transition moves the contents by them")
    }
    var filling = picture
    (filling.geometry.bounds, filling.geometry.anchorPoint) = (bounds, .zero)
    return filling
  }

  /// Layers that keep their distance from the bottom of the one that they stand on.
  private func standing(_ layers: [Layer], on place: LayerGeometry, _ name: String) throws(AVError) -> [Layer] {
    guard !layers.isEmpty, !place.keepsHeight, let frame = place.frame else { return layers }
    guard layers.allSatisfy({ $0.style.blendMode == .normal }) else {
      throw unsaid(name, "stands on a layer whose height changes, and is mixed with what is below it: let y grow downwards there")
    }
    // They stand on a layer of its own, whose bottom is led along.
    let floor = LayerGeometry(
      frame: Rect(0, 0, frame.width, frame.height), anchorPoint: Point(0, 1), position: place.bounds.map { Point(0, $0.y) })
    return [Layer(content: nil, geometry: floor, sublayers: layers)]
  }

  /// The layer with its mask; nil where it shows nothing.
  private mutating func seen(
    _ layer: Layer, _ source: CALayer, _ animations: LayerAnimations, _ isDown: Bool, _ name: String
  ) throws(AVError) -> Layer? {
    var made = layer
    if let mask = source.mask {
      guard mask.compositingFilter == nil, !(mask is CATransformLayer) else {
        throw unsaid("\(name).mask", "is mixed with nothing, and shows something itself")
      }
      let entries = try lowered(mask, on: source, isDown: isDown, nil, animations.time.inner, "\(name).mask")
      // A mask that shows nothing hides the layer.
      guard let first = entries.first?.layers.first else { return nil }
      guard entries[0].layers.count == 1 else {
        throw unsaid("\(name).mask", "a path that begins late or ends early is not made")
      }
      made.mask = isDown ? first : try standing([first], on: layer.geometry, "\(name).mask").first
    }
    let showsNothing =
      made.content == nil && made.sublayers.isEmpty && made.style.backgroundColor.keyframes.isEmpty
      && made.style.borderWidth.keyframes.isEmpty && made.style.backdropFilters.isEmpty
    return showsNothing ? nil : made
  }

  private func style(
    of layer: CALayer, _ animations: LayerAnimations, _ name: String, isDown: Bool
  ) throws(AVError) -> LayerStyle {
    try checkLook(of: layer, name)
    let clear = RGBAColor(0, 0, 0, alpha: 0)
    let isDownInside = isDown != layer.isGeometryFlipped
    let background = try layer.backgroundColor.map { (value) throws(AVError) in try color(value, name) } ?? clear
    var style = LayerStyle(
      backgroundColor: try animations.colors(["backgroundColor"], background),
      cornerRadius: try animations.numbers(["cornerRadius"], Double(layer.cornerRadius)).map {
        layer.corners(max($0, 0), isDown: isDownInside)
      },
      borderWidth: try animations.numbers(["borderWidth"], Double(layer.borderWidth)),
      borderColor: try animations.colors(["borderColor"], color(layer.borderColor ?? .clear, "\(name).borderColor")),
      masksToBounds: layer.masksToBounds,
      blendMode: try blendMode(of: layer, name), filters: try filters(layer.filters, "filters", animations, name),
      backdropFilters: try filters(layer.backgroundFilters, "backgroundFilters", animations, name))
    if style.backgroundColor.constant == clear { style.backgroundColor = Envelope() }
    style.shadow = try shadow(of: layer, animations, name, isDown: isDown)
    return style
  }

  /// Refuses what documents cannot say of a layer's look.
  private func checkLook(of layer: CALayer, _ name: String) throws(AVError) {
    for (property, filter) in [
      ("minificationFilter", layer.minificationFilter), ("magnificationFilter", layer.magnificationFilter),
    ] where filter != .linear && filter != .trilinear {
      throw unsaid("\(name).\(property)", "\(filter.rawValue) is not made")
    }
    if layer.contents != nil, layer.contentsCenter != CGRect(x: 0, y: 0, width: 1, height: 1) {
      throw unsaid("\(name).contentsCenter", "a picture is stretched as a whole")
    }
    if layer.cornerCurve != .circular, layer.cornerRadius > 0 || !layer.animations.isEmpty {
      throw unsaid("\(name).cornerCurve", "\(layer.cornerCurve.rawValue) is not made: nothing public says its form")
    }
    if !layer.allowsGroupOpacity, layer.opacity < 1 || !layer.animations.isEmpty {
      throw unsaid("\(name).allowsGroupOpacity", "a layer has its opacity as a whole")
    }
  }

  private func shadow(
    of layer: CALayer, _ animations: LayerAnimations, _ name: String, isDown: Bool
  ) throws(AVError) -> LayerShadow? {
    guard let shade = layer.shadowColor, layer.shadowOpacity > 0 || animations.changes("shadowOpacity") else { return nil }
    var tint = try color(shade, "\(name).shadowColor")
    let (full, share) = (tint.alpha, decimal(layer.shadowOpacity))
    let colors: Envelope<RGBAColor>
    if animations.changes("shadowColor") {
      guard !animations.changes("shadowOpacity") else { throw animations.unsaid("shadowColor and shadowOpacity change") }
      tint.alpha *= share
      colors = try animations.envelope(["shadowColor"], tint) { (value) throws(AVError) in
        var color = try LayerAnimations.color(value, "\(name).shadowColor")
        color.alpha *= share
        return color
      }
    } else {
      colors = try animations.share("shadowOpacity", share).map {
        RGBAColor(tint.red, tint.green, tint.blue, alpha: full * $0)
      }
    }
    let offset = layer.shadowOffset
    let offsets = try animations.envelope(["shadowOffset"], Point(Double(offset.width), Double(offset.height))) {
      (value) throws(AVError) in
      guard let size = value as? CGSize else { throw LayerAnimations.unknown(value, "\(name).shadowOffset") }
      return Point(Double(size.width), Double(size.height))
    }
    let inside = Space(parent: layer.laidBounds, isDown: isDown != layer.isGeometryFlipped)
    return LayerShadow(
      color: colors, offset: offsets.map { Point($0.x, isDown ? $0.y : -$0.y) },
      radius: try animations.numbers(["shadowRadius"], Double(layer.shadowRadius)), path: layer.shadowPath.map(inside.path))
  }

  // MARK: - Filters

  private func filters(
    _ given: [Any]?, _ property: String, _ animations: LayerAnimations, _ name: String
  ) throws(AVError) -> [LayerFilter] {
    var made: [LayerFilter] = []
    for value in given ?? [] {
      guard let filter = value as? any NamedFilter else {
        throw unsaid("\(name).\(property)", "\(type(of: value)) is no CIFilter")
      }
      func number(_ input: String) throws(AVError) -> Envelope<Double> {
        let own = filter.input(input).flatMap(KeyValue.numbers)?.first ?? 0
        return try animations.numbers(["\(property).\(filter.ownName).\(input)"], own)
      }
      switch filter.filterName {
      case "CIGaussianBlur": made.append(.gaussianBlur(radius: try number("inputRadius")))
      case "CIColorControls":
        made.append(
          .colorControls(
            LayerFilter.ColorControls(
              brightness: try number("inputBrightness"), contrast: try number("inputContrast"),
              saturation: try number("inputSaturation"))))
      default:
        throw unsaid("\(name).\(property)", "\(filter.filterName) is not made in layers; CIGaussianBlur and CIColorControls are")
      }
    }
    return made
  }

  private func blendMode(of layer: CALayer, _ name: String) throws(AVError) -> BlendMode {
    guard let given = layer.compositingFilter else { return .normal }
    // The sum of what is multiplied by alpha, which a layer's colours cannot exceed white with.
    if let filter = given as? any NamedFilter, filter.filterName == "CIAdditionCompositing" { return .plusLighter }
    guard let filter = given as? any NamedFilter, filter.filterName.hasPrefix("CI"), filter.filterName.hasSuffix("BlendMode")
    else { throw unsaid("\(name).compositingFilter", "must be a CIFilter of a blend mode, or CIAdditionCompositing") }
    let kind = filter.filterName.dropFirst(2).dropLast("BlendMode".count)
    guard let mode = BlendMode(rawValue: kind.prefix(1).lowercased() + kind.dropFirst()), mode != .normal else {
      throw unsaid("\(name).compositingFilter", "\(filter.filterName) is not made in layers")
    }
    return mode
  }

  // MARK: - Copies

  private func copies(on layer: CAReplicatorLayer, isDown: Bool, _ name: String) throws(AVError) -> Replicator {
    func fault(_ property: String, _ words: String) -> AVError { unsaid("\(name).\(property)", words) }
    guard !layer.preservesDepth else { throw fault("preservesDepth", "is not made") }
    guard layer.instanceCount <= DocumentLimits.copies else {
      throw fault("instanceCount", "\(layer.instanceCount) copies are more than \(DocumentLimits.copies)")
    }
    let terms = layer.instanceTransform
    guard let map = CATransform3DIsAffine(terms) ? CATransform3DGetAffineTransform(terms) : nil else {
      throw fault("instanceTransform", "leaves the plane")
    }
    let (a, b, c, d) = (Double(map.a), Double(map.b), Double(map.c), Double(map.d))
    let (long, area) = ((a * a + b * b).squareRoot(), a * d - b * c)
    guard long > 0, area != 0, abs(a * c + b * d) < 1e-9 * max(1, long) else {
      throw fault("instanceTransform", "shears, or has no area")
    }
    let degrees = tidy(atan2(b, a) * 180 / .pi)
    let color = try color(layer.instanceColor ?? .white, "\(name).instanceColor")
    let steps = [layer.instanceRedOffset, layer.instanceGreenOffset, layer.instanceBlueOffset].map(decimal)
    let fade = decimal(layer.instanceAlphaOffset)
    guard (steps + [fade]).allSatisfy({ -1...1 ~= $0 }) else {
      throw fault("instanceAlphaOffset", "offsets of colours are -1 to 1")
    }
    let delay = try AnimationClock(end: 0, name: "\(name).instanceDelay").time(layer.instanceCount > 1 ? layer.instanceDelay : 0)
    return Replicator(
      count: layer.instanceCount, offset: Envelope(constant: Point(Double(map.tx), isDown ? Double(map.ty) : -Double(map.ty))),
      rotation: Envelope(constant: degrees == 0 ? 0 : isDown ? degrees : -degrees),
      scale: Envelope(constant: Point(tidy(long), tidy(area / long))), delay: delay, opacityStep: fade, color: color,
      colorStep: steps)
  }
}

extension LayerAnimations {
  /// The colours of a property over time.
  func colors(_ keys: [String], _ model: RGBAColor) throws(AVError) -> Envelope<RGBAColor> {
    try envelope(keys, model) { (value) throws(AVError) in try Self.color(value, keys[0]) }
  }
}

extension CALayer {
  /// The value of a filter's input that an animation's key names; nil where the layer has no such filter.
  func animatedFilter(_ key: String) -> Any? {
    let words = key.split(separator: ".").map(String.init)
    guard words.count == 3, ["filters", "backgroundFilters"].contains(words[0]) else { return nil }
    let filters = (words[0] == "filters" ? filters : backgroundFilters) ?? []
    let named = filters.compactMap { $0 as? any NamedFilter }.filter { $0.ownName == words[1] }
    // An input that the filter does not have is asked for by nobody.
    let inputs = ["CIGaussianBlur": ["inputRadius"], "CIColorControls": ["inputBrightness", "inputContrast", "inputSaturation"]]
    guard named.count == 1, inputs[named[0].filterName]?.contains(words[2]) ?? false else { return nil }
    return named[0].input(words[2])
  }

  /// The radii of the corners as they are seen.
  fileprivate func corners(_ radius: Double, isDown: Bool) -> Corners {
    func seen(_ above: CACornerMask, _ below: CACornerMask) -> Double {
      maskedCorners.contains(isDown ? above : below) ? radius : 0
    }
    return Corners(
      seen(.layerMinXMinYCorner, .layerMinXMaxYCorner), seen(.layerMaxXMinYCorner, .layerMaxXMaxYCorner),
      seen(.layerMaxXMaxYCorner, .layerMaxXMinYCorner), seen(.layerMinXMaxYCorner, .layerMinXMinYCorner))
  }
}
