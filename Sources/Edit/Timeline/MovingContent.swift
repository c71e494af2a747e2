/// A moving picture as the content of a layer. It is fitted into the layer's rectangle, and cut off at its edges.
package struct MovingContent: Hashable, Sendable {
  package enum Source: Hashable, Sendable {
    /// The picture that a track of the composition shows at the time.
    case track(TrackID)
    /// The whole frame that the instructions make, with its background: the video layer of AVVideoCompositionCoreAnimationTool.
    /// The frame is then seen in this layer only.
    case video
    /// The picture of an asset at the time of the layer's clock: an animation, or a clip. After its end it begins anew, or its last
    /// picture stays.
    case asset(AssetID, loops: Bool)
  }

  package var source: Source
  package var gravity: Gravity

  package init(_ source: Source, gravity: Gravity = .resizeAspect) { (self.source, self.gravity) = (source, gravity) }
}

extension [Layer] {
  /// The contents of all layers, with those on them, that move.
  package var movingContents: [MovingContent] {
    flatMap { layer in
      let own: [MovingContent] = if case .moving(let moving)? = layer.content { [moving] } else { [] }
      return own + layer.sublayers.movingContents + (layer.mask.map { [$0].movingContents } ?? [])
    }
  }

  /// The assets that the layers show by their own clocks.
  package var playedAssets: [AssetID] {
    movingContents.compactMap { if case .asset(let asset, _) = $0.source { asset } else { nil } }
  }

  /// The tracks that the layers show.
  package var movingTracks: [TrackID] {
    movingContents.compactMap { if case .track(let track) = $0.source { track } else { nil } }
  }

  /// Whether one of the layers shows the video. It is asked for each frame, so it makes no list.
  package var showVideo: Bool {
    contains { layer in
      if case .moving(let moving)? = layer.content, moving.source == .video { return true }
      return !layer.sublayers.isEmpty && layer.sublayers.showVideo || layer.mask.map { [$0].showVideo } ?? false
    }
  }
}
