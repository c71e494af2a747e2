package import Formats
package import Media
internal import Scenes
package import Timeline

/// Makes frames of collages: background, placed pictures, transitions. Frames are opaque, unless alpha is asked for.
///
/// A frame is a pure function of its collage. The compositor's memory only saves work. One thread at a time.
package final class Compositor {
  package let renderSize: PixelSize
  /// The size of the frames, in pixels. They are rendered at the render size, then scaled to this one.
  private let outputSize: PixelSize
  /// The render format.
  let target: PictureFormat
  let graphics: GraphicsColor
  /// How light is mixed; nil mixes codes.
  let mixture: LightMixture?
  let fitter: PictureFitter
  /// Makes the frames in which something is mixed; nil where codes are mixed, and in the compositor that mixes light itself.
  private let inLight: Compositor?
  /// Makes the pictures that are mixed with what is below them by a mode; nil until one is.
  private(set) lazy var mixer: ModeMixer = {
    usesMixer = true
    return ModeMixer(target, fitter.toneMap)
  }()
  private var usesMixer = false
  /// Whether the frames have alpha.
  private let hasAlpha: Bool
  /// The colour that lies below everything, and is seen through a translucent background.
  private var ground = RGBAColor.black
  /// The field of the last wipe.
  var field: (wipe: Transition.Wipe, isReversed: Bool, field: WipeField)?

  /// - Parameters:
  ///   - outputSize: the size of the frames; nil is the render size.
  ///   - color: the output's colour. Unknown tags are filled in as players do it.
  ///   - toneMap: the tone map for sources of high dynamic range in an output of standard range.
  ///   - blending: whether codes or light are mixed.
  ///   - hasAlpha: whether the frames have alpha (decision 0150).
  /// - Precondition: both sizes are positive whole numbers of the format's chroma cells. With alpha the format has full chroma and
  ///   16 bits, codes are mixed, and collages have no blend modes.
  package convenience init(
    renderSize: PixelSize, outputSize: PixelSize? = nil, format: PixelFormat, color: ColorTags, toneMap: ToneMap = .bt2390,
    blending: Blending = .encoded, hasAlpha: Bool = false
  ) {
    precondition(!hasAlpha || (format == Self.formatWithAlpha(like: format.layout) && blending == .encoded))
    for size in [renderSize, outputSize ?? renderSize] {
      precondition(size.width > 0 && size.height > 0)
      precondition(size.width.isMultiple(of: format.cell.width) && size.height.isMultiple(of: format.cell.height))
    }
    let target = PictureFormat(
      width: renderSize.width, height: renderSize.height, format: format, color: color, taggedHeight: renderSize.height)
    self.init(
      target, toneMap, outputSize: outputSize, hasAlpha: hasAlpha,
      inLight: blending == .linear ? Compositor(mixingLightFor: target, toneMap) : nil)
  }

  /// Makes a compositor for frames in R'G'B', in the colour of `output`.
  private convenience init(mixingLightFor output: PictureFormat, _ toneMap: ToneMap) {
    let color = ColorTags(output.color.primaries, output.color.transfer, .rgb, .full)
    let target = PictureFormat(
      width: output.width, height: output.height, format: LightMixture.format, color: color, taggedHeight: output.height)
    self.init(target, toneMap, mixture: LightMixture(color.transfer))
  }

  /// Makes a compositor for pictures in R'G'B' that are mixed by a mode afterwards.
  convenience init(mixingModesFor target: PictureFormat, _ toneMap: ToneMap) { self.init(target, toneMap) }

  private init(
    _ target: PictureFormat, _ toneMap: ToneMap, outputSize: PixelSize? = nil, hasAlpha: Bool = false,
    mixture: LightMixture? = nil, inLight: Compositor? = nil
  ) {
    (renderSize, self.target) = (PixelSize(target.width, target.height), target)
    (self.outputSize, self.hasAlpha) = (outputSize ?? renderSize, hasAlpha)
    (self.mixture, self.inLight) = (mixture, inLight)
    graphics = GraphicsColor(target)
    fitter = PictureFitter(target: target, toneMap: toneMap)
  }

  /// The format and colour that graphics must be made for (`PlacedPicture.init(graphics:)`).
  package var graphicsFormat: (format: PixelFormat, color: ColorTags) {
    let target = inLight?.target ?? target
    return (target.format, target.color)
  }

  /// The frame of `collage`, for reading only: it may be a source's own buffer, or one that is shown again.
  ///
  /// - Parameter maps: gives the still pictures of wipes. It is asked only when a wipe begins.
  package func composite(
    _ collage: Collage,
    maps: Collage.WipeMaps = { (asset) throws(MediaError) in throw MediaError(.internal, at: "\(asset)", "no wipe was expected") }
  ) throws(CompositingError) -> PixelBuffer {
    defer {
      fitter.finishScene()
      if usesMixer { mixer.finishScene() }
    }
    let frame = try hasAlpha ? renderedWithAlpha(collage, maps) : rendered(collage, maps)
    guard outputSize != renderSize else { return frame }
    var fitting = PictureFitter.Fitting.whole(target)
    (fitting.width, fitting.height) = (outputSize.width, outputSize.height)
    return try fitter.fit(frame, target, fitting)
  }

  private func rendered(_ collage: Collage, _ maps: Collage.WipeMaps) throws(CompositingError) -> PixelBuffer {
    if let inLight, mixes(collage.pieces) {
      let frame = try inLight.composite(collage, maps: maps)
      return try fitter.fit(frame, inLight.target, .whole(target))
    }
    var canvas = try drawn(collage.pieces, on: collage.background, maps)
    return try canvas.finished()
  }

  /// The format of frames with alpha. Their chroma is not subsampled, so that one alpha does for all planes of a pixel.
  ///
  /// - Parameter layout: that of the movie's samples.
  package static func formatWithAlpha(like layout: PixelFormat.Layout) -> PixelFormat {
    PixelFormat(layout == .gbr ? .gbr : .yuv444, bitDepth: 16)
  }

  /// The frame over black, and the alpha that makes it the same over white.
  ///
  /// All that is drawn lets a fixed share of what is below through, whatever its colour. So the frame over white is brighter by
  /// what shines through, and the one over black is the colours multiplied by alpha.
  private func renderedWithAlpha(_ collage: Collage, _ maps: Collage.WipeMaps) throws(CompositingError) -> PixelBuffer {
    defer { ground = .black }
    ground = .black
    let dark = try rendered(collage, maps)
    ground = .white
    let light = try rendered(collage, maps)
    let range = graphics.roundedCodes(.white)[0] - graphics.roundedCodes(.black)[0]
    let shares = try PixelBuffer.makeAlpha(target.width, target.height)
    let least = shares.planes[0].fillAlpha(dark.planes[0], light.planes[0], range: range)
    withExtendedLifetime((dark, light)) {}
    if least == PixelBuffer.Alpha.opaque { return dark }
    do throws(MediaError) {
      return try dark.with(PixelBuffer.Alpha(full: shares, chroma: nil)).straightened(from: .premultiplied)
    } catch { throw .media(error) }
  }

  func emptyCanvas(_ background: RGBAColor) -> Canvas {
    Canvas(background, over: ground, target, graphics, mixture: mixture)
  }

  /// A piece, and where it goes.
  enum PlacedPiece {
    case picture(SourcePicture, Placement, opacity: Double)
    case transition(Transition.Effect, from: [Collage.Piece], to: [Collage.Piece], progress: Double)
    case group(Collage.Group)
    case backdrop([LayerFilter.Value], Collage.Cover)
  }

  /// The pieces with their placements. Pieces below one that is opaque and covers the frame are left out.
  func placed(_ pieces: [Collage.Piece]) -> [PlacedPiece] {
    var placed: [PlacedPiece] = []
    for piece in pieces {
      switch piece {
      case .picture(let source, let laid):
        let placement = Placement(
          laid, facts: source.facts, stored: (source.buffer.width, source.buffer.height), frame: renderSize)
        if laid.opacity >= 1, source.buffer.alpha == nil, case .upright(let upright) = placement, upright.covers(renderSize) {
          placed.removeAll()
        }
        placed.append(.picture(source, placement, opacity: laid.opacity))
      case .transition(let effect, let from, let to, let progress):
        placed = [.transition(effect, from: from, to: to, progress: progress)]
      case .group(let group): placed.append(.group(group))
      case .backdrop(let filters, let cover): placed.append(.backdrop(filters, cover))
      }
    }
    return placed
  }

  /// The pieces drawn over the background.
  func drawn(
    _ pieces: [Collage.Piece], on background: RGBAColor, _ maps: Collage.WipeMaps
  ) throws(CompositingError) -> Canvas {
    var canvas = emptyCanvas(background)
    try draw(pieces, on: &canvas, background, maps)
    return canvas
  }

  /// Draws the pieces over what the canvas has.
  func draw(
    _ pieces: [Collage.Piece], on canvas: inout Canvas, _ background: RGBAColor, _ maps: Collage.WipeMaps
  ) throws(CompositingError) {
    for piece in placed(pieces) {
      switch piece {
      case .picture(_, .hidden, _): break
      case .picture(let source, .upright(let placement), let opacity):
        try draw(source.buffer, source.format, placement, opacity: opacity, on: &canvas)
      case .picture(let source, .warped(let placement), let opacity): try draw(source, placement, opacity: opacity, on: &canvas)
      case .transition(let effect, let from, let to, let progress):
        var outgoing = try drawn(from, on: background, maps)
        var incoming = try drawn(to, on: background, maps)
        canvas.replace(
          with: try passage(effect, from: outgoing.finished(), to: incoming.finished(), progress: progress, maps))
      case .group(let group): try draw(group, on: &canvas, background, maps)
      case .backdrop(let filters, let cover): try draw(filters, of: cover, on: &canvas)
      }
    }
  }

  func draw(
    _ source: PixelBuffer, _ format: PictureFormat, _ placement: UprightPlacement, opacity: Double, on canvas: inout Canvas
  ) throws(CompositingError) {
    let (picture, origin) = try fitted(source, format, placement)
    try canvas.draw(picture, at: origin, covered: placement.target, opacity: opacity)
  }

  /// The picture in the render format, and the place of its top left corner, which is that of a chroma cell. It reaches over every
  /// cell that the placement's target touches in the frame.
  func fitted(
    _ source: PixelBuffer, _ format: PictureFormat, _ placement: UprightPlacement
  ) throws(CompositingError) -> (picture: PixelBuffer, origin: (x: Int, y: Int)) {
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
      return (picture, origin)
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
    return (picture, (box.columns.lowerBound, box.rows.lowerBound))
  }
}

extension PixelArea {
  /// The size rounded up to whole cells.
  func paddedSize(_ cell: (width: Int, height: Int)) -> (width: Int, height: Int) {
    ((columns.count + cell.width - 1) / cell.width * cell.width, (rows.count + cell.height - 1) / cell.height * cell.height)
  }
}
