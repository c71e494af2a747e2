internal import Formats
internal import JSON
internal import Timeline

/// The colours of a gradient, and the points between which they lie.
struct LottieGradient {
  private let isRadial: Bool
  private let start: LottieValue
  private let end: LottieValue
  private let colors: LottieValue
  /// The number of colours; what follows them is their opacity.
  private let count: Int
  /// The places at which there is a colour.
  private let places: [Double]

  init(_ node: LottieNode, _ log: LottieLog) throws(LottieFault) {
    isRadial = try node.integer("t") == 2
    start = try LottieValue(node["s"], or: [0, 0], log).map(Self.near)
    end = try LottieValue(node["e"], or: [0, 0], log).map(Self.near)
    colors = try LottieValue(node["g"]?["k"], or: [], log)
    let count = try node["g"]?.integer("p") ?? colors.first.count / 4
    guard count > 0, colors.keys.allSatisfy({ $0.value.count >= count * 4 }) else {
      throw node.fault("a gradient of \(count) colours needs four numbers for each")
    }
    self.count = count
    let all = Set(Self.stops(colors.first, count).map(\.0) + Self.opacities(colors.first, count).map(\.0)).sorted()
    places = Array((all.count < 2 ? [0, 1] : all).prefix(DocumentLimits.gradientStops))
    if all.count > DocumentLimits.gradientStops {
      log.approximate(node.path["g"], "only \(DocumentLimits.gradientStops) colours of a gradient count")
    }
    let moved = colors.keys.contains { key in Self.stops(key.value, count).map(\.0) != Self.stops(colors.first, count).map(\.0) }
    if moved { log.approximate(node.path["g"], "the places of a gradient's colours stay where they are first") }
    if isRadial {
      let highlight = try LottieValue(node["h"], or: [0], log)
      if highlight.keys.contains(where: { $0.value[0] != 0 }) {
        log.approximate(node.path["h"], "the middle of a radial gradient is not moved to its highlight")
      }
    }
  }

  /// The coordinates of an end. One that is far away is nearer.
  private static func near(_ numbers: [Double]) -> [Double] { numbers.map { min(max($0, -100_000), 100_000) } }

  private static func place(_ value: Double) -> Double { min(max(value, 0), 1) }

  private static func stops(_ numbers: [Double], _ count: Int) -> [(Double, [Double])] {
    (0..<count).map { (place(numbers[$0 * 4]), Array(numbers[($0 * 4 + 1)..<($0 * 4 + 4)])) }
  }

  private static func opacities(_ numbers: [Double], _ count: Int) -> [(Double, [Double])] {
    stride(from: count * 4, to: numbers.count - 1, by: 2).map { (place(numbers[$0]), [numbers[$0 + 1]]) }
  }

  /// The numbers at a place between those of a list.
  private static func numbers(at place: Double, _ list: [(Double, [Double])]) -> [Double]? {
    guard let first = list.first, let last = list.last else { return nil }
    guard let next = list.firstIndex(where: { $0.0 > place }) else { return last.1 }
    guard next > 0 else { return first.1 }
    let (from, to) = (list[next - 1], list[next])
    return from.1.interpolated(to: to.1, progress: (place - from.0) / (to.0 - from.0))
  }

  private func stops(_ numbers: [Double]) -> [GradientContent.Stop] {
    let (colors, opacities) = (Self.stops(numbers, count), Self.opacities(numbers, count))
    return places.map { place in
      let rgb = (Self.numbers(at: place, colors) ?? [0, 0, 0]).map(Self.place)
      let alpha = Self.numbers(at: place, opacities).map { Self.place($0[0]) } ?? 1
      return GradientContent.Stop(place, RGBAColor(rgb[0], rgb[1], rgb[2], alpha: alpha))
    }
  }

  /// The layer that shows the gradient wherever it is seen.
  ///
  /// - Parameter rect: the place of what shows it.
  func layer(covering rect: Rect, _ clock: LottieClock) -> Layer {
    let motion = colors.isUniform ? clock.envelope(colors, stops) : clock.sampled([colors]) { stops(colors.value(at: $0)) }
    let (from, to) = (Point(start.first[0], start.first[1]), Point(end.first[0], end.first[1]))
    if !start.isMoving, !end.isMoving {
      guard from != to else { return plain(motion.first.last, rect) }
      return still(from: from, to: to, in: rect, motion: motion)
    }
    return moving(rect, motion, clock)
  }

  /// The last colour everywhere.
  private func plain(_ stop: GradientContent.Stop?, _ rect: Rect) -> Layer {
    Layer(
      content: nil, geometry: LayerGeometry(frame: rect),
      style: LayerStyle(backgroundColor: Envelope(constant: stop?.color ?? .black)))
  }

  private func content(_ start: Point, _ end: Point, _ motion: Envelope<[GradientContent.Stop]>) -> Layer.Content {
    var gradient = GradientContent(isRadial ? .radial : .linear, stops: motion.first, start: start, end: end)
    if !motion.isSteady { gradient.motion = motion }
    return .gradient(gradient)
  }

  private func still(from: Point, to: Point, in rect: Rect, motion: Envelope<[GradientContent.Stop]>) -> Layer {
    let radius = from.distance(to: to)
    let end = isRadial ? Point(from.x + radius, from.y + radius) : to
    // The ends lie near enough to the rectangle to be written as shares of it.
    let (left, top) = (min(rect.x, from.x, end.x), min(rect.y, from.y, end.y))
    let side = max(rect.maxX, from.x, end.x) - left
    let height = max(rect.maxY, from.y, end.y) - top
    let frame = Rect(left, top, max(side, 1), max(height, 1))
    func share(_ point: Point) -> Point { Point((point.x - left) / frame.width, (point.y - top) / frame.height) }
    return Layer(content: content(share(from), share(end), motion), geometry: LayerGeometry(frame: frame))
  }

  /// A gradient of the length 1, laid to where its ends are.
  private func moving(_ rect: Rect, _ motion: Envelope<[GradientContent.Stop]>, _ clock: LottieClock) -> Layer {
    func map(_ from: [Double], _ to: [Double]) -> AffineTransform {
      var way = Point(to[0] - from[0], to[1] - from[1])
      if way.x * way.x + way.y * way.y < 1e-6 { way = Point(0.001, 0) }
      return AffineTransform(way.x, way.y, -way.y, way.x, from[0], from[1])
    }
    let values = [start, end].filter(\.isMoving)
    let maps: Envelope<AffineTransform>
    if values.allSatisfy({ $0.moves(as: values[0]) }) {
      var timing = values[0]
      for index in timing.keys.indices { timing.keys[index].value = [Double(index)] }
      func numbers(_ value: LottieValue, _ index: Double) -> [Double] {
        value.isMoving ? value.keys[Int(index)].value : value.first
      }
      maps = clock.envelope(timing) { map(numbers(start, $0[0]), numbers(end, $0[0])) }
    } else {
      maps = clock.sampled([start, end]) { map(start.value(at: $0), end.value(at: $0)) }
    }
    let lengths = maps.keyframes.map { $0.value.largestStretch }
    let reach = maps.keyframes.map { frame in
      [(rect.x, rect.y), (rect.maxX, rect.y), (rect.x, rect.maxY), (rect.maxX, rect.maxY)]
        .map { Point($0.0, $0.1).distance(to: Point(frame.value.tx, frame.value.ty)) }.max() ?? 0
    }
    let wanted = (reach.max() ?? 1) / max(lengths.min() ?? 1, 0.001) * 1.5
    let half = min(max(wanted, 2), max(1e5 / max(lengths.max() ?? 1, 1), 2))
    let unit = Point(0.5 + 1 / (2 * half), isRadial ? 0.5 + 1 / (2 * half) : 0.5)
    return Layer(
      content: content(LayerGeometry.middle, unit, motion),
      geometry: LayerGeometry(
        frame: Rect(-half, -half, 2 * half, 2 * half), position: Envelope(constant: .zero), transform: maps))
  }
}
