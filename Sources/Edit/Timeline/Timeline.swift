package import Formats

/// An edit: what is seen and heard, and how it is exported. It is a value and refers to no open file.
package struct Timeline: Hashable, Sendable {
  package var assets: [AssetID: Asset]
  /// The treatments of those assets whose treatment is not the usual one.
  package var treatments: [AssetID: AssetTreatment]
  /// The nested compositions that segments may play, in the edit and in each other. None contains itself.
  package var compositions: [CompositionID: NestedComposition]
  package var composition: Composition
  /// How the tracks' pictures become one. Where it is nil, the first video track is fitted into its first clip's size, at that
  /// clip's frame rate.
  package var videoComposition: VideoComposition?
  /// The texts and images over the picture, bottommost first.
  package var layers: [Layer]
  /// The captions over the layers, bottommost first.
  package var captions: [CaptionTrack]
  package var audioMix: AudioMix
  package var export: ExportSettings

  package init(
    assets: [AssetID: Asset] = [:], compositions: [CompositionID: NestedComposition] = [:],
    composition: Composition = Composition(), videoComposition: VideoComposition? = nil, layers: [Layer] = [],
    captions: [CaptionTrack] = [], audioMix: AudioMix = AudioMix(), export: ExportSettings = ExportSettings(),
    treatments: [AssetID: AssetTreatment] = [:]
  ) {
    (self.assets, self.compositions) = (assets, compositions)
    self.treatments = treatments.filter { $0.value != AssetTreatment() }
    (self.composition, self.videoComposition) = (composition, videoComposition)
    (self.layers, self.captions, self.audioMix, self.export) = (layers, captions, audioMix, export)
  }
}

extension Timeline {
  package func treatment(of asset: AssetID) -> AssetTreatment { treatments[asset] ?? AssetTreatment() }

  /// The names of the sources that a track shows, each once.
  package func sourceNames(of track: TrackID) -> [String] {
    var known: Set<String> = []
    return (composition.track(track)?.clips ?? []).map { name(of: $0.source) }.filter { known.insert($0).inserted }
  }

  /// The name by which texts tell a source: that of its file, without folders; that of the asset or composition where there is no file.
  package func name(of source: SegmentSource) -> String {
    guard case .asset(let id, _) = source else { return source.description }
    switch assets[id] {
    case .file(let path): return path.split(separator: "/").last.map(String.init) ?? path
    case .remote(let url):
      let path = url.text.prefix { $0 != "?" && $0 != "#" }
      return path.split(separator: "/").last.map(String.init) ?? id.rawValue
    case .embedded, nil: return id.rawValue
    }
  }
}

/// The place of an asset's bytes.
package enum Asset: Hashable, Sendable {
  /// A file's path. A relative path counts from the document's folder.
  case file(String)
  case remote(MediaURL)
  /// A picture in the document itself.
  case embedded(DataURL)

  package init(path: String) { self = .file(path) }

  /// The file's path, or the URL, with its data. An absolute path and a URL cannot be mistaken for each other.
  package var path: String {
    switch self {
    case .file(let path): path
    case .remote(let url): url.text
    case .embedded(let data): data.text
    }
  }
}
