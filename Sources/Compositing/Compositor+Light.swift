import Media
import Timeline

/// What mixing light asks of a compositor (decision 0044).
extension Compositor {
  /// Whether anything is mixed in `pieces`: without that, their frame is the same in light.
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

  /// The kernel mixes codes: picture and cover are drawn over black, and mixed as light from there.
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
