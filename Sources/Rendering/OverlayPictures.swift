internal import Compositing
internal import Drawing
internal import Media
internal import MediaTime
internal import Timeline

/// The overlay layers of an edit as pictures: each rasterised once, when it is first seen, and dropped when its time is
/// over, so that the cost of a lyric video grows with its lines on screen and not with its frames. Belongs to one thread.
final class OverlayPictures {
  private let edit: ResolvedTimeline
  private let compositor: Compositor
  private let policy: SourcePolicy
  private var made: [Int: OverlayPicture] = [:]
  /// The picture of the last wipe that went by one.
  private var map: (asset: AssetID, image: StillImage)?

  init(edit: ResolvedTimeline, compositor: Compositor, policy: SourcePolicy) {
    (self.edit, self.compositor, self.policy) = (edit, compositor, policy)
  }

  /// By position in `timeline.layers`; those that the scene does not show are nil.
  func pictures(for scene: Scene) throws -> [OverlayPicture?] {
    guard let highest = scene.overlays.last else { return [] }
    var pictures = [OverlayPicture?](repeating: nil, count: highest + 1)
    made = made.filter { scene.overlays.contains($0.key) }
    for position in scene.overlays {
      let picture = try made[position] ?? drawn(edit.timeline.layers[position])
      made[position] = picture
      pictures[position] = picture
    }
    return pictures
  }

  /// The picture that the scene's wipe goes by.
  func wipeMap(for scene: Scene) throws -> StillImage? {
    guard let asset = scene.wipeMap else { return nil }
    if let map, map.asset == asset { return map.image }
    let image = try StillImage.load(path(of: asset), policy: policy)
    map = (asset, image)
    return image
  }

  private func drawn(_ layer: OverlayLayer) throws -> OverlayPicture {
    let (renderSize, target) = (compositor.renderSize, compositor.overlayFormat)
    let raster =
      switch layer.content {
      case .text(let text): try Raster(text: text, in: renderSize)
      case .image(let content):
        try Raster(image: StillImage.load(path(of: content.asset), policy: policy), content: content, in: renderSize)
      }
    return OverlayPicture(raster, opacity: layer.opacity, renderSize: renderSize, format: target.format, color: target.color)
  }

  private func path(of asset: AssetID) -> String {
    guard let asset = edit.timeline.assets[asset] else { preconditionFailure("a resolved image has an asset") }
    return asset.path
  }
}
