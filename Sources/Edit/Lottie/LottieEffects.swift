internal import Formats
internal import JSON
internal import Timeline

/// The effects of a layer that are drawn. They change what the layer shows, after its masks and before its matte.
struct LottieEffects {
  let clock: LottieClock
  let log: LottieLog
  /// The size of the composition.
  let size: Point

  private enum Kind: Int { case tint = 20, fill = 21, dropShadow = 25, blur = 29 }

  /// The layer with its effects, the first of which comes first.
  func applied(to layer: Layer, _ node: LottieNode) throws(LottieFault) -> Layer {
    var seen = layer
    for effect in node["ef"]?.elements ?? [] where effect["en"] == nil || effect.flag("en") {
      switch try effect.integer("ty").flatMap(Kind.init) {
      case .tint: seen = try tinted(seen, effect)
      case .fill: seen = try filled(seen, effect)
      case .dropShadow: seen = try shadowed(seen, effect)
      case .blur: seen = try blurred(seen, effect)
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

  // The factors and angles of the two below are those of lottie-web's effects.

  /// A blur with three tenths of the effect's blurriness as its standard deviation.
  private func blurred(_ layer: Layer, _ effect: LottieNode) throws(LottieFault) -> Layer {
    if try LottieValue(property(effect, 1), or: [1], log).keys.contains(where: { $0.value[0] != 1 }) {
      log.approximate(effect.path["ef"][1], "the layer is blurred across and down alike")
    }
    let radius = clock.scalar(try LottieValue(property(effect, 0), or: [0], log)) { Self.radius($0 * 0.3) }
    if radius.constant == 0 { return layer }
    var blurred = field.plane([layer])
    blurred.style.filters = [.gaussianBlur(radius: radius)]
    return blurred
  }

  /// A shadow: its colour, its opacity of 255, its angle from above, clockwise, its distance and its softness.
  private func shadowed(_ layer: Layer, _ effect: LottieNode) throws(LottieFault) -> Layer {
    func value(_ index: Int, _ usual: [Double]) throws(LottieFault) -> LottieValue {
      try LottieValue(property(effect, index), or: usual, log)
    }
    let (color, opacity) = (try value(0, [0, 0, 0]), try value(1, [127.5]))
    let (angle, distance) = (try value(2, [135]), try value(3, [5]))
    if try value(5, [0]).keys.contains(where: { $0.value[0] != 0 }) {
      log.approximate(effect.path["ef"][5], "the layer is drawn over its shadow")
    }
    let bounds = DocumentLimits.coordinate
    var shadowed = field.plane([layer])
    shadowed.style.shadow = LayerShadow(
      color: clock.sampled([color, opacity]) { frame in
        let parts = color.value(at: frame)
        return RGBAColor(parts[0], parts[1], parts[2], alpha: opacity.value(at: frame)[0] / 255).bounded
      },
      offset: clock.sampled([angle, distance]) { frame in
        let (sine, cosine) = Trigonometry.sineAndCosine(degrees: angle.value(at: frame)[0] - 90)
        let length = min(max(distance.value(at: frame)[0], bounds.lowerBound), bounds.upperBound)
        return Point(length * cosine, length * sine)
      },
      radius: clock.scalar(try value(4, [0])) { Self.radius($0 / 4) }, isOfContent: layer.holdsMoving)
    return shadowed
  }

  private static func radius(_ value: Double) -> Double {
    min(max(value, DocumentLimits.shadowRadius.lowerBound), DocumentLimits.shadowRadius.upperBound)
  }

  /// Counts the layers that are drawn once more.
  private func count(_ layer: Layer, _ path: JSONPath) throws(LottieFault) {
    for _ in 0..<layer.copiedCount { try log.countLayer(path) }
  }
}
