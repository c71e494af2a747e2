internal import Formats
internal import JSON
internal import Timeline

/// A fill or a line, with the outlines that it paints.
final class LottiePaint {
  let node: LottieNode
  let layer: String?
  var outlines: [LottieOutline] = []

  init(_ node: LottieNode, _ layer: String?) { (self.node, self.layer) = (node, layer) }
}

/// Reads the shapes of a layer. What paints comes after the outlines that it paints, in the same list or around it, and is drawn at its
/// own place: the first of a list is on top.
struct LottieShapes {
  /// A thing that is drawn.
  indirect enum Item {
    case paint(LottiePaint)
    case group([Item], LottieTransform, BlendMode)
    case copies([Item], LottieRepeater)
  }

  /// The things that apply to the outlines that are read next.
  private struct State {
    var paints: [(paint: LottiePaint, transforms: [LottieTransform])] = []
    var trim: LottieTrim?
    var roundings: [LottieValue] = []
    var repeaters: [LottieRepeater] = []
    var level = 1
    /// The merging of the outlines, for those that paint after it: the first ones, so many.
    var merge: (merge: LottieMerge, paintCount: Int)?
  }

  let log: LottieLog

  /// The things that are drawn, bottommost first.
  func items(_ list: LottieNode) throws(LottieFault) -> [Item] { try items(list.elements[...], State()) }

  private func items(_ nodes: ArraySlice<LottieNode>, _ outer: State) throws(LottieFault) -> [Item] {
    guard outer.level <= LottieLimits.nesting else {
      throw (nodes.first ?? LottieNode(value: .null, path: .root)).fault(
        "groups stand in each other more than \(LottieLimits.nesting) levels deep")
    }
    var (items, state) = ([Item](), outer)
    for index in nodes.indices.reversed() {
      let node = nodes[index]
      try log.visit(node.path)
      if node.flag("hd") { continue }
      if let outline = try LottieOutline(node, log) {
        add(outline, state)
        continue
      }
      switch node.text("ty") {
      case "fl", "st", "gf", "gs", "no":
        let paint = LottiePaint(node, log.layer)
        state.paints.append((paint, []))
        items.append(.paint(paint))
      case "gr": if let group = try group(node, state) { items.append(group) }
      case "tm":
        let trim = try LottieTrim(node, log)
        // What comes first in the list is trimmed first.
        if !trim.isWhole { state.trim = state.trim.map(trim.then) ?? trim }
      case "rd": state.roundings.append(try LottieValue(node["r"], or: [0], log))
      case "rp":
        let repeater = try LottieRepeater(node, log)
        state.repeaters.append(repeater)
        state.level += 1
        let held = try self.items(nodes[..<index], state)
        return held.isEmpty ? items : items + [.copies(held, repeater)]
      case "mm":
        let kind = try node.integer("mm") ?? 1
        if let mode = LottieMerge.Mode(rawValue: kind), state.merge == nil {
          state.merge = (LottieMerge(path: node.path, mode: mode), state.paints.count)
        } else if kind > 1 {
          log.approximate(node.path, "the paths are merged as one outline of all of them, as those around them are merged again")
        }
      case "tr": break
      case let kind:
        let known = ["op": "offset paths", "pb": "pucker and bloat", "zz": "zigzag", "tw": "twist"]
        log.lose(node.path, "\(kind.flatMap { known[$0] } ?? "a shape of type '\(kind ?? "")'") is not drawn")
      }
    }
    return items
  }

  private func group(_ node: LottieNode, _ state: State) throws(LottieFault) -> Item? {
    let list = node["it"]?.elements ?? []
    let transform = try LottieTransform(list.last { $0.text("ty") == "tr" }, log)
    var inner = state
    inner.level += 1
    inner.paints = state.paints.map { ($0.paint, $0.transforms + [transform]) }
    let held = try items(list[...], inner)
    return held.isEmpty ? nil : .group(held, transform, BlendMode(lottie: node, log))
  }

  /// Gives an outline to all that paints it.
  private func add(_ outline: LottieOutline, _ state: State) {
    var outline = outline
    outline.trim = state.trim
    for radius in state.roundings { outline.round(by: radius) }
    for (index, (paint, transforms)) in state.paints.enumerated() {
      var own = outline
      own.transforms = transforms
      own.merge = state.merge.flatMap { index < $0.paintCount ? $0.merge : nil }
      paint.outlines.append(own)
    }
  }
}

/// Copies of what comes before it in a list.
struct LottieRepeater {
  let path: JSONPath
  let count: Int
  /// The steps by which the first copy is moved.
  private let offset: Double
  private let isBelow: Bool
  private let step: LottieTransform
  /// The opacities of the first and the last copy.
  private let opacities: (LottieValue, LottieValue)

  init(_ node: LottieNode, _ log: LottieLog) throws(LottieFault) {
    path = node.path
    let copies = try LottieValue(node["c"], or: [1], log)
    if copies.isMoving { log.approximate(node.path["c"], "the number of copies stays at its largest") }
    let most = copies.keys.map { $0.value[0] }.max() ?? 1
    guard most <= Double(LottieLimits.copies) else {
      throw node.fault("makes \(JSONValue.text(most)) copies; at most \(LottieLimits.copies) are accepted")
    }
    count = max(Int(most.rounded(.up)), 0)
    let offset = try LottieValue(node["o"], or: [0], log)
    if offset.isMoving { log.approximate(node.path["o"], "the offset of the copies stays at its first value") }
    self.offset = min(max(offset.first[0], LottieLimits.copyOffset.lowerBound), LottieLimits.copyOffset.upperBound)
    isBelow = try node.integer("m") == 2
    step = try LottieTransform(node["tr"], log)
    opacities = (try LottieValue(node["tr"]?["so"], or: [100], log), try LottieValue(node["tr"]?["eo"], or: [100], log))
  }

  /// The copies of layers, bottommost first.
  func layers(_ held: [Layer], _ clock: LottieClock, _ log: LottieLog) throws(LottieFault) -> [Layer] {
    var copies: [Layer] = []
    for index in 0..<count {
      for layer in held { try count(layer, log) }
      let share = count > 1 ? Double(index) / Double(count - 1) : 0
      let (from, to) = opacities
      var copy = copy(held, steps: Double(index) + offset, clock: clock, log: log)
      copy.opacity = clock.sampled([from, to]) { frame in
        let (from, to) = (from.value(at: frame)[0], to.value(at: frame)[0])
        return min(max((from + (to - from) * share) / 100, 0), 1)
      }
      if copy.opacity.constant == 1 { copy.opacity = Envelope() }
      copies.append(copy)
    }
    return isBelow ? copies : copies.reversed()
  }

  private func count(_ layer: Layer, _ log: LottieLog) throws(LottieFault) {
    try log.countLayer(path)
    for sublayer in layer.sublayers { try count(sublayer, log) }
  }

  /// A copy that stands so many steps further: turned, then scaled about the anchor point, then moved.
  private func copy(_ held: [Layer], steps: Double, clock: LottieClock, log: LottieLog) -> Layer {
    let map = clock.sampled(step.values) { frame in
      let (anchor, scale) = (step.anchor.value(at: frame), step.scale.value(at: frame))
      let place = step.point(at: frame)
      func power(_ factor: Double) -> Double {
        let whole = steps.rounded(.down)
        let base = factor / 100
        let product = (0..<Int(abs(whole))).reduce(1.0) { product, _ in whole < 0 ? product / base : product * base }
        // Between two steps a copy is between their sizes.
        return product * (1 + (base - 1) * (steps - whole))
      }
      return LottieTransform.lasting(
        AffineTransform.translation(-anchor[0], -anchor[1])
          .then(.rotation(degrees: step.rotation.value(at: frame)[0] * steps))
          .then(.scale(power(scale[0]), power(scale[1])))
          .then(.translation(anchor[0] + place.x * steps, anchor[1] + place.y * steps)))
    }
    let geometry = LayerGeometry(
      frame: LottieTransform.plane, anchorPoint: .zero, position: Envelope(constant: .zero), transform: map)
    return Layer(content: nil, geometry: geometry, sublayers: held)
  }
}
