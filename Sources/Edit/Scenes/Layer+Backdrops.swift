internal import Timeline

extension Layer {
  /// The ways to those of this layer and of all that it holds that filter what lies below, where nothing of that is there: they are put
  /// together with others before all is laid over the picture.
  ///
  /// - Parameter isApart: whether this layer stands on one that is put together so.
  func backdropsOfNothing(isApart: Bool = false) -> [[Step]] {
    let isMixed = isApart || style.blendMode != .normal
    let movesMask = mask.map { $0.holdsMoving || $0.geometry.isSpatial } ?? false
    let castsContent = style.shadow.map { $0.path == nil && ($0.isOfContent || movesMask) } ?? false
    let isTinted = replicator.map { $0.tint(of: $0.count - 1) != nil || $0.tint(of: 0) != nil } ?? false
    let inner = isMixed || !style.filters.isEmpty || castsContent || isTinted
    var ways: [[Step]] = isMixed && !style.backdropFilters.isEmpty ? [[]] : []
    for (index, sublayer) in sublayers.enumerated() {
      ways += sublayer.backdropsOfNothing(isApart: inner).map { [.sublayer(index)] + $0 }
    }
    if let mask { ways += mask.backdropsOfNothing(isApart: true).map { [.mask] + $0 } }
    return ways
  }
}
