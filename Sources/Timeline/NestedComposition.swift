/// An edit within the edit, played by segments as if it had been rendered without loss and were an asset.
package struct NestedComposition: Hashable, Sendable {
  package var composition: Composition
  /// Nil: the first video track, fitted into its first clip's size at that clip's frame rate.
  package var videoComposition: VideoComposition?
  /// Over the picture, first is bottommost.
  package var layers: [Layer]
  package var audioMix: AudioMix

  package init(
    composition: Composition, videoComposition: VideoComposition? = nil, layers: [Layer] = [],
    audioMix: AudioMix = AudioMix()
  ) {
    (self.composition, self.videoComposition) = (composition, videoComposition)
    (self.layers, self.audioMix) = (layers, audioMix)
  }
}

extension Timeline {
  /// A nested composition as an edit of its own; its colour depth is the export's.
  func edit(of nested: NestedComposition) -> Timeline {
    var edit = self
    (edit.composition, edit.videoComposition) = (nested.composition, nested.videoComposition)
    (edit.layers, edit.audioMix) = (nested.layers, nested.audioMix)
    edit.export.timeRange = nil
    return edit
  }
}

extension Composition {
  /// The nested compositions that segments play.
  var nested: Set<CompositionID> {
    var found: Set<CompositionID> = []
    for track in tracks {
      for case .media(.composition(let id), _) in track.segments { found.insert(id) }
    }
    return found
  }
}
