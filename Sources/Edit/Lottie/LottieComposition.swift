internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// Makes layers of a composition: that of the file, or one that a layer shows.
struct LottieComposition {
  let file: LottieFile
  let list: LottieNode
  let size: Point
  let clock: LottieClock
  /// The names of the compositions in which this one stands.
  let chain: [String]
  /// The places of the layers in the list, by the numbers by which others name them.
  private let places: [Int: Int]
  /// The frames that are ever seen; nil where that is not known.
  let seen: ClosedRange<Double>?

  private var log: LottieLog { file.log }

  init(
    _ file: LottieFile, _ list: LottieNode, size: Point, in chain: [String] = [], seen: ClosedRange<Double>? = nil
  ) throws(LottieFault) {
    (self.file, self.list, self.size, self.chain, self.seen) = (file, list, size, chain, seen)
    clock = file.clocks.clock(of: list, chain.last, rate: file.rate)
    var places: [Int: Int] = [:]
    for (index, node) in list.elements.enumerated() {
      try file.log.visit(node.path)
      if let number = try node.integer("ind"), places[number] == nil { places[number] = index }
    }
    self.places = places
  }

  /// The layers, bottommost first.
  func layers() throws(LottieFault) -> [Layer] {
    let nodes = list.elements
    var layers: [Layer] = []
    let outer = log.layer
    defer { log.layer = outer }
    for index in nodes.indices.reversed() where !nodes[index].flag("td") {
      if let layer = try seenLayer(index, nodes) { layers.append(layer) }
    }
    return layers
  }

  /// The layer as it stands in the composition: at its times, moved by its parents, masked by its matte, and mixed.
  private func seenLayer(_ index: Int, _ nodes: [LottieNode], isMatte: Bool = false) throws(LottieFault) -> Layer? {
    let node = nodes[index]
    if node.flag("hd"), !isMatte { return nil }
    log.layer = node.text("nm")
    guard let range = try range(node), var layer = try movedLayer(node, nodes) else { return nil }
    tellOfLosses(node)
    layer = try LottieEffects(clock: clock, log: log, size: size).applied(to: layer, node)
    let kind = try node.integer("tt") ?? 0
    if kind != 0 {
      layer = try matted(layer, kind: kind, index: index, nodes: nodes) ?? layer
      log.layer = node.text("nm")
    }
    if !isMatte { layer.style.blendMode = BlendMode(lottie: node, log) }
    if let range = range.shown {
      // The times of a layer with a clock count around it, and so do these.
      layer.timeRange = range
    }
    return layer
  }

  /// The times at which the layer is seen; nil where it never is.
  private func range(_ node: LottieNode) throws(LottieFault) -> (shown: MediaTimeRange?, Void)? {
    let (from, to) = (try node.number("ip", or: -LottieLimits.frames), try node.number("op", or: LottieLimits.frames))
    guard from < to else { return nil }
    if let seen, from <= seen.lowerBound, to >= seen.upperBound { return (nil, ()) }
    if from <= -LottieLimits.frames, to >= LottieLimits.frames { return (nil, ()) }
    let (start, end) = (clock.time(from), clock.time(to))
    guard start < end else { return nil }
    do throws(TimeError) { return (try MediaTimeRange(start: start, end: end), ()) } catch {
      throw node.fault("its times cannot be told: \(error)")
    }
  }

  // MARK: - Mattes

  private func matted(_ layer: Layer, kind: Int, index: Int, nodes: [LottieNode]) throws(LottieFault) -> Layer? {
    let named = try nodes[index].integer("tp")
    let source = if let named { places[named] } else { index > 0 ? index - 1 : nil }
    guard let source, source != index else {
      log.lose(nodes[index].path["tt"], "the layer that it is masked by is not there: it is drawn as a whole")
      return nil
    }
    guard chain.count < LottieLimits.nesting else {
      throw nodes[index].fault("mattes mask each other more than \(LottieLimits.nesting) levels deep")
    }
    let inner = LottieComposition(self, nestedIn: "\u{0}matte")
    let made = try inner.seenLayer(source, nodes, isMatte: true)
    let matte =
      made
      ?? Layer(
        content: nil, geometry: LayerGeometry(frame: LottieTransform.plane),
        style: LayerStyle(backgroundColor: Envelope(constant: RGBAColor(0, 0, 0, alpha: 0))))
    guard let mask = LottieMask(clock, log, size: size).matte(matte, kind: kind) else {
      log.lose(nodes[index].path["tt"], "mattes of type \(kind) are not known: it is drawn as a whole")
      return nil
    }
    var masked = Layer(content: nil, geometry: LayerGeometry(frame: LottieTransform.plane), sublayers: [layer], mask: mask.mask)
    masked.maskMode = mask.mode
    return masked
  }

  /// The same composition, a level deeper.
  private init(_ other: LottieComposition, nestedIn name: String) {
    (file, list, size, clock, seen) = (other.file, other.list, other.size, other.clock, other.seen)
    places = other.places
    chain = other.chain + [name]
  }

  // MARK: - Geometry

  /// The layer, and the transforms of its parents around it; nil for one that shows nothing.
  private func movedLayer(_ node: LottieNode, _ nodes: [LottieNode]) throws(LottieFault) -> Layer? {
    let content = try content(node)
    guard !content.isEmpty else { return nil }
    try log.countLayer(node.path)
    let transform = try LottieTransform(node["ks"], log, isOriented: node.flag("ao"))
    var layer: Layer
    if transform.isIdentity, content.count == 1, content[0].timeRange == nil, node["masksProperties"] == nil {
      layer = content[0]
    } else {
      layer = transform.layer(content, clock, log)
    }
    if let mask = try LottieMask(clock, log, size: size).mask(node) {
      (layer.mask, layer.maskMode) = (mask.mask, mask.mode)
    }
    var visited: Set<Int> = []
    var child = node
    while let number = try child.integer("parent") {
      guard visited.insert(number).inserted else { throw child.fault("the layer is its own parent") }
      guard visited.count <= LottieLimits.parents else {
        throw child.fault("parents stand on each other more than \(LottieLimits.parents) levels high")
      }
      guard let parent = places[number].map({ nodes[$0] }) else {
        log.lose(child.path["parent"], "there is no layer \(number): the layer stands where it would without a parent")
        break
      }
      var moved = try LottieTransform(parent["ks"], log, isOriented: parent.flag("ao"))
      moved = moved.opaque
      if !moved.isIdentity { layer = moved.layer([layer], clock, log) }
      child = parent
    }
    return layer
  }

  // MARK: - Contents

  private func content(_ node: LottieNode) throws(LottieFault) -> [Layer] {
    switch try node.integer("ty") {
    case 0: return try composition(node)
    case 1: return try solid(node)
    case 2: return try image(node)
    case 3: return []
    case 4:
      guard let shapes = node["shapes"] else { return [] }
      return try LottiePainting(clock: clock, log: log, size: size).layers(LottieShapes(log: log).items(shapes))
    case 5: return try LottieText(file, clock).layers(node)
    case 6: log.lose(node.path, "sound is not played: put it on an audio track")
    case 13: log.lose(node.path, "cameras are not drawn: layers stand in the plane")
    case let kind: log.lose(node.path, "layers of type \(kind.map { "\($0)" } ?? "none") are not known")
    }
    return []
  }

  private func solid(_ node: LottieNode) throws(LottieFault) -> [Layer] {
    let (width, height) = (try node.number("sw", or: 0), try node.number("sh", or: 0))
    guard width > 0, height > 0, let color = RGBAColor(lottie: node.text("sc") ?? "#000000") else {
      log.lose(node.path, "a solid without a size or a colour is not drawn")
      return []
    }
    let frame = Rect(0, 0, Self.side(width), Self.side(height))
    return [
      Layer(content: nil, geometry: LayerGeometry(frame: frame), style: LayerStyle(backgroundColor: Envelope(constant: color)))
    ]
  }

  private func image(_ node: LottieNode) throws(LottieFault) -> [Layer] {
    guard let name = node.text("refId"), let asset = file.assets[name] else {
      log.lose(node.path["refId"], "there is no image of this name")
      return []
    }
    var found = file.images[name]
    if found == nil { found = try file.embedded.image(name, asset, shownBy: node.path["refId"], log) }
    guard let image = found else { return [] }
    let (width, height) = (try asset.number("w", or: 0), try asset.number("h", or: 0))
    guard width > 0, height > 0 else { throw asset.fault("an image needs its size \"w\" and \"h\"") }
    return [
      Layer(
        content: .image(ImageContent(asset: image, gravity: .resizeAspect)),
        geometry: LayerGeometry(frame: Rect(0, 0, Self.side(width), Self.side(height))))
    ]
  }

  /// The side of a rectangle that a document may have.
  private static func side(_ length: Double) -> Double { min(max(length, 1), 100_000) }

  // MARK: - Compositions in this one

  private func composition(_ node: LottieNode) throws(LottieFault) -> [Layer] {
    guard let name = node.text("refId"), let asset = file.assets[name], let list = asset["layers"] else {
      log.lose(node.path["refId"], "there is no composition of this name")
      return []
    }
    guard !chain.contains(name) else { throw node.fault("the composition '\(name)' contains itself") }
    guard chain.count < LottieLimits.nesting else {
      throw node.fault("compositions stand in each other more than \(LottieLimits.nesting) levels deep")
    }
    let own = Point(try asset.number("w", or: size.x), try asset.number("h", or: size.y))
    let (width, height) = (Self.side(try node.number("w", or: own.x)), Self.side(try node.number("h", or: own.y)))
    let inner = try LottieComposition(file, list, size: Point(width, height), in: chain + [name])
    let layers = try inner.layers()
    log.layer = node.text("nm")
    guard !layers.isEmpty else { return [] }
    var holder = Layer(content: nil, geometry: LayerGeometry(frame: Rect(0, 0, width, height)), sublayers: layers)
    // What is cut off by the file's own edges need not be cut off before.
    let isWhole = try LottieTransform(node["ks"], log).isIdentity && node["parent"] == nil && width >= size.x && height >= size.y
    holder.style.masksToBounds = !isWhole || !chain.isEmpty
    let times = LottieTimes(outer: clock, inner: inner.clock)
    if let remap = node["tm"] {
      return try times.remapped(holder, seconds: try LottieValue(remap, or: [0], log), rate: file.rate, log: log, path: node.path)
    }
    let (start, stretch) = (try node.number("st", or: 0), try node.number("sr", or: 1))
    guard stretch > 0 else { throw node.fault("the stretch \(JSONValue.text(stretch)) is not above 0") }
    holder.clock = times.clock(from: start, stretch: stretch, log, node.path)
    return [holder]
  }

  // MARK: - Losses

  private func tellOfLosses(_ node: LottieNode) {
    for style in node["sy"]?.elements ?? [] { log.lose(style.path, "the layer style '\(style.text("nm") ?? "")' is not drawn") }
    if node.flag("ddd") { log.loseOnce(node.path["ddd"], "layers in space are drawn in the plane") }
    if node.flag("bm") == false, node["mb"] != nil, node.flag("mb") { log.lose(node.path["mb"], "motion blur is not drawn") }
  }
}

extension LottieTransform {
  /// The transform of a parent, whose opacity does not count for what stands on it.
  var opaque: LottieTransform { LottieTransform(self, opacity: LottieValue(constant: [100], at: opacity.path)) }

  private init(_ other: LottieTransform, opacity: LottieValue) {
    (anchor, place, scale, rotation) = (other.anchor, other.place, other.scale, other.rotation)
    (skew, skewAxis, isOriented) = (other.skew, other.skewAxis, other.isOriented)
    self.opacity = opacity
  }
}

extension RGBAColor {
  /// The colour `#rrggbb`.
  init?(lottie text: String) {
    let digits = text.hasPrefix("#") ? text.dropFirst() : Substring(text)
    guard digits.utf8.count == 6, let bits = UInt32(digits, radix: 16) else { return nil }
    self.init(Double(bits >> 16 & 255) / 255, Double(bits >> 8 & 255) / 255, Double(bits & 255) / 255)
  }
}
