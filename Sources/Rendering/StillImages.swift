internal import Media
internal import Timeline

/// The still pictures of an edit's assets, for its layers and its wipes. Belongs to one thread.
final class StillImages {
  private let timeline: Timeline
  private let policy: SourcePolicy
  /// The last one that was read: thousands of layers may show the same.
  private var last: (asset: AssetID, image: StillImage)?
  /// The assets among those read of which not all could be decoded.
  private(set) var damaged: Set<AssetID> = []

  init(_ timeline: Timeline, policy: SourcePolicy) { (self.timeline, self.policy) = (timeline, policy) }

  /// - Throws: `MediaError` naming the asset.
  func image(of id: AssetID) throws(MediaError) -> StillImage {
    if let last, last.asset == id { return last.image }
    guard let asset = timeline.assets[id] else { preconditionFailure("a resolved image has an asset") }
    do throws(MediaError) {
      let image = try StillImage.load(asset.path, policy: policy, damage: timeline.treatment(of: id).damage)
      if image.isDamaged { damaged.insert(id) }
      last = (id, image)
      return image
    } catch { throw error.of(id) }
  }
}
