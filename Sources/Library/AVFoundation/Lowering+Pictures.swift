internal import Formats
internal import MediaTime
internal import Timeline

/// Contents that change, which are made of layers on the one that has them.
extension Lowering {
  mutating func pictures(
    of layer: CALayer, isDown: Bool, _ animations: LayerAnimations, _ name: String
  ) throws(AVError) -> [Layer] {
    if let shape = layer as? CAShapeLayer { return try outlines(of: shape, isDown: isDown, animations, name) }
    if let transition = try animations.transition() {
      guard !animations.changes("contents") else {
        throw unsaid(name, "a transition and an animation of 'contents' are not made")
      }
      return try passage(transition, of: layer, isDown: isDown, animations, name)
    }
    guard animations.changes("contents") else { return [] }
    var made: [Layer] = []
    for (range, value) in try animations.contents(layer.contents) {
      let image = try image(value, of: layer, isDown: isDown, name)
      made.append(Layer(content: .image(image), geometry: LayerGeometry(frame: frame(of: layer)), timeRange: range))
    }
    return made
  }

  private func frame(of layer: CALayer) -> Rect { Rect(0, 0, Double(layer.bounds.width), Double(layer.bounds.height)) }

  /// The former contents and the present ones, as a transition leads from those to these.
  private mutating func passage(
    _ transition: LayerAnimations.Transition, of layer: CALayer, isDown: Bool, _ animations: LayerAnimations, _ name: String
  ) throws(AVError) -> [Layer] {
    let kind = transition.animation.type
    guard [.fade, .push, .moveIn, .reveal].contains(kind) else {
      throw unsaid("\(name).transition", "type \(kind.rawValue) is not known")
    }
    let (before, after) = (transition.animation.origin, layer.contents)
    guard kind == .fade || (layer.sublayers ?? []).isEmpty && layer.backgroundColor == nil else {
      throw unsaid("\(name).transition", "of type \(kind.rawValue) moves contents alone: the layer has a background or sublayers")
    }
    if kind == .fade, let before, let after { try requireCovering(before, after, layer, name) }
    var (old, new): (Layer?, Layer?) = (nil, nil)
    let geometry = LayerGeometry(frame: frame(of: layer))
    if let before, !transition.range.isEmpty {
      old = Layer(
        content: .image(try image(before, of: layer, isDown: isDown, name)), geometry: geometry, timeRange: transition.range)
    }
    if let after { new = Layer(content: .image(try image(after, of: layer, isDown: isDown, name)), geometry: geometry) }
    let progress = transition.progress
    guard kind != .fade else {
      // Where both are seen, the new one covers what it is shown of.
      if new != nil { new?.opacity = progress } else { old?.opacity = progress.map { 1 - $0 } }
      return [old, new].compactMap(\.self)
    }
    let way = try self.way(of: transition.animation, layer, isDown: isDown, name)
    let middle = Point(Double(layer.bounds.width) / 2, Double(layer.bounds.height) / 2)
    func moved(_ share: @escaping (Double) -> Double) -> Envelope<Point> {
      progress.map { Point(middle.x + way.x * share($0), middle.y + way.y * share($0)) }
    }
    if kind != .reveal { new?.geometry.position = moved { 1 - $0 } }
    if kind != .moveIn { old?.geometry.position = moved { -$0 } }
    return (kind == .reveal ? [new, old] : [old, new]).compactMap(\.self)
  }

  /// The side from which the new contents come, as a way of the layer's whole width or height.
  private func way(
    of transition: CATransition, _ layer: CALayer, isDown: Bool, _ name: String
  ) throws(AVError) -> Point {
    let (width, height) = (Double(layer.bounds.width), Double(layer.bounds.height))
    // In Core Animation the top is where y is largest.
    switch transition.subtype {
    case nil:
      throw unsaid("\(name).transition", "of type \(transition.type.rawValue) needs a subtype, the side that it comes from")
    case .fromLeft?: return Point(-width, 0)
    case .fromRight?: return Point(width, 0)
    case .fromTop?: return Point(0, isDown ? height : -height)
    case .fromBottom?: return Point(0, isDown ? -height : height)
    case let other?: throw unsaid("\(name).transition", "subtype \(other.rawValue) is not known")
    }
  }

  /// Refuses two pictures of which one does not hide the other wholly: a document has no sum of two.
  private func requireCovering(_ before: Any, _ after: Any, _ layer: CALayer, _ name: String) throws(AVError) {
    guard let one = before as? CGImage, let other = after as? CGImage else {
      throw unsaid("\(name).contents", "of a transition must be CGImages")
    }
    let isFilled = layer.contentsGravity == .resize || layer.contentsGravity == .resizeAspectFill
    guard one.isOpaque, other.isOpaque, isFilled || (one.width, one.height) == (other.width, other.height) else {
      throw unsaid("\(name).transition", "fades between opaque pictures that fill the same rectangle alone")
    }
  }
}

extension CGImage {
  /// Whether nothing is seen through the picture.
  fileprivate var isOpaque: Bool {
    if [.none, .noneSkipFirst, .noneSkipLast].contains(alphaInfo) { return true }
    guard bitsPerPixel == 32, let bytes = dataProvider?.bytes else { return false }
    let isFirst = [.first, .premultipliedFirst].contains(alphaInfo)
    let isLittle = byteOrderInfo == .order32Little
    let place = isFirst == isLittle ? 3 : 0
    return (0..<height).allSatisfy { row in
      (0..<width).allSatisfy { bytes[row * bytesPerRow + $0 * 4 + place] == 255 }
    }
  }
}
