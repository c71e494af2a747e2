/// An edit within the edit. Segments play it as if it were an asset that had been rendered without loss.
package struct NestedComposition: Hashable, Sendable {
  package var composition: Composition
  /// How the tracks' pictures become one. Where it is nil, the first video track is fitted into its first clip's size, at that
  /// clip's frame rate.
  package var videoComposition: VideoComposition?
  /// The texts and images over the picture, bottommost first.
  package var layers: [Layer]
  /// The captions over the layers, bottommost first.
  package var captions: [CaptionTrack]
  package var audioMix: AudioMix

  package init(
    composition: Composition, videoComposition: VideoComposition? = nil, layers: [Layer] = [], captions: [CaptionTrack] = [],
    audioMix: AudioMix = AudioMix()
  ) {
    (self.composition, self.videoComposition) = (composition, videoComposition)
    (self.layers, self.captions, self.audioMix) = (layers, captions, audioMix)
  }
}

extension Timeline {
  /// A nested composition as an edit of its own. Its bit depth is that of the export.
  package func edit(of nested: NestedComposition) -> Timeline {
    var edit = self
    (edit.composition, edit.videoComposition) = (nested.composition, nested.videoComposition)
    (edit.layers, edit.audioMix) = (nested.layers, nested.audioMix)
    edit.captions = nested.captions
    edit.export.timeRange = nil
    return edit
  }
}

extension Composition {
  /// The nested compositions that segments play.
  package var nested: Set<CompositionID> {
    var found: Set<CompositionID> = []
    for track in tracks {
      for case .media(.composition(let id), _) in track.segments { found.insert(id) }
    }
    return found
  }
}
