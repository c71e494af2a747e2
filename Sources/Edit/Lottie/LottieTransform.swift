internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// The transform of a layer, a group of shapes or a repeater.
struct LottieTransform {
  enum Place {
    case point(LottieValue)
    /// Two numbers that change on their own.
    case split(x: LottieValue, y: LottieValue)
  }

  let anchor: LottieValue
  let place: Place
  let scale: LottieValue
  let rotation: LottieValue
  let skew: LottieValue
  let skewAxis: LottieValue
  let opacity: LottieValue
  /// Whether the layer turns with its way.
  let isOriented: Bool

  init(_ node: LottieNode?, _ log: LottieLog, isOriented: Bool = false) throws(LottieFault) {
    anchor = try LottieValue(node?["a"], or: [0, 0], log)
    if let place = node?["p"], place.flag("s") {
      self.place = .split(x: try LottieValue(place["x"], or: [0], log), y: try LottieValue(place["y"], or: [0], log))
    } else {
      place = .point(try LottieValue(node?["p"], or: [0, 0], log))
    }
    scale = try LottieValue(node?["s"], or: [100, 100], log)
    rotation = try LottieValue(node?["r"] ?? node?["rz"], or: [0], log)
    skew = try LottieValue(node?["sk"], or: [0], log)
    skewAxis = try LottieValue(node?["sa"], or: [0], log)
    opacity = try LottieValue(node?["o"], or: [100], log)
    self.isOriented = isOriented
    for key in ["rx", "ry", "or"] {
      guard let turn = node?[key], try LottieValue(turn, or: [0], log).keys.contains(where: { $0.value.contains { $0 != 0 } })
      else { continue }
      log.lose(turn.path, "turns in space are not drawn")
    }
  }

  /// Whether nothing is moved or faded.
  var isIdentity: Bool {
    guard !anchor.isMoving, !scale.isMoving, !rotation.isMoving, !skew.isMoving, !opacity.isMoving,
      case .point(let place) = place, !place.isMoving
    else { return false }
    return scale.first.prefix(2) == [100, 100] && rotation.first[0] == 0 && skew.first[0] == 0 && opacity.first[0] == 100
      && Array(place.first.prefix(2)) == Array(anchor.first.prefix(2))
  }

  /// The map at a frame.
  func map(at frame: Double, times: Double = 1) -> AffineTransform {
    let (anchor, scale) = (anchor.value(at: frame), scale.value(at: frame))
    let place = point(at: frame)
    let axis = skewAxis.value(at: frame)[0]
    return AffineTransform.translation(-anchor[0], -anchor[1])
      .then(.scale(scale[0] / 100, scale[1] / 100))
      .then(Self.skew(skew.value(at: frame)[0], axis))
      .then(.rotation(degrees: rotation.value(at: frame)[0]))
      .then(.translation(place.x, place.y))
  }

  func point(at frame: Double) -> Point {
    switch place {
    case .point(let value):
      let place = value.value(at: frame)
      return Point(place[0], place[1])
    case .split(let x, let y): return Point(x.value(at: frame)[0], y.value(at: frame)[0])
    }
  }

  /// The map, with terms that a document may have. One that leaves nothing to see leaves next to nothing.
  static func lasting(_ map: AffineTransform) -> AffineTransform {
    func bounded(_ term: Double) -> Double {
      term.isFinite ? min(max(term, DocumentLimits.coordinate.lowerBound), DocumentLimits.coordinate.upperBound) : 0
    }
    let map = AffineTransform(bounded(map.a), bounded(map.b), bounded(map.c), bounded(map.d), bounded(map.tx), bounded(map.ty))
    return map.inverse == nil ? AffineTransform(1e-6, 0, 0, 1e-6, map.tx, map.ty) : map
  }

  /// A shear along an axis, as lottie-web has it.
  static func skew(_ degrees: Double, _ axis: Double) -> AffineTransform {
    guard degrees != 0 else { return .identity }
    let (sine, cosine) = Trigonometry.sineAndCosine(degrees: -min(max(degrees, -89), 89))
    return AffineTransform.rotation(degrees: axis).then(AffineTransform(1, 0, sine / cosine, 1, 0, 0))
      .then(.rotation(degrees: -axis))
  }
}

extension LottieTransform {
  /// The side of the rectangle of a layer that has no size of its own. It only says in which unit the anchor point is written.
  static let plane = Rect(0, 0, 1_000, 1_000)

  /// A layer that lays others out by this transform.
  func layer(_ held: [Layer], _ clock: LottieClock, _ log: LottieLog) -> Layer {
    var (held, anchorPoint) = (held, Point.zero)
    let first = anchor.first
    let share = Point(first[0] / Self.plane.width, first[1] / Self.plane.height)
    let isNear = [share.x, share.y].allSatisfy { DocumentLimits.overshoot.contains($0) }
    if !anchor.isMoving, isNear {
      anchorPoint = share
    } else {
      let moved = clock.point(Self.straight(anchor, log, "an anchor point moves along lines")) { Self.bounded(-$0) }
      held = [
        Layer(content: nil, geometry: LayerGeometry(frame: Self.plane, anchorPoint: .zero, position: moved), sublayers: held)
      ]
    }
    let factors = clock.point(scale) {
      min(max($0 / 100, DocumentLimits.layerScale.lowerBound), DocumentLimits.layerScale.upperBound)
    }
    let isSkewed = skew.isMoving || skew.first[0] != 0
    if isSkewed {
      // A shear stands between the scale and the turn.
      let inner = LayerGeometry(
        frame: Self.plane, anchorPoint: anchorPoint, position: Envelope(constant: .zero), scale: factors,
        transform: shear(clock, log))
      held = [Layer(content: nil, geometry: inner, sublayers: held)]
      anchorPoint = .zero
    }
    var geometry = LayerGeometry(
      frame: Self.plane, anchorPoint: anchorPoint, scale: isSkewed ? Envelope() : factors,
      rotation: clock.scalar(rotation) { min(max($0, DocumentLimits.rotation.lowerBound), DocumentLimits.rotation.upperBound) })
    lay(&geometry, clock, log)
    return Layer(
      content: nil, geometry: geometry, opacity: clock.scalar(opacity) { min(max($0 / 100, 0), 1) }, sublayers: held)
  }

  private func shear(_ clock: LottieClock, _ log: LottieLog) -> Envelope<AffineTransform> {
    guard skew.isMoving || skewAxis.isMoving else {
      return Envelope(constant: Self.skew(skew.first[0], skewAxis.first[0]))
    }
    log.approximate(skew.path, "a shear that changes is computed for each frame of the file, and changes evenly between")
    return clock.sampled([skew, skewAxis]) { frame in
      Self.skew(skew.value(at: frame)[0], skewAxis.value(at: frame)[0])
    }
  }

  /// Gives a layer its place.
  private func lay(_ geometry: inout LayerGeometry, _ clock: LottieClock, _ log: LottieLog) {
    switch place {
    case .split(let x, let y):
      if isOriented { log.lose(x.path, "a layer whose place is split into two numbers does not turn with its way") }
      geometry.position = clock.sum(clock.scalar(x, 0, Self.bounded), clock.scalar(y, 0, Self.bounded))
    case .point(let value):
      if isOriented || value.hasWay, let way = Self.way(value, clock, rotates: isOriented) {
        geometry.motionPath = way
      } else {
        geometry.position = clock.point(
          Self.straight(value, log, "a way of more than 1000 curves is made of lines"), Self.bounded)
      }
    }
    // A place that is left out is that of the frame, whose anchor point it is.
    if geometry.position.keyframes.isEmpty, geometry.motionPath == nil { geometry.position = Envelope(constant: .zero) }
  }

  private static func bounded(_ value: Double) -> Double {
    min(max(value, DocumentLimits.coordinate.lowerBound), DocumentLimits.coordinate.upperBound)
  }

  /// The value without its way.
  private static func straight(_ value: LottieValue, _ log: LottieLog, _ words: String) -> LottieValue {
    guard value.hasWay else { return value }
    log.approximate(value.path, words)
    var straight = value
    for index in straight.keys.indices { straight.keys[index].tangents = nil }
    return straight
  }

  /// The way of a place that moves along curves; nil where it does not move, or where there are too many.
  private static func way(_ value: LottieValue, _ clock: LottieClock, rotates: Bool) -> MotionPath? {
    guard value.keys.count > 1, value.keys.count < DocumentLimits.motionPathElements else { return nil }
    func point(_ key: LottieValue.Key) -> Point { Point(bounded(key.value[0]), bounded(key.value[1])) }
    var (elements, lengths) = ([VectorPath.Element.move(point(value.keys[0]))], [0.0])
    for (here, next) in zip(value.keys, value.keys.dropFirst()) {
      let (from, to) = (point(here), point(next))
      let tangents = here.tangents ?? (.zero, .zero)
      let (first, second) = (
        Point(bounded(from.x + tangents.out.x), bounded(from.y + tangents.out.y)),
        Point(bounded(to.x + tangents.into.x), bounded(to.y + tangents.into.y))
      )
      let isLine = here.tangents == nil || here.holds
      let length = PathPiece(isLine ? [from, to] : [from, first, second, to]).length
      if length > 0 { elements.append(isLine ? .line(to) : .curve(first, second, to: to)) }
      lengths.append(lengths[lengths.count - 1] + length)
    }
    guard let whole = lengths.last, whole > 0 else { return nil }
    var shares = value
    for index in shares.keys.indices {
      shares.keys[index].value = [min(lengths[index] / whole, 1)]
      // A way is one: its first easing counts.
      shares.keys[index].easings = [shares.keys[index].easings[0]]
    }
    return MotionPath(VectorPath(elements), progress: clock.envelope(shares) { $0[0] }, rotates: rotates)
  }
}

extension LottieClock {
  /// A value that is computed for each frame at which one of some properties moves, and changes evenly between.
  func sampled<Value>(_ values: [LottieValue], _ make: (Double) -> Value) -> Envelope<Value> {
    let moving = values.filter(\.isMoving).flatMap(\.keys).map(\.frame)
    guard let first = moving.min(), let last = moving.max(), last > first else {
      return Envelope(constant: make(values.first?.keys[0].frame ?? 0))
    }
    // A very long one is computed less often.
    let step = max(1, ((last - first) / Self.mostSamples).rounded(.up))
    var marks = stride(from: first, to: last, by: step).map { $0 } + [last]
    // Where a value jumps, that of just before counts up to there.
    let jumps = values.flatMap { value in
      value.keys.indices.dropFirst().filter { value.keys[$0 - 1].holds || value.keys[$0 - 1].frame == value.keys[$0].frame }
        .map { value.keys[$0].frame }
    }
    marks += jumps
    var frames: [Envelope<Value>.Keyframe] = []
    let jumping = Set(jumps)
    for mark in Set(marks).sorted() {
      if jumping.contains(mark), mark > first {
        frames.append(.init(time(mark), make(mark - 0.001)))
      }
      frames.append(.init(time(mark), make(mark)))
    }
    return Self.thinned(frames)
  }

  /// The number of values that are computed where some properties move, at most.
  func samples(of values: [LottieValue]) -> Int {
    let keys = values.filter(\.isMoving).flatMap(\.keys)
    guard let first = keys.map(\.frame).min(), let last = keys.map(\.frame).max() else { return 1 }
    return Int(min(last - first, Self.mostSamples)) + 2 + keys.count
  }

  /// The most values that are computed of one property.
  private static let mostSamples = 2_000.0

  /// The keyframes without those that say nothing.
  private static func thinned<Value>(_ frames: [Envelope<Value>.Keyframe]) -> Envelope<Value> {
    var kept: [Envelope<Value>.Keyframe] = []
    for frame in frames {
      if kept.count > 1, kept[kept.count - 1].value == frame.value, kept[kept.count - 2].value == frame.value {
        kept.removeLast()
      }
      if kept.count > 1, kept[kept.count - 1].time == frame.time, kept[kept.count - 2].time == frame.time { kept.removeLast() }
      kept.append(frame)
    }
    if let first = kept.first, kept.allSatisfy({ $0.value == first.value }) { return Envelope(constant: first.value) }
    return Envelope(kept)
  }
}
