internal import Formats
internal import MediaTime
internal import Timeline

/// The maps of a layer about its anchor point, in Core Animation's coordinates: first a scale, then turns about x, y and z in degrees,
/// then a map of the plane, last one of space.
struct LocalMotion {
  var scale = Envelope<Point>()
  var rotationX = Envelope<Double>()
  var rotationY = Envelope<Double>()
  var rotationZ = Envelope<Double>()
  var flat = Envelope(constant: Formats.AffineTransform.identity)
  var deep = Envelope(constant: Transform3D.identity)
}

extension LayerAnimations {
  /// The layer's position over time; without keyframes where it does not change.
  func position() throws(AVError) -> Envelope<Point> {
    try without { $0.route != nil }.point("position", layer.position) { (value) throws(AVError) in
      guard let point = value as? CGPoint else { throw Self.unknown(value, "position") }
      return Point(Double(point.x), Double(point.y))
    }
  }

  /// The anchor point over time, as a share of the layer's size; without keyframes where it does not change.
  func anchor() throws(AVError) -> Envelope<Point> {
    try point("anchorPoint", layer.anchorPoint) { (value) throws(AVError) in
      guard let point = value as? CGPoint else { throw Self.unknown(value, "anchorPoint") }
      return Point(Double(point.x), Double(point.y))
    }
  }

  private func point(
    _ key: String, _ model: CGPoint, _ convert: (Any) throws(AVError) -> Point
  ) throws(AVError) -> Envelope<Point> {
    let axes = ["\(key).x", "\(key).y"]
    guard changesAny(axes) else { return changes(key) ? try envelope([key], try convert(model), convert) : Envelope() }
    guard !changes(key) else { throw unsaid("\(key) and one of its axes change") }
    let x = try numbers([axes[0]], Double(model.x))
    let y = try numbers([axes[1]], Double(model.y))
    return try merged(x, y, axes) { Point($0, $1) }
  }

  /// The numbers of a property over time.
  func numbers(_ keys: [String], _ model: Double) throws(AVError) -> Envelope<Double> {
    try envelope(keys, model) { (value) throws(AVError) in try Self.number(value, keys[0]) }
  }

  /// A share of one over time.
  func share(_ key: String, _ model: Double) throws(AVError) -> Envelope<Double> {
    try numbers([key], model).shares { unsaid("\(key) \($0)") }
  }

  /// Whether the layer is hidden over time; without keyframes where it never is.
  func hidden() throws(AVError) -> Envelope<Bool> {
    let shares = try numbers(["hidden"], layer.isHidden ? 1 : 0)
    for (one, next) in zip(shares.keyframes, shares.keyframes.dropFirst())
    where !one.holds && one.time < next.time && one.value != next.value {
      throw unsaid("'hidden' has nothing between its values: animate it with calculationMode discrete, or between equal values")
    }
    return Envelope(shares.keyframes.map { .init($0.time, $0.value != 0, holds: true) }).held(neutral: false)
  }

  // MARK: - Sizes

  private static let sizeKeys = ["bounds", "bounds.size", "bounds.size.width", "bounds.size.height"]

  /// Whether the layer's size changes.
  var changeSize: Bool { changesAny(Self.sizeKeys) }

  /// The layer's sizes over time; without keyframes where it keeps its own.
  ///
  /// - Parameter isDown: whether y grows downwards in the layer's own coordinates.
  func bounds(isDown: Bool) throws(AVError) -> Envelope<Point> {
    let (width, height) = ("bounds.size.width", "bounds.size.height")
    let whole = ["bounds", "bounds.size"]
    let own = Point(Double(layer.bounds.width), Double(layer.bounds.height))
    guard changeSize else { return Envelope() }
    let sizes: Envelope<Point>
    if changesAny([width, height]) {
      guard !changesAny(whole) else { throw unsaid("bounds and one of their sides change") }
      sizes = try merged(try numbers([width], own.x), try numbers([height], own.y), [width, height]) { Point($0, $1) }
    } else {
      sizes = try envelope(whole, own) { (value) throws(AVError) in try self.size(value) }
    }
    try requireFollowing(isDown: isDown || sizes.keyframes.allSatisfy { $0.value.y == own.y })
    return sizes.map { Point(max($0.x, 0), max($0.y, 0)) }
  }

  private func size(_ value: Any) throws(AVError) -> Point {
    switch value {
    case let size as CGSize: return Point(Double(size.width), Double(size.height))
    case let rect as CGRect:
      guard rect.origin == layer.bounds.origin else { throw unsaid("animations of the origin of 'bounds' are not made") }
      return Point(Double(rect.width), Double(rect.height))
    default: throw Self.unknown(value, "bounds")
    }
  }

  /// Refuses a layer of which something does not follow its size here as in Core Animation.
  ///
  /// - Parameter isDown: whether places on the layer keep their distance from its top.
  private func requireFollowing(isDown: Bool) throws(AVError) {
    guard !layer.isDrawnByCode, (layer as? CATextLayer)?.isDrawn != true else {
      throw unsaid("bounds change, and what code or attributes of a text draw is drawn once: animate transform.scale")
    }
    let showsPicture = layer.contents != nil || changes("contents") || changes(Self.transition)
    let isKept = layer.contentsGravity == .resize || layer.contentsGravity == .resizeAspect || layer.masksToBounds
    guard !showsPicture || isKept else {
      throw unsaid("bounds change, and the picture may go beyond them: masksToBounds must be true, or contentsGravity resize")
    }
    guard isDown || !(layer is CAShapeLayer) && layer.shadowPath == nil else {
      throw unsaid("the height changes, and paths count from the bottom: let isGeometryFlipped make them count from the top")
    }
  }

  private static let transition = AnimationRun.transitionKey

  // MARK: - Transforms

  private static let scaleKeys = ["transform.scale", "transform.scale.xy", "transform.scale.x", "transform.scale.y"]
  private static let turnKeys = ["transform.rotation", "transform.rotation.z", "transform.rotation.x", "transform.rotation.y"]
  private static let moveKeys = ["transform.translation", "transform.translation.x", "transform.translation.y"]

  /// The layer's transform over time.
  func motion() throws(AVError) -> LocalMotion {
    let changesPart = changesAny(Self.scaleKeys + Self.turnKeys + Self.moveKeys)
    var motion = LocalMotion()
    if changesPart {
      guard !changes("transform") else { throw unsaid("a part of transform changes where transform changes, too") }
      motion = try partMotion()
    } else {
      motion.deep = try changes("transform") ? wholeMotion() : Envelope(constant: layer.transform.document)
    }
    guard layer.anchorPointZ == 0 else { throw unsaid("anchorPointZ other than 0 is not made") }
    return motion
  }

  /// The transform of which parts change. Those that do not are the layer's own.
  private func partMotion() throws(AVError) -> LocalMotion {
    guard let parts = TransformParts(layer.transform), let angles = parts.angles, parts.translation.z == 0 else {
      throw unsaid("a part of transform changes, and the layer's own transform shears, mirrors or turns about a slanted axis")
    }
    var motion = LocalMotion()
    let own = Point(parts.scale.x, parts.scale.y)
    motion.scale = try scale(own)
    func degrees(_ keys: [String], _ model: Double) throws(AVError) -> Envelope<Double> {
      try numbers(keys, model).map { tidy($0 * 180 / .pi) }
    }
    motion.rotationZ = try degrees(["transform.rotation", "transform.rotation.z"], angles.z)
    motion.rotationX = try degrees(["transform.rotation.x"], angles.x)
    motion.rotationY = try degrees(["transform.rotation.y"], angles.y)
    let turns = [motion.rotationX, motion.rotationY, motion.rotationZ].filter { $0.constant != 0 }
    guard turns.count < 2 else { throw unsaid("transform turns about more than one axis, in an order that nothing says") }
    motion.flat = try translation(parts.translation).map { .translation($0.x, $0.y) }
    if parts.perspective != 0 {
      var view = CATransform3DIdentity
      view.m34 = parts.perspective
      motion.deep = Envelope(constant: view.document)
    }
    return motion
  }

  private func translation(_ own: SIMD3<Double>) throws(AVError) -> Envelope<Point> {
    try point("transform.translation", CGPoint(x: own.x, y: own.y)) { (value) throws(AVError) in
      switch value {
      case let move as CGSize: return Point(Double(move.width), Double(move.height))
      case let move as CGPoint: return Point(Double(move.x), Double(move.y))
      default: throw Self.unknown(value, "transform.translation")
      }
    }.heldOr(Point(own.x, own.y))
  }

  private func scale(_ own: Point) throws(AVError) -> Envelope<Point> {
    let (both, axes) = (["transform.scale", "transform.scale.xy"], ["transform.scale.x", "transform.scale.y"])
    guard changesAny(axes) else {
      return try envelope(both, own) { (value) throws(AVError) in
        let factor = try Self.number(value, both[0])
        return Point(factor, factor)
      }
    }
    guard !changesAny(both) else { throw unsaid("transform.scale and one of its axes change") }
    return try merged(try numbers([axes[0]], own.x), try numbers([axes[1]], own.y), axes) { Point($0, $1) }
  }

  /// The transform that changes as a whole.
  private func wholeMotion() throws(AVError) -> Envelope<Transform3D> {
    func map(_ value: Any) throws(AVError) -> CATransform3D {
      guard let map = value as? CATransform3D ?? (value as? CGAffineTransform).map(CATransform3DMakeAffineTransform) else {
        throw Self.unknown(value, "transform")
      }
      guard map.terms.allSatisfy(\.isFinite) else { throw Self.unknown(value, "transform") }
      return map
    }
    if runs.contains(where: { $0.key == "transform" && $0.isAdditive }) { return try concatenatedMotion(map) }
    var isTermwise = true
    for run in runs where run.key == "transform" {
      for (one, other) in zip(run.frames, run.frames.dropFirst()) where !one.holds && one.time < other.time {
        let (from, to) = (try map(one.value), try map(other.value))
        if !from.isTermwise(to: to) { isTermwise = false }
      }
    }
    guard !isTermwise else {
      return try envelope(["transform"], layer.transform.document) { (value) throws(AVError) in try map(value).document }
    }
    return try turningMotion(map)
  }

  /// The transform to which others are added: each is concatenated to those before it, in the order in which they were added.
  private func concatenatedMotion(_ map: (Any) throws(AVError) -> CATransform3D) throws(AVError) -> Envelope<Transform3D> {
    let own = runs.filter { $0.key == "transform" }
    var curves: [TransformCurve] = []
    for run in own {
      var isTermwise = true
      for (one, other) in zip(run.frames, run.frames.dropFirst()) where !one.holds && one.time < other.time {
        if !(try map(one.value)).isTermwise(to: try map(other.value)) { isTermwise = false }
      }
      if isTermwise {
        curves.append(.termwise(try AnimationCurve(run) { (value) throws(AVError) in try map(value).document }))
      } else {
        curves.append(.turning(try AnimationCurve(run) { (value) throws(AVError) in try parts(try map(value)) }))
      }
    }
    return try sampled(["transform"]) { (moment) throws(AVError) in
      var sum = layer.transform.document
      for (run, curve) in zip(own, curves) where run.holds(from: moment) {
        let value = try timed(name) { () throws(TimeError) in try curve.value(at: min(moment, run.end)) }
        sum = run.isAdditive ? sum.then(value) : value
      }
      return sum
    }
  }

  private func parts(_ map: CATransform3D) throws(AVError) -> TransformParts {
    guard let parts = TransformParts(map) else {
      throw unsaid("an animation of 'transform' turns a map that shears, mirrors, or has another perspective than m34")
    }
    return parts
  }

  /// The transform that turns as a whole, by the parts of its values.
  private func turningMotion(_ map: (Any) throws(AVError) -> CATransform3D) throws(AVError) -> Envelope<Transform3D> {
    for run in runs where run.key == "transform" {
      for (one, other) in zip(run.frames, run.frames.dropFirst()) where !one.holds && one.time < other.time {
        let (from, to) = (try parts(try map(one.value)), try parts(try map(other.value)))
        guard !from.isOpposite(to: to) else {
          throw unsaid("an animation of 'transform' turns by half a turn, either way: animate transform.rotation")
        }
      }
    }
    let turning = try envelope(["transform"], try parts(layer.transform)) { (value) throws(AVError) in
      try parts(try map(value))
    }
    return try sampled(["transform"]) { (moment) throws(AVError) in
      try timed(name) { () throws(TimeError) in try turning.seen(at: moment).matrix }
    }
  }
}

/// The transforms of an animation over time: term by term, or by their parts.
private enum TransformCurve {
  case termwise(AnimationCurve<Transform3D>)
  case turning(AnimationCurve<TransformParts>)

  func value(at time: MediaTime) throws(TimeError) -> Transform3D {
    switch self {
    case .termwise(let curve): try curve.value(at: time)
    case .turning(let curve): try curve.value(at: time).matrix
    }
  }
}

extension Envelope {
  /// The envelope, or one of this value where it has no keyframes.
  func heldOr(_ value: Value) -> Envelope { keyframes.isEmpty ? Envelope(constant: value) : self }
}
