internal import Formats
internal import JSON
internal import Timeline

// The assets that are shown beside the tracks: pictures and clips of layers, and the pictures that wipes go by.
extension TimelineResolver {
  /// The still pictures that layers show, and the paths that name them.
  var images: [(asset: AssetID, path: JSONPath)] {
    timeline.layers.enumerated().flatMap { index, layer in
      layer.all.flatMap { layer, way -> [(asset: AssetID, path: JSONPath)] in
        guard case .image(let image)? = layer.content else { return [] }
        let path = root["layers"][index].following(way)["image"]
        guard !image.sequence.keyframes.isEmpty else { return [(image.asset, path)] }
        return image.sequence.keyframes.enumerated().map { ($0.element.value, path[$0.offset]["value"]) }
      }
    }
  }

  /// The still pictures that wipes go by, and the paths that name them.
  var wipeMaps: [(asset: AssetID, path: JSONPath)] {
    (timeline.videoComposition?.instructions ?? []).enumerated().compactMap { index, instruction in
      guard case .transition(let transition) = instruction.content, case .wipe(.image(let asset), _) = transition.effect else {
        return nil
      }
      return (asset, root["videoComposition"]["instructions"][index]["transition"]["map"])
    }
  }

  /// Notes what is wrong with the assets that layers and wipes show.
  func checkImages() {
    for image in images {
      checkStillPicture(image.asset, at: image.path)
      checkRange(of: image.asset, at: image.path)
    }
    for map in wipeMaps { checkStillPicture(map.asset, at: map.path) }
    for (index, layer) in timeline.layers.enumerated() {
      for (layer, way) in layer.all {
        guard case .moving(let moving)? = layer.content, case .asset(let asset, _) = moving.source, let facts = facts[asset]
        else {
          continue
        }
        let path = root["layers"][index].following(way)["clip"]
        SegmentCheck(log).checkPlayed(asset, facts, at: path)
        checkDamage(of: asset, facts, at: path)
      }
    }
  }

  private func checkStillPicture(_ asset: AssetID, at path: JSONPath) {
    guard let facts = facts[asset] else { return log.note("asset '\(asset)' was not probed", at: path, .media) }
    SegmentCheck(log).checkStillPicture(asset, facts, at: path)
    checkDamage(of: asset, facts, at: path)
  }

  /// Notes a picture of high dynamic range, since layers are drawn in sRGB.
  private func checkRange(of asset: AssetID, at path: JSONPath) {
    for track in facts[asset]?.tracks ?? [] {
      guard case .video(let video) = track.detail, video.color.isHighRange else { continue }
      let kind = video.color.transfer == .pq ? "PQ" : "HLG"
      log.note(
        "asset '\(asset)' is a picture in \(kind), and images of layers are drawn in sRGB: a layer with \"clip\" shows it",
        at: path,
        .media)
    }
  }

  func checkDamage(of asset: AssetID, _ facts: AssetFacts, at path: JSONPath) {
    guard timeline.treatment(of: asset).damage == .refuse, facts.tracks.contains(where: { $0.isDamaged == true }) else { return }
    log.note(
      "the picture of asset '\(asset)' is damaged: not all of it can be decoded; with \"damage\": \"conceal\" the asset shows what can",
      at: path, .media)
  }
}
