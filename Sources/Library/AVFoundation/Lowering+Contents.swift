internal import Formats
internal import MediaTime
internal import Timeline

extension Lowering {
  /// The content that a layer shows itself: its picture, text, outline or colours.
  mutating func content(
    of layer: CALayer, isDown: Bool, _ animations: LayerAnimations, _ name: String
  ) throws(AVError) -> Layer.Content? {
    if videoLayers.contains(where: { $0 === layer }) { return .moving(MovingContent(.video, gravity: .resize)) }
    if layer.isDrawnByCode || (layer as? CATextLayer)?.isDrawn == true {
      return try drawn(layer, isDown: isDown, animations, name)
    }
    if let text = layer as? CATextLayer { return try content(of: text, animations, name) }
    if let shape = layer as? CAShapeLayer { return try content(of: shape, isDown: isDown, animations, name) }
    if let gradient = layer as? CAGradientLayer { return try content(of: gradient, isDown: isDown, animations, name) }
    // A picture that changes is made of layers on this one.
    guard let contents = layer.contents, !animations.changesAny(["contents", AnimationRun.transitionKey]) else { return nil }
    return .image(try image(contents, of: layer, isDown: isDown, name))
  }

  /// The content that is drawn here, because a document cannot say it: by code of the caller's, or a text with attributes.
  private mutating func drawn(
    _ layer: CALayer, isDown: Bool, _ animations: LayerAnimations, _ name: String
  ) throws(AVError) -> Layer.Content? {
    guard !animations.changesAny(["fontSize", "foregroundColor"]) else {
      throw animations.unsaid("fontSize and foregroundColor change for a string without attributes, in a font that is a name")
    }
    guard layer.contents == nil, !(layer is CAShapeLayer), !(layer is CAGradientLayer) else {
      throw unsaid(name, "has content beside what draw(in:) makes")
    }
    if let text = layer as? CATextLayer, text.isWrapped, text.truncationMode != .none {
      throw unsaid("\(name).truncationMode", "is not made for lines that wrap")
    }
    guard let image = layer.drawnContent(isDown: isDown) else { return nil }
    // The picture's corner is the layer's. Its last column and row may go beyond bounds of parts of a pixel, and are cut off there.
    let gravity: Gravity = layer.contentsScale == 1 ? .none : .resize
    return .image(ImageContent(asset: try picture(image, name), gravity: gravity))
  }

  mutating func image(
    _ contents: Any, of layer: CALayer, isDown: Bool, _ name: String
  ) throws(AVError) -> ImageContent {
    guard let image = contents as? CGImage else { throw unsaid("\(name).contents", "\(type(of: contents)) is not a CGImage") }
    let gravity = try gravity(of: layer, image, isDown: isDown, name)
    var made = ImageContent(asset: try picture(contents, "\(name).contents"), gravity: gravity)
    let part = layer.contentsRect
    guard part != CGRect(x: 0, y: 0, width: 1, height: 1) else { return made }
    guard part.width > 0, part.height > 0, CGRect(x: 0, y: 0, width: 1, height: 1).contains(part) else {
      throw unsaid("\(name).contentsRect", "\(part) must lie within the picture")
    }
    let y = isDown ? part.minY : 1 - part.maxY
    made.contentsRect = Envelope(constant: Rect(tidy(part.minX), tidy(y), tidy(part.width), tidy(part.height)))
    return made
  }

  /// The gravity as documents have it, where the first row of a picture is the topmost one.
  private func gravity(of layer: CALayer, _ image: CGImage, isDown: Bool, _ name: String) throws(AVError) -> Gravity {
    let (width, height) = (CGFloat(image.width) * layer.contentsRect.width, CGFloat(image.height) * layer.contentsRect.height)
    // A document's picture is cut off at its frame.
    func cut(_ gravity: Gravity, _ isLarger: Bool) throws(AVError) -> Gravity {
      guard layer.masksToBounds || !isLarger else {
        throw unsaid("\(name).masksToBounds", "must be true where the picture goes beyond the bounds, at which it is cut off")
      }
      return gravity
    }
    func placed(_ gravity: Gravity) throws(AVError) -> Gravity {
      guard layer.contentsScale == 1 else {
        throw unsaid("\(name).contentsScale", "must be 1 with contentsGravity \(layer.contentsGravity.rawValue)")
      }
      return try cut(gravity, width > layer.bounds.width || height > layer.bounds.height)
    }
    switch layer.contentsGravity {
    case .resize: return .resize
    case .resizeAspect: return .resizeAspect
    case .resizeAspectFill:
      let isOfShape = abs(width * layer.bounds.height - height * layer.bounds.width) < 1e-6
      return try cut(.resizeAspectFill, !isOfShape)
    case .center: return try placed(.center)
    case .left: return try placed(.left)
    case .right: return try placed(.right)
    // In Core Animation the top is where y is largest.
    case .top: return try placed(isDown ? .bottom : .top)
    case .bottom: return try placed(isDown ? .top : .bottom)
    case .topLeft: return try placed(isDown ? .bottomLeft : .none)
    case .topRight: return try placed(isDown ? .bottomRight : .topRight)
    case .bottomLeft: return try placed(isDown ? .none : .bottomLeft)
    case .bottomRight: return try placed(isDown ? .topRight : .bottomRight)
    default: throw unsaid("\(name).contentsGravity", "\(layer.contentsGravity.rawValue) is not known")
    }
  }

  private mutating func picture(_ contents: Any, _ name: String) throws(AVError) -> AssetID {
    guard let image = contents as? CGImage else { throw unsaid(name, "\(type(of: contents)) is not a CGImage") }
    if let known = pictures.first(where: { $0.image === image }) { return known.name }
    let asset = AssetID("picture\(pictures.count + 1)")
    pictures.append((image, asset))
    assets[asset] = .file(path(of: asset, image))
    return asset
  }

  private func content(
    of layer: CATextLayer, _ animations: LayerAnimations, _ name: String
  ) throws(AVError) -> Layer.Content? {
    let string: String
    switch layer.string {
    case nil: return nil
    case let text as String: string = text
    case let text as NSAttributedString:
      guard text.isEqual(to: NSAttributedString(string: text.string)) else {
        throw unsaid("\(name).string", "has attributes")
      }
      string = text.string
    default: throw unsaid("\(name).string", "is no text")
    }
    guard !string.isEmpty else { return nil }
    // Core Animation's own font stands where none is named.
    guard let font = (layer.font ?? CATextLayer.usualFont) as? String else {
      throw unsaid("\(name).font", "must be a family's name, a String")
    }
    // A font that only the farm has keeps its name, with which the farm finds or refuses it.
    let choice = FontChoice(named: font, size: 12) ?? FontChoice(family: font, size: 12)
    guard layer.truncationMode == .none else { throw unsaid("\(name).truncationMode", "is not made") }
    let alignment: TextContent.Alignment =
      switch layer.alignmentMode {
      case .left: .left
      case .natural: layer.isReadFromRight == true ? .right : .left
      case .center: .center
      case .right: .right
      default: throw unsaid("\(name).alignmentMode", "\(layer.alignmentMode.rawValue) is not made")
      }
    var text = TextContent(
      string: string, fonts: [choice.family], size: try number(layer.fontSize, "\(name).fontSize"), weight: choice.weight,
      color: try color(layer.foregroundColor ?? .clear, "\(name).foregroundColor"), alignment: alignment)
    if choice.isItalic { text.slant = .italic }
    let sizes = try animations.numbers(["fontSize"], text.size)
    guard sizes.keyframes.allSatisfy({ DocumentLimits.fontSize.contains($0.value) }) else {
      throw animations.unsaid("fontSize is within \(DocumentLimits.fontSize)")
    }
    let colors = try animations.colors(["foregroundColor"], text.color)
    (text.size, text.color) = (sizes.keyframes.first?.value ?? text.size, colors.keyframes.first?.value ?? text.color)
    if !sizes.isHeld { text.course.size = sizes }
    if !colors.isHeld { text.course.color = colors }
    return .text(text)
  }
}
