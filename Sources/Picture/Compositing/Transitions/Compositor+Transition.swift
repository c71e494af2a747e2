import Formats
import Media
import Timeline

/// The transitions: each makes one frame of two.
extension Compositor {
  /// The frame of a transition at `progress`.
  ///
  /// - Parameters:
  ///   - from, to: whole frames of the render format, for reading only.
  ///   - maps: gives the still pictures of wipes.
  /// - Returns: a frame for reading only. At progress 0 it is `from` itself.
  func passage(
    _ effect: Transition.Effect, from: PixelBuffer, to: PixelBuffer, progress: Double, _ maps: Collage.WipeMaps
  ) throws(CompositingError) -> PixelBuffer {
    guard progress > 0 else { return from }
    switch effect {
    case .dissolve: return try dissolved(from, to, Weight(progress))
    case .dip(let color):
      var flat = emptyCanvas(color)
      let between = try flat.finished()
      return progress < 0.5
        ? try dissolved(from, between, Weight(2 * progress)) : try dissolved(between, to, Weight(2 * progress - 1))
    case .motion(let motion, let side): return try moved(motion, side, from: from, to: to, progress: progress)
    case .zoom(let zoom): return try zoomed(zoom, from: from, to: to, progress: progress)
    case .blurDissolve(let radius): return try blurred(radius, from: from, to: to, progress: progress)
    case .wipe(let wipe, let edge): return try wiped(wipe, edge, from: from, to: to, progress: progress, maps)
    }
  }

  private func dissolved(_ from: PixelBuffer, _ to: PixelBuffer, _ weight: Weight) throws(CompositingError) -> PixelBuffer {
    if weight.rawValue == 0 { return from }
    if weight == .all { return to }
    let frame = try PixelBuffer.make(target)
    for ((from, to), out) in zip(zip(from.planes, to.planes), frame.planes) {
      out.dissolve(from: from, to: to, weight: weight, mixture)
    }
    return frame
  }

  // MARK: - Placed frames

  private var whole: Rect { Rect(renderSize) }

  /// The frame in which one picture moves, or both. They move by whole chroma cells, so that samples are copied as they are.
  private func moved(
    _ motion: Transition.Motion, _ side: Transition.Side, from: PixelBuffer, to: PixelBuffer, progress: Double
  ) throws(CompositingError) -> PixelBuffer {
    func way(_ length: Int, _ cell: Int) -> Double { (progress * Double(length / cell)).rounded() * Double(cell) }
    let (width, height) = (whole.width, whole.height)
    let (across, down) = (way(renderSize.width, target.cell.width), way(renderSize.height, target.cell.height))
    let step: (x: Double, y: Double, startX: Double, startY: Double) =
      switch side {
      case .fromLeft: (across, 0, -width, 0)
      case .fromTop: (0, down, 0, -height)
      case .fromRight: (-across, 0, width, 0)
      case .fromBottom: (0, -down, 0, height)
      }
    let outgoing = Rect(step.x, step.y, width, height)
    let incoming = Rect(step.startX + step.x, step.startY + step.y, width, height)
    return switch motion {
    case .push: try placed([(from, outgoing, 1), (to, incoming, 1)])
    case .slide: try placed([(from, whole, 1), (to, incoming, 1)])
    case .swipe: try placed([(to, whole, 1), (from, outgoing, 1)])
    }
  }

  private func zoomed(
    _ zoom: Transition.Zoom, from: PixelBuffer, to: PixelBuffer, progress: Double
  ) throws(CompositingError) -> PixelBuffer {
    func scaled(_ factor: Double) -> Rect {
      let (width, height) = (whole.width * factor, whole.height * factor)
      return Rect((whole.width - width) / 2, (whole.height - height) / 2, width, height)
    }
    return switch zoom {
    case .in: try placed([(from, whole, 1), (to, scaled(progress), 1)])
    case .out: try placed([(to, whole, 1), (from, scaled(1 - progress), 1)])
    case .through: try placed([(from, scaled(1 + progress), 1), (to, scaled(2 - progress), progress)])
    }
  }

  /// Frames laid over each other, bottommost first.
  private func placed(
    _ frames: [(picture: PixelBuffer, place: Rect, opacity: Double)]
  ) throws(CompositingError) -> PixelBuffer {
    var canvas = emptyCanvas(.black)
    for (picture, place, opacity) in frames {
      // A picture that is less than a pixel wide or high, or lies outside, is not seen.
      guard place.width >= 1, place.height >= 1, place.intersection(whole) != nil else { continue }
      let placement = UprightPlacement(turn: .up, source: whole, target: place)
      try draw(picture, target, placement, opacity: opacity, on: &canvas)
    }
    return try canvas.finished()
  }

  // MARK: - Blur

  /// The frame of a dissolve under a blur. Blurring is linear, so the mixture is blurred once instead of both sides.
  private func blurred(
    _ radius: Double, from: PixelBuffer, to: PixelBuffer, progress: Double
  ) throws(CompositingError) -> PixelBuffer {
    var canvas = emptyCanvas(.black)
    canvas.replace(with: try dissolved(from, to, Weight(progress)))
    let frame = try canvas.writable()
    let reach = radius * Double(renderSize.height) * (1 - abs(2 * progress - 1))
    for (index, plane) in frame.planes.enumerated() {
      let shift = target.format.shift(ofPlane: index)
      plane.blur(
        reach: (reach / Double(1 << shift.x), reach / Double(1 << shift.y)), bitDepth: target.format.bitDepth)
    }
    return frame
  }

  // MARK: - Wipes

  private func wiped(
    _ wipe: Transition.Wipe, _ edge: Transition.WipeEdge, from: PixelBuffer, to: PixelBuffer, progress: Double,
    _ maps: Collage.WipeMaps
  ) throws(CompositingError) -> PixelBuffer {
    let field = try field(wipe, isReversed: edge.isReversed, maps)
    let frame = try PixelBuffer.make(target)
    field.draw(
      from: from, to: to, front: WipeFront(edge, progress: progress), border: graphics.roundedCodes(edge.borderColor),
      mixture, into: frame)
    return frame
  }

  /// The field of a wipe. It is computed once for all frames of the wipe. Edits show one wipe at a time.
  private func field(
    _ wipe: Transition.Wipe, isReversed: Bool, _ maps: Collage.WipeMaps
  ) throws(CompositingError) -> WipeField {
    if let field, field.wipe == wipe, field.isReversed == isReversed { return field.field }
    let made: WipeField
    switch wipe {
    case .smpte(let wipe): made = WipeField(wipe, isReversed: isReversed, target)
    case .image(let asset):
      let map: StillImage
      do { map = try maps(asset) } catch { throw .media(error) }
      made = try WipeField(map, isReversed: isReversed, target)
    }
    field = (wipe, isReversed, made)
    return made
  }
}
