internal import JSON
internal import MediaTime
internal import Timeline

extension TimelineResolver {
  /// Notes texts whose timestamps cannot be told at the movie's frame rate.
  func checkTimestamps(_ frameDuration: MediaTime) {
    for (index, layer) in timeline.layers.enumerated() {
      for (layer, way) in layer.all {
        guard case .text(let text)? = layer.content, text.timestamp != nil else { continue }
        do {
          // The largest time decides whether all of them fit.
          _ = try text.stamped(at: timeline.composition.duration, frameDuration: frameDuration)
        } catch { log.note("\(error)", at: root["layers"][index].following(way)["timestamp"]) }
      }
    }
  }
}
