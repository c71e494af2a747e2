import Media
import Timeline

/// What mixing light asks of a compositor (decision 0044).
extension Compositor {
  /// Whether anything is mixed in the scene: without that, its frame is the same in light.
  func mixes(
    _ scene: Scene, _ sources: [PlacedPicture: SourcePicture], _ overlays: [OverlayPicture?]
  ) throws(CompositingError) -> Bool {
    if scene.overlays.contains(where: { overlays.indices.contains($0) && overlays[$0]?.area != nil }) { return true }
    let layers: [PlacedSource]
    switch scene.picture {
    case .layers(let pictures): layers = try placed(pictures, sources)
    case .transition(let effect, let from, let to, let progress):
      if effect.mixes, progress > 0 { return true }
      layers = try placed(from.map { [$0] } ?? [], sources) + placed(to.map { [$0] } ?? [], sources)
    case .composed: preconditionFailure("composed pictures are made before")
    }
    return layers.contains { layer in
      switch layer.placement {
      case .hidden: false
      case .upright(let placement): layer.opacity < 1 || !placement.coversWholeCells(of: target)
      case .warped: true
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
