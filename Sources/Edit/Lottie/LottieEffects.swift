internal import Formats
internal import JSON
internal import Timeline

/// The effects of a layer that are drawn. Both colour what the layer shows, after its masks and before its matte.
struct LottieEffects {
  let clock: LottieClock
  let log: LottieLog
  /// The size of the composition.
  let size: Point

  private enum Kind: Int { case tint = 20, fill = 21 }

  /// The layer with its effects, the first of which comes first.
  func applied(to layer: Layer, _ node: LottieNode) throws(LottieFault) -> Layer {
    var seen = layer
    for effect in node["ef"]?.elements ?? [] where effect["en"] == nil || effect.flag("en") {
      switch try effect.integer("ty").flatMap(Kind.init) {
      case .tint: seen = try tinted(seen, effect)
      case .fill: seen = try filled(seen, effect)
      case nil: log.lose(effect.path, "the effect '\(effect.text("nm") ?? "")' is not drawn")
      }
    }
    return seen
  }

  private var field: LottieMask { LottieMask(clock, log, size: size) }

  /// The value of one of an effect's properties.
  private func property(_ effect: LottieNode, _ index: Int) -> LottieNode? {
    let properties = effect["ef"]?.elements ?? []
    return properties.indices.contains(index) ? properties[index]["v"] : nil
  }

  private func color(_ effect: LottieNode, _ index: Int) throws(LottieFault) -> Envelope<RGBAColor> {
    try LottiePainting(clock: clock, log: log, size: size).color(property(effect, index))
  }

  /// A share of one, of so many parts.
  private func share(_ effect: LottieNode, _ index: Int, of whole: Double) throws(LottieFault) -> Envelope<Double> {
    let share = clock.scalar(try LottieValue(property(effect, index), or: [whole], log)) { min(max($0 / whole, 0), 1) }
    return share.constant == 1 ? Envelope() : share
  }

  /// One colour, as opaque as the layer is.
  private func filled(_ layer: Layer, _ effect: LottieNode) throws(LottieFault) -> Layer {
    for index in [3, 4, 5] {
      let more = try LottieValue(property(effect, index), or: [0], log)
      if more.keys.contains(where: { $0.value[0] != 0 }) {
        log.approximate(effect.path["ef"][index], "the layer is filled to its edges, not inverted and not feathered")
      }
    }
    try count(layer, effect.path)
    return field.seen(by: try color(effect, 2), through: [layer], .alpha, opacity: try share(effect, 6, of: 1))
  }

  /// A colour for black and one for white, between which the layer's luma leads.
  private func tinted(_ layer: Layer, _ effect: LottieNode) throws(LottieFault) -> Layer {
    log.approximate(effect.path, "the brightness that is tinted is the luma of a colour's codes")
    try count(layer, effect.path)
    try count(layer, effect.path)
    let dark = field.sheet(try color(effect, 0))
    let light = field.seen(by: try color(effect, 1), through: [layer], .luminance)
    let amount = try share(effect, 2, of: 100)
    let tinted = field.plane([dark, light], seenThrough: field.plane([layer]), .alpha, opacity: amount)
    if amount.keyframes.isEmpty { return tinted }
    try count(layer, effect.path)
    return field.plane([layer, tinted])
  }

  /// Counts the layers that are drawn once more.
  private func count(_ layer: Layer, _ path: JSONPath) throws(LottieFault) {
    for _ in 0..<layer.copiedCount { try log.countLayer(path) }
  }
}
