internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// The time of a composition that a layer of another one shows.
struct LottieTimes {
  let outer: LottieClock
  let inner: LottieClock

  /// The clock of a composition that begins at a frame, and takes so many times as long.
  func clock(from start: Double, stretch: Double, _ log: LottieLog, _ path: JSONPath) -> LayerClock? {
    let speed = Self.speed(1 / stretch)
    if abs(speed.approximation * stretch - 1) > 1e-9 {
      log.approximate(path["sr"], "it is stretched by \(JSONValue.text(1 / speed.approximation))")
    }
    // The outer frame at which the inner clock shows its zero.
    let zero = start - inner.shift * stretch
    let clock =
      zero + outer.shift >= 0
      ? LayerClock(begin: outer.time(zero), speed: speed)
      : LayerClock(speed: speed, offset: inner.length(-(zero + outer.shift) / stretch))
    return clock == LayerClock() ? nil : clock
  }

  /// A speed that a clock may have.
  private static func speed(_ wanted: Double) -> Rational {
    let range = DocumentLimits.clockSpeed
    let bounded = min(max(wanted, range.lowerBound), range.upperBound)
    let most = Int(DocumentLimits.clockDenominator)
    var best = (numerator: bounded.rounded(), denominator: 1, error: abs(bounded - bounded.rounded()))
    for denominator in 1...most where best.error > 1e-12 {
      let numerator = (bounded * Double(denominator)).rounded()
      let error = abs(numerator / Double(denominator) - bounded)
      if numerator >= 1, error < best.error { best = (numerator, denominator, error) }
    }
    // The denominator is above 0, so that this is a number.
    let speed = try? Rational(Int128(max(best.numerator, 1)), over: Int128(best.denominator))
    return speed ?? Rational(1)
  }

  // MARK: - Remapped times

  /// A stretch of the outer time over which the inner one moves evenly.
  private struct Piece {
    var start: Double
    var end: Double
    /// The inner frames.
    var from: Double
    var to: Double
  }

  /// The composition at times that a property says, in seconds: a layer for each stretch of time.
  func remapped(
    _ holder: Layer, seconds: LottieValue, rate: Rational, log: LottieLog, path: JSONPath
  ) throws(LottieFault) -> [Layer] {
    let perSecond = rate.approximation
    let frames = seconds.map { $0.map { $0 * perSecond } }
    let pieces = try pieces(frames, path)
    var layers: [Layer] = []
    for (index, piece) in pieces.enumerated() {
      if index > 0 { try count(holder, log, path) }
      var layer = holder
      let (begin, end) = (index == 0 ? -outer.shift : piece.start, index + 1 == pieces.count ? LottieLimits.frames : piece.end)
      guard outer.time(begin) < outer.time(end) else { continue }
      layer = laid(layer, piece)
      if pieces.count > 1 {
        do throws(TimeError) {
          layer.timeRange = try MediaTimeRange(start: outer.time(begin), end: outer.time(end))
        } catch { throw LottieFault(path: path.description, reason: "its times cannot be told: \(error)") }
      }
      layers.append(layer)
    }
    return layers
  }

  private func count(_ layer: Layer, _ log: LottieLog, _ path: JSONPath) throws(LottieFault) {
    try log.countLayer(path)
    for sublayer in layer.sublayers { try count(sublayer, log, path) }
  }

  private func pieces(_ frames: LottieValue, _ path: JSONPath) throws(LottieFault) -> [Piece] {
    guard frames.isMoving else { return [Piece(start: 0, end: 0, from: frames.first[0], to: frames.first[0])] }
    var pieces: [Piece] = []
    let first = frames.keys[0]
    pieces.append(Piece(start: first.frame - 1, end: first.frame, from: first.value[0], to: first.value[0]))
    for (here, next) in zip(frames.keys, frames.keys.dropFirst()) where here.frame < next.frame {
      let isEven = here.holds || here.easings[0] == .linear || here.value == next.value
      let count = isEven ? 1 : max(1, min(Int((next.frame - here.frame).rounded(.up)), 60))
      for part in 0..<count {
        let from = here.frame + (next.frame - here.frame) * Double(part) / Double(count)
        let to = here.frame + (next.frame - here.frame) * Double(part + 1) / Double(count)
        let value = here.holds ? here.value[0] : frames.value(at: from)[0]
        let last = here.holds ? here.value[0] : part + 1 == count ? next.value[0] : frames.value(at: to)[0]
        pieces.append(Piece(start: from, end: to, from: value, to: last))
      }
    }
    if let last = frames.keys.last {
      pieces.append(Piece(start: last.frame, end: last.frame + 1, from: last.value[0], to: last.value[0]))
    }
    guard pieces.count <= LottieLimits.timePieces else {
      throw LottieFault(
        path: path["tm"].description,
        reason: "the time is made of \(pieces.count) stretches; at most \(LottieLimits.timePieces) are accepted")
    }
    return pieces
  }

  /// The layer with the clock of a stretch.
  private func laid(_ holder: Layer, _ piece: Piece) -> Layer {
    var layer = holder
    let offset = inner.time(piece.from)
    guard inner.length(abs(piece.from - piece.to)) > .zero, piece.end > piece.start else {
      // A clock stands until it begins.
      layer.clock = LayerClock(begin: DocumentLimits.latest, offset: offset)
      return layer
    }
    let speed = Self.speed(abs(piece.to - piece.from) / (piece.end - piece.start))
    guard piece.to < piece.from else {
      layer.clock = LayerClock(begin: outer.time(piece.start), speed: speed, offset: offset)
      return layer
    }
    // A clock that runs there and back is on its way back; it is begun earlier by the way there. The clock around it is ahead, so
    // that this is not before its zero.
    let length = inner.length(piece.from - piece.to)
    let lead = outer.length((piece.from - piece.to) / speed.approximation)
    let begin = outer.time(piece.start)
    layer.clock = LayerClock(
      begin: begin, speed: speed, offset: inner.time(piece.to),
      cycle: LayerClock.Cycle(duration: length, count: 1, autoreverses: true))
    var ahead = Layer(content: nil, geometry: LayerGeometry(frame: layer.geometry.frame), sublayers: [layer])
    ahead.clock = LayerClock(offset: lead)
    return ahead
  }
}
