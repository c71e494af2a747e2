internal import Formats
internal import JSON
internal import Timeline

/// An outline of a shape layer or a mask, over time.
struct LottieOutline {
  /// Gives the numbers of a property at a moment.
  typealias Numbers = (LottieValue) -> [Double]

  let path: JSONPath
  /// The properties that decide on it.
  private(set) var values: [LottieValue]
  /// Whether its points move along lines where its properties do.
  private(set) var isLinear: Bool
  private var make: (Numbers) -> LottieBezier
  /// The transforms of the groups between the outline and what paints it, the outermost first.
  var transforms: [LottieTransform] = []
  /// The map of one of the copies that a repeater makes of it.
  var copy = AffineTransform.identity
  var trim: LottieTrim?
  /// The merging with other outlines, for what fills it.
  var merge: LottieMerge?

  /// The rectangle, ellipse, star or path of a shape; nil for anything else.
  init?(_ node: LottieNode, _ log: LottieLog) throws(LottieFault) {
    switch node.text("ty") {
    case "rc": try self.init(rectangle: node, log)
    case "el": try self.init(ellipse: node, log)
    case "sr": try self.init(star: node, log)
    case "sh": try self.init(path: node, node["ks"], log)
    default: return nil
    }
    if try node.integer("d") == 3 { alter { $0.reversed } }
  }

  private init(_ node: LottieNode, _ values: [LottieValue], isLinear: Bool, _ make: @escaping (Numbers) -> LottieBezier) {
    (path, self.values, self.isLinear, self.make) = (node.path, values, isLinear, make)
  }

  private init(rectangle node: LottieNode, _ log: LottieLog) throws(LottieFault) {
    let (place, size) = (try LottieValue(node["p"], or: [0, 0], log), try LottieValue(node["s"], or: [0, 0], log))
    let radius = try LottieValue(node["r"], or: [0], log)
    let isRound = radius.keys.contains { $0.value[0] > 0 }
    self.init(node, [place, size, radius], isLinear: !isRound) { numbers in
      let (place, size) = (numbers(place), numbers(size))
      return .rectangle(Point(place[0], place[1]), size[0], size[1], radius: numbers(radius)[0], isRound: isRound)
    }
  }

  private init(ellipse node: LottieNode, _ log: LottieLog) throws(LottieFault) {
    let (place, size) = (try LottieValue(node["p"], or: [0, 0], log), try LottieValue(node["s"], or: [0, 0], log))
    self.init(node, [place, size], isLinear: true) { numbers in
      let (place, size) = (numbers(place), numbers(size))
      return .ellipse(Point(place[0], place[1]), size[0], size[1])
    }
  }

  private init(star node: LottieNode, _ log: LottieLog) throws(LottieFault) {
    var values: [LottieValue] = []
    for (key, usual) in [("p", [0.0, 0]), ("pt", [5]), ("r", [0]), ("or", [0]), ("os", [0]), ("ir", [0]), ("is", [0])] {
      values.append(try LottieValue(node[key], or: usual, log))
    }
    let isPolygon = try node.integer("sy") == 2
    guard values[1].keys.allSatisfy({ $0.value[0] < 1_000 }) else { throw node.fault("a star has at most 1000 corners") }
    self.init(node, values, isLinear: false) { numbers in
      let all = values.map(numbers)
      return .star(
        Point(all[0][0], all[0][1]),
        LottieBezier.Star(
          count: max(Int(all[1][0]), 0), isPolygon: isPolygon, outerRadius: all[3][0], innerRadius: all[5][0],
          outerRoundness: all[4][0], innerRoundness: all[6][0], rotation: all[2][0]))
    }
  }

  /// Makes the outline of a path's property.
  ///
  /// - Parameter node: the path or the mask. In files of bodymovin before 4.4.18 it says whether its outlines are closed, by `closed` or `cl`.
  init(path node: LottieNode, _ property: LottieNode?, _ log: LottieLog) throws(LottieFault) {
    let isClosed = node.flag("closed") || node.flag("cl")
    var value = try LottieValue(property, or: [], log) { (outline) throws(LottieFault) in
      try Self.numbers(outline, isClosed: isClosed)
    }
    // Outlines of different corners do not pass into each other.
    for index in value.keys.indices.dropLast() where value.keys[index].value.count != value.keys[index + 1].value.count {
      if !value.keys[index].holds {
        log.approximate(value.path, "an outline with other corners than the next stays until that one")
      }
      value.keys[index].holds = true
    }
    self.init(node, [value], isLinear: true) { numbers in Self.bezier(numbers(value)) }
  }

  /// The numbers of an outline: whether it is closed, and for each corner its point and the distances of its control points.
  ///
  /// - Parameter isClosed: whether an outline that does not say so itself is closed.
  private static func numbers(_ node: LottieNode, isClosed: Bool) throws(LottieFault) -> [Double] {
    // A keyframe has its outline in a list.
    let node = node.elements.first ?? node
    guard node.isObject else { throw node.fault("expected an outline, found \(node.value.kind)") }
    let points = try node["v"]?.points ?? []
    let (into, out) = (try node["i"]?.points ?? [], try node["o"]?.points ?? [])
    guard points.count <= DocumentLimits.pathElements / 2 else {
      throw node.fault("has \(points.count) corners; at most \(DocumentLimits.pathElements / 2) are accepted")
    }
    return points.enumerated().reduce(into: [(node["c"] == nil ? isClosed : node.flag("c")) ? 1 : 0]) { numbers, corner in
      let (index, point) = corner
      let (first, second) = (index < into.count ? into[index] : .zero, index < out.count ? out[index] : .zero)
      numbers += [point.x, point.y, first.x, first.y, second.x, second.y]
    }
  }

  private static func bezier(_ numbers: [Double]) -> LottieBezier {
    let corners = stride(from: 1, to: numbers.count - 5, by: 6).map { at in
      let point = Point(numbers[at], numbers[at + 1])
      return LottieBezier.Corner(
        point, into: Point(point.x + numbers[at + 2], point.y + numbers[at + 3]),
        out: Point(point.x + numbers[at + 4], point.y + numbers[at + 5]))
    }
    return LottieBezier(corners: corners, isClosed: numbers.first ?? 0 > 0.5)
  }

  private mutating func alter(_ change: @escaping (LottieBezier) -> LottieBezier) {
    let own = make
    make = { change(own($0)) }
  }

  /// Rounds the outline's corners.
  mutating func round(by radius: LottieValue) {
    let own = make
    make = { numbers in own(numbers).rounded(by: numbers(radius)[0]) }
    values.append(radius)
    isLinear = false
  }

  /// The outline at a moment, in the coordinates of what paints it.
  ///
  /// - Parameter cuts: whether it is trimmed.
  func path(_ numbers: Numbers, cuts: Bool) -> VectorPath {
    let map = transforms.reversed().reduce(copy) { map, transform in map.then(transform.map(numbers)) }
    var path = make(numbers).path
    if cuts, let trim { path = trim.cut(path, numbers) }
    return (map == .identity ? path : path.map { Self.bounded(map.apply($0.x, $0.y)) }).map(Self.bounded)
  }

  private static func bounded(_ point: Point) -> Point {
    func within(_ value: Double) -> Double {
      min(max(value, DocumentLimits.coordinate.lowerBound), DocumentLimits.coordinate.upperBound)
    }
    return Point(within(point.x), within(point.y))
  }

  private static func bounded(_ point: (x: Double, y: Double)) -> Point { bounded(Point(point.x, point.y)) }
}

extension LottieTransform {
  /// The properties that decide on the map.
  var values: [LottieValue] {
    let places: [LottieValue] =
      switch place {
      case .point(let value): [value]
      case .split(let x, let y): [x, y]
      }
    return [anchor, scale, rotation, skew, skewAxis] + places
  }

  /// The map of the numbers of its properties.
  func map(_ numbers: LottieOutline.Numbers) -> AffineTransform {
    let (anchor, scale) = (numbers(anchor), numbers(scale))
    let point =
      switch place {
      case .point(let value): Point(numbers(value)[0], numbers(value)[1])
      case .split(let x, let y): Point(numbers(x)[0], numbers(y)[0])
      }
    return AffineTransform.translation(-anchor[0], -anchor[1])
      .then(.scale(scale[0] / 100, scale[1] / 100))
      .then(Self.skew(numbers(skew)[0], numbers(skewAxis)[0]))
      .then(.rotation(degrees: numbers(rotation)[0]))
      .then(.translation(point.x, point.y))
  }
}

extension LottieClock {
  /// Several outlines as one, over time.
  func outline(
    _ outlines: [LottieOutline], before: [VectorPath.Element] = [], cuts: Bool = false, _ log: LottieLog
  ) throws(LottieFault) -> Envelope<VectorPath> {
    func whole(_ numbers: LottieOutline.Numbers) -> VectorPath {
      VectorPath(before + outlines.flatMap { $0.path(numbers, cuts: cuts).elements })
    }
    let transforms = outlines.flatMap(\.transforms).flatMap(\.values).filter(\.isMoving)
    let trims = cuts ? outlines.compactMap(\.trim).flatMap(\.values).filter(\.isMoving) : []
    let moving = outlines.flatMap(\.values).filter(\.isMoving) + transforms + trims
    let isLinear =
      transforms.isEmpty && (!cuts || outlines.allSatisfy { $0.trim == nil })
      && outlines.allSatisfy { outline in outline.isLinear || !outline.values.contains(where: \.isMoving) }
    // What is made is counted before it is.
    let once = whole { $0.first }.elements.count
    try log.count(
      elements: once * (moving.isEmpty ? 1 : isLinear ? moving[0].keys.count : samples(of: moving)), outlines.first?.path ?? .root
    )
    let envelope: Envelope<VectorPath>
    if let first = moving.first, isLinear, moving.allSatisfy({ $0.moves(as: first) }) {
      var timing = first
      for index in timing.keys.indices { timing.keys[index].value = [Double(index)] }
      envelope = self.envelope(timing) { key in whole { $0.isMoving ? $0.keys[Int(key[0])].value : $0.first } }
    } else {
      envelope = sampled(moving) { frame in whole { $0.value(at: frame) } }
    }
    guard envelope.keyframes.allSatisfy({ $0.value.elements.count <= DocumentLimits.pathElements }) else {
      throw LottieFault(
        path: outlines.first?.path.description ?? "",
        reason: "paints more than \(DocumentLimits.pathElements) lines and curves at once")
    }
    return envelope.holdingBetweenKinds
  }
}

extension LottieValue {
  /// Whether the value moves at the same times and in the same way as another one, along lines.
  func moves(as other: LottieValue) -> Bool {
    isUniform && !hasWay && keys.count == other.keys.count
      && zip(keys, other.keys).allSatisfy { $0.frame == $1.frame && $0.holds == $1.holds && $0.easings == $1.easings }
  }
}

extension Envelope<VectorPath> {
  /// The envelope in which an outline that cannot pass into the next one stays until it.
  fileprivate var holdingBetweenKinds: Envelope<VectorPath> {
    guard keyframes.count > 1 else { return self }
    return Envelope(
      zip(keyframes, keyframes.dropFirst().map(\.value) + [keyframes[keyframes.count - 1].value]).map { here, next in
        here.value.isOfKind(of: next) ? here : .init(here.time, here.value, holds: true)
      })
  }
}
