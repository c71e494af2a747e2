internal import Formats
internal import MediaTime
internal import Timeline

extension Lowering {
  /// The outline of a shape layer. One that changes is made of layers on this one.
  func content(
    of layer: CAShapeLayer, isDown: Bool, _ animations: LayerAnimations, _ name: String
  ) throws(AVError) -> Layer.Content? {
    guard let path = layer.path, !animations.changes("path") else { return nil }
    return try shape(layer, Space(parent: layer.laidBounds, isDown: isDown).path(path), animations, name)
  }

  /// A shape layer's look with an outline; nil where nothing is seen of it.
  private func shape(
    _ layer: CAShapeLayer, _ outline: VectorPath, _ animations: LayerAnimations, _ name: String
  ) throws(AVError) -> Layer.Content? {
    guard !outline.elements.isEmpty else { return nil }
    guard layer.miterLimit == 10 else { throw unsaid("\(name).miterLimit", "must be 10") }
    let clear = RGBAColor(0, 0, 0, alpha: 0)
    func paint(_ key: String, _ own: CGColor?) throws(AVError) -> Envelope<RGBAColor> {
      guard own != nil || animations.changes(key) else { return Envelope() }
      return try animations.colors([key], try own.map { (value) throws(AVError) in try color(value, "\(name).\(key)") } ?? clear)
    }
    let (fill, stroke) = (try paint("fillColor", layer.fillColor), try paint("strokeColor", layer.strokeColor))
    guard !fill.keyframes.isEmpty || !stroke.keyframes.isEmpty else { return nil }
    let width = try animations.numbers(["lineWidth"], try number(layer.lineWidth, "\(name).lineWidth"))
    let phase = try animations.numbers(["lineDashPhase"], try number(layer.lineDashPhase, "\(name).lineDashPhase"))
    let cap: ShapeContent.LineCap = layer.lineCap == .round ? .round : layer.lineCap == .square ? .square : .butt
    let join: ShapeContent.LineJoin = layer.lineJoin == .round ? .round : layer.lineJoin == .bevel ? .bevel : .miter
    var shape = ShapeContent(
      outline: .path(outline), fillColor: fill.keyframes.first?.value, fillRule: layer.fillRule == .evenOdd ? .evenOdd : .nonZero,
      strokeColor: stroke.keyframes.first?.value, lineWidth: width.keyframes.first?.value ?? 1, lineCap: cap, lineJoin: join,
      dash: (layer.lineDashPattern ?? []).map(\.doubleValue), dashPhase: phase.keyframes.first?.value ?? 0,
      strokeStart: try animations.share("strokeStart", Double(layer.strokeStart)),
      strokeEnd: try animations.share("strokeEnd", Double(layer.strokeEnd)))
    if fill.keyframes.count > 1 { shape.motion.fillColor = fill }
    if stroke.keyframes.count > 1 { shape.motion.strokeColor = stroke }
    if width.keyframes.count > 1 { shape.motion.lineWidth = width }
    if phase.keyframes.count > 1 { shape.motion.dashPhase = phase }
    return .shape(shape)
  }

  /// The outlines of an animation of `path`, each on a layer of its own, for as long as it is seen.
  func outlines(
    of layer: CAShapeLayer, isDown: Bool, _ animations: LayerAnimations, _ name: String
  ) throws(AVError) -> [Layer] {
    guard animations.changes("path") else { return [] }
    let space = Space(parent: layer.laidBounds, isDown: isDown)
    func outline(_ value: Any) throws(AVError) -> Outline {
      guard let path = value as? CGPath else { throw LayerAnimations.unknown(value, "\(name).path") }
      return Outline(space.path(path))
    }
    let own = Outline(layer.path.map(space.path) ?? VectorPath([]))
    for run in animations.runs where run.key == "path" {
      for (one, other) in zip(run.frames, run.frames.dropFirst()) where !one.holds && one.time < other.time {
        guard try outline(one.value).isOfKind(of: try outline(other.value)) else {
          throw unsaid("\(name).path", "paths pass into each other where they have the same lines and curves in the same order")
        }
      }
    }
    var steps = try animations.envelope(["path"], own, outline)
    let isStill = zip(steps.keyframes, steps.keyframes.dropFirst()).allSatisfy {
      $0.holds || $0.time == $1.time || $0.value == $1.value
    }
    if !isStill {
      steps = try animations.sampled(["path"]) { (moment) throws(AVError) in
        try timed(name) { () throws(TimeError) in try steps.seen(at: moment) }
      }
    }
    guard steps.keyframes.count <= Self.mostOutlines else {
      throw unsaid("\(name).path", "changes in \(steps.keyframes.count) frames; at most \(Self.mostOutlines) are made")
    }
    let frame = Rect(0, 0, Double(layer.laidBounds.width), Double(layer.laidBounds.height))
    var made: [Layer] = []
    for (index, step) in steps.keyframes.enumerated() {
      let start = index == 0 ? .zero : step.time
      let end = index + 1 < steps.keyframes.count ? steps.keyframes[index + 1].time : animations.time.end
      guard start < end, let content = try shape(layer, step.value.path, animations, name) else { continue }
      let range = try timed(name) { () throws(TimeError) in try MediaTimeRange(start: start, end: end) }
      made.append(Layer(content: content, geometry: LayerGeometry(frame: frame), timeRange: range))
    }
    return made
  }

  /// The most outlines that a layer shows one after the other. Each is a layer.
  private static let mostOutlines = 2_000

  // MARK: - Gradients

  func content(
    of layer: CAGradientLayer, isDown: Bool, _ animations: LayerAnimations, _ name: String
  ) throws(AVError) -> Layer.Content? {
    guard let colors = layer.colors, !colors.isEmpty || animations.changes("colors") else { return nil }
    guard colors.count > 1 else { throw unsaid("\(name).colors", "must be two or more") }
    guard layer.locations.map({ $0.count == colors.count }) ?? true else {
      throw unsaid("\(name).locations", "must be as many as the colors")
    }
    // Colours go round as angles grow: clockwise where y grows downwards, and the other way where it grows upwards.
    let isReversed = layer.type == .conic && !isDown
    func stops(_ value: Any) throws(AVError) -> [GradientContent.Stop] {
      guard let given = value as? [Any], given.count == colors.count else {
        throw unsaid("\(name).colors", "animations have as many colours as the layer")
      }
      var stops: [GradientContent.Stop] = []
      for (index, value) in given.enumerated() {
        let place = layer.locations.map { $0[index].doubleValue } ?? Double(index) / Double(colors.count - 1)
        stops.append(.init(isReversed ? 1 - place : place, try LayerAnimations.color(value, "\(name).colors[\(index)]")))
      }
      return isReversed ? stops.reversed() : stops
    }
    let moving = try animations.envelope(["colors"], try stops(colors), stops)
    let kind: GradientContent.Kind = layer.type == .radial ? .radial : layer.type == .conic ? .conic : .linear
    let space = Space(parent: layer.laidBounds, isDown: isDown)
    guard let first = moving.keyframes.first?.value else { return nil }
    var gradient = GradientContent(
      kind, stops: first, start: space.anchor(layer.startPoint), end: space.anchor(layer.endPoint))
    if moving.keyframes.count > 1 { gradient.motion = moving }
    gradient.course = try course(of: layer, gradient, in: space, isReversed: isReversed, animations, name)
    return .gradient(gradient)
  }

  /// The way in which a gradient's places, start and end move.
  private func course(
    of layer: CAGradientLayer, _ gradient: GradientContent, in space: Space, isReversed: Bool, _ animations: LayerAnimations,
    _ name: String
  ) throws(AVError) -> GradientContent.Course {
    var course = GradientContent.Course()
    if animations.changes("locations") {
      course.locations = try animations.envelope(["locations"], gradient.stops.map(\.location)) { (value) throws(AVError) in
        guard let places = (value as? [NSNumber])?.map(\.doubleValue) ?? value as? [Double], places.count == gradient.stops.count,
          zip(places, places.dropFirst()).allSatisfy({ $0 <= $1 })
        else { throw unsaid("\(name).locations", "animations have as many places as the layer has colors, and never fall") }
        return isReversed ? places.reversed().map { 1 - $0 } : places
      }
    }
    func end(_ key: String, _ model: Point) throws(AVError) -> Envelope<Point> {
      guard animations.changes(key) else { return Envelope() }
      return try animations.envelope([key], model) { (value) throws(AVError) in
        guard let point = value as? CGPoint else { throw LayerAnimations.unknown(value, key) }
        return space.anchor(point)
      }
    }
    (course.start, course.end) = (try end("startPoint", gradient.start), try end("endPoint", gradient.end))
    return course
  }
}

/// An outline that passes into others of the same kind, point by point.
private struct Outline: Interpolable {
  var path: VectorPath

  init(_ path: VectorPath) { self.path = path }

  /// Whether the outline has the same kinds of parts as another one.
  func isOfKind(of other: Outline) -> Bool {
    path.elements.count == other.path.elements.count
      && zip(path.elements, other.path.elements).allSatisfy { $0.pointCount == $1.pointCount && $0.isMove == $1.isMove }
  }

  func interpolated(to other: Outline, progress: Double) -> Outline {
    func between(_ one: Point, _ other: Point) -> Point { one.interpolated(to: other, progress: progress) }
    return Outline(
      VectorPath(
        zip(path.elements, other.path.elements).map { one, other in
          switch (one, other) {
          case (.move(let a), .move(let b)): .move(between(a, b))
          case (.line(let a), .line(let b)): .line(between(a, b))
          case (.curve(let a, let b, let c), .curve(let d, let e, let f)): .curve(between(a, d), between(b, e), to: between(c, f))
          default: one
          }
        }))
  }

  func distance(to other: Outline) -> Double { self == other ? 0 : 1 }
}

extension VectorPath.Element {
  fileprivate var pointCount: Int {
    switch self {
    case .move, .line: 1
    case .curve: 3
    case .close: 0
    }
  }
  fileprivate var isMove: Bool { if case .move = self { true } else { false } }
}
