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
  private let fonts: FontBook
  private var made: [Int: OverlayPicture] = [:]
  /// The last one that was read: thousands of layers may show the same.
  private var lastImage: (asset: AssetID, image: StillImage)?
  /// The assets among those read of which not all could be decoded.
  private var damaged: Set<AssetID> = []

  init(edit: ResolvedTimeline, compositor: Compositor, policy: SourcePolicy, fonts: FontBook) {
    (self.edit, self.compositor, self.policy, self.fonts) = (edit, compositor, policy, fonts)
  }

  /// By position in `timeline.layers`; those that the scene does not show are nil.
  func pictures(for scene: Scene) throws -> [OverlayPicture?] {
    guard let highest = scene.overlays.last else { return [] }
    var pictures = [OverlayPicture?](repeating: nil, count: highest + 1)
    let shown = Set(scene.overlays)
    made = made.filter { shown.contains($0.key) }
    for position in scene.overlays {
      let layer = edit.timeline.layers[position]
      let picture = try made[position] ?? drawn(layer)
      made[position] = picture
      pictures[position] = layer.fades ? try picture.faded(to: layer.opacity(at: scene.time)) : picture
    }
    return pictures
  }

  /// Of the scene's overlays, in their order.
  func opacities(in scene: Scene) throws(TimeError) -> [Double] {
    var opacities: [Double] = []
    for position in scene.overlays { opacities.append(try edit.timeline.layers[position].opacity(at: scene.time)) }
    return opacities
  }

  /// The picture that the scene's wipe goes by.
  func wipeMap(for scene: Scene) throws -> StillImage? {
    try scene.wipeMap.map(image)
  }

  /// The assets that a scene which was drawn shows as far as they could be decoded.
  func standIns(in scene: Scene) -> Set<AssetID> {
    guard !damaged.isEmpty else { return [] }
    var shown = Set(scene.wipeMap.map { [$0] } ?? [])
    for position in scene.overlays {
      if case .image(let image) = edit.timeline.layers[position].content { shown.insert(image.asset) }
    }
    return shown.intersection(damaged)
  }

  private func drawn(_ layer: OverlayLayer) throws -> OverlayPicture {
    let (renderSize, target) = (compositor.renderSize, compositor.overlayFormat)
    let raster =
      switch layer.content {
      case .text(let text): try Raster(text: text, in: renderSize, fonts: fonts)
      case .image(let content):
        try Raster(image: image(of: content.asset), content: content, in: renderSize)
      }
    return OverlayPicture(
      raster, opacity: layer.opacity.constant ?? 1, renderSize: renderSize, format: target.format, color: target.color)
  }

  private func image(of id: AssetID) throws -> StillImage {
    if let lastImage, lastImage.asset == id { return lastImage.image }
    guard let asset = edit.timeline.assets[id] else { preconditionFailure("a resolved image has an asset") }
    do throws(MediaError) {
      let image = try StillImage.load(asset.path, policy: policy, damage: edit.timeline.treatment(of: id).damage)
      if image.isDamaged { damaged.insert(id) }
      lastImage = (id, image)
      return image
    } catch { throw error.of(id) }
  }
}

extension OverlayLayer {
  /// Whether its opacity changes over time.
  fileprivate var fades: Bool { opacity.constant == nil && opacity != Envelope() }
}

extension OverlayPictures {
  /// What text is drawn from: files and folders, some of which may not exist.
  static var fontPlaces: [String] { FontPlaces.all }
}
