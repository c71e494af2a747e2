/// How much of an asset is damaged and was replaced.
package struct Concealment: Hashable, Sendable, Codable {
  /// The asset's name in the document.
  package var asset: String
  /// Frames of the movie that show a stand-in.
  package var frames: Int
  /// Samples of the movie, of each channel, that are silence instead.
  package var samples: Int64

  package init(asset: String, frames: Int = 0, samples: Int64 = 0) {
    (self.asset, self.frames, self.samples) = (asset, frames, samples)
  }
}

extension [Concealment] {
  /// All of them, one for each asset, in the order of their names: the same however a movie was divided.
  package static func sum(_ parts: some Sequence<Concealment>) -> [Concealment] {
    var sums: [String: Concealment] = [:]
    for part in parts {
      sums[part.asset, default: Concealment(asset: part.asset)].frames += part.frames
      sums[part.asset, default: Concealment(asset: part.asset)].samples += part.samples
    }
    return sums.values.filter { $0.frames > 0 || $0.samples > 0 }.sorted { $0.asset < $1.asset }
  }

  /// In words, as the movie itself says it; nil where nothing was replaced.
  package var sentence: String? {
    guard !isEmpty else { return nil }
    let parts = map { part in
      let frames = part.frames > 0 ? ["\(part.frames) frame\(part.frames == 1 ? "" : "s")"] : []
      let samples = part.samples > 0 ? ["\(part.samples) sample\(part.samples == 1 ? "" : "s")"] : []
      return "\((frames + samples).joined(separator: " and ")) of asset '\(part.asset)'"
    }
    return "Damaged media were replaced in " + parts.joined(separator: ", ")
  }
}
