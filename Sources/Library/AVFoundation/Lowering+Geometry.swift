internal import Formats
internal import MediaTime
internal import Timeline

/// The coordinates of a layer on which others stand.
struct Space {
  let parent: CGRect
  /// Whether y grows downwards in them.
  let isDown: Bool

  func point(_ point: CGPoint) -> Point {
    let (x, y) = (Double(point.x - parent.minX), Double(point.y - parent.minY))
    return Point(x, isDown ? y : Double(parent.height) - y)
  }

  func point(_ point: Point) -> Point { self.point(CGPoint(x: point.x, y: point.y)) }

  func anchor(_ point: CGPoint) -> Point { Point(Double(point.x), isDown ? Double(point.y) : 1 - Double(point.y)) }

  /// The map of a plane that is turned over.
  func map(_ map: Formats.AffineTransform) -> Formats.AffineTransform {
    isDown ? map : Formats.AffineTransform(map.a, negated(map.b), negated(map.c), map.d, map.tx, negated(map.ty))
  }

  func map(_ map: Transform3D) -> Transform3D { isDown ? map : map.turnedOver }

  func path(_ path: CGPath) -> VectorPath { VectorPath(path.parts.map { $0.element { point($0) } }) }

  private func negated(_ value: Double) -> Double { value == 0 ? 0 : -value }
}

/// The place of a layer on which others stand, where it is not that of the document's layer itself: in the space of a transform layer,
/// or seen through a sublayerTransform.
struct Stage {
  /// The map from the layer's coordinates to those of the document's layer, both in Core Animation's terms.
  var map: Envelope<Transform3D>
  /// The point of the document's layer that is kept out of the map.
  var origin: CGPoint
}

extension Lowering {
  /// The place of a layer on what it stands on.
  ///
  /// - Returns: the place, and how far the layer lies before the plane of what it stands on, beside what the place says.
  func geometry(
    of layer: CALayer, in space: Space, _ stage: Stage?, _ animations: LayerAnimations, _ name: String
  ) throws(AVError) -> (LayerGeometry, depth: Double) {
    for value in [layer.position.x, layer.position.y, layer.bounds.width, layer.bounds.height, layer.zPosition] {
      _ = try number(value, "\(name).frame")
    }
    guard layer.transform.terms.allSatisfy(\.isFinite) else { throw unsaid("\(name).transform", "has terms that are no numbers") }
    let size = layer.laidBounds.size
    let bounds = try animations.bounds(isDown: space.isDown != layer.isGeometryFlipped)
    // A side that has no length at first may have one later.
    let anchor = space.anchor(bounds.keyframes.isEmpty ? layer.laidAnchor : layer.anchorPoint)
    var motion = try animations.motion()
    let moves = try animations.position()
    if let stage {
      guard try animations.route() == nil else { throw unsaid(name, "a path in a layer that is turned in space is not made") }
      let back = Envelope(constant: Transform3D.translation(-Double(stage.origin.x), -Double(stage.origin.y), 0))
      let places = moves.heldOr(Point(Double(layer.position.x), Double(layer.position.y))).map {
        Transform3D.translation($0.x, $0.y, Double(layer.zPosition))
      }
      motion.deep = try animations.product([motion.deep, places, stage.map, back])
    }
    let depth = (stage == nil ? Double(layer.zPosition) : 0) + motion.flatten(isDoubleSided: layer.isDoubleSided)
    let turn: Double = space.isDown ? 1 : -1
    var made = LayerGeometry(
      frame: frame(space.point(stage?.origin ?? layer.position), anchor, Double(size.width), Double(size.height)),
      anchorPoint: anchor, position: stage == nil ? moves.map { space.point($0) } : Envelope(),
      scale: motion.scale, rotation: motion.rotationZ.map { $0 == 0 ? 0 : turn * $0 },
      transform: motion.flat.map { space.map($0) }, rotationX: motion.rotationX.map { $0 == 0 ? 0 : turn * $0 },
      rotationY: motion.rotationY, transform3D: motion.deep.map { space.map($0) }, isDoubleSided: layer.isDoubleSided)
    made.bounds = bounds
    made.anchorMotion = try animations.anchor().map { space.anchor(CGPoint(x: $0.x, y: $0.y)) }
    if let (_, route) = try animations.route() { try lead(&made, along: route, in: space, animations) }
    return (made, depth)
  }

  private func frame(_ place: Point, _ anchor: Point, _ w: Double, _ h: Double) -> Rect {
    Rect(tidy(place.x - anchor.x * w), tidy(place.y - anchor.y * h), w, h)
  }

  /// Leads a layer along a path.
  private func lead(
    _ made: inout LayerGeometry, along route: AnimationRoute, in space: Space, _ animations: LayerAnimations
  ) throws(AVError) {
    if route.rotationMode == .rotateAutoReverse { made.rotation = made.rotation.heldOr(0).map { $0 + 180 } }
    let progress = try animations.numbers(["position"], 0).map { min(max($0, 0), 1) }
    made.position = Envelope()
    made.motionPath = MotionPath(space.path(route.path), progress: progress, rotates: route.rotationMode != nil)
  }

  /// The stage of what stands on a layer; nil where that is the document's layer itself.
  func stage(on layer: CALayer, _ name: String) throws(AVError) -> Stage? {
    guard layer.sublayerTransform != CATransform3DIdentity else { return nil }
    guard layer.sublayerTransform.terms.allSatisfy(\.isFinite) else {
      throw unsaid("\(name).sublayerTransform", "has terms that are no numbers")
    }
    return Stage(map: Envelope(constant: layer.sublayerMap), origin: layer.anchor)
  }

  /// The stage of what stands on a transform layer.
  ///
  /// - Parameter outer: the stage on which the transform layer itself stands.
  func stage(
    on layer: CATransformLayer, _ parent: CALayer, _ outer: Stage?, _ animations: LayerAnimations
  ) throws(AVError) -> Stage {
    let motion = try animations.motion()
    let anchor = layer.anchor
    let back = Transform3D.translation(-Double(anchor.x), -Double(anchor.y), 0)
    let places = try animations.position().heldOr(Point(Double(layer.position.x), Double(layer.position.y))).map {
      Transform3D.translation($0.x, $0.y, Double(layer.zPosition))
    }
    let maps = [
      Envelope(constant: layer.sublayerMap.then(back)), try animations.own(motion), places,
      outer?.map ?? Envelope(constant: .identity),
    ]
    return Stage(map: try animations.product(maps), origin: outer?.origin ?? parent.anchor)
  }
}

extension LayerAnimations {
  /// The map that applies these, one after the other.
  func product(_ maps: [Envelope<Transform3D>]) throws(AVError) -> Envelope<Transform3D> {
    let moving = maps.indices.filter { maps[$0].constant == nil }
    guard moving.count < 2 else {
      return try sampled(["transform"]) { (moment) throws(AVError) in
        try timed(name) { () throws(TimeError) in
          var product = Transform3D.identity
          for map in maps { product = product.then(try map.seen(at: moment)) }
          return product
        }
      }
    }
    let steady = maps.map { $0.constant ?? .identity }
    let place = moving.first ?? 0
    let before = steady[..<place].reduce(Transform3D.identity) { $0.then($1) }
    let after = steady[(place + 1)...].reduce(Transform3D.identity) { $0.then($1) }
    // Each term of the product is a sum of terms of the one that moves, so that it moves along lines, too.
    return maps[place].map { before.then($0).then(after) }
  }

  /// The layer's own transform over time as one map.
  func own(_ motion: LocalMotion) throws(AVError) -> Envelope<Transform3D> {
    let turns = [
      motion.rotationX.map { Transform3D.rotationX(degrees: $0) }, motion.rotationY.map { Transform3D.rotationY(degrees: $0) },
      motion.rotationZ.map { Transform3D(Formats.AffineTransform.rotation(degrees: $0)) },
    ].map { $0.heldOr(.identity) }
    let scale = motion.scale.map { Transform3D(Formats.AffineTransform.scale($0.x, $0.y)) }.heldOr(.identity)
    let maps = [scale] + turns + [motion.flat.map { Transform3D($0) }, motion.deep]
    guard turns.contains(where: { $0.constant == nil }) else { return try product(maps) }
    // A turn's terms do not move along lines.
    return try sampled(["transform"]) { (moment) throws(AVError) in
      try timed(name) { () throws(TimeError) in
        let angles = [motion.rotationX, motion.rotationY, motion.rotationZ].map { $0.heldOr(0) }
        var map = try scale.seen(at: moment)
        map = try map.then(.rotationX(degrees: angles[0].seen(at: moment)))
        map = try map.then(.rotationY(degrees: angles[1].seen(at: moment)))
        map = try map.then(Transform3D(.rotation(degrees: angles[2].seen(at: moment))))
        return try map.then(Transform3D(motion.flat.seen(at: moment))).then(motion.deep.seen(at: moment))
      }
    }
  }
}

extension LocalMotion {
  /// Says the map of space as one of the plane, where it is one.
  ///
  /// - Returns: the depth at which the plane then lies.
  fileprivate mutating func flatten(isDoubleSided: Bool) -> Double {
    let isTurned = [rotationX, rotationY].contains { !$0.keyframes.isEmpty && $0.constant != 0 }
    let maps = deep.keyframes.compactMap(\.value.flat)
    let isSeen = isDoubleSided || deep.keyframes.allSatisfy { $0.value.terms[10] > 0 }
    guard !isTurned, isSeen, let depth = maps.first?.depth, maps.count == deep.keyframes.count,
      maps.allSatisfy({ $0.depth == depth }), flat.constant != nil || deep.constant != nil
    else { return 0 }
    let plane = deep.map { $0.flat?.map ?? .identity }
    if let first = flat.constant {
      flat = plane.map { first.then($0) }
    } else if let last = plane.constant {
      flat = flat.map { $0.then(last) }
    }
    deep = Envelope(constant: .identity)
    return depth
  }
}

extension CALayer {
  /// The anchor point in the layer's own coordinates.
  var anchor: CGPoint {
    CGPoint(x: bounds.minX + anchorPoint.x * bounds.width, y: bounds.minY + anchorPoint.y * bounds.height)
  }

  /// Whether the layer has no area, and so shows nothing itself but an outline and what stands on it.
  var hasNoArea: Bool { bounds.width == 0 || bounds.height == 0 }

  /// The bounds as a document has them, whose layers have areas: a side of no length is one unit long.
  var laidBounds: CGRect {
    let size = CGSize(width: bounds.width == 0 ? 1 : bounds.width, height: bounds.height == 0 ? 1 : bounds.height)
    return CGRect(origin: bounds.origin, size: size)
  }

  /// The anchor point in these bounds. On a side of no length all points are its beginning.
  var laidAnchor: CGPoint {
    CGPoint(x: bounds.width == 0 ? 0 : anchorPoint.x, y: bounds.height == 0 ? 0 : anchorPoint.y)
  }

  /// The sublayerTransform about the anchor point.
  fileprivate var sublayerMap: Transform3D {
    let (x, y) = (Double(anchor.x), Double(anchor.y))
    return Transform3D.translation(-x, -y, 0).then(sublayerTransform.document).then(.translation(x, y, 0))
  }
}

/// The number without what subtractions of floating point leave behind.
func tidy(_ value: Double) -> Double {
  let rounded = (value * 1e6).rounded() / 1e6
  return abs(rounded - value) < 1e-9 * max(1, abs(value)) ? rounded : value
}
