internal import Formats
internal import Timeline

/// The particles that an emitter makes until the movie ends, each as a layer.
///
/// Core Animation does not say how it draws chance, and its particles differ each time. These come from the emitter's seed, so that every
/// render has the same ones. Each value lies evenly within its range to both sides of its mean, and a direction within its cone.
struct EmittedParticles {
  private let emitter: CAEmitterLayer
  private let name: String
  /// The seconds on the emitter's clock at which the movie ends.
  private let end: Double
  private var chance: Chance

  /// A cell with a colour of its own for each particle has so many different ones.
  private static let tints = 16
  /// The seconds between the places of a particle that is accelerated.
  private static let step = 1.0 / 15

  init(of emitter: CAEmitterLayer, until end: Double, _ name: String) {
    (self.emitter, self.end, self.name) = (emitter, end, name)
    // Emitters of one seed, such as the usual one, differ by where they stand.
    chance = Chance(name.utf8.reduce(UInt64(emitter.seed)) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 })
  }

  /// The layers, in the order in which they lie on each other.
  mutating func layers() throws(AVError) -> [CALayer] {
    guard !emitter.preservesDepth, emitter.emitterZPosition == 0, emitter.emitterDepth == 0 else {
      throw unsaid("particles out of the plane are not made: preservesDepth, emitterZPosition and emitterDepth must not be set")
    }
    guard emitter.renderMode != .additive else { throw unsaid("renderMode additive is not made in layers") }
    guard emitter.emitterMode != .points || emitter.emitterShape == .point else {
      throw unsaid("emitterMode points is not made for \(emitter.emitterShape.rawValue)")
    }
    var born: [(time: Double, layer: CALayer)] = []
    for (index, cell) in (emitter.emitterCells ?? []).enumerated() where cell.isEnabled {
      born += try particles(of: cell, "emitterCells[\(index)]", most: DocumentLimits.layers - born.count)
    }
    let oldestFirst = born.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
    let layers = oldestFirst.map(\.element.layer)
    return emitter.renderMode == .oldestLast ? layers.reversed() : layers
  }

  private func unsaid(_ words: String) -> AVError { LayerAnimations.unsaid(name, words) }

  private mutating func particles(
    of cell: CAEmitterCell, _ place: String, most: Int
  ) throws(AVError) -> [(time: Double, layer: CALayer)] {
    try check(cell, place)
    guard let contents = cell.contents else { return [] }
    guard let image = contents as? CGImage else { throw unsaid("\(place).contents: \(type(of: contents)) is not a CGImage") }
    let rate = Double(cell.birthRate) * Double(emitter.birthRate)
    guard rate > 0 else { return [] }
    let start = max(0, cell.beginTime)
    let span = min(end - start, cell.duration)
    guard span > 0 else { return [] }
    let count = (span * rate).rounded(.up)
    guard count <= Double(most) else {
      throw unsaid("\(place) makes \(Int(min(count, 1e9))) particles, and \(most) layers are left for them")
    }
    let pictures = try tinted(image, cell, place)
    var made: [(time: Double, layer: CALayer)] = []
    for index in 0..<Int(count) {
      let time = start + Double(index) / rate
      if let layer = particle(of: cell, pictures, at: time) { made.append((time, layer)) }
    }
    return made
  }

  private func check(_ cell: CAEmitterCell, _ place: String) throws(AVError) {
    guard cell.emitterCells?.isEmpty ?? true else { throw unsaid("\(place).emitterCells: particles of particles are not made") }
    guard cell.redSpeed == 0, cell.greenSpeed == 0, cell.blueSpeed == 0 else {
      throw unsaid("\(place).redSpeed, greenSpeed, blueSpeed: colours that change are not made")
    }
    guard cell.emissionLatitude == 0, cell.zAcceleration == 0 else {
      throw unsaid("\(place).emissionLatitude, zAcceleration: particles out of the plane are not made")
    }
    guard cell.speed == 1, cell.timeOffset == 0, cell.repeatCount == 0, cell.repeatDuration == 0, !cell.autoreverses else {
      throw unsaid("\(place): a cell has a beginTime and a duration, and no other times")
    }
    let rates = [cell.birthRate, cell.lifetime, cell.lifetimeRange, cell.alphaRange, cell.alphaSpeed].map { CGFloat($0) }
    let sizes = [
      cell.velocity, cell.velocityRange, cell.xAcceleration, cell.yAcceleration, cell.scale, cell.scaleRange, cell.scaleSpeed,
      cell.spin, cell.spinRange, cell.emissionLongitude, cell.emissionRange, CGFloat(cell.beginTime),
    ]
    guard (rates + sizes).allSatisfy(\.isFinite) else { throw unsaid("\(place): has values that are no numbers") }
  }

  // MARK: - One particle

  private mutating func particle(of cell: CAEmitterCell, _ pictures: [CGImage], at time: Double) -> CALayer? {
    let picture = pictures[Int(chance.next(in: 0..<Double(pictures.count)))]
    var life = (Double(cell.lifetime) + chance.about(Double(cell.lifetimeRange))) * Double(emitter.lifetime)
    let (place, normal) = origin()
    let cone = Double(cell.emissionRange) / 2
    let angle = normal + Double(cell.emissionLongitude) + chance.about(cone)
    let speed = (Double(cell.velocity) + chance.about(Double(cell.velocityRange))) * Double(emitter.velocity)
    let scale = (Double(cell.scale) + chance.about(Double(cell.scaleRange))) * Double(emitter.scale)
    let spin = (Double(cell.spin) + chance.about(Double(cell.spinRange))) * Double(emitter.spin)
    let alpha = Double(cell.color?.alpha ?? 1) + chance.about(Double(cell.alphaRange))
    let growth = Double(cell.scaleSpeed) * Double(emitter.scale)
    // A particle that has faded or shrunk to nothing is gone.
    if growth < 0 { life = min(life, scale / -growth) }
    if cell.alphaSpeed < 0 { life = min(life, max(alpha, 0) / -Double(cell.alphaSpeed)) }
    life = min(life, end - time)
    guard life > 1e-6, scale > 0 || growth > 0, alpha > 0 || cell.alphaSpeed > 0 else { return nil }

    let layer = CALayer()
    layer.contents = picture
    (layer.contentsRect, layer.contentsScale) = (cell.contentsRect, cell.contentsScale)
    let size = CGSize(width: CGFloat(picture.width), height: CGFloat(picture.height))
    layer.bounds.size = CGSize(
      width: size.width * cell.contentsRect.width / cell.contentsScale,
      height: size.height * cell.contentsRect.height / cell.contentsScale)
    (layer.beginTime, layer.duration) = (time == 0 ? AVCoreAnimationBeginTimeAtZero : time, life)
    let way = { (passed: Double) in
      CGPoint(
        x: place.x + cos(angle) * speed * passed + Double(cell.xAcceleration) * passed * passed / 2,
        y: place.y + sin(angle) * speed * passed + Double(cell.yAcceleration) * passed * passed / 2)
    }
    let isStraight = cell.xAcceleration == 0 && cell.yAcceleration == 0
    let steps = isStraight ? 1 : max(1, Int((life / Self.step).rounded(.up)))
    layer.position = place
    move(
      layer, "position", (0...steps).map { way(life * Double($0) / Double(steps)) as Any }, life,
      isMoving: speed != 0 || !isStraight)
    layer.transform = CATransform3DMakeScale(max(scale, 0), max(scale, 0), 1)
    move(layer, "transform.scale", [max(scale, 0), max(scale + growth * life, 0)], life, isMoving: growth != 0)
    move(layer, "transform.rotation.z", [0, spin * life], life, isMoving: spin != 0)
    layer.opacity = Float(min(max(alpha, 0), 1))
    fade(layer, from: alpha, by: Double(cell.alphaSpeed), life)
    return layer
  }

  private func fade(_ layer: CALayer, from alpha: Double, by speed: Double, _ life: Double) {
    guard speed != 0 else { return }
    // What is beyond full opacity stays full until it comes below that.
    let bends = [(1 - alpha) / speed, -alpha / speed].filter { $0 > 0 && $0 < life }.sorted()
    let times = [0] + bends + [life]
    let fade = CAKeyframeAnimation(keyPath: "opacity")
    fade.values = times.map { min(max(alpha + speed * $0, 0), 1) }
    fade.keyTimes = times.map { NSNumber(value: $0 / life) }
    begin(fade, on: layer, life)
  }

  private func move(_ layer: CALayer, _ key: String, _ values: [Any], _ life: Double, isMoving: Bool) {
    guard isMoving else { return }
    let animation = CAKeyframeAnimation(keyPath: key)
    animation.values = values
    begin(animation, on: layer, life)
  }

  private func begin(_ animation: CAKeyframeAnimation, on layer: CALayer, _ life: Double) {
    (animation.beginTime, animation.duration) = (AVCoreAnimationBeginTimeAtZero, life)
    (animation.isRemovedOnCompletion, animation.fillMode) = (false, .both)
    layer.add(animation, forKey: nil)
  }

  /// The place at which a particle begins, and the direction that counts as zero there.
  private mutating func origin() -> (CGPoint, Double) {
    let (center, size) = (emitter.emitterPosition, emitter.emitterSize)
    func at(_ x: Double, _ y: Double) -> CGPoint {
      CGPoint(x: center.x + CGFloat(x) * size.width / 2, y: center.y + CGFloat(y) * size.height / 2)
    }
    switch emitter.emitterShape {
    case .line: return (CGPoint(x: at(chance.about(1), 0).x, y: center.y), -.pi / 2)
    case .rectangle, .cuboid:
      guard emitter.emitterMode == .outline else { return (at(chance.about(1), chance.about(1)), 0) }
      // Its sides are drawn by their lengths.
      let (along, side) = (chance.about(1), chance.about(1) < 0 ? -1.0 : 1)
      let isAcross = chance.next(in: 0..<Double(size.width + size.height)) < Double(size.width)
      return (isAcross ? at(along, side) : at(side, along), 0)
    case .circle, .sphere:
      let turn = chance.next(in: 0..<(2 * .pi))
      let far = emitter.emitterMode == .outline ? 1 : chance.next(in: 0..<1).squareRoot()
      let radius = Double(size.width) / 2 * far
      return (CGPoint(x: Double(center.x) + cos(turn) * radius, y: Double(center.y) + sin(turn) * radius), turn)
    default: return (center, 0)
    }
  }

  // MARK: - Colours

  /// The cell's picture in the colours that its particles have.
  private mutating func tinted(_ image: CGImage, _ cell: CAEmitterCell, _ place: String) throws(AVError) -> [CGImage] {
    let color = try AVFoundation.color(cell.color ?? .white, "\(name).\(place).color")
    let ranges = [cell.redRange, cell.greenRange, cell.blueRange].map { Double($0) }
    let varies = ranges.contains { $0 != 0 }
    var made: [CGImage] = []
    for _ in 0..<(varies ? Self.tints : 1) {
      let parts = zip([color.red, color.green, color.blue], ranges).map { min(max($0 + chance.about($1), 0), 1) }
      if parts == [1, 1, 1] { made.append(image) } else { made.append(try multiplied(image, parts, place)) }
    }
    return made
  }

  private func multiplied(_ image: CGImage, _ parts: [Double], _ place: String) throws(AVError) -> CGImage {
    let context = unsafe CGContext(
      data: nil, width: image.width, height: image.height, bitsPerComponent: 8, bytesPerRow: 0,
      space: CGColorSpace(name: CGColorSpace.sRGB) ?? CGColorSpaceCreateDeviceRGB(),
      bitmapInfo: CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue)
    let all = CGRect(x: 0, y: 0, width: image.width, height: image.height)
    context?.draw(image, in: all)
    context?.setBlendMode(.multiply)
    context?.setFillColor(red: parts[0], green: parts[1], blue: parts[2], alpha: 1)
    context?.fill(all)
    // The fill has covered what was clear.
    context?.setBlendMode(.destinationIn)
    context?.draw(image, in: all)
    guard let made = context?.makeImage() else { throw unsaid("\(place).contents: the picture cannot be coloured") }
    return made
  }

  /// Numbers that look like chance: SplitMix64.
  private struct Chance {
    private var state: UInt64
    init(_ seed: UInt64) { state = seed }

    mutating func next(in range: Range<Double>) -> Double {
      state &+= 0x9E37_79B9_7F4A_7C15
      var bits = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
      bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
      let share = Double((bits ^ (bits >> 31)) >> 11) * 0x1p-53
      return range.lowerBound + share * (range.upperBound - range.lowerBound)
    }

    /// A number within a range to both sides of zero.
    mutating func about(_ range: Double) -> Double { range == 0 ? 0 : next(in: -abs(range)..<abs(range)) }
  }
}
