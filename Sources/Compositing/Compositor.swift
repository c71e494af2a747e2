package import Media
package import Timeline

/// A decoded frame and what its track says about it.
package struct SourcePicture {
  /// As stored: orientation and pixel aspect are applied here. Not written to.
  package let buffer: PixelBuffer
  package let facts: VideoFacts

  package init(buffer: PixelBuffer, facts: VideoFacts) { (self.buffer, self.facts) = (buffer, facts) }
}

/// Puts scenes together: background, placed pictures or a transition between two, still layers.
///
/// A frame is a pure function of the scene and the pictures given with it; what a compositor remembers only saves work.
/// For one thread at a time.
package final class Compositor {
  package let renderSize: PixelSize
  /// The frames' own; they are rendered at the render size, then scaled.
  private let outputSize: PixelSize
  /// The render format.
  let target: PictureFormat
  let graphics: GraphicsColor
  /// How light is mixed; nil mixes codes.
  let mixture: LightMixture?
  private let fitter: PictureFitter
  /// Puts together the frames in which something is mixed, where that is to be light.
  private let inLight: Compositor?
  /// That of the last wipe.
  var field: (wipe: Transition.Wipe, isReversed: Bool, field: WipeField)?

  /// - Parameters:
  ///   - outputSize: The frames'; nil is the render size.
  ///   - color: The output's; unknowns are filled in as players do.
  ///   - toneMap: For sources of high dynamic range in an output of standard range.
  ///   - blending: What is mixed.
  /// - Precondition: both sizes are positive whole numbers of the format's chroma cells.
  package convenience init(
    renderSize: PixelSize, outputSize: PixelSize? = nil, format: PixelFormat, color: ColorTags, toneMap: ToneMap = .bt2390,
    blending: Blending = .encoded
  ) {
    for size in [renderSize, outputSize ?? renderSize] {
      precondition(size.width > 0 && size.height > 0)
      precondition(size.width.isMultiple(of: format.cell.width) && size.height.isMultiple(of: format.cell.height))
    }
    let target = PictureFormat(
      width: renderSize.width, height: renderSize.height, format: format, color: color, taggedHeight: renderSize.height)
    self.init(
      target, toneMap, outputSize: outputSize, inLight: blending == .linear ? Compositor(mixingLightFor: target, toneMap) : nil)
  }

  /// Makes frames of R'G'B' in the colour of `output`.
  private convenience init(mixingLightFor output: PictureFormat, _ toneMap: ToneMap) {
    let color = ColorTags(output.color.primaries, output.color.transfer, .rgb, .full)
    let target = PictureFormat(
      width: output.width, height: output.height, format: LightMixture.format, color: color, taggedHeight: output.height)
    self.init(target, toneMap, mixture: LightMixture(color.transfer))
  }

  private init(
    _ target: PictureFormat, _ toneMap: ToneMap, outputSize: PixelSize? = nil, mixture: LightMixture? = nil,
    inLight: Compositor? = nil
  ) {
    (renderSize, self.target) = (PixelSize(target.width, target.height), target)
    self.outputSize = outputSize ?? renderSize
    (self.mixture, self.inLight) = (mixture, inLight)
    graphics = GraphicsColor(target)
    fitter = PictureFitter(target: target, toneMap: toneMap)
  }

  /// What `OverlayPicture`s have to be made for.
  package var overlayFormat: (format: PixelFormat, color: ColorTags) {
    let target = inLight?.target ?? target
    return (target.format, target.color)
  }

  /// The frame of `scene`, for reading only: it may be a source's own buffer, or one that is shown again.
  ///
  /// - Precondition: the scene's picture is not one that a compositor of the user's own has yet to make.
  /// - Parameters:
  ///   - sources: A picture for each that the scene places.
  ///   - overlays: By position in `timeline.layers`; only those that the scene shows need be there.
  ///   - wipeMap: The picture of the asset that the scene's wipe goes by; for one asset always the same.
  package func composite(
    _ scene: Scene, sources: [PlacedPicture: SourcePicture], overlays: [OverlayPicture?], wipeMap: StillImage? = nil
  ) throws(CompositingError) -> PixelBuffer {
    defer { fitter.finishScene() }
    let frame = try rendered(scene, sources, overlays, wipeMap)
    guard outputSize != renderSize else { return frame }
    var fitting = PictureFitter.Fitting.whole(target)
    (fitting.width, fitting.height) = (outputSize.width, outputSize.height)
    return try fitter.fit(frame, target, fitting)
  }

  private func rendered(
    _ scene: Scene, _ sources: [PlacedPicture: SourcePicture], _ overlays: [OverlayPicture?], _ wipeMap: StillImage?
  ) throws(CompositingError) -> PixelBuffer {
    if let inLight, try mixes(scene, sources, overlays) {
      let frame = try inLight.composite(scene, sources: sources, overlays: overlays, wipeMap: wipeMap)
      return try fitter.fit(frame, inLight.target, .whole(target))
    }
    var canvas: Canvas
    switch scene.picture {
    case .layers(let layers):
      canvas = try drawn(placed(layers, sources), on: scene.background)
    case .transition(let effect, let from, let to, let progress):
      var outgoing = try drawn(placed(from.map { [$0] } ?? [], sources), on: scene.background)
      var incoming = try drawn(placed(to.map { [$0] } ?? [], sources), on: scene.background)
      canvas = emptyCanvas(scene.background)
      canvas.replace(
        with: try passage(effect, from: outgoing.finished(), to: incoming.finished(), progress: progress, map: wipeMap))
    case .composed: preconditionFailure("composed pictures are made before")
    }
    for position in scene.overlays {
      guard overlays.indices.contains(position), let overlay = overlays[position] else { throw .missingOverlay(position) }
      guard overlay.area != nil else { continue }
      overlay.blend(over: try canvas.writable(), mixture)
    }
    return try canvas.finished()
  }

  func emptyCanvas(_ background: RGBAColor) -> Canvas {
    // A frame is opaque: a translucent background lies on black.
    let alpha = background.alpha
    let opaque = RGBAColor(background.red * alpha, background.green * alpha, background.blue * alpha)
    return Canvas(format: target, background: graphics.roundedCodes(opaque), mixture: mixture)
  }

  typealias PlacedSource = (source: SourcePicture, placement: Placement, opacity: Double)

  /// What is seen of `layers`, bottommost first: those that an opaque one hides are left out.
  func placed(
    _ layers: [PlacedPicture], _ sources: [PlacedPicture: SourcePicture]
  ) throws(CompositingError) -> [PlacedSource] {
    var placed: [PlacedSource] = []
    for layer in layers where layer.opacity > 0 {
      guard let source = sources[layer] else { throw .missingSource(layer.source.description) }
      let stored = (source.buffer.width, source.buffer.height)
      let placement = Placement(layer, facts: source.facts, stored: stored, frame: renderSize)
      if layer.opacity >= 1, case .upright(let upright) = placement, upright.covers(renderSize) { placed.removeAll() }
      placed.append((source, placement, layer.opacity))
    }
    return placed
  }

  /// `layers` over the background.
  private func drawn(_ layers: [PlacedSource], on background: RGBAColor) throws(CompositingError) -> Canvas {
    var canvas = emptyCanvas(background)
    for layer in layers {
      switch layer.placement {
      case .hidden: break
      case .upright(let placement):
        try draw(layer.source.buffer, layer.source.format, placement, layer.opacity, on: &canvas)
      case .warped(let placement): try draw(layer.source, placement, layer.opacity, on: &canvas)
      }
    }
    return canvas
  }

  func draw(
    _ source: PixelBuffer, _ format: PictureFormat, _ placement: UprightPlacement, _ opacity: Double, on canvas: inout Canvas
  ) throws(CompositingError) {
    let turned = fitter.turned(format, by: placement.turn)
    let (shown, covered) = (placement.source, placement.target)
    let part = PixelArea(around: shown, cell: turned.cell, within: (turned.width, turned.height))

    if turned.hasSameSamples(as: target), placement.isPermutation(cell: target.cell) {
      var (picture, corner) = (source, (x: 0, y: 0))
      if placement.turn != .up {
        let (width, height) = part.paddedSize(turned.cell)
        let whole = Rect(0, 0, Double(width), Double(height))
        picture = try fitter.fit(
          picture, format, .init(turn: placement.turn, part: part, region: whole, width: width, height: height))
        corner = (part.columns.lowerBound, part.rows.lowerBound)
      }
      let origin = (corner.x + Int(covered.x - shown.x), corner.y + Int(covered.y - shown.y))
      return try canvas.draw(picture, at: origin, covered: covered, opacity: opacity)
    }

    let box = PixelArea(around: covered, cell: target.cell, within: (target.width, target.height))
    let (scaleX, scaleY) = (shown.width / covered.width, shown.height / covered.height)
    let region = Rect(
      shown.x - Double(part.columns.lowerBound) + (Double(box.columns.lowerBound) - covered.x) * scaleX,
      shown.y - Double(part.rows.lowerBound) + (Double(box.rows.lowerBound) - covered.y) * scaleY,
      Double(box.columns.count) * scaleX, Double(box.rows.count) * scaleY)
    let picture = try fitter.fit(
      source, format,
      .init(turn: placement.turn, part: part, region: region, width: box.columns.count, height: box.rows.count))
    try canvas.draw(picture, at: (box.columns.lowerBound, box.rows.lowerBound), covered: covered, opacity: opacity)
  }

  /// Bilinear by our own kernel; what the map makes smaller is first scaled down along the picture's axes, so that
  /// every source pixel counts.
  private func draw(
    _ source: SourcePicture, _ placement: WarpedPlacement, _ opacity: Double, on canvas: inout Canvas
  ) throws(CompositingError) {
    let (format, map) = (source.format, placement.map)
    let part = PixelArea(around: placement.source, cell: format.cell, within: (format.width, format.height))
    let padded = part.paddedSize(format.cell)
    let width = target.wholeCells(Double(padded.width) * min(map.lengthAlongX, 1), target.cell.width)
    let height = target.wholeCells(Double(padded.height) * min(map.lengthAlongY, 1), target.cell.height)
    let whole = Rect(0, 0, Double(padded.width), Double(padded.height))
    let picture = try fitter.fit(
      source.buffer, format, .init(turn: .up, part: part, region: whole, width: width, height: height))

    let toStored = AffineTransform(
      whole.width / Double(width), 0, 0, whole.height / Double(height),
      Double(part.columns.lowerBound), Double(part.rows.lowerBound))
    guard let fromStored = toStored.inverse, let back = toStored.then(map).inverse else {
      preconditionFailure("placements are not singular")
    }
    let shown = fromStored.bounds(of: placement.source)
    let frame = try canvas.writable()
    for (index, ground) in frame.planes.enumerated() where mixture == nil {
      let shift = target.format.shift(ofPlane: index)
      let geometry = PlaneWarp(fromGround: back, shown: shown, cell: (1 << shift.x, 1 << shift.y))
      ground.warp(picture.planes[index], geometry, bitDepth: target.format.bitDepth, weight: Weight(opacity))
    }
    if let mixture {
      let geometry = PlaneWarp(fromGround: back, shown: shown, cell: (1, 1))
      try warp(picture, geometry, weight: Weight(opacity), over: frame, mixture)
    }
    withExtendedLifetime(picture) {}
  }
}

extension SourcePicture {
  fileprivate var format: PictureFormat {
    PictureFormat(
      width: buffer.width, height: buffer.height, format: buffer.format, color: facts.color,
      taggedHeight: facts.naturalSize.height)
  }
}

extension PictureFormat {
  /// The nearest positive whole number of cells to `length` pixels, in pixels.
  fileprivate func wholeCells(_ length: Double, _ cell: Int) -> Int {
    max(Int((length / Double(cell)).rounded()), 1) * cell
  }
}

extension PixelArea {
  fileprivate func paddedSize(_ cell: (width: Int, height: Int)) -> (width: Int, height: Int) {
    ((columns.count + cell.width - 1) / cell.width * cell.width, (rows.count + cell.height - 1) / cell.height * cell.height)
  }
}

extension AffineTransform {
  /// What a step of 1 along the x axis becomes.
  fileprivate var lengthAlongX: Double { (a * a + b * b).squareRoot() }
  fileprivate var lengthAlongY: Double { (c * c + d * d).squareRoot() }
}
