import Formats
import Media

/// The parts of a compositor that draw pictures through affine maps.
extension Compositor {
  /// Draws a warped picture with the bilinear kernel. Where the map makes it smaller, the picture is first scaled down along its
  /// own axes, so that every source pixel counts.
  func draw(
    _ source: SourcePicture, _ placement: WarpedPlacement, opacity: Double, on canvas: inout Canvas
  ) throws(CompositingError) {
    let warped = try warped(source, placement)
    let (picture, covered) = (warped.picture, warped.covered)
    let frame = try canvas.writable()
    var cover: WarpedCover?
    for index in frame.planes.indices {
      let shift = target.format.shift(ofPlane: index)
      let cell = (width: 1 << shift.x, height: 1 << shift.y)
      let geometry = warped.geometry(cell)
      let (ground, plane) = (frame.planes[index], picture.planes[index])
      if mixture == nil, picture.alpha == nil {
        ground.warp(plane, geometry, bitDepth: target.format.bitDepth, weight: Weight(opacity))
        continue
      }
      guard let area = ground.area(around: covered, cell: cell) else { continue }
      if index == 0 || shift != (0, 0) && index == 1 {
        cover = try WarpedCover(of: picture, plane: index, geometry, weight: Weight(opacity), over: ground, area)
      }
      guard let cover else { preconditionFailure("the first plane has a cover") }
      try lay(plane, cover: cover, geometry: geometry, weight: Weight(opacity), over: ground, area: area)
    }
    withExtendedLifetime((picture, frame, cover)) {}
  }

  /// A picture that was prepared for the warp.
  private struct WarpedPicture {
    /// The picture in the render format, scaled down where the map makes it smaller.
    let picture: PixelBuffer
    /// The map from render pixels to the picture's.
    let back: AffineTransform
    /// The part of the picture that is seen, in its own pixels.
    let shown: Rect
    /// The rectangle around what it covers, in render pixels.
    let covered: Rect
    /// The view of a picture that is turned in space, instead of `back`; nil for all others.
    let view: Projection?

    func geometry(_ cell: (width: Int, height: Int)) -> PlaneWarp {
      view.map { PlaneWarp(fromGround: $0, shown: shown, cell: cell) } ?? PlaneWarp(fromGround: back, shown: shown, cell: cell)
    }
  }

  private func warped(_ source: SourcePicture, _ placement: WarpedPlacement) throws(CompositingError) -> WarpedPicture {
    let (format, map) = (source.format, placement.map)
    let part = PixelArea(around: placement.source, cell: format.cell, within: (format.width, format.height))
    let padded = part.paddedSize(format.cell)
    let stretch = placement.stretch
    let width = target.wholeCells(Double(padded.width) * min(stretch.x, 1), target.cell.width)
    let height = target.wholeCells(Double(padded.height) * min(stretch.y, 1), target.cell.height)
    let whole = Rect(0, 0, Double(padded.width), Double(padded.height))
    let picture = try fitter.fit(
      source.buffer, format, .init(turn: .up, part: part, region: whole, width: width, height: height))

    let toStored = AffineTransform(
      whole.width / Double(width), 0, 0, whole.height / Double(height),
      Double(part.columns.lowerBound), Double(part.rows.lowerBound))
    guard let fromStored = toStored.inverse, let back = toStored.then(map).inverse else {
      preconditionFailure("placements are not singular")
    }
    return WarpedPicture(
      picture: picture, back: back, shown: fromStored.bounds(of: placement.source),
      covered: placement.view.flatMap { $0.bounds(of: placement.source) } ?? map.bounds(of: placement.source),
      view: placement.view.flatMap { Projection(toStored).then($0).inverse })
  }

  /// The share of each pixel of the frame that a warped picture covers, with its alpha, as a plane of alpha of the frame's size.
  func share(of source: SourcePicture, _ placement: WarpedPlacement, opacity: Double) throws(CompositingError) -> PixelBuffer {
    let warped = try warped(source, placement)
    let whole = try PixelBuffer.makeAlpha(target.width, target.height)
    whole.planes[0].fill(with: 0)
    guard let area = whole.planes[0].area(around: warped.covered, cell: (1, 1)) else { return whole }
    let geometry = warped.geometry((width: 1, height: 1))
    let cover = try WarpedCover(of: warped.picture, plane: 0, geometry, weight: Weight(opacity), over: whole.planes[0], area)
    whole.planes[0].part(area).copy(cover.shares.planes[0].part(area))
    withExtendedLifetime((warped.picture, cover)) {}
    return whole
  }

  /// Draws a plane of a warped picture that has alpha, or is mixed in light. The kernel mixes codes with one opacity. So it draws
  /// the picture, multiplied by its alpha, and its cover over zeros. Then the picture is laid over the frame by its cover.
  ///
  /// - Parameter area: the part of the ground that holds every sample which the picture covers. Nothing else is looked at.
  private func lay(
    _ source: Plane, cover: WarpedCover, geometry: PlaneWarp, weight: Weight, over ground: Plane, area: PixelArea
  ) throws(CompositingError) {
    let drawn = try PixelBuffer.makeAlpha(ground.width, ground.height)
    drawn.planes[0].part(area).fill(with: 0)
    if let alpha = cover.alpha {
      let multiplied = try PixelBuffer.makeAlpha(source.width, source.height)
      let rise = CodeRise(zero: 0, zeroOfWords: 0, factor: Float(1 << (16 - target.format.bitDepth)))
      multiplied.planes[0].multiply(source, by: alpha.planes[0], rise)
      drawn.planes[0].warp(multiplied.planes[0], geometry, bitDepth: 16, weight: weight)
      withExtendedLifetime(multiplied) {}
    } else {
      drawn.planes[0].warp(source, geometry, bitDepth: 16, weight: weight)
    }
    ground.part(area).lay(
      drawn.planes[0].part(area), cover: cover.shares.planes[0].part(area), depth: target.format.bitDepth, mixture)
    withExtendedLifetime(drawn) {}
  }
}

/// The share of each sample of the frame that a warped picture covers.
private struct WarpedCover {
  /// The alpha of the picture's samples; nil for an opaque picture.
  let alpha: PixelBuffer?
  let shares: PixelBuffer

  init(
    of picture: PixelBuffer, plane index: Int, _ geometry: PlaneWarp, weight: Weight, over ground: Plane, _ area: PixelArea
  ) throws(CompositingError) {
    alpha = picture.alpha?.samples(ofPlane: index)
    let source: PixelBuffer
    if let alpha {
      source = alpha
    } else {
      source = try PixelBuffer.makeAlpha(picture.planes[index].width, picture.planes[index].height)
      source.planes[0].fill(with: Int(PixelBuffer.Alpha.opaque))
    }
    shares = try PixelBuffer.makeAlpha(ground.width, ground.height)
    shares.planes[0].part(area).fill(with: 0)
    shares.planes[0].warp(source.planes[0], geometry, bitDepth: 16, weight: weight)
    withExtendedLifetime(source) {}
  }
}

extension Plane {
  fileprivate func part(_ area: PixelArea) -> Plane { part(columns: area.columns, rows: area.rows) }

  /// The samples whose cells may touch a rectangle of pixels; nil when there are none. Some more are taken on each side, because
  /// the rectangle is rounded.
  fileprivate func area(around rect: Rect, cell: (width: Int, height: Int)) -> PixelArea? {
    func samples(from: Double, to: Double, cell: Int, count: Int) -> Range<Int> {
      let first = min(max((from / Double(cell)).rounded(.down) - 2, 0), Double(count))
      return Int(first)..<Int(max(min((to / Double(cell)).rounded(.up) + 2, Double(count)), first))
    }
    let area = PixelArea(
      samples(from: rect.x, to: rect.maxX, cell: cell.width, count: width),
      samples(from: rect.y, to: rect.maxY, cell: cell.height, count: height))
    return area.columns.isEmpty || area.rows.isEmpty ? nil : area
  }
}

extension PictureFormat {
  /// The nearest positive whole number of cells to `length` pixels, in pixels.
  fileprivate func wholeCells(_ length: Double, _ cell: Int) -> Int {
    max(Int((length / Double(cell)).rounded()), 1) * cell
  }
}
