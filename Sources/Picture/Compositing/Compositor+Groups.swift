import Formats
import Media
import Scenes
import Timeline

/// The parts of a compositor that lay groups of pieces as one picture (decision 0130).
extension Compositor {
  /// Draws a group.
  ///
  /// The pieces are drawn over a copy of the frame, or mixed with it by a mode. Then as much of the copy is mixed into the frame as the group is seen. This is
  /// the same as laying the group's own picture with that opacity, since a piece that is laid over a frame leaves a fixed share of
  /// it: f + (1 - a) g, of which the share k is mixed into g, is k f + (1 - k a) g.
  func draw(
    _ group: Collage.Group, on canvas: inout Canvas, _ background: RGBAColor, _ maps: Collage.WipeMaps
  ) throws(CompositingError) {
    guard group.opacity > 0 else { return }
    let share = try share(of: group, maps)
    if !group.filters.isEmpty || group.shadow != nil {
      // A mode mixes what the filters make.
      let picture = try mixer.filtered(group, share, maps)
      return try lay(picture, group, on: &canvas)
    }
    let ground = try canvas.finished()
    if group.blendMode == .plusLighter {
      let sum = try mixer.sum(group.pieces, seen: share, opacity: group.opacity, over: ground, target, maps)
      return try lay(sum, opacity: 1, on: &canvas)
    }
    let drawn: PixelBuffer
    if group.blendMode == .normal {
      var copy = emptyCanvas(background)
      copy.replace(with: ground)
      try draw(group.pieces, on: &copy, background, maps)
      drawn = try copy.finished()
    } else {
      let mixed = try mixer.mixed(group.pieces, mode: group.blendMode, over: ground, format: target, maps: maps)
      drawn = try fitter.fit(mixed, mixer.format, .whole(target))
    }
    if drawn === ground { return }
    var picture = drawn
    if let share {
      if let own = drawn.alpha { share.planes[0].multiplyAlpha(by: own.full.planes[0]) }
      do throws(MediaError) {
        picture = drawn.with(try PixelBuffer.Alpha(full: share, for: target.format))
      } catch { throw .media(error) }
    }
    let whole = Rect(0, 0, Double(target.width), Double(target.height))
    try canvas.draw(picture, at: (0, 0), covered: whole, opacity: group.opacity)
  }

  /// The share of each pixel of the frame that is seen of a group's pieces; nil where all is.
  private func share(of group: Collage.Group, _ maps: Collage.WipeMaps) throws(CompositingError) -> PixelBuffer? {
    var share = try group.cover.map { cover throws(CompositingError) in try self.share(of: cover.picture, cover.placement) }
    if let mask = group.mask {
      let masked = try mixer.share(of: mask, maps)
      share?.planes[0].multiplyAlpha(by: masked.planes[0])
      share = share ?? masked
    }
    return share
  }

  /// Lays a group's picture in R'G'B', whose alpha is what is seen of it, over the frame, mixed by the group's mode.
  private func lay(_ picture: PixelBuffer, _ group: Collage.Group, on canvas: inout Canvas) throws(CompositingError) {
    switch group.blendMode {
    case .normal: try lay(picture, opacity: group.opacity, on: &canvas)
    case .plusLighter:
      let sum = try mixer.sum(picture, opacity: group.opacity, over: canvas.finished(), target)
      try lay(sum, opacity: 1, on: &canvas)
    default:
      let mixed = try mixer.mixed(picture, group.blendMode, over: canvas.finished(), target)
      try lay(mixed, opacity: group.opacity, on: &canvas)
    }
  }

  /// Lays a picture in R'G'B' of the frame's size over the frame.
  private func lay(_ picture: PixelBuffer, opacity: Double, on canvas: inout Canvas) throws(CompositingError) {
    let fitted = try fitter.fit(picture, mixer.format, .whole(target))
    let whole = Rect(0, 0, Double(target.width), Double(target.height))
    try canvas.draw(fitted, at: (0, 0), covered: whole, opacity: opacity)
  }

  /// Filters what the canvas has, as far as the cover is opaque.
  func draw(_ filters: [LayerFilter.Value], of cover: Collage.Cover, on canvas: inout Canvas) throws(CompositingError) {
    let share = try share(of: cover.picture, cover.placement)
    let filtered = try mixer.filtered(canvas.finished(), target, filters)
    var picture = try fitter.fit(filtered, mixer.format, .whole(target))
    do throws(MediaError) {
      picture = picture.with(try PixelBuffer.Alpha(full: share, for: target.format))
    } catch { throw .media(error) }
    try canvas.draw(picture, at: (0, 0), covered: Rect(0, 0, Double(target.width), Double(target.height)), opacity: 1)
  }

  /// The share of each pixel of the frame that a picture covers, as a plane of alpha of the frame's size.
  private func share(of cover: SourcePicture, _ laid: Scene.Placement) throws(CompositingError) -> PixelBuffer {
    let placement = Placement(
      laid, facts: cover.facts, stored: (cover.buffer.width, cover.buffer.height), frame: renderSize)
    switch placement {
    case .hidden:
      let nothing = try PixelBuffer.makeAlpha(target.width, target.height)
      nothing.planes[0].fill(with: 0)
      return nothing
    case .warped(let placement): return try share(of: cover, placement, opacity: laid.opacity)
    case .upright(let placement):
      let whole = try PixelBuffer.makeAlpha(target.width, target.height)
      whole.planes[0].fill(with: 0)
      let (picture, origin) = try fitted(cover.buffer, cover.format, placement)
      let alpha = if let own = picture.alpha { own.full } else { try PixelBuffer.opaqueAlpha(picture.width, picture.height) }
      let covered = placement.target
      let columns = Canvas.cells(covered.x, covered.maxX, size: 1, count: target.width)
      for row in Canvas.cells(covered.y, covered.maxY, size: 1, count: target.height) {
        for column in columns {
          let (left, top) = (column.range.lowerBound - origin.x, row.range.lowerBound - origin.y)
          let source = alpha.planes[0].part(
            columns: left..<left + column.range.count, rows: top..<top + row.range.count)
          whole.planes[0].part(columns: column.range, rows: row.range)
            .blend(source, weight: Weight(column.share * row.share * laid.opacity))
        }
      }
      withExtendedLifetime(alpha) {}
      return whole
    }
  }
}

extension Plane {
  /// Multiplies each alpha by another one, rounded to the nearest.
  ///
  /// - Precondition: both planes hold alpha and have one shape.
  func multiplyAlpha(by other: Plane) {
    for y in 0..<height {
      let (own, factor) = unsafe (row(y, as: UInt16.self), other.row(y, as: UInt16.self))
      for x in 0..<width { unsafe own[x] = UInt16((UInt32(own[x]) * UInt32(factor[x]) + 32767) / 65535) }
    }
  }
}

extension PixelBuffer {
  /// The alpha of an opaque picture.
  fileprivate static func opaqueAlpha(_ width: Int, _ height: Int) throws(CompositingError) -> PixelBuffer {
    let alpha = try makeAlpha(width, height)
    alpha.planes[0].fill(with: Int(Alpha.opaque))
    return alpha
  }
}
