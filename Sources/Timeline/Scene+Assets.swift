extension ResolvedTimeline {
  /// The assets whose pictures are in output frame `index`, in the order of their names; nested compositions' too.
  ///
  /// - Precondition: the edit has a picture and `index` lies in `0..<frameCount`.
  package func assets(at index: Int) throws -> [AssetID] {
    let scene = try scene(at: index)
    var assets: Set<AssetID> = []
    for layer in scene.overlays {
      if case .image(let image) = timeline.layers[layer].content { assets.insert(image.asset) }
    }
    for picture in scene.placedPictures {
      switch picture.source {
      case .asset(let asset, _): assets.insert(asset)
      case .composition(let id):
        let nested = edit(of: id)
        assets.formUnion(try nested.assets(at: nested.frameIndex(at: picture.sourceTime, orJustBefore: picture.isReversed)))
      }
    }
    return assets.sorted()
  }
}
