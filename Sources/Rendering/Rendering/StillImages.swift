internal import Formats
internal import Media
internal import Timeline

/// The still pictures of an edit's assets, for its layers and its wipes. One thread at a time.
final class StillImages {
  private let timeline: Timeline
  private let policy: SourcePolicy
  /// The picture that was read last. Thousands of layers may show the same one.
  private var last: (asset: AssetID, image: StillImage)?
  /// The assets whose picture was read and could not be decoded in full.
  private(set) var damaged: Set<AssetID> = []

  init(_ timeline: Timeline, policy: SourcePolicy) { (self.timeline, self.policy) = (timeline, policy) }

  /// The picture of an asset.
  ///
  /// - Throws: `MediaError` that names the asset.
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
