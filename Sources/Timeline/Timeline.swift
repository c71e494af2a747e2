/// An edit: what is seen and heard, and how it is exported. A value; nothing in it refers to an open file.
package struct Timeline: Hashable, Sendable {
  package var assets: [AssetID: Asset]
  /// Of those assets that are not treated as usual.
  package var treatments: [AssetID: AssetTreatment]
  /// Those that segments may play, in the edit and in each other; none contains itself.
  package var compositions: [CompositionID: NestedComposition]
  package var composition: Composition
  /// Nil: the first video track, fitted into its first clip's size at that clip's frame rate.
  package var videoComposition: VideoComposition?
  /// Over the picture, first is bottommost.
  package var layers: [Layer]
  package var audioMix: AudioMix
  package var export: ExportSettings

  package init(
    assets: [AssetID: Asset] = [:], compositions: [CompositionID: NestedComposition] = [:],
    composition: Composition = Composition(), videoComposition: VideoComposition? = nil, layers: [Layer] = [],
    audioMix: AudioMix = AudioMix(), export: ExportSettings = ExportSettings(), treatments: [AssetID: AssetTreatment] = [:]
  ) {
    (self.assets, self.compositions) = (assets, compositions)
    self.treatments = treatments.filter { $0.value != AssetTreatment() }
    (self.composition, self.videoComposition) = (composition, videoComposition)
    (self.layers, self.audioMix, self.export) = (layers, audioMix, export)
  }
}

extension Timeline {
  package func treatment(of asset: AssetID) -> AssetTreatment { treatments[asset] ?? AssetTreatment() }
}

/// Where an asset's bytes are.
package enum Asset: Hashable, Sendable {
  /// A path; relative ones count from the document's folder.
  case file(String)
  case remote(MediaURL)

  /// A file.
  package init(path: String) { self = .file(path) }

  /// The file's path, or the URL: absolute paths and URLs cannot be mistaken for each other.
  package var path: String {
    switch self {
    case .file(let path): path
    case .remote(let url): url.text
    }
  }
}
