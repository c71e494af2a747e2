import Media
import Timeline

/// The parts of a compositor that mix light (decision 0044).
extension Compositor {
  /// Whether anything is mixed in `pieces`. Without that, their frame is the same in light as in codes.
  func mixes(_ pieces: [Collage.Piece]) -> Bool {
    placed(pieces).contains { piece in
      switch piece {
      case .picture(_, .hidden, _): false
      case .picture(_, .upright(let placement), let opacity): opacity < 1 || !placement.coversWholeCells(of: target)
      case .picture(_, .warped, _): true
      case .transition(let effect, let from, let to, let progress): effect.mixes && progress > 0 || mixes(from) || mixes(to)
      case .overlay(let overlay): overlay.area != nil
      }
    }
  }

  /// Draws a warped picture in light. The kernel mixes codes, so it draws the picture and its coverage over black. Both are then
  /// mixed as light.
  func warp(
    _ picture: PixelBuffer, _ geometry: PlaneWarp, weight: Weight, over frame: PixelBuffer, _ mixture: LightMixture
  ) throws(CompositingError) {
    let gray = PixelFormat(.gray, bitDepth: target.format.bitDepth)
    let white = try PixelBuffer.make(format: gray, picture.width, picture.height, target.color)
    let cover = try PixelBuffer.make(format: gray, frame.width, frame.height, target.color)
    let drawn = try PixelBuffer.make(format: gray, frame.width, frame.height, target.color)
    white.planes[0].fill(with: Int(UInt16.max))
    cover.planes[0].fill(with: 0)
    cover.planes[0].warp(white.planes[0], geometry, bitDepth: gray.bitDepth, weight: weight)
    for (ground, plane) in zip(frame.planes, picture.planes) {
      drawn.planes[0].fill(with: 0)
      drawn.planes[0].warp(plane, geometry, bitDepth: gray.bitDepth, weight: weight)
      ground.lay(drawn.planes[0], cover: cover.planes[0], mixture)
    }
    withExtendedLifetime((white, cover, drawn)) {}
  }
}
